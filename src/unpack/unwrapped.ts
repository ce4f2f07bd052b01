import { pipeline, Readable, type Transform } from 'node:stream'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import { inflateFault, type ArchiveGuard } from './guard.js'
import { archiveKind } from './kind.js'

/** Makes a stream that undoes an encoding. */
export type Decoder = () => Transform

const headSize = 1024

/**
 * An archive as it was before a proxy compressed it once more. Many servers call a .tar.gz itself encoded, so its bytes
 * decide.
 *
 * @param decoder for the encoding that the sender names
 * @throws ReportError if it is damaged, or unpacks to far too much
 */
export async function* unwrapped(
  source: AsyncIterable<Uint8Array>,
  guard: ArchiveGuard,
  decoder: Decoder | undefined,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  try {
    const head = await beginning(chunks, headSize)
    const decode = wrapOf(head, decoder)
    const all = joined(head, chunks)
    yield* decode === undefined ? all : inflated(all, decode, guard)
  } finally {
    await chunks.return?.()
  }
}

/**
 * A stream without its encoding, as long as it does not unpack to too much.
 *
 * @throws ReportError
 */
export async function* inflated(
  source: AsyncIterable<Uint8Array>,
  decoder: Decoder,
  guard: ArchiveGuard,
): AsyncGenerator<Uint8Array> {
  let packed = 0
  async function* counted() {
    for await (const chunk of source) {
      packed += chunk.length
      yield chunk
    }
  }
  const inner: AsyncIterable<Uint8Array> = pipeline(Readable.from(counted()), decoder(), () => undefined)
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

function wrapOf(head: Buffer, decoder: Decoder | undefined): Decoder | undefined {
  const kind = archiveKind(head)
  if (kind === undefined) return decoder
  if (kind !== 'tar.gz') return undefined
  const inner = inflatedStart(head.subarray(0, headSize))
  const innerKind = archiveKind(inner)
  if (innerKind === 'tar') return undefined
  if (innerKind !== undefined) return createGunzip
  // A page or an error that was compressed.
  return /^[\s\ufeff]*[<{[]/.test(inner.toString('utf8')) ? decoder : undefined
}

/** What the first bytes of a gzip unpack to, as far as they go; nothing if they are damaged. */
export function inflatedStart(head: Buffer): Buffer {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return Buffer.alloc(0)
  }
}
