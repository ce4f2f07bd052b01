import { isUtf8 } from 'node:buffer'

/** Longest name of an entry and deepest folder that a build on Linux could still unpack. */
const longestName = 4096
const longestPart = 255
const deepest = 100

/** The fault of an entry's name, as the start of a sentence; undefined for a good one. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'Entries without a name'
  if (name.includes('\0')) return 'Names with a NUL character'
  if (name.includes('\\')) return 'Names with a backslash, which is a separator on some systems only'
  if (name.startsWith('/')) return 'Absolute names'
  if (/^[a-z]:\//i.test(name)) return 'Names that start with a drive letter'
  const parts = (name.endsWith('/') ? name.slice(0, -1) : name).split('/')
  if (parts.includes('..')) return 'Names that leave the archive with ".."'
  if (parts.some((part) => part === '' || part === '.')) return 'Names with an empty or "." part'
  if (parts.length > deepest) return `Folders nested deeper than ${deepest}`
  if (Buffer.byteLength(name) > longestName || parts.some((part) => Buffer.byteLength(part) > longestPart)) {
    return `Names longer than ${longestPart} bytes in one part or ${longestName} in all`
  }
  return undefined
}

/** A name of the file system as text, or undefined when its bytes are not UTF-8. */
export function decodeName(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    : undefined
}

/**
 * A name for the top-level directory that every system and build tool accepts: the last part of an `owner/name`,
 * letters, digits, dot, dash and underscore only.
 */
export function topLevelName(wish: string): string {
  const last = wish.split(/[\\/]/).findLast((part) => part !== '') ?? ''
  const name = last
    .slice(0, 400)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 100)
    .replace(/[.-]+$/, '')
  const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
  return name === '' || reserved.test(name) ? 'load-test' : name
}

/** A link's text longer than this is not a path. */
export const longestTarget = 4096

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
  destination(name: string): keyof typeof linkFaults {
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
export const linkFaults = {
  inside: undefined,
  outside: 'Symbolic links that leave the tree',
  absolute: 'Symbolic links with an absolute target',
  circle: 'Symbolic links that form a loop',
}
