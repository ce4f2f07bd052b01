import { pipeline, Readable, type Transform } from 'node:stream'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import type { ArchiveGuard } from './guard.js'
import { archiveKind } from './kind.js'
import { inflateFault } from './inflate-fault.js'

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
    const head = await beginning(chunks)
    let packed = head.length
    const rest = async function* () {
      yield head
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
        packed += next.value.length
        yield next.value
      }
    }
    const wrap = wrapOf(head, decoder)
    if (wrap === undefined) yield* rest()
    else {
      const inner: AsyncIterable<Uint8Array> = pipeline(Readable.from(rest()), wrap(), () => undefined)
      let unpacked = 0
      for await (const chunk of inner) {
        unpacked += chunk.length
        guard.unpacked(unpacked, packed)
        yield chunk
      }
    }
  } catch (error) {
    throw inflateFault(error, guard.faults)
  } finally {
    await chunks.return?.()
  }
}

async function beginning(chunks: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for (let size = 0; size < headSize;) {
    const next = await chunks.next()
    if (next.done === true) break
    parts.push(next.value)
    size += next.value.length
  }
  return Buffer.concat(parts)
}

function wrapOf(head: Buffer, decoder: Decoder | undefined): Decoder | undefined {
  const kind = archiveKind(head)
  if (kind === undefined) return decoder
  if (kind !== 'tar.gz') return undefined
  const inner = inflatedStart(head)
  const innerKind = archiveKind(inner)
  if (innerKind === 'tar') return undefined
  if (innerKind !== undefined) return createGunzip
  // A page or an error that was compressed.
  return /^[\s\ufeff]*[<{[]/.test(inner.toString('utf8')) ? decoder : undefined
}

function inflatedStart(head: Buffer): Buffer {
  try {
    return gunzipSync(head.subarray(0, headSize), { finishFlush: constants.Z_SYNC_FLUSH }).subarray(
      0,
      headSize,
    )
  } catch {
    return Buffer.alloc(0)
  }
}
