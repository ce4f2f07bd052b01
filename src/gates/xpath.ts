import { Worker } from 'node:worker_threads'
import { oneLine } from '../text/foreign-text.js'
import { formatBytes } from '../text/size.js'

/** What one expression gave: a number, or why there is none. */
export type XPathAnswer = { value: number } | { missing: string }

export interface XPathBounds {
  /** For reading the document and for all expressions together. */
  milliseconds: number
  /** Of the document. */
  bytes: number
  nodes: number
  /** Of the worker's heap. */
  heapBytes: number
}

// A small nursery: what reading leaves behind is collected before it adds up.
const youngMegabytes = 8

export const defaultXPathBounds: XPathBounds = {
  milliseconds: 30_000,
  bytes: 64_000_000,
  nodes: 8_000_000,
  heapBytes: 256_000_000,
}

/** What the worker is started with. */
export interface XPathTask {
  file: string
  expressions: readonly string[]
  bytes: number
  nodes: number
}

/** What the worker posts: the answers one after the other, or why there are none. */
export type XPathMessage = { index: number; answer: XPathAnswer } | { unreadable: string }

export interface XPathRequest {
  /** Path of testreport.xml. */
  file: string
  expressions: readonly string[]
  /** Where xpath-worker was built to. */
  worker: string | URL
  bounds?: Partial<XPathBounds>
  /** Stops the evaluation; what is not answered yet is missing. */
  signal?: AbortSignal
}

/**
 * Evaluates XPath 3.1 expressions over a test report, in a separate thread that is ended at the bounds: XPath can run
 * forever. Each expression must give exactly one item; its number is what XPath's number() makes of it: text is read
 * as a number, true is 1, false is 0. If nothing is found, or several items, or no number, or a bound is exceeded,
 * the result is `missing`, with the reason. Note that `//request` also finds those in slowestRequests: write whole
 * paths.
 */
export async function runXPath(request: XPathRequest): Promise<XPathAnswer[]> {
  const { file, expressions, signal } = request
  const bounds = { ...defaultXPathBounds, ...request.bounds }
  const answers: XPathAnswer[] = []
  if (expressions.length === 0) return answers
  const task: XPathTask = { file, expressions, bytes: bounds.bytes, nodes: bounds.nodes }
  const worker = new Worker(request.worker, {
    workerData: task,
    resourceLimits: {
      maxOldGenerationSizeMb: bounds.heapBytes / 2 ** 20,
      maxYoungGenerationSizeMb: youngMegabytes,
    },
    // An expression's trace() must not write workflow commands.
    stdout: true,
    stderr: true,
    env: {},
    execArgv: [],
  })
  const ending = await new Promise<string>((resolve) => {
    const seconds = `${bounds.milliseconds / 1000} s`
    const timer = setTimeout(
      () => resolve(`It was stopped after ${seconds}, the time limit for all xpath gates together.`),
      bounds.milliseconds,
    )
    const stop = (): void => resolve('It was stopped because the step was cancelled.')
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
    worker.on('message', (message: XPathMessage) => {
      if ('unreadable' in message) resolve(message.unreadable)
      else answers[message.index] = message.answer
    })
    worker.on('error', (error: Error) => resolve(workerFault(error, bounds)))
    worker.on('exit', () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve('The evaluation ended without an answer.')
    })
  })
  await worker.terminate()
  return expressions.map((_, index) => answers[index] ?? { missing: ending })
}

function workerFault(error: Error, bounds: XPathBounds): string {
  if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return `It was stopped because it needs more than ${formatBytes(bounds.heapBytes)} of memory.`
  }
  return `The evaluation failed: ${oneLine(error.message, 160)}`
}
