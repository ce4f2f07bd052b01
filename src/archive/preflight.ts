import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { ArchiveError } from '../errors.js'
import { readRegularFile } from '../text/regular-file.js'
import { looksSecret } from '../text/secret-name.js'
import { formatBytes } from '../text/size.js'
import { cause, errorCode, Faults, quoted } from './faults.js'
import { largestEntries } from './largest.js'
import { linkFault, Links } from './listing/links.js'
import { nameFault } from './listing/names.js'
import { checkContent, shortText } from './zip/content.js'
import { readZipEntries, type ZipEntry } from './zip/reader.js'

/**
 * The interface shows no limit, and the service's manual says 100 MB without saying which megabytes it means. Only the
 * service itself knows: a larger archive is sent, with a warning.
 */
export const archiveLimitBytes = 100_000_000
/** It is held in memory as a whole, and Node can't hold a larger file. */
const mostBytes = 2 ** 31 - 1

interface PreflightOptions {
  /** Default: archiveLimitBytes. */
  limitBytes?: number
  /**
   * In hex, of an archive that this step has just written: it is not digested again, and its entries are not
   * inflated.
   */
  sha512?: string
  signal?: AbortSignal
}

interface CheckedArchive {
  topLevel: string
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
export async function preflight(zipPath: string, options: PreflightOptions = {}): Promise<CheckedArchive> {
  const { zip, large } = await readWhole(zipPath, options.limitBytes ?? archiveLimitBytes)
  const faults = new Faults()
  const entries = await readZipEntries(zip, faults, options.signal)
  let topLevel: string | undefined
  const structure = faults.any
  if (entries) {
    const sound = checkNames(entries, faults) && !structure
    topLevel = checkTopLevel(entries, faults)
    if (topLevel !== undefined) checkBuildFile(entries, topLevel, faults)
    checkBomb(entries, zip.length, faults)
    // Links are read from the data, and judged by their names.
    if (sound) await checkLinks(zip, entries, topLevel, faults)
    await checkPointers(zip, entries, faults)
    if (!faults.any && options.sha512 === undefined) await checkContent(zip, entries, faults, options.signal)
  }
  faults.throwIfAny(`The archive ${quoted(zipPath)} cannot be used`)
  const files = (entries ?? []).filter((entry) => entry.kind !== 'folder')
  return {
    topLevel: topLevel ?? '',
    files: files.length,
    bytes: zip.length,
    sha512: options.sha512 ?? createHash('sha512').update(zip).digest('hex'),
    suspicious: files.map((entry) => entry.name).filter(looksSecret),
    ...(large === undefined ? {} : { large }),
  }
}

/** The whole file, and a sentence if it is above the limit. */
async function readWhole(path: string, limit: number): Promise<{ zip: Buffer; large?: string }> {
  const stats = await stat(path).catch((error: unknown) => {
    const reason = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read: ${cause(error)}`
    throw new ArchiveError(`The archive ${quoted(path)} ${reason}. Check the input source.`, {
      cause: error,
    })
  })
  if (!stats.isFile()) {
    throw new ArchiveError(`The archive ${quoted(path)} is not a file. Name a ZIP file in the input source.`)
  }
  if (stats.size === 0)
    throw new ArchiveError(`The archive ${quoted(path)} is empty. Create the archive again.`)
  const large = stats.size > limit ? { large: await sizeWarning(path, stats.size) } : {}
  if (large.large !== undefined && stats.size > mostBytes) throw new ArchiveError(large.large)
  try {
    return { zip: readRegularFile(path, mostBytes), ...large }
  } catch (error) {
    throw new ArchiveError(
      `The archive ${quoted(path)} cannot be read: ${cause(error)}. Make it readable for the user of this job.`,
      { cause: error },
    )
  }
}

async function sizeWarning(path: string, bytes: number): Promise<string> {
  const largest = await largestEntries(path)
  const list = largest.map((entry) => `\n- ${quoted(entry.name)} (${formatBytes(entry.bytes)})`).join('')
  return (
    `The archive ${quoted(path)} has ${bytes} bytes (${formatBytes(bytes)}). The service's manual says at most 100 MB, so the service may refuse it. Use the input exclude to leave out what the test does not need.` +
    (list === '' ? '' : ` The largest files in it:${list}`)
  )
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
const buildFile = /^(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts|\.dcl)?)$/

/** A Maven or Gradle build is the service's own rule; where it looks for the build file is an assumption. */
function checkBuildFile(entries: readonly ZipEntry[], topLevel: string, faults: Faults): void {
  const candidates = entries.filter(
    ({ kind, name }) => kind !== 'folder' && buildFile.test(name.slice(name.lastIndexOf('/') + 1)),
  )
  if (candidates.some(({ name }) => name.lastIndexOf('/') === topLevel.length)) return
  const where = quoted(`${topLevel}/`)
  if (candidates.length === 0) {
    faults.add(
      `The service builds with Maven or Gradle, but there is no build file (pom.xml, build.gradle or settings.gradle, also with .kts or .dcl) in ${where}`,
      undefined,
      'Pack the folder of a Maven or Gradle project.',
    )
  }
  for (const { name } of candidates) {
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

const pointer =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-.*\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n$/

/** A test suite whose data are pointers would load the product with something else. */
async function checkPointers(zip: Buffer, entries: readonly ZipEntry[], faults: Faults): Promise<void> {
  for (const entry of entries) {
    // One without extensions has some 130 bytes.
    if (entry.kind !== 'file' || entry.bytes < 110 || entry.bytes > 300) continue
    if (!pointer.test((await shortText(zip, entry)) ?? '')) continue
    faults.add(
      'Files that are only pointers of Git LFS',
      entry.name,
      'Set lfs: true of actions/checkout, which fetches the files themselves, or leave these out with the input exclude.',
    )
  }
}

const asFiles = 'Put the files themselves there.'

async function checkLinks(
  zip: Buffer,
  entries: readonly ZipEntry[],
  topLevel: string | undefined,
  faults: Faults,
): Promise<void> {
  // A link must not leave the top-level directory either.
  const inside = (name: string): string => (topLevel === undefined ? name : name.slice(topLevel.length + 1))
  const targets = new Map<string, string>()
  for (const entry of entries) {
    if (entry.kind !== 'link') continue
    const target = await shortText(zip, entry)
    if (target === undefined) faults.add('Symbolic links without a usable target', entry.name, asFiles)
    else targets.set(inside(entry.name), target)
  }
  const links = new Links(targets)
  for (const { kind, name } of entries) {
    const target = kind === 'link' ? targets.get(inside(name)) : undefined
    if (target === undefined) continue
    const wrong = linkFault(links.destination(inside(name)))
    if (wrong !== undefined) faults.add(wrong, `${name} -> ${target}`, asFiles)
  }
}
