import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { ArchiveError } from '../errors.js'
import { readRegularFile } from '../text/regular-file.js'
import { looksSecret } from '../text/secret-name.js'
import { formatBytes } from '../text/size.js'
import type { PackedArchive } from './archive.js'
import { mostPointerBytes, pointer } from './deflate.js'
import { cause, errorCode, Faults, named, quoted } from './faults.js'
import { linkFault, Links, nameFault } from './names.js'
import { checkContent, readZipEntries, shortText, type ZipEntry } from './zip-reader.js'

/**
 * The interface shows no limit, and the service's manual says 100 MB without saying which megabytes it means. Only the
 * service itself knows: a larger archive is sent, with a warning.
 */
export const archiveLimitBytes = 100_000_000
/** It is held in memory as a whole, and Node can't hold a larger file. */
const mostBytes = 2 ** 31 - 1

/** An archive that the service could build from. */
export interface CheckedArchive {
  path: string
  /** The top-level directory. */
  name: string
  /** Files and links, without folders. */
  files: number
  bytes: number
  /** The SHA-512 of the whole ZIP, in hex. */
  sha512: string
  /** Files whose names look like secrets. */
  suspicious: string[]
  /** A sentence if the service may refuse it for its size. */
  large?: string
}

/**
 * Text compresses by a few hundred times at best; more than this, together with a large total, is an archive bomb.
 */
const mostBytesUnpacked = 2 ** 32 - 1
const unsuspiciousBytes = 1e9
const highestRatio = 250

/**
 * Whether the service could build from this ZIP, found out before anything is sent. The ArchiveError names
 * all faults at once.
 */
export async function preflight(
  path: string,
  { limitBytes = archiveLimitBytes, signal }: { limitBytes?: number; signal?: AbortSignal } = {},
): Promise<CheckedArchive> {
  const zip = readZip(path)
  const faults = new Faults()
  const entries = await readZipEntries(zip, faults, signal)
  if (!entries) return faults.throwAs(unusable(path))
  const name = checkEntries(zip, entries, faults)
  if (!faults.any) await checkContent(zip, entries, faults, signal)
  faults.throwIfAny(unusable(path))
  const largest = entries.map((entry) => ({ name: entry.name, bytes: entry.packedBytes }))
  const sha512 = createHash('sha512').update(zip).digest('hex')
  return checked({ path, name, names: namesOf(entries), bytes: zip.length, sha512, largest }, limitBytes)
}

/** All that shows without inflating more than links and pointers. @returns the top-level directory */
function checkEntries(zip: Buffer, entries: readonly ZipEntry[], faults: Faults): string {
  const structure = faults.any
  const sound = checkNames(entries, faults) && !structure
  const topLevel = checkTopLevel(entries, faults)
  if (topLevel !== undefined) checkBuildFile(namesOf(entries), topLevel, faults)
  checkBomb(entries, zip.length, faults)
  // Links are read from the data, and judged by their names.
  if (sound) checkLinks(zip, entries, topLevel, faults)
  for (const entry of entries) {
    if (entry.kind !== 'file' || entry.bytes > mostPointerBytes) continue
    if (pointer.test(shortText(zip, entry) ?? '')) addPointer(entry.name, faults)
  }
  return topLevel ?? ''
}

/**
 * The same of a ZIP that packSource has just written: names and links were checked when they were listed, and the rest
 * is as it was written.
 */
export function preflightPacked(packed: PackedArchive): CheckedArchive {
  const faults = new Faults()
  checkBuildFile(packed.names, packed.name, faults)
  for (const name of packed.pointers) addPointer(name, faults)
  faults.throwIfAny(unusable(packed.path))
  return checked(packed, archiveLimitBytes)
}

const unusable = (path: string) => `The archive ${quoted(path)} cannot be used`

type Sound = Pick<PackedArchive, 'path' | 'name' | 'names' | 'bytes' | 'sha512' | 'largest'>

function checked({ path, name, names, bytes, sha512, largest }: Sound, limit: number): CheckedArchive {
  return {
    ...{ path, name, files: names.length, bytes, sha512, suspicious: names.filter(looksSecret) },
    ...(bytes > limit ? { large: sizeWarning(path, bytes, largest) } : {}),
  }
}

function namesOf(entries: readonly ZipEntry[]): string[] {
  return entries.filter(({ kind }) => kind !== 'folder').map(({ name }) => name)
}

function readZip(path: string): Buffer {
  const size = sizeOf(path)
  if (size === 0) throw new ArchiveError(`The archive ${quoted(path)} is empty. Create the archive again.`)
  if (size > mostBytes) throw new ArchiveError(sizeWarning(path, size, []))
  try {
    return readRegularFile(path, mostBytes)
  } catch (error) {
    throw new ArchiveError(
      `The archive ${quoted(path)} cannot be read: ${cause(error)}. Make it readable for the user of this job.`,
      { cause: error },
    )
  }
}

function sizeOf(path: string): number {
  try {
    const stats = statSync(path)
    if (stats.isFile()) return stats.size
  } catch (error) {
    const reason = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read: ${cause(error)}`
    throw new ArchiveError(`The archive ${quoted(path)} ${reason}. Check the input source.`, {
      cause: error,
    })
  }
  throw new ArchiveError(`The archive ${quoted(path)} is not a file. Name a ZIP file in the input source.`)
}

function sizeWarning(path: string, bytes: number, files: PackedArchive['largest']): string {
  const largest = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, 10)
  const list = largest.length === 0 ? '' : ` The largest files in it:\n- ${named(largest, '\n- ')}`
  return `The archive ${quoted(path)} has ${bytes} bytes (${formatBytes(bytes)}). The service's manual says at most 100 MB, so the service may refuse it. Use the input exclude to leave out what the test does not need.${list}`
}

function checkNames(entries: readonly ZipEntry[], faults: Faults): boolean {
  const advice = 'Create the archive with other names.'
  const kinds = new Map<string, ZipEntry['kind']>()
  let sound = true
  for (const { name, kind } of entries) {
    const wrong = nameFault(name)
    if (wrong !== undefined) faults.add(wrong, name, advice)
    sound &&= wrong === undefined
    const path = kind === 'folder' ? name.slice(0, -1) : name
    if (kinds.has(path)) faults.add('Names that occur more than once', name, advice)
    kinds.set(path, kind)
  }
  if (!sound) return false
  for (const { name } of entries) {
    for (let end = name.indexOf('/'); end >= 0; end = name.indexOf('/', end + 1)) {
      const above = kinds.get(name.slice(0, end))
      if (above === 'file') faults.add('Entries below a file', name, advice)
      if (above === 'link') faults.add('Entries below a symbolic link', name, advice)
    }
  }
  return true
}

/** One directory is the service's own rule; it does not say whether a file may be next to it. */
function checkTopLevel(entries: readonly ZipEntry[], faults: Faults): string | undefined {
  const tops = new Set<string>()
  for (const { name, kind } of entries) {
    const end = name.indexOf('/')
    tops.add(end < 0 ? (kind === 'link' ? `${name} (a link)` : `${name} (a file)`) : name.slice(0, end + 1))
  }
  const [only = ''] = tops
  if (tops.size === 1 && only.endsWith('/')) return only.slice(0, -1)
  if (tops.size === 0) {
    faults.add('It has no entries', undefined, 'Put one directory into it that holds the test suite.')
    return undefined
  }
  const advice = tops.has('__MACOSX/')
    ? 'Zip one directory that holds all of it; the Finder adds __MACOSX/, the program zip does not.'
    : 'Zip one directory that holds all of it.'
  const beside = [...tops].filter((top) => !top.endsWith('/'))
  const isAssumed = beside.length === tops.size - 1
  const what = isAssumed
    ? 'The step assumes that the service accepts nothing next to the top-level directory, but there is'
    : 'The service requires exactly one top-level directory, but it has'
  for (const top of isAssumed ? beside : tops) faults.add(what, top, advice)
  return undefined
}

/** The files by which Maven and Gradle recognize a build, in Gradle's three languages. */
const buildFile = /(?:^|\/)(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts|\.dcl)?)$/

/** A Maven or Gradle build is the service's own rule; where it looks for the build file is an assumption. */
function checkBuildFile(names: readonly string[], topLevel: string, faults: Faults): void {
  const candidates = names.filter((name) => buildFile.test(name))
  if (candidates.some((name) => name.lastIndexOf('/') === topLevel.length)) return
  const where = quoted(`${topLevel}/`)
  if (candidates.length === 0) {
    faults.add(
      `The service builds with Maven or Gradle, but there is no build file (pom.xml, build.gradle or settings.gradle, also with .kts or .dcl) in ${where}`,
      undefined,
      'Pack the folder of a Maven or Gradle project.',
    )
  }
  for (const name of candidates) {
    faults.add(
      `The step assumes that the service looks for the build file directly in ${where}, but it is only in subfolders`,
      name,
      'Set the input source to the folder that has it, or put a build file there that includes it.',
    )
  }
}

function checkBomb(entries: readonly ZipEntry[], packed: number, faults: Faults): void {
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  if (bytes <= mostBytesUnpacked && (bytes <= unsuspiciousBytes || bytes / packed <= highestRatio)) return
  const [worst] = entries.toSorted((a, b) => b.bytes - a.bytes)
  faults.add(
    `It would unpack to ${formatBytes(bytes)}, ${Math.round(bytes / packed)} times its own size, like a ZIP bomb; the largest entry`,
    worst?.name,
    'Leave such files out.',
  )
}

/** A test suite whose data are pointers would load the product with something else. */
function addPointer(name: string, faults: Faults): void {
  faults.add(
    'Files that are only pointers of Git LFS',
    name,
    'Set lfs: true of actions/checkout, which fetches the files themselves, or leave these out with the input exclude.',
  )
}

const asFiles = 'Put the files themselves there.'

function checkLinks(
  zip: Buffer,
  entries: readonly ZipEntry[],
  topLevel: string | undefined,
  faults: Faults,
): void {
  // A link must not leave the top-level directory either.
  const inside = (name: string): string => (topLevel === undefined ? name : name.slice(topLevel.length + 1))
  const found = entries.filter(({ kind }) => kind === 'link')
  const targets = new Map<string, string>()
  for (const entry of found) {
    const target = shortText(zip, entry)
    if (target === undefined) faults.add('Symbolic links without a usable target', entry.name, asFiles)
    else targets.set(inside(entry.name), target)
  }
  const links = new Links(targets)
  for (const { name } of found) {
    const target = targets.get(inside(name))
    const wrong = target === undefined ? undefined : linkFault(links.destination(inside(name)))
    if (wrong !== undefined) faults.add(wrong, `${name} -> ${target}`, asFiles)
  }
}
