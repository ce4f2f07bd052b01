import { lstat, readdir } from 'node:fs/promises'
import { join, parse, sep } from 'node:path'
import { ReportError } from '../errors.js'
import { oneLine } from './foreign-text.js'

const mostFolders = 10_000

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

/**
 * The files and folders that an absolute path names: the path itself if it exists, else all that match its wildcards.
 * `*` stands for any characters of a name and `?` for one, at its beginning for no dot; `**` for any folders. A
 * wildcard does not follow links.
 *
 * @throws ReportError if too many folders would have to be searched
 */
export async function pathsMatching(pattern: string): Promise<string[]> {
  if (await isThere(pattern)) return [pattern]
  const { root } = parse(pattern)
  const parts = pattern.slice(root.length).split(sep)
  if (!parts.some(isPattern)) return []
  let looked = 0
  const found = new Set<string>()
  const search = async (folder: string, [part, ...rest]: readonly string[]): Promise<void> => {
    if (part === undefined) {
      found.add(folder)
      return
    }
    if (!isPattern(part)) {
      const next = join(folder, part)
      if (await isThere(next)) await search(next, rest)
      return
    }
    looked++
    if (looked > mostFolders) {
      throw new ReportError(
        `report is "${oneLine(pattern, 120)}": more than ${mostFolders} folders may match. Name the folder more precisely.`,
      )
    }
    const entries = (await readdir(folder, { withFileTypes: true }).catch(() => [])).filter(
      (entry) => entry.isDirectory() || entry.isFile(),
    )
    if (part === '**') {
      await search(folder, rest)
      for (const entry of entries.filter((one) => one.isDirectory() && !one.name.startsWith('.'))) {
        await search(join(folder, entry.name), ['**', ...rest])
      }
      return
    }
    const isLike = nameLike(part)
    for (const entry of entries) {
      if (isLike(entry.name) && (rest.length === 0 || entry.isDirectory())) {
        await search(join(folder, entry.name), rest)
      }
    }
  }
  await search(root, parts)
  return [...found].sort()
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

function isPattern(part: string): boolean {
  return hasWildcard(patternOf(part))
}

/** At the beginning of a name, a wildcard stands for no dot. */
function nameLike(part: string): (name: string) => boolean {
  const matches = matcher(patternOf(part))
  const isOpen = hasWildcard(patternOf(part.slice(0, 1)))
  return (name) => !(isOpen && name.startsWith('.')) && matches(name)
}
