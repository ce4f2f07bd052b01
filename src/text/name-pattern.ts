/** A name with wildcards: literal text, `*` for any characters, `?` for exactly one. */
export type NamePattern = readonly ({ text: string } | { wildcard: '*' | '?' })[]

/** The pattern that a text with wildcards stands for: every `*` and `?` in it is one. */
export function patternOf(text: string): NamePattern {
  return text
    .split(/([*?])/)
    .filter((piece) => piece !== '')
    .map((piece) => (piece === '*' || piece === '?' ? { wildcard: piece } : { text: piece }))
}

/** True if the pattern can match several names. */
export function hasWildcard(pattern: NamePattern): boolean {
  return pattern.some((piece) => 'wildcard' in piece)
}

/**
 * Says whether a name matches; made once for many names. Upper and lower case differ, as they do in reports. What is
 * found behind a `*` is never looked for again: that takes at most length of pattern x length of name steps.
 */
export function matcher(pattern: NamePattern): (name: string) => boolean {
  if (!hasWildcard(pattern)) {
    const only = plainText(pattern)
    return (name) => name === only
  }
  const parts = ['']
  for (const piece of pattern) {
    if ('text' in piece) parts.push((parts.pop() ?? '') + piece.text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    else if (piece.wildcard === '?') parts.push(`${parts.pop() ?? ''}.`)
    else parts.push('')
  }
  const [first = '', ...others] = parts
  const last = others.pop()
  const between = others.map((part, at) => `(?=(.*?${part}))\\${at + 1}`)
  const whole = new RegExp(`^${first}${between.join('')}${last === undefined ? '' : `.*${last}`}$`, 'su')
  return (name) => whole.test(name)
}

/** The pattern as one string, wildcards as `*` and `?`. */
export function plainText(pattern: NamePattern): string {
  return pattern.map((piece) => ('text' in piece ? piece.text : piece.wildcard)).join('')
}

/** A name as a gate writes it, in double quotes, so that it matches only itself. */
export function quotedName(name: string): string {
  return `"${name.replace(/["\\*?]/g, '\\$&')}"`
}
