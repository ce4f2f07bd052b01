import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import { ArchiveError } from '../errors.js'
import { formatBytes } from '../text/size.js'
import { cause, errorCode, quoted } from './faults.js'
import type { SourceFile } from './listing.js'

/** The data of one entry, ready to be written. */
export interface Deflated {
  /** Whether `data` is deflated; otherwise it is the content itself. */
  deflated: boolean
  crc: number
  /** Size of the content. */
  bytes: number
  data: Uint8Array
  isPointer?: boolean
}

/** The content that Git LFS leaves in place of a file, by each of its names so far, and as Git has written its lines. */
export const pointer =
  /^version https?:\/\/(?:git-lfs\.github\.com|hawser\.github\.com|git-media\.io)\/\S+\r?\n(?:ext-.*\r?\n)*oid sha256:[0-9a-f]{64}\r?\nsize \d+\s*$/
/** A file of that size is none, says Git LFS. */
export const mostPointerBytes = 1023

// zlib's default, 6, takes a quarter more time to save 1% of size; 4 adds 3% of size. Changing it changes the
// archive's bytes.
const level = 5

/** Files above this are read in pieces, so that little memory is used. Changing it changes the archive's bytes. */
const readWhole = 8 << 20

/** What one file may take in the archive: far above the service's limit, but far below the machine's memory. */
const mostPacked = 512 << 20

/**
 * Reads and deflates files, one after the other, on the thread that calls it: an asynchronous deflate costs a
 * third more for the small files of a repository. The outcome depends on the files alone, never on how they
 * were put into batches.
 */
export async function deflate(batch: readonly SourceFile[], signal?: AbortSignal): Promise<Deflated[]> {
  const done: Deflated[] = []
  for (const file of batch) {
    signal?.throwIfAborted()
    try {
      done.push(file.bytes > readWhole ? await deflateLarge(file, signal) : deflateSmall(file))
    } catch (error) {
      throw fault(file, error)
    }
  }
  return done
}

function deflateSmall(file: SourceFile): Deflated {
  if (file.target !== undefined) return stored(Buffer.from(file.target))
  const read = readFile(file)
  const content = file.appended === undefined ? read : Buffer.concat([read, Buffer.from(file.appended)])
  if (content.length === 0) return stored(content)
  const isPointer = content.length <= mostPointerBytes && pointer.test(content.toString('latin1'))
  // The result fits into one piece, or is not used.
  const data = zlib.deflateRawSync(content, { level, chunkSize: Math.max(content.length, 64) })
  if (data.length >= content.length) return { ...stored(content), isPointer }
  return { deflated: true, crc: zlib.crc32(content), bytes: content.length, data, isPointer }
}

function fault(file: SourceFile, error: unknown): unknown {
  const code = errorCode(error)
  if (code === undefined || code === 'ABORT_ERR') return error
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return changed(file)
  return new ArchiveError(
    `${quoted(file.name)} could not be read: ${cause(error)}. Make it readable, or leave it out with the input exclude.`,
    { cause: error },
  )
}

function stored(data: Buffer): Deflated {
  return { deflated: false, crc: zlib.crc32(data), bytes: data.length, data }
}

// A link or a pipe that took the file's place must neither be followed nor waited for. Windows has neither
// flag, and undefined counts as 0 here.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

function readFile(file: SourceFile): Buffer {
  const fd = openSync(file.path, flags)
  try {
    if (differs(file, fstatSync(fd))) throw changed(file)
    // One byte more, to notice a file that grew.
    const content = Buffer.allocUnsafe(file.bytes + 1)
    let end = 0
    for (let read = -1; read !== 0 && end < content.length; end += read) {
      read = readSync(fd, content, end, content.length - end, null)
    }
    if (end !== file.bytes || differs(file, fstatSync(fd))) throw changed(file)
    return content.subarray(0, end)
  } finally {
    closeSync(fd)
  }
}

async function deflateLarge(file: SourceFile, signal?: AbortSignal): Promise<Deflated> {
  const handle = await open(file.path, flags)
  try {
    if (differs(file, await handle.stat())) throw changed(file)
    let crc = 0
    let bytes = 0
    const pieces: Buffer[] = []
    let packed = 0
    await pipeline(
      async function* () {
        for (;;) {
          // A separate buffer for each piece: the deflater may still be reading the previous one.
          const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(1 << 20))
          if (bytesRead === 0) return
          const piece = buffer.subarray(0, bytesRead)
          crc = zlib.crc32(piece, crc)
          bytes += bytesRead
          if (bytes > file.bytes) throw changed(file)
          yield piece
        }
      },
      zlib.createDeflateRaw({ level, chunkSize: 256 << 10 }),
      async (output: AsyncIterable<Buffer>) => {
        for await (const piece of output) {
          packed += piece.length
          if (packed > mostPacked) {
            throw new ArchiveError(
              `${quoted(file.name)} (${formatBytes(file.bytes)}) alone is far larger than the service accepts. Leave it out with the input exclude.`,
            )
          }
          pieces.push(piece)
        }
      },
      { ...(signal && { signal }) },
    )
    if (bytes !== file.bytes || differs(file, await handle.stat())) throw changed(file)
    return { deflated: true, crc, bytes, data: Buffer.concat(pieces) }
  } finally {
    await handle.close()
  }
}

function differs(
  file: SourceFile,
  now: { size: number; mtimeMs: number; ino: number; isFile(): boolean },
): boolean {
  return !now.isFile() || now.size !== file.bytes || now.mtimeMs !== file.modified || now.ino !== file.inode
}

function changed(file: SourceFile): ArchiveError {
  return new ArchiveError(
    `${quoted(file.name)} changed while it was being packed. Make sure that nothing writes to the folder during this step, or leave the file out with the input exclude.`,
  )
}
