import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import { ArchiveError } from '../errors.js'
import { deflate, type Deflated } from './deflate.js'
import { cause } from './faults.js'
import type { SourceFile } from './listing.js'

export interface DeflateOptions {
  /** Where deflate-worker was built to. Default: beside the program, if it is there; else all is deflated on this thread. */
  worker?: string
  /** Default: one for each of the machine's cores, if there is enough to deflate. */
  threads?: number
  signal?: AbortSignal
}

/** Who deflates, and how many batches are handed out before the first must come back. */
interface Deflater {
  deflate(batch: readonly SourceFile[]): Promise<Deflated[]>
  ahead: number
  end(): Promise<unknown>
}

const batchBytes = 1 << 20
const batchFiles = 128
/** Content that is read and not written yet. */
const bytesInFlight = 32 << 20

/** Deflates files in batches, ahead within bounds, and gives their entries in the order of the files. */
export async function* deflatedInOrder(
  files: readonly SourceFile[],
  options: DeflateOptions,
): AsyncGenerator<[SourceFile, Deflated][], undefined> {
  const deflater = deflaterFor(files, options)
  const ahead: { batch: SourceFile[]; bytes: number; done: Promise<Deflated[]> }[] = []
  let inFlight = 0
  /** Those of the first batches, until as many are left as there may be. */
  async function* firstOnes(mayStay: () => boolean) {
    for (let first = ahead[0]; first && !mayStay(); first = ahead[0]) {
      const deflated = await first.done
      ahead.shift()
      inFlight -= first.bytes
      yield first.batch.flatMap((file, i): [SourceFile, Deflated][] => {
        const entry = deflated[i]
        return entry ? [[file, entry]] : []
      })
    }
  }
  try {
    for (const { batch, bytes } of inBatches(files)) {
      yield* firstOnes(() => ahead.length < deflater.ahead && inFlight + bytes <= bytesInFlight)
      const done = deflater.deflate(batch)
      // It is awaited later, unless another one fails first.
      done.catch(() => undefined)
      ahead.push({ batch, bytes, done })
      inFlight += bytes
    }
    yield* firstOnes(() => false)
  } finally {
    await deflater.end()
  }
  return undefined
}

function* inBatches(files: readonly SourceFile[]): Generator<{ batch: SourceFile[]; bytes: number }> {
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
}

/** Below it, starting threads takes longer than they save. */
const worthThreads = 5e6
/** One thread writes what all others deflate; any more would only wait for it. */
const mostThreads = 8

function deflaterFor(files: readonly SourceFile[], { worker, threads, signal }: DeflateOptions): Deflater {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const count = threads ?? (bytes < worthThreads ? 0 : Math.min(availableParallelism(), mostThreads))
  const beside = path.join(path.dirname(process.argv[1] ?? ''), 'deflate-worker.js')
  const built = worker ?? (existsSync(beside) ? beside : undefined)
  if (built !== undefined && count > 0) return deflateThreads(built, count, signal)
  return {
    ahead: 1,
    async deflate(batch) {
      // Lets a signal through.
      await setImmediate()
      return deflate(batch, signal)
    },
    end: () => Promise.resolve(),
  }
}

/** The task of a thread, and where its answer goes. */
export interface DeflateTask {
  files: readonly SourceFile[]
  to: MessagePort
}

/** The entries in the order of the files, their data in one buffer; or the sentence of a fault. */
export type DeflateAnswer = Deflated[] | { fault: string }

/** Enough for the others to continue while one has a large file that the writer waits for. */
const batchesOfThread = 12

// Buffers lie outside of the heap. A small nursery: what a batch leaves behind is collected before it adds up.
const heap = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 }

/** Threads that share the batches. @param signal when it fires, or one ends, all that is not answered is rejected */
export function deflateThreads(file: string, count: number, signal?: AbortSignal): Deflater {
  const threads = Array.from({ length: count }, () => ({
    worker: new Worker(file, { resourceLimits: heap, env: {}, execArgv: [] }),
    tasks: 0,
  }))
  const ended = threads.map(
    ({ worker }) =>
      new Promise<never>((_, reject) => {
        worker.once('error', (error) => reject(died(cause(error), error)))
        worker.once('exit', (code) => reject(died(`it ended with code ${code}`)))
      }),
  )
  let abort: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
  })
  signal?.addEventListener('abort', abort, { once: true })
  const failed = Promise.race([...ended, aborted])
  failed.catch(() => undefined)
  return {
    ahead: count * batchesOfThread,
    async deflate(files) {
      signal?.throwIfAborted()
      const thread = threads.reduce((least, one) => (one.tasks < least.tasks ? one : least))
      const { port1: answers, port2: to } = new MessageChannel()
      const answer = new Promise<DeflateAnswer>((resolve) => answers.once('message', resolve))
      const task: DeflateTask = { files, to }
      thread.tasks++
      thread.worker.postMessage(task, [to])
      const entries = await Promise.race([answer, failed]).finally(() => {
        thread.tasks--
        answers.close()
      })
      if ('fault' in entries) throw new ArchiveError(entries.fault)
      return entries
    },
    /** Whatever they are doing. */
    end() {
      signal?.removeEventListener('abort', abort)
      return Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
  }
}

function died(why: string, error?: unknown): ArchiveError {
  return new ArchiveError(
    `The folder could not be packed: a thread that compresses files stopped: ${why}. Run the job again; if it happens each time, use a runner with more memory.`,
    { cause: error },
  )
}
