import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ArchiveError, ReportError } from '../errors.js'
import type { Log } from '../log.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { plural } from '../text/plural.js'
import { everyFifth } from '../text/progress.js'
import { withoutSecrets } from '../text/redaction.js'
import { looksSecret, namedSecrets } from '../text/secret-name.js'
import { formatBytes } from '../text/size.js'
import { ArchiveFaults, ArchiveGuard, type ArchiveEntry, type Taker } from '../unpack/guard.js'
import { readZip } from '../unpack/zip.js'
import { packSource, type PackedArchive, type PackOptions } from './archive.js'
import { mostPointerBytes, pointer } from './deflate.js'
import { cause, Faults, largestOf, quoted } from './faults.js'
import { linkFault, linkTree, longestTarget, nameFault } from './names.js'

/** A code archive on disk that has passed its preflight; its files are counted with links, without folders. */
export type CheckedCodeArchive = Pick<PackedArchive, 'path' | 'name' | 'files' | 'bytes' | 'sha512'>

/**
 * Packs the source, or takes the archive that exists, and checks it by the rules of the interface (section 2,
 * "Code archive") before anything is sent.
 *
 * @throws ArchiveError with every fault of the archive
 */
export async function prepareArchive(
  inputs: Pick<PackOptions, 'source' | 'exclude' | 'properties'> & { archive?: string },
  world: Pick<PackOptions, 'topLevel'> & { log: Log; signal: AbortSignal; temp: string },
): Promise<CheckedCodeArchive> {
  const { log, signal } = world
  const checked =
    inputs.archive === undefined
      ? preflightPacked(await packed(inputs, world))
      : await preflight(inputs.archive, signal)
  const { large, suspicious, ...archive } = checked
  const { name, files, bytes, sha512 } = archive
  log.info(`The archive has ${plural(files, 'file')} below ${oneLine(name)}/ and ${formatBytes(bytes)}`)
  log.info(`SHA-512 ${sha512}`)
  if (large !== undefined) log.warning(large)
  if (suspicious.length > 0) {
    log.warning(
      `The archive contains files that look like secrets: ${namedSecrets(suspicious)}. ` +
        'They are uploaded with it. If the test suite does not need them, name them in the input exclude, or make the ZIP without them.',
    )
  }
  return archive
}

async function packed(
  { source, exclude, properties }: Parameters<typeof prepareArchive>[0],
  { log, signal, temp, topLevel }: Parameters<typeof prepareArchive>[1],
): Promise<PackedArchive> {
  if (properties) {
    // Never a value: the step cannot know which is a secret.
    const keys = properties.entries.map(([key]) => oneLine(key, 100)).join(', ')
    log.info(`Appended to ${oneLine(properties.file)} in the archive: ${keys}`)
  }
  const archive = await packSource({
    ...{ source, exclude, signal, ...defined({ topLevel, properties }) },
    target: join(temp, 'code-archive.zip'),
    progress: everyFifth('Packed', log),
  })
  for (const notice of archive.notices) log.warning(notice)
  for (const unused of archive.unused) log.notice(unused)
  const first = (names: readonly string[]) =>
    names
      .slice(0, 10)
      .map((name) => oneLine(name, 60))
      .join(', ')
  if (archive.leftOut.length > 0) log.info(`Left out: ${first(archive.leftOut)}`)
  if (archive.absent.length > 0) {
    log.info(`Tracked by Git, but not in the workspace: ${archive.absent.length}, ${first(archive.absent)}`)
  }
  log.info(
    `Packed ${plural(archive.files, 'file')}, ${formatBytes(archive.uncompressedBytes)}, from ${oneLine(source)}`,
  )
  return archive
}

/** What an outcome says about it. */
export function withoutPath({ name, files, bytes, sha512 }: CheckedCodeArchive) {
  return { name: withoutSecrets(name), files, bytes, sha512 }
}

/**
 * The interface shows no limit, and the service's manual says 100 MB without saying which megabytes it means. Only the
 * service itself knows: a larger archive is sent, with a warning.
 */
export const archiveLimitBytes = 100_000_000

interface CheckedArchive extends CheckedCodeArchive {
  suspicious: string[]
  /** A sentence if the service may refuse it for its size. */
  large?: string
}

/** Text compresses by a few hundred times at best: what unpacks to more is an archive bomb. */
const limits = { unpackedBytes: 2 ** 32 - 1, ratio: 250, ratioFloor: 1e9, entries: 65_534 }

interface ZipEntry {
  name: string
  kind: 'file' | 'folder' | 'link'
  /** Packed. */
  bytes: number
  /** Of a link, and of a file that may be a pointer of Git LFS. */
  text?: string
}

/**
 * Whether the service could build from this ZIP, found out before anything is sent. It is read to its end. The
 * ArchiveError names all faults at once, but for one of the archive's structure.
 */
export async function preflight(path: string, signal?: AbortSignal): Promise<CheckedArchive> {
  const bytes = sizeOf(path)
  const entries = await readEntries(path, signal)
  const faults = new Faults()
  const sound = checkNames(entries, faults)
  const topLevel = checkTopLevel(entries, faults)
  const files = entries.filter(({ kind }) => kind !== 'folder')
  if (topLevel !== undefined) checkBuildFile(files, topLevel, faults)
  // Links are judged by their names.
  if (sound) checkLinks(entries, topLevel, faults)
  for (const { name, kind, text = '' } of entries) {
    if (kind === 'file' && pointer.test(text)) addPointer(name, faults)
  }
  faults.throwIfAny(`The archive ${quoted(path)} cannot be used`)
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash, { ...(signal && { signal }) })
  const sha512 = hash.digest('hex')
  return checked({ path, name: topLevel ?? '', entries: files, bytes, sha512 })
}

/** @throws ArchiveError if it is damaged, or would be dangerous to unpack */
async function readEntries(path: string, signal?: AbortSignal): Promise<ZipEntry[]> {
  const entries = new Map<ArchiveEntry, ZipEntry>()
  const taker: Taker = {
    guard: new ArchiveGuard(limits, new ArchiveFaults(`archive ${quoted(path)}`, anew), true),
    wants(entry, bytes = 0) {
      signal?.throwIfAborted()
      const { kind, rawName } = entry
      const name = kind === 'folder' && !rawName.endsWith('/') ? `${rawName}/` : rawName
      entries.set(entry, { name, kind, bytes })
      return kind !== 'folder'
    },
    async take(entry, bytes) {
      signal?.throwIfAborted()
      const listed = entries.get(entry)
      const isText = entry.size <= (entry.kind === 'link' ? longestTarget : mostPointerBytes)
      const pieces: Uint8Array[] = []
      // Read to its end, whatever it is: so it is known to be whole.
      for await (const piece of bytes()) if (isText) pieces.push(piece)
      if (listed && isText) listed.text = Buffer.concat(pieces).toString('utf8')
    },
  }
  try {
    await readZip(path, taker)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ReportError) {
      const advice = error.message.endsWith(anew) ? '' : ` ${anew}`
      throw new ArchiveError(error.message + advice, { cause: error })
    }
    throw unreadable(path, error)
  }
  return [...entries.values()]
}

const anew = 'Create the archive again, from one folder, with the method Deflate and without a password.'

/** Of a ZIP that packSource has just written, what was not checked when its files were listed. */
export function preflightPacked(packed: PackedArchive): CheckedArchive {
  const faults = new Faults()
  checkBuildFile(packed.entries, packed.name, faults)
  for (const { name, isPointer } of packed.entries) {
    // As the input exclude names them.
    if (isPointer) addPointer(name.slice(packed.name.length + 1), faults)
  }
  faults.throwIfAny('The code archive cannot be used')
  return checked(packed)
}

function checked(
  archive: Omit<CheckedCodeArchive, 'files'> & Pick<PackedArchive, 'entries'>,
): CheckedArchive {
  const { path, name, entries, bytes, sha512 } = archive
  const suspicious = entries.map((entry) => entry.name).filter(looksSecret)
  const large =
    bytes > archiveLimitBytes
      ? `The archive ${quoted(path)} has ${bytes} bytes (${formatBytes(bytes)}). The service's manual says at most 100 MB, so the service may refuse it. Leave out what the test does not need, by the input exclude or when you make the ZIP. The largest files in it:\n- ${largestOf(entries, '\n- ')}`
      : undefined
  return {
    ...{ path, name, files: entries.length, bytes, sha512, suspicious },
    ...defined({ large }),
  }
}

function sizeOf(path: string): number {
  let stats
  try {
    stats = statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw unreadable(path, error)
  }
  if (!stats) throw new ArchiveError(`The archive ${quoted(path)} does not exist. Check the input source.`)
  if (!stats.isFile())
    throw new ArchiveError(`The archive ${quoted(path)} is not a file. Name a ZIP file in the input source.`)
  if (stats.size === 0) throw new ArchiveError(`The archive ${quoted(path)} is empty. ${anew}`)
  return stats.size
}

function unreadable(path: string, error: unknown): ArchiveError {
  return new ArchiveError(
    `The archive ${quoted(path)} cannot be read: ${cause(error)}. Make it readable for the user of this job.`,
    { cause: error },
  )
}

function checkNames(entries: readonly ZipEntry[], faults: Faults): boolean {
  const advice = 'Create the archive with other names.'
  const kinds = new Map<string, ZipEntry['kind']>()
  let sound = true
  for (const { name, kind } of entries) {
    const wrong = name.includes('\ufffd') ? 'Names that are not UTF-8' : nameFault(name)
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
function checkBuildFile(entries: PackedArchive['entries'], topLevel: string, faults: Faults): void {
  const candidates = entries.map(({ name }) => name).filter((name) => buildFile.test(name))
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

/** A test suite whose data are pointers would load the product with something else. */
function addPointer(name: string, faults: Faults): void {
  faults.add(
    'Files that are only pointers of Git LFS',
    name,
    'Set lfs: true of actions/checkout, which fetches the files themselves, or leave these out with the input exclude.',
  )
}

function checkLinks(entries: readonly ZipEntry[], topLevel = '', faults: Faults): void {
  // A link must not leave the top-level directory either.
  const inside = (name: string) => (topLevel === '' ? name : name.slice(topLevel.length + 1))
  const links = new Map(
    entries.flatMap(({ name, kind, text }) => (kind === 'link' ? [[inside(name), { name, text }]] : [])),
  )
  const tree = linkTree(links.keys())
  for (const [path, { name, text = '' }] of links) {
    const wrong = linkFault(path, text, tree)
    if (wrong !== undefined)
      faults.add(wrong, text === '' ? name : `${name} -> ${text}`, 'Put the files themselves there.')
  }
}
