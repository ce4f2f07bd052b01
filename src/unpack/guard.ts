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

type Archived = 'report' | 'report archive' | 'report folder' | 'result archive' | 'artifact archive'

/** The sentences about a bad archive, or a folder that would become one. */
export class ArchiveFaults {
  constructor(readonly what: Archived) {}

  refused(why: string): ReportError {
    return this.fault(`is refused: ${why}.`)
  }

  cutShort(how: string, cause?: unknown): ReportError {
    return this.fault(`is truncated: ${how}. Download it again.`, cause)
  }

  damaged(how: string, cause?: unknown): ReportError {
    return this.fault(`is damaged: ${how}. Download it again.`, cause)
  }

  /** @param what continues `The report archive` */
  fault(what: string, cause?: unknown): ReportError {
    return new ReportError(`The ${this.what} ${what}`, { cause })
  }
}

/** A fault of zlib, which is about the bytes, as a sentence; any other unchanged. */
export function inflateFault(error: unknown, faults: ArchiveFaults): unknown {
  const code = isFields(error) && typeof error.code === 'string' ? error.code : ''
  // The codes of Brotli begin with ERR__.
  if (!/^(Z_|ERR__)/.test(code)) return error
  return code === 'Z_BUF_ERROR'
    ? faults.cutShort('its compressed data ends too early', error)
    : faults.damaged('its compressed data or checksum is wrong', error)
}

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

export type EntryKind = 'file' | 'folder' | 'link' | 'device' | 'unknown'

/** An entry that passed the guard. */
export interface ArchiveEntry {
  name: EntryName
  kind: 'file' | 'folder'
  /** Bytes, unpacked. */
  size: number
}

/** Checks every entry of an archive before it is used, and refuses what the engine never writes. */
export class ArchiveGuard {
  #entries = 0

  constructor(
    readonly limits: ArchiveLimits,
    readonly faults: ArchiveFaults,
  ) {}

  /** @throws ReportError */
  entry(rawName: string, kind: EntryKind, size: number): ArchiveEntry {
    this.#entries++
    if (this.#entries > this.limits.entries) {
      throw this.faults.refused(`it has more than ${this.limits.entries} entries`)
    }
    const name = entryName(rawName, this.faults)
    if (kind !== 'file' && kind !== 'folder') {
      const what = { link: 'a link', device: 'a device or pipe', unknown: 'of an unknown kind' }
      throw this.faults.refused(
        `its entry "${oneLine(name.path, 120)}" is ${what[kind]}, and only files and folders are expected`,
      )
    }
    return { name, kind, size }
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
  /** Called for each entry, in the order of the archive. */
  wants(entry: ArchiveEntry): boolean
  /** Gets those that are wanted, one after the other. */
  take(entry: ArchiveEntry, bytes: () => AsyncIterable<Uint8Array>): Promise<void>
}
