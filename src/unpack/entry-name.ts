import type { ReportError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import type { ArchiveFaults } from './faults.js'

/** The name of an archive entry, known to stay inside the folder that it would be unpacked to. */
export interface EntryName {
  /** `report/testreport.xml`: separators are slashes, no `.` parts. */
  path: string
  /** `report`, or empty at the top. */
  folder: string
  base: string
  /** Folders above it. */
  depth: number
}

const maxNameLength = 4096
const maxDepth = 64

/** @throws ReportError for a name that is absolute, climbs with `..`, holds a NUL, or is too long or too deep. */
export function entryName(raw: string, faults: ArchiveFaults): EntryName {
  const refused = (why: string): ReportError => faults.refused(`its entry "${oneLine(raw, 120)}" ${why}`)
  if (raw.length > maxNameLength) throw refused(`has a name of more than ${maxNameLength} characters`)
  if (raw.includes('\0')) throw refused('has a NUL character in its name')
  const name = raw.replaceAll('\\', '/')
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) throw refused('has an absolute name')
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw refused('leads out of the archive with ".."')
  if (parts.length > maxDepth) throw refused(`lies more than ${maxDepth} folders deep`)
  const base = parts.at(-1) ?? ''
  const folder = parts.slice(0, -1).join('/')
  return { path: parts.join('/'), folder, base, depth: Math.max(0, parts.length - 1) }
}

/** Whether the folder of `a` comes first: the shallower one, then by name. */
export function isBefore(a: EntryName, b: EntryName): boolean {
  return a.depth === b.depth ? a.folder < b.folder : a.depth < b.depth
}
