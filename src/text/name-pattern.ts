/** A name with wildcards: literal text, `*` for any characters, `?` for exactly one. */
export type NamePattern = readonly PatternPiece[]
export type PatternPiece = { text: string } | { wildcard: '*' | '?' }

/** The pattern that a text with wildcards stands for: every `*` and `?` in it is one. */
export function patternOf(text: string): NamePattern {
  return text
    .split(/([*?])/)
    .filter((piece) => piece !== '')
    .map((piece) => (piece === '*' || piece === '?' ? { wildcard: piece } : { text: piece }))
}

/** A character, or a wildcard. */
type PatternSign = string | { wildcard: '*' | '?' }

/** True if the pattern can match several names. */
export function hasWildcard(pattern: NamePattern): boolean {
  return pattern.some((piece) => 'wildcard' in piece)
}

/**
 * Says whether a name matches; made once for many names. Upper and lower case differ, as they do in reports. Takes
 * at most length of pattern x length of name steps.
 */
export function matcher(pattern: NamePattern): (name: string) => boolean {
  if (!hasWildcard(pattern)) {
    const text = plainText(pattern)
    return (name) => name === text
  }
  const wanted = pattern.flatMap((piece): PatternSign[] => ('text' in piece ? [...piece.text] : [piece]))
  return (name) => matches(wanted, [...name])
}

function matches(wanted: readonly PatternSign[], given: readonly string[]): boolean {
  let at = 0
  // Where to continue when what follows the last `*` does not match here.
  let star = -1
  let starTook = 0
  for (let i = 0; i < given.length;) {
    const want = wanted[at]
    if (want !== undefined && typeof want !== 'string' && want.wildcard === '*') {
      star = at++
      starTook = i
    } else if (want !== undefined && (typeof want !== 'string' || want === given[i])) {
      at++
      i++
    } else if (star >= 0) {
      at = star + 1
      i = ++starTook
    } else return false
  }
  return wanted.slice(at).every((want) => typeof want !== 'string' && want.wildcard === '*')
}

/** The pattern as one string, wildcards as `*` and `?`. */
export function plainText(pattern: NamePattern): string {
  return pattern.map((piece) => ('text' in piece ? piece.text : piece.wildcard)).join('')
}

/** A name as a gate writes it, in double quotes, so that it matches only itself. */
export function quotedName(name: string): string {
  return `"${name.replace(/["\\*?]/g, '\\$&')}"`
}
