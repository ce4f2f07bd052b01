import type { Deflated } from './deflate.js'
import type { SourceFile } from '../listing/listing.js'

const batchBytes = 1 << 20
const batchFiles = 128
/** Content that is read and not written yet. */
const bytesInFlight = 32 << 20

/** Who deflates, and how many batches are handed out before the first must come back. */
export interface Deflater {
  deflate(batch: readonly SourceFile[]): Promise<Deflated[]>
  ahead: number
  end(): Promise<void>
}

/** Has files deflated in batches, ahead within bounds, and gives the entries in the order of the files. */
export async function* deflatedInOrder(
  files: readonly SourceFile[],
  deflater: Deflater,
): AsyncGenerator<[SourceFile, Deflated][], undefined> {
  const ahead: { batch: SourceFile[]; bytes: number; done: Promise<Deflated[]> }[] = []
  const batches = inBatches(files)
  let next = batches.next()
  let inFlight = 0
  while (!next.done || ahead.length > 0) {
    while (!next.done && (ahead.length === 0 || inFlight + next.value.bytes <= bytesInFlight)) {
      if (ahead.length >= deflater.ahead) break
      const { batch, bytes } = next.value
      const done = deflater.deflate(batch)
      // It is awaited below, unless another one fails first.
      done.catch(() => undefined)
      ahead.push({ batch, bytes, done })
      inFlight += bytes
      next = batches.next()
    }
    const first = ahead.shift()
    if (!first) continue
    const deflated = await first.done
    yield first.batch.flatMap((file, i) => {
      const entry = deflated[i]
      return entry ? [[file, entry]] : []
    })
    inFlight -= first.bytes
  }
  return undefined
}

function* inBatches(
  files: readonly SourceFile[],
): Generator<{ batch: SourceFile[]; bytes: number }, undefined> {
  let batch: SourceFile[] = []
  let bytes = 0
  for (const file of files) {
    if (batch.length > 0 && (batch.length >= batchFiles || bytes + file.bytes > batchBytes)) {
      yield { batch, bytes }
      batch = []
      bytes = 0
    }
    batch.push(file)
    bytes += file.bytes
  }
  if (batch.length > 0) yield { batch, bytes }
  return undefined
}
