import { createReadStream } from 'node:fs'
import { open, writeFile, type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import {
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type Entry,
  type ZipFile,
} from 'yauzl'
import { ReportError } from '../errors.js'
import { isFields } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import {
  ArchiveFaults,
  ArchiveGuard,
  type ArchiveEntry,
  type ArchiveLimits,
  type EntryKind,
  type Taker,
} from './guard.js'

/** The size of a local header, which precedes the bytes of each entry; its name is extra. */
const localHeaderSize = 30

/** Reads a ZIP on disk: its list is at the end, and every entry in it must be inside the file. @throws ReportError */
export async function readZip(path: string, taker: Taker): Promise<void> {
  const { guard } = taker
  const { faults } = guard
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const reader = new ZipFileReader(path, file, size)
    const options = { autoClose: false, decodeStrings: false }
    const zip = await fromRandomAccessReaderPromise(reader, size, options).catch((error: unknown) => {
      throw damage(error, faults)
    })
    const wanted: { entry: ArchiveEntry; listed: Entry }[] = []
    let unpacked = 0
    try {
      for await (const listed of zip.eachEntry()) {
        const { generalPurposeBitFlag, fileNameRaw, extraFields } = listed
        const rawName = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true)
        const entry = guard.entry(rawName, kindOf(listed, rawName), listed.uncompressedSize)
        unpacked += entry.size
        guard.unpacked(unpacked, size)
        if (listed.relativeOffsetOfLocalHeader + localHeaderSize + listed.compressedSize > size) {
          throw faults.damaged(`"${oneLine(entry.name.path, 120)}" lies outside the file`)
        }
        if (taker.wants(entry, listed.compressedSize)) wanted.push({ entry, listed })
      }
    } catch (error) {
      throw damage(error, faults)
    }
    wanted.sort((a, b) => a.entry.name.depth - b.entry.name.depth)
    for (const { entry, listed } of wanted) {
      await taker.take(entry, () => unpackEntry(zip, listed, entry, faults))
    }
  } finally {
    await file.close()
  }
}

/**
 * If a ZIP contains a single file, as an artifact may: that file, unpacked.
 *
 * @param target where it is put
 * @param named a pattern for its name
 * @returns whether there is one
 * @throws ReportError if the ZIP is damaged, hostile or above the limits
 */
export async function unpackOnlyFile(
  path: string,
  target: string,
  named: RegExp,
  limits: ArchiveLimits,
): Promise<boolean> {
  let files = 0
  let isFound = false
  await readZip(path, {
    guard: new ArchiveGuard(limits, new ArchiveFaults('report archive')),
    wants: ({ kind, name }) => kind === 'file' && ++files === 1 && named.test(name.base),
    async take(_entry, bytes) {
      if (files > 1) return
      await writeFile(target, bytes())
      isFound = true
    },
  })
  return isFound
}

/** The bytes of one entry, verified by its checksum. */
async function* unpackEntry(
  zip: ZipFile,
  listed: Entry,
  { name }: ArchiveEntry,
  faults: ArchiveFaults,
): AsyncGenerator<Uint8Array> {
  const shown = oneLine(name.path, 120)
  if (listed.isEncrypted()) throw faults.refused(`its entry "${shown}" is encrypted`)
  let checksum = 0
  try {
    const bytes: AsyncIterable<Uint8Array> = await zip.openReadStreamPromise(listed)
    for await (const piece of bytes) {
      checksum = crc32(piece, checksum)
      yield piece
    }
  } catch (error) {
    throw damage(error, faults)
  }
  if (checksum !== listed.crc32) throw faults.damaged(`the checksum of "${shown}" is wrong`)
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
function damage(error: unknown, faults: ArchiveFaults): unknown {
  if (error instanceof ReportError || (isFields(error) && 'syscall' in error)) return error
  return faults.damaged(oneLine(String(isFields(error) ? error.message : error)).replace(/\.$/, ''), error)
}

const blockSize = 64 * 1024

type ReadCall = [
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
  callback: (err: Error | null, bytesRead?: number) => void,
]

/**
 * The file under yauzl. Its own reader passes any offset that the archive names to the file system, which throws for
 * one beyond 2^53 without calling back. It also reads the central directory in pieces of some 100 bytes.
 */
class ZipFileReader extends RandomAccessReader {
  #block: Buffer = Buffer.alloc(0)
  #blockStart = 0

  constructor(
    readonly path: string,
    readonly file: FileHandle,
    readonly size: number,
  ) {
    super()
  }

  override read(...[buffer, offset, length, position, callback]: ReadCall): void {
    this.#copy(buffer, offset, length, position).then(() => callback(null, length), callback)
  }

  override _readStreamForRange(start: number, end: number): Readable {
    // A stream of the file would open it for each small entry.
    if (end - start <= blockSize) return Readable.from(this.#range(start, end))
    return createReadStream(this.path, { start, end: end - 1, highWaterMark: 256 * 1024 })
  }

  async *#range(start: number, end: number): AsyncGenerator<Buffer> {
    const range = Buffer.alloc(end - start)
    await this.#copy(range, 0, range.length, start)
    yield range
  }

  async #copy(buffer: Buffer, offset: number, length: number, position: number): Promise<void> {
    if (!(position >= 0 && position + length <= this.size)) throw new Error('an offset lies outside the file')
    if (position < this.#blockStart || position + length > this.#blockStart + this.#block.length) {
      const block = Buffer.alloc(Math.max(length, Math.min(blockSize, this.size - position)))
      const { bytesRead } = await this.file.read(block, 0, block.length, position)
      if (bytesRead < length) throw new Error('the file ends too early')
      this.#block = block.subarray(0, bytesRead)
      this.#blockStart = position
    }
    this.#block.copy(buffer, offset, position - this.#blockStart, position - this.#blockStart + length)
  }
}
