import { Readable } from 'node:stream'
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'
import type { ArchiveFile } from './archive-file.js'

/**
 * A ZIP as a stream of bytes. Like streaming servers, it writes sizes and checksum after each file (flag bit 3), so
 * that no file is held in memory. No ZIP64: throws a RangeError beyond 65,535 files or 4 GB.
 */
export async function* zipStream(
  files: Iterable<ArchiveFile>,
  time: number,
  level: number,
): AsyncGenerator<Uint8Array> {
  const stamp = dosTime(time)
  const directory: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const name = Buffer.from(file.name, 'utf8')
    const header = localHeader(name, stamp)
    yield header
    const sums = { crc: 0, size: 0, packed: 0 }
    for await (const chunk of deflated(file, counted(file.chunks(), sums), level)) {
      sums.packed += chunk.length
      yield chunk
    }
    const tail = Buffer.alloc(16)
    tail.writeUInt32LE(0x08074b50, 0)
    writeSums(tail, 4, sums)
    yield tail
    directory.push(directoryEntry(name, stamp, sums, offset))
    offset += header.length + sums.packed + tail.length
    if (directory.length > 0xffff || offset > 0xffffffff || sums.size > 0xffffffff) {
      throw new RangeError(
        'A simulated ZIP has at most 65,535 files and 4 GB. Use fewer or smaller files, or tar.gz.',
      )
    }
  }
  const entries = Buffer.concat(directory)
  yield entries
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(offset, 16)
  yield end
}

/** Small files in one piece: a stream for each of thousands is slow. */
async function* deflated(
  file: ArchiveFile,
  chunks: Iterable<Uint8Array>,
  level: number,
): AsyncGenerator<Uint8Array> {
  if (file.size <= 256 * 1024) {
    yield deflateRawSync(Buffer.concat([...chunks]), { level })
    return
  }
  for await (const chunk of Readable.from(chunks).compose(createDeflateRaw({ level }))) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('zlib returned no bytes')
    yield chunk
  }
}

interface Sums {
  crc: number
  size: number
  packed: number
}

function* counted(chunks: Iterable<Uint8Array>, sums: Sums): Generator<Uint8Array> {
  for (const chunk of chunks) {
    sums.crc = crc32(chunk, sums.crc)
    sums.size += chunk.length
    yield chunk
  }
}

function localHeader(name: Buffer, stamp: number): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(utf8AndSumsBehind, 6)
  header.writeUInt16LE(8, 8)
  header.writeUInt32LE(stamp, 10)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

function directoryEntry(name: Buffer, stamp: number, sums: Sums, offset: number): Buffer {
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE((3 << 8) | 20, 4)
  entry.writeUInt16LE(20, 6)
  entry.writeUInt16LE(utf8AndSumsBehind, 8)
  entry.writeUInt16LE(8, 10)
  entry.writeUInt32LE(stamp, 12)
  writeSums(entry, 16, sums)
  entry.writeUInt16LE(name.length, 28)
  // A regular file, rw-r--r--.
  entry.writeUInt32LE(0o100644 * 0x10000, 38)
  entry.writeUInt32LE(offset, 42)
  return Buffer.concat([entry, name])
}

const utf8AndSumsBehind = (1 << 11) | (1 << 3)

function writeSums(buffer: Buffer, at: number, { crc, size, packed }: Sums): void {
  buffer.writeUInt32LE(crc, at)
  buffer.writeUInt32LE(packed, at + 4)
  buffer.writeUInt32LE(size, at + 8)
}

/** Exact to two seconds, UTC; not before 1980. */
function dosTime(milliseconds: number): number {
  const date = new Date(Math.max(milliseconds, Date.UTC(1980, 0, 1)))
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return ((day << 16) | time) >>> 0
}
