import { lstat, readdir } from 'node:fs/promises'
import { join, parse, sep } from 'node:path'
import { ReportError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { hasWildcard, matcher, patternOf } from '../text/name-pattern.js'

const mostFolders = 10_000

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
