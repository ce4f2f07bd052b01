import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import zlib from 'node:zlib'
import yauzl from 'yauzl'
import { plural } from '../text/plural.js'
import { cause, type Faults } from './faults.js'
import { decodeName, spelledOut } from './names.js'

/** One entry of a ZIP, as both of its headers describe it. */
export interface ZipEntry {
  name: string
  kind: 'file' | 'folder' | 'link'
  /** 0 = stored, 8 = deflated; others are a fault. */
  method: number
  crc: number
  /** Size of the content as the archive claims it. */
  bytes: number
  packedBytes: number
  /** Where its local header and its data start. */
  start: number
  dataStart: number
}

/** "PK" with the kinds of record that matter here. */
const firstSignature = Buffer.from('PK\x03\x04', 'latin1')
const endSignature = Buffer.from('PK\x05\x06', 'latin1')
const zip64Locator = Buffer.from('PK\x06\x07', 'latin1')
const endLength = 22

/** The flags of encrypted data, of strong encryption and of an encrypted list of entries. */
const encrypted = 0x2041

/**
 * Reads the structure of a ZIP that is in memory, strictly: what two readers could understand in two ways is
 * a fault. Faults are added to `faults`; undefined when they leave nothing to look at.
 */
export async function readZipEntries(
  zip: Buffer,
  faults: Faults,
  signal?: AbortSignal,
): Promise<ZipEntry[] | undefined> {
  const end = endOf(zip, faults)
  if (end === undefined) return undefined
  const entries: ZipEntry[] = []
  const start = zip.readUInt32LE(end + 16)
  let at = start
  try {
    const file = await yauzl.fromBufferPromise(zip, { decodeStrings: false, validateEntrySizes: false })
    for await (const entry of file.eachEntry()) {
      signal?.throwIfAborted()
      at += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
      const local = await file.readLocalFileHeaderPromise(entry)
      entries.push(toEntry(entry, local, faults))
    }
  } catch (error) {
    signal?.throwIfAborted()
    faults.add(`It is not a readable ZIP: ${cause(error)}`, undefined, anew)
    return undefined
  }
  if (at !== end || at - start !== zip.readUInt32LE(end + 12)) {
    faults.add('Its list of entries and the size given for it differ', undefined, anew)
    return undefined
  }
  checkLayout(entries, start, faults)
  return entries
}

const anew = 'Create the archive again.'

/** Where the last record starts, which ends the file and says where the list of entries is. */
function endOf(zip: Buffer, faults: Faults): number | undefined {
  const end = zip.lastIndexOf(endSignature)
  const fault = end < 0 || end + endLength > zip.length ? noEnd(zip) : endFault(zip, end)
  if (fault === undefined) return end
  const [what, advice] = fault
  faults.add(what, undefined, advice)
  return undefined
}

/** A fault and what to do about it. */
type Fault = [what: string, advice: string]

function noEnd(zip: Buffer): Fault {
  return zip.subarray(0, 4).equals(firstSignature)
    ? ['It is truncated: the end of the ZIP is missing', anew]
    : ['It is not a ZIP', 'Name a ZIP file, or a folder in the input source.']
}

function endFault(zip: Buffer, end: number): Fault | undefined {
  const rest = zip.length - end - endLength
  const comment = zip.readUInt16LE(end + 20)
  if (comment < rest) return [`It has ${plural(rest - comment, 'byte')} after its end`, anew]
  if (comment > rest) return ['It is truncated: its last record is longer than the file', anew]
  const counts = [zip.readUInt16LE(end + 8), zip.readUInt16LE(end + 10)]
  const parts = [zip.readUInt16LE(end + 4), zip.readUInt16LE(end + 6)]
  if (
    zip.subarray(Math.max(0, end - 20), Math.max(0, end - 16)).equals(zip64Locator) ||
    counts.includes(0xffff) ||
    zip.readUInt32LE(end + 16) === 0xffffffff
  ) {
    return [
      'It is a ZIP64, for more than 65,534 entries or 4 GiB, which not every reader supports',
      'Create it without that extension.',
    ]
  }
  if (parts.some((part) => part !== 0) || counts[0] !== counts[1]) {
    return ['It is one part of a ZIP in several parts', 'Create it as a single file.']
  }
  return undefined
}

/** Faulty entries are kept, so that the checks that follow see the whole tree. */
function toEntry(entry: yauzl.Entry, local: yauzl.LocalFileHeader, faults: Faults): ZipEntry {
  const name = nameOf(entry, Buffer.from(entry.fileNameRaw), faults)
  checkHeaders(entry, local, name, faults)
  const {
    compressionMethod: method,
    crc32: crc,
    uncompressedSize: bytes,
    compressedSize: packedBytes,
    relativeOffsetOfLocalHeader: start,
  } = entry
  if (method !== 0 && method !== 8) {
    faults.add(
      `Entries compressed by method ${method}`,
      name,
      'Create the archive with deflate, the usual method.',
    )
  }
  const kind = kindOf(entry, name)
  if (kind === undefined) faults.add('Devices, pipes or sockets', name, 'Leave them out of the archive.')
  if (kind === 'folder' && bytes > 0) faults.add('Folders that hold data themselves', name, anew)
  const { fileDataStart: dataStart } = local
  return { name, kind: kind ?? 'file', method, crc, bytes, packedBytes, start, dataStart }
}

/** Whether both headers of an entry say what one reader, and every reader, can unpack. */
function checkHeaders(entry: yauzl.Entry, local: yauzl.LocalFileHeader, name: string, faults: Faults): void {
  if (((entry.generalPurposeBitFlag | local.generalPurposeBitFlag) & encrypted) !== 0) {
    faults.add('Encrypted entries', name, 'Create the archive without a password.')
  }
  // A streaming writer leaves the figures of the local header empty and puts them after the data.
  const isLate = (local.generalPurposeBitFlag & 8) !== 0
  const agree =
    (isLate ||
      (entry.crc32 === local.crc32 &&
        entry.compressedSize === local.compressedSize &&
        entry.uncompressedSize === local.uncompressedSize)) &&
    entry.compressionMethod === local.compressionMethod &&
    Buffer.from(entry.fileNameRaw).equals(local.fileName)
  if (local.compressedSize === 0xffffffff || local.uncompressedSize === 0xffffffff) {
    faults.add('Entries with 64-bit sizes, which not every reader supports', name, 'Create it without ZIP64.')
  } else if (!agree) {
    faults.add('Entries whose two headers differ, so that readers would unpack different things', name, anew)
  }
}

/** The name as unpackers see it: a known extra field can contain a different one than the header. */
function nameOf(entry: yauzl.Entry, raw: Buffer, faults: Faults): string {
  const plain = decodeName(raw)
  const name = entry.extraFields.some((field) => field.id === 0x7075)
    ? yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, true)
    : (plain ?? raw.toString('utf8'))
  const claimsUtf8 = (entry.generalPurposeBitFlag & 0x800) !== 0
  if (plain === undefined && (claimsUtf8 || name.includes('\ufffd'))) {
    faults.add('Names that are not UTF-8', spelledOut(raw), 'Create the archive with UTF-8 names.')
  } else if (plain !== undefined && plain !== name) {
    faults.add('Names that differ from the one in their extra field', plain, anew)
  }
  return name
}

function kindOf(entry: yauzl.Entry, name: string): ZipEntry['kind'] | undefined {
  const system = entry.versionMadeBy >>> 8
  const type = (entry.externalFileAttributes >>> 16) & 0o170000
  const unix = system === 3 || system === 19 ? type : 0
  if (unix === 0o120000) return name.endsWith('/') ? undefined : 'link'
  if (unix !== 0 && unix !== 0o100000 && unix !== 0o040000) return undefined
  return name.endsWith('/') ? 'folder' : 'file'
}

/** Entries must follow each other without gaps: otherwise they share data, or something hides in between. */
function checkLayout(entries: readonly ZipEntry[], directory: number, faults: Faults): void {
  let end = 0
  for (const entry of entries.toSorted((a, b) => a.start - b.start)) {
    if (entry.start < end) {
      faults.add('Entries that overlap others, as in a ZIP bomb', entry.name, anew)
    } else if (!descriptor(entry.start - end, end)) {
      faults.add('Data that belongs to no entry, before the entries', entry.name, anew)
    }
    end = Math.max(end, entry.dataStart + entry.packedBytes)
  }
  if (end > directory || !descriptor(directory - end, end)) {
    faults.add(
      'Data that belongs to no entry, or none where an entry should have some, at the end',
      undefined,
      anew,
    )
  }
}

/** Whether a gap is empty, or is the record with sizes that a streaming writer puts after an entry's data. */
function descriptor(gap: number, after: number): boolean {
  return gap === 0 || (after > 0 && [12, 16, 20, 24].includes(gap))
}

/** Content up to this is inflated at once, and more in pieces: handing little to another thread costs more. */
const small = 128 << 10

/** Inflates every entry within the size that it claims, and compares the checksums. */
export async function checkContent(
  zip: Buffer,
  entries: readonly ZipEntry[],
  faults: Faults,
  signal?: AbortSignal,
): Promise<void> {
  for (const [i, entry] of entries.entries()) {
    if (i % 500 === 0) await setImmediate()
    signal?.throwIfAborted()
    if (await isWhole(zip, entry, signal)) continue
    faults.add('Entries that are damaged', entry.name, 'Create the archive again.')
  }
}

async function isWhole(zip: Buffer, entry: ZipEntry, signal?: AbortSignal): Promise<boolean> {
  if (entry.method === 0 || entry.bytes <= small) {
    const content = contentOf(zip, entry)
    return content?.length === entry.bytes && zlib.crc32(content) === entry.crc
  }
  let [bytes, crc] = [0, 0]
  try {
    await pipeline(
      Readable.from([dataOf(zip, entry)]),
      zlib.createInflateRaw({ chunkSize: 256 << 10 }),
      async (content: AsyncIterable<Buffer>) => {
        for await (const piece of content) {
          bytes += piece.length
          if (bytes > entry.bytes) return
          crc = zlib.crc32(piece, crc)
        }
      },
      { ...(signal && { signal }) },
    )
  } catch {
    signal?.throwIfAborted()
    // Not deflate, or cut short.
    return false
  }
  return bytes === entry.bytes && crc === entry.crc
}

const longestText = 4096

/** The text of an entry of at most 4 kB, such as a link's target; undefined for another, and for one that is damaged. */
export function shortText(zip: Buffer, entry: ZipEntry): string | undefined {
  if (entry.bytes === 0 || entry.bytes > longestText) return undefined
  const text = contentOf(zip, entry)
  return text?.length === entry.bytes ? text.toString('utf8') : undefined
}

/** Undefined if it is not deflate, cut short, or more than it claims. */
function contentOf(zip: Buffer, entry: ZipEntry): Buffer | undefined {
  const data = dataOf(zip, entry)
  if (entry.method === 0) return data
  try {
    return zlib.inflateRawSync(data, { maxOutputLength: Math.max(1, entry.bytes) })
  } catch {
    return undefined
  }
}

function dataOf(zip: Buffer, { dataStart, packedBytes }: ZipEntry): Buffer {
  return zip.subarray(dataStart, dataStart + packedBytes)
}
