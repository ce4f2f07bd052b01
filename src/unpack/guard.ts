import { constants as fileFlags } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import { ReportError } from '../errors.js'
import { isFields } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { formatBytes } from '../text/size.js'

/** How much of an archive is read. An archive above a limit is refused, never cut. */
export interface ArchiveLimits {
  /** Bytes of all entries of an archive, unpacked. */
  unpackedBytes: number
  /** Unpacked bytes for each packed byte, applied to archives that unpack to more than `ratioFloor` bytes. */
  ratio: number
  ratioFloor: number
  entries: number
}

const MB = 1_000_000

/**
 * Far above what the engine writes: reports of hundreds of MB with thousands of files are normal.
 * Deflate itself ends at a ratio of about 1,000.
 */
export const reportLimits: Readonly<ArchiveLimits> = {
  unpackedBytes: 20_000 * MB,
  ratio: 200,
  ratioFloor: 100 * MB,
  entries: 1_000_000,
}

/**
 * Results contain the measurements of every request and are not read here: a long test may make them very large, and
 * a log that repeats one line compresses well.
 */
export const resultLimits: Readonly<ArchiveLimits> = {
  unpackedBytes: 200_000 * MB,
  ratio: 500,
  ratioFloor: 100 * MB,
  entries: 5_000_000,
}

/** The sentences about a bad archive, or a folder that would become one. */
export class ArchiveFaults {
  /**
   * @param what continues `The`
   * @param again what to do about one that is damaged
   */
  constructor(
    readonly what: string,
    readonly again = 'Download it again.',
  ) {}

  refused(why: string): ReportError {
    return this.fault(`is refused: ${why}.`)
  }

  cutShort(how: string, cause?: unknown): ReportError {
    return this.fault(`is truncated: ${how}. ${this.again}`, cause)
  }

  damaged(how: string, cause?: unknown): ReportError {
    return this.fault(`is damaged: ${how}. ${this.again}`, cause)
  }

  /** @param what continues `The report archive` */
  fault(what: string, cause?: unknown): ReportError {
    return new ReportError(`The ${this.what} ${what}`, { cause })
  }
}

/** A fault of zlib, which is about the bytes, as a sentence; any other unchanged. */
export function inflateFault(error: unknown, faults: ArchiveFaults): unknown {
  const code = isFields(error) && typeof error.code === 'string' ? error.code : ''
  if (!code.startsWith('Z_')) return error
  return code === 'Z_BUF_ERROR'
    ? faults.cutShort('its compressed data ends too early', error)
    : faults.damaged('its compressed data or checksum is wrong', error)
}

const maxNameLength = 4096
const maxDepth = 64

/**
 * The name of an archive entry, known to stay inside the folder that it would be unpacked to.
 *
 * @returns `path`: separators are slashes, no `.` parts; `folder`: such as `report`, or empty at the top; `depth`:
 * folders above it
 * @throws ReportError for a name that is absolute, climbs with `..`, holds a NUL, or is too long or too deep
 */
export function entryName(raw: string, faults: ArchiveFaults) {
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

export type EntryKind = 'file' | 'folder' | 'link' | 'device' | 'unknown'

/** An entry that passed the guard. */
export interface ArchiveEntry {
  name: ReturnType<typeof entryName>
  /** As the archive has it. */
  rawName: string
  kind: 'file' | 'folder' | 'link'
  /** Bytes, unpacked. */
  size: number
}

/** Checks every entry of an archive before it is used, and refuses what the engine never writes. */
export class ArchiveGuard {
  #entries = 0

  constructor(
    readonly limits: ArchiveLimits,
    readonly faults: ArchiveFaults,
    readonly mayHaveLinks = false,
  ) {}

  /** @throws ReportError */
  entry(rawName: string, kind: EntryKind, size: number): ArchiveEntry {
    this.#entries++
    if (this.#entries > this.limits.entries) {
      throw this.faults.refused(`it has more than ${this.limits.entries} entries`)
    }
    const name = entryName(rawName, this.faults)
    if (kind !== 'file' && kind !== 'folder' && !(kind === 'link' && this.mayHaveLinks)) {
      const what = { link: 'a link', device: 'a device or pipe', unknown: 'of an unknown kind' }
      throw this.faults.refused(
        `its entry "${oneLine(name.path, 120)}" is ${what[kind]}, and only files and folders are expected`,
      )
    }
    return { name, rawName, kind, size }
  }

  /** @param packed the bytes that were read so far to get at `unpacked` bytes */
  unpacked(unpacked: number, packed: number): void {
    const { unpackedBytes, ratio, ratioFloor } = this.limits
    if (unpacked > unpackedBytes) {
      throw this.faults.refused(`it unpacks to more than ${formatBytes(unpackedBytes)}`)
    }
    if (unpacked > ratioFloor && unpacked > packed * ratio) {
      throw this.faults.refused(`it unpacks to more than ${ratio} times its own size, which no real one does`)
    }
  }
}

/** What is taken from an archive: of a tar while it streams by, of a ZIP after its list, the shallowest first. */
export interface Taker {
  readonly guard: ArchiveGuard
  /** Called for each entry, in the order of the archive. @param packed bytes, of a ZIP */
  wants(entry: ArchiveEntry, packed?: number): boolean
  /** Gets those that are wanted, one after the other. */
  take(entry: ArchiveEntry, bytes: () => AsyncIterable<Uint8Array>): Promise<void>
}

/** The kind of an archive by its first bytes, whatever its name; undefined for anything else. */
export function archiveKind(head: Uint8Array) {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'tar.gz'
  const isZip = head[0] === 0x50 && head[1] === 0x4b
  // An archive without entries begins with the record that ends others.
  if (isZip && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6))) return 'zip'
  // The service packs with gzip; what it may send without is read as well.
  if (Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar') return 'tar'
  return undefined
}

/** The first bytes of a file; 512 are enough to recognize the kind of an archive. */
export async function headOf(path: string, size = 512): Promise<Buffer> {
  // A pipe must not be waited for.
  const file = await open(path, fileFlags.O_RDONLY | fileFlags.O_NONBLOCK)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const headSize = 1024

/**
 * An archive as it was before a proxy compressed it once more. Many servers call a .tar.gz itself encoded, so its bytes
 * decide.
 *
 * @throws ReportError if it is damaged, or unpacks to far too much
 */
export async function* unwrapped(
  source: AsyncIterable<Uint8Array>,
  guard: ArchiveGuard,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  try {
    const head = await beginning(chunks, headSize)
    const all = joined(head, chunks)
    yield* isWrapped(head) ? inflated(all, guard) : all
  } finally {
    await chunks.return?.()
  }
}

/** A stream without its gzip, as long as it does not unpack to too much. @throws ReportError */
export async function* inflated(
  source: AsyncIterable<Uint8Array>,
  guard: ArchiveGuard,
): AsyncGenerator<Uint8Array> {
  let packed = 0
  async function* counted() {
    for await (const chunk of source) {
      packed += chunk.length
      yield chunk
    }
  }
  const inner: AsyncIterable<Uint8Array> = pipeline(Readable.from(counted()), createGunzip(), () => undefined)
  let unpacked = 0
  try {
    for await (const chunk of inner) {
      unpacked += chunk.length
      guard.unpacked(unpacked, packed)
      yield chunk
    }
  } catch (error) {
    throw inflateFault(error, guard.faults)
  }
}

/** The first bytes of a stream; fewer only if it has no more. */
export async function beginning(chunks: AsyncIterator<Uint8Array>, size: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for (let length = 0; length < size;) {
    const next = await chunks.next()
    if (next.done === true) break
    parts.push(next.value)
    length += next.value.length
  }
  return Buffer.concat(parts)
}

/** A stream whose beginning was taken from it, with that. */
export async function* joined(head: Buffer, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
}

function isWrapped(head: Buffer): boolean {
  if (archiveKind(head) !== 'tar.gz') return false
  const inner = inflatedStart(head.subarray(0, headSize))
  const kind = archiveKind(inner)
  // A page or an error may be compressed, too.
  return kind === undefined ? /^[\s\ufeff]*[<{[]/.test(inner.toString('utf8')) : kind !== 'tar'
}

/** What the first bytes of a gzip unpack to, as far as they go; nothing if they are damaged. */
export function inflatedStart(head: Buffer): Buffer {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return Buffer.alloc(0)
  }
}
