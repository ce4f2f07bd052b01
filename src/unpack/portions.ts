/** Large enough that the steps of a portion cost little, small enough to stay in the processor's cache. */
const portion = 256 * 1024

/**
 * Cuts a stream of bytes into portions of 256 KiB, the last one smaller; no empty ones. A portion is valid until the one after
 * the next is requested: two buffers take turns, since new buffers would cost more than filling them.
 */
export async function* inPortions(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let [filling, other] = [Buffer.allocUnsafe(portion), Buffer.allocUnsafe(portion)]
  let filled = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + portion - filled)
      filling.set(piece, filled)
      at += piece.length
      filled += piece.length
      if (filled < portion) continue
      yield filling
      ;[filling, other] = [other, filling]
      filled = 0
    }
  }
  if (filled > 0) yield filling.subarray(0, filled)
}
