import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
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
  end(): Promise<void>
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
  const batches = inBatches(files)
  let next = batches.next()
  let inFlight = 0
  try {
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
  } finally {
    await deflater.end()
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

/** Below it, starting threads takes longer than they save. */
const worthThreads = 5e6
/** One thread writes what all others deflate; any more would only wait for it. */
const mostThreads = 8

function deflaterFor(files: readonly SourceFile[], { worker, threads, signal }: DeflateOptions): Deflater {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const count = threads ?? (bytes < worthThreads ? 0 : Math.min(availableParallelism(), mostThreads))
  const beside = path.join(path.dirname(process.argv[1] ?? ''), 'deflate-worker.js')
  const built = worker ?? (existsSync(beside) ? beside : undefined)
  if (built !== undefined && count > 0) return new DeflateThreads(built, count, signal)
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

/** The task of a thread. */
export interface DeflateTask {
  id: number
  files: readonly SourceFile[]
}

/** Its answer: the entries in the order of the files, their data in one buffer; or the sentence of a fault. */
export type DeflateAnswer = { id: number; entries: Deflated[] } | { id: number; fault: string }

/** One is being worked on and one is waiting, so a thread never waits for this one. */
const tasksOfThread = 2

/** Enough for the others to continue while one has a large file that the writer waits for. */
const batchesOfThread = 12

// Buffers lie outside of the heap. A small nursery: what a batch leaves behind is collected before it adds up.
const heap = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 }

interface Waiting {
  files: readonly SourceFile[]
  resolve: (entries: Deflated[]) => void
  reject: (reason: unknown) => void
}

/** Threads that run deflate(), each in a copy of deflate-worker, and share the batches among themselves. */
export class DeflateThreads implements Deflater {
  readonly ahead: number
  readonly #threads: { worker: Worker; tasks: Map<number, Waiting> }[]
  readonly #queue: Waiting[] = []
  readonly #signal: AbortSignal | undefined
  #next = 0
  #failure: { reason: unknown } | undefined

  /** `worker`: where deflate-worker was built to. When the signal fires, all that is not answered is rejected. */
  constructor(worker: string, count: number, signal?: AbortSignal) {
    this.#signal = signal
    this.ahead = count * batchesOfThread
    this.#threads = Array.from({ length: count }, () => this.#start(worker))
    signal?.addEventListener('abort', this.#abort, { once: true })
    if (signal?.aborted) this.#abort()
  }

  deflate(files: readonly SourceFile[]): Promise<Deflated[]> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ files, resolve, reject })
      if (this.#failure) this.#fail(this.#failure.reason)
      else this.#feed()
    })
  }

  /** Ends the threads, whatever they are doing; what is not answered is rejected. */
  async end(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#abort)
    this.#fail(new Error('The threads were ended.'))
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  #start(file: string): { worker: Worker; tasks: Map<number, Waiting> } {
    const worker = new Worker(file, { resourceLimits: heap, env: {}, execArgv: [] })
    const tasks = new Map<number, Waiting>()
    worker.on('message', (answer: DeflateAnswer) => {
      const task = tasks.get(answer.id)
      tasks.delete(answer.id)
      this.#feed()
      if ('fault' in answer) task?.reject(new ArchiveError(answer.fault))
      else task?.resolve(answer.entries)
    })
    worker.on('error', (error) => this.#fail(died(cause(error), error)))
    worker.on('exit', (code) => this.#fail(died(`it ended with code ${code}`)))
    return { worker, tasks }
  }

  #feed(): void {
    for (let waiting = this.#queue[0]; waiting; waiting = this.#queue[0]) {
      const [thread] = this.#threads.toSorted((a, b) => a.tasks.size - b.tasks.size)
      if (!thread || thread.tasks.size >= tasksOfThread) return
      this.#queue.shift()
      const task: DeflateTask = { id: this.#next++, files: waiting.files }
      thread.tasks.set(task.id, waiting)
      thread.worker.postMessage(task)
    }
  }

  readonly #abort = (): void => this.#fail(this.#signal?.reason)

  /** The first failure counts. */
  #fail(reason: unknown): void {
    this.#failure ??= { reason }
    const waiting = [...this.#queue.splice(0), ...this.#threads.flatMap(({ tasks }) => [...tasks.values()])]
    for (const { tasks } of this.#threads) tasks.clear()
    for (const { reject } of waiting) reject(this.#failure.reason)
  }
}

function died(why: string, error?: unknown): ArchiveError {
  return new ArchiveError(
    `The folder could not be packed: a thread that compresses files stopped: ${why}. Run the job again; if it happens each time, use a runner with more memory.`,
    { cause: error },
  )
}
