/** Where a symbolic link leads. */
type Destination = 'inside' | 'outside' | 'absolute' | 'circle'

const mostHops = 40

/**
 * Symbolic links of one tree, resolved by name alone, one through the other, as the system would after
 * unpacking. Names and targets are relative to the root of the tree, with `/`.
 */
export class Links {
  // Limits the work that tangled links can cause, over all links together.
  #steps = 20_000_000

  constructor(readonly targets: ReadonlyMap<string, string>) {}

  /** `name` is the path of a link; the tree's root is the empty path. */
  destination(name: string): Destination {
    let at = name.split('/').slice(0, -1)
    const ahead: string[] = []
    let target = this.targets.get(name) ?? ''
    for (let hops = 0; hops < mostHops; hops += 1) {
      if (/^([a-z]:)?[\\/]/i.test(target)) return 'absolute'
      if (target === '' || target.includes('\\') || target.includes('\0')) return 'outside'
      this.#steps -= target.length
      if (this.#steps < 0) return 'circle'
      ahead.push(...target.split('/').reverse())
      const end = this.#walk(at, ahead)
      if (end === 'inside' || end === 'outside' || end === 'circle') return end
      at = at.slice(0, -1)
      target = end.target
    }
    return 'circle'
  }

  /** Continues until the path ends, leaves the tree or meets another link; changes `at` and `ahead`. */
  #walk(at: string[], ahead: string[]): 'inside' | 'outside' | 'circle' | { target: string } {
    for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
      if (part === '' || part === '.') continue
      if (part === '..') {
        if (at.length === 0) return 'outside'
        at.pop()
        continue
      }
      at.push(part)
      this.#steps -= at.length
      if (this.#steps < 0) return 'circle'
      const target = this.targets.get(at.join('/'))
      if (target !== undefined) return { target }
    }
    return 'inside'
  }
}

/** Why a link must not be packed or accepted; undefined for a good one. */
export function linkFault(destination: Destination): string | undefined {
  switch (destination) {
    case 'inside':
      return undefined
    case 'outside':
      return 'Symbolic links that leave the tree'
    case 'absolute':
      return 'Symbolic links with an absolute target'
    case 'circle':
      return 'Symbolic links that form a loop'
  }
}
