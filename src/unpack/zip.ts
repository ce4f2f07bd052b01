import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { fromRandomAccessReaderPromise, getFileNameLowLevel, type Entry, type ZipFile } from 'yauzl'
import { ReportError } from '../errors.js'
import { isFields } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import type { ArchiveFaults } from './faults.js'
import type { ArchiveEntry, EntryKind } from './guard.js'
import type { Contents } from './contents.js'
import { ZipFileReader } from './zip-file.js'

/** The size of a local header, which precedes the bytes of each entry; its name is extra. */
const localHeaderSize = 30

/**
 * Reads the list of a ZIP that is complete on disk. The list is at the end, and every entry in it must be inside the
 * file.
 *
 * @throws ReportError
 */
export async function readReportZip<T>(path: string, contents: Contents<T>): Promise<T> {
  const { guard } = contents
  const { faults } = guard
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const reader = new ZipFileReader(path, file, size)
    const options = { autoClose: false, decodeStrings: false }
    const zip = await damagedUnless(fromRandomAccessReaderPromise(reader, size, options), faults)
    const entries = zip.eachEntry()
    let unpacked = 0
    for (;;) {
      const next = await damagedUnless(entries.next(), faults)
      if (next.done === true) break
      const listed: Entry = next.value
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = listed
      const rawName = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true)
      const entry = guard.entry(rawName, kindOf(listed, rawName), listed.uncompressedSize)
      unpacked += entry.size
      guard.unpacked(unpacked, size)
      if (listed.relativeOffsetOfLocalHeader + localHeaderSize + listed.compressedSize > size) {
        throw damaged(faults, `"${oneLine(entry.name.path, 120)}" lies outside the file`)
      }
      contents.zipEntry(entry, listed)
    }
    return await contents.zipEnd(zip)
  } finally {
    await file.close()
  }
}

/**
 * The bytes of one entry, verified by its checksum.
 *
 * @throws ReportError
 */
export async function* unpackEntry(
  zip: ZipFile,
  listed: Entry,
  { name }: ArchiveEntry,
  faults: ArchiveFaults,
): AsyncGenerator<Uint8Array> {
  const shown = oneLine(name.path, 120)
  if (listed.isEncrypted()) throw faults.refused(`its entry "${shown}" is encrypted`)
  const bytes: AsyncIterable<unknown> = await damagedUnless(zip.openReadStreamPromise(listed), faults)
  const pieces = bytes[Symbol.asyncIterator]()
  let checksum = 0
  try {
    for (;;) {
      const next = await damagedUnless(pieces.next(), faults)
      if (next.done === true) break
      if (!(next.value instanceof Uint8Array)) continue
      checksum = crc32(next.value, checksum)
      yield next.value
    }
  } finally {
    await pieces.return?.()
  }
  if (checksum !== listed.crc32) throw damaged(faults, `the checksum of "${shown}" is wrong`)
}

/** An entry made on Unix has its file mode. */
function kindOf(entry: Entry, name: string): EntryKind {
  const unix = entry.versionMadeBy >>> 8 === 3
  switch (unix ? (entry.externalFileAttributes >>> 28) & 0xf : 0) {
    case 0:
    case 0o10:
      return name.endsWith('/') ? 'folder' : 'file'
    case 0o04:
      return 'folder'
    case 0o12:
      return 'link'
    default:
      return 'device'
  }
}

/** The library's faults are about the archive's content; those of the file system pass unchanged. */
async function damagedUnless<T>(work: Promise<T>, faults: ArchiveFaults): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ReportError || isSystemFault(error)) throw error
    throw damaged(faults, oneLine(String(isFields(error) ? error.message : error)), error)
  }
}

function isSystemFault(error: unknown): boolean {
  return isFields(error) && 'syscall' in error
}

function damaged(faults: ArchiveFaults, what: string, cause?: unknown): ReportError {
  return faults.fault(`is truncated or damaged: ${what}. Download it again.`, cause)
}
