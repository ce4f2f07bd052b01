import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Faults } from '../faults.js'
import type { ZipEntry } from './reader.js'

/** Content above this is inflated in pieces. */
const inOnePiece = 4 << 20

/** Content up to this is inflated at once: handing it to another thread costs more. */
const small = 128 << 10

const inflateRaw = promisify(zlib.inflateRaw)

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
    if (!(await isWhole(zip.subarray(entry.dataStart, entry.dataStart + entry.packedBytes), entry, signal))) {
      faults.add('Entries that are damaged', entry.name, 'Create the archive again.')
    }
  }
}

async function isWhole(data: Buffer, entry: ZipEntry, signal?: AbortSignal): Promise<boolean> {
  if (entry.method === 0) return data.length === entry.bytes && zlib.crc32(data) === entry.crc
  try {
    if (entry.bytes > inOnePiece) return await isWholeInPieces(data, entry, signal)
    const bound = { maxOutputLength: Math.max(1, entry.bytes) }
    const content = entry.bytes <= small ? zlib.inflateRawSync(data, bound) : await inflateRaw(data, bound)
    return content.length === entry.bytes && zlib.crc32(content) === entry.crc
  } catch {
    signal?.throwIfAborted()
    // Not deflate, cut short, or more than it claims.
    return false
  }
}

async function isWholeInPieces(data: Buffer, entry: ZipEntry, signal?: AbortSignal): Promise<boolean> {
  let bytes = 0
  let crc = 0
  await pipeline(
    Readable.from([data]),
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
  return bytes === entry.bytes && crc === entry.crc
}

/** The text of an entry of at most 4 kB, such as a link's target; undefined for another, and for one that is damaged. */
export async function shortText(zip: Buffer, entry: ZipEntry): Promise<string | undefined> {
  if (entry.bytes === 0 || entry.bytes > 4096) return undefined
  const data = zip.subarray(entry.dataStart, entry.dataStart + entry.packedBytes)
  try {
    const text = entry.method === 0 ? data : await inflateRaw(data, { maxOutputLength: 4096 })
    return text.length === entry.bytes ? text.toString('utf8') : undefined
  } catch {
    return undefined
  }
}
