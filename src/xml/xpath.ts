import type { checkXPath } from './expression.js'
import { fork } from 'node:child_process'
import { defined } from '../text/fields.js'
import { oneLine, shortWords } from '../text/foreign-text.js'
import { formatBytes } from '../text/size.js'

/** What one expression gave: a number, or why there is none. */
export type XPathAnswer = { value: number } | { missing: string }

// A small nursery: what reading leaves behind is collected before it adds up.
const nurseryMegabytes = 2

/** The limits of time for reading the document and for all expressions together, of its size, and of the process's heap. */
const defaultXPathBounds = {
  milliseconds: 30_000,
  bytes: 64_000_000,
  nodes: 8_000_000,
  heapBytes: 256_000_000,
}

/** What the process is asked. */
export interface XPathTask {
  file: string
  expressions: readonly string[]
  bytes: number
  nodes: number
}

/** What it says: that it has read the document, then one answer after the other; or why there are none. */
export type XPathMessage = { read: true } | { answer: XPathAnswer } | { unreadable: string }

/**
 * Evaluates XPath 3.1 expressions over a test report, in a separate process that is ended at the bounds: XPath can
 * run forever, and a single large text would end this process, whatever limits its threads have. Each expression must
 * give exactly one item; its number is what XPath's number() makes of it: text is read as a number, true is 1, false
 * is 0. If nothing is found, or several items, or no number, or a bound is exceeded, the result is `missing`, with the
 * reason. Note that `//request` also finds those in slowestRequests: write whole paths.
 *
 * @param request the path of testreport.xml, where xpath-worker was built to, and what stops the evaluation
 */
export async function runXPath(request: {
  file: string
  expressions: readonly string[]
  worker: string | URL
  bounds?: Partial<typeof defaultXPathBounds> | undefined
  signal?: AbortSignal
}): Promise<XPathAnswer[]> {
  const { expressions } = request
  const bounds = { ...defaultXPathBounds, ...request.bounds }
  const end = performance.now() + bounds.milliseconds
  const answers: XPathAnswer[] = []
  while (answers.length < expressions.length) {
    const rest = expressions.slice(answers.length)
    const { given, missing, isForAll } = await evaluate(rest, request, bounds, end - performance.now())
    answers.push(...given)
    // The expression that ended the process says nothing about those after it.
    const open = rest.slice(given.length, isForAll ? undefined : given.length + 1)
    answers.push(...open.map(() => ({ missing })))
  }
  return answers
}

/**
 * What one process came to: the first answers, in order, why there are no more, and whether no other process could answer
 * the rest either.
 */
async function evaluate(
  expressions: readonly string[],
  { file, worker, signal }: Parameters<typeof runXPath>[0],
  { milliseconds, bytes, nodes, heapBytes }: typeof defaultXPathBounds,
  left: number,
): Promise<{ given: XPathAnswer[]; missing: string; isForAll: boolean }> {
  const given: XPathAnswer[] = []
  let isRead = false
  const child = start(worker, heapBytes)
  return new Promise((resolve) => {
    const end = (missing: string, isForAll = true): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      child.kill('SIGKILL')
      resolve({ given, missing, isForAll })
    }
    const timer = setTimeout(
      () =>
        end(`It was stopped after ${milliseconds / 1000} s, the time limit for all xpath gates together.`),
      left,
    )
    const stop = (): void => end('It was stopped because the step was cancelled.')
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
    child.on('message', (message: XPathMessage) => {
      if ('unreadable' in message) end(message.unreadable)
      else if ('read' in message) isRead = true
      else if (given.push(shown(message.answer)) === expressions.length) end('')
    })
    child.on('error', (error) => end(`The evaluation failed: ${oneLine(error.message, 160)}`))
    // After the last message.
    child.on('close', (code, killed) => {
      if (killed === null) end(`The evaluation failed: its process ended with exit code ${code}.`)
      else end(`It was stopped because it needs more than ${formatBytes(heapBytes)} of memory.`, !isRead)
    })
    const task: XPathTask = { file, expressions, bytes, nodes }
    child.send(task, () => undefined)
  })
}

/** The other process quotes report and expressions, and knows no secrets. */
function shown(answer: XPathAnswer): XPathAnswer {
  return 'missing' in answer ? { missing: shortWords(answer.missing, 300) } : answer
}

/** With nothing of the step's environment but what its runner finds left-over processes by. */
function start(worker: string | URL, heapBytes: number) {
  const { RUNNER_TRACKING_ID, SystemRoot } = process.env
  return fork(worker, {
    env: defined({ RUNNER_TRACKING_ID, SystemRoot }),
    execArgv: [
      `--max-old-space-size=${Math.ceil(heapBytes / 2 ** 20)}`,
      `--max-semi-space-size=${nurseryMegabytes}`,
    ],
    // An expression's trace() must not write workflow commands.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** What looks at XPath expressions, if these gates may have some: it is large. */
export async function xpathCheck(gates: string): Promise<typeof checkXPath | undefined> {
  const mayAsk = /xpath|\.ya?ml\s*$/im.test(gates)
  return mayAsk ? (await import('./expression.js')).checkXPath : undefined
}
