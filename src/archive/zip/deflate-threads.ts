import { Worker } from 'node:worker_threads'
import { ArchiveError } from '../../errors.js'
import type { Deflater } from './batches.js'
import type { Deflated } from './deflate.js'
import { cause } from '../faults.js'
import type { SourceFile } from '../listing/listing.js'

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
  constructor(worker: string | URL, count: number, signal?: AbortSignal) {
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

  #start(file: string | URL): { worker: Worker; tasks: Map<number, Waiting> } {
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
