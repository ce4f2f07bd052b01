import { sleep } from '../clock.js'
import { ReportError } from '../errors.js'
import type { Log } from '../log.js'
import { everyFifth } from '../text/progress.js'
import { formatBytes } from '../text/size.js'
import { answerTimeout, position, retryAfter, slowAnswerTimeout } from './answer.js'
import { ServiceError, wantedPause } from './failure.js'
import type { ServiceDocument } from './open-api.js'
import type { Operation } from './operations.js'
import type { Patience } from './patience.js'
import { broken, type Answer } from './transport.js'

export interface Opened {
  operation: Operation
  body: Answer['body']
  /** Where in the file the body begins: the byte asked for, or 0 where the service has no ranges. */
  from: number
  /** Bytes of the whole file, where the service says so. */
  total?: number
  /** What the service asks to wait before the next try, if this is not an archive. */
  retryAfterSeconds?: number
  close: () => void
}

/** Statuses that a service may have for a method that it does not offer; without a document, the first three as well. */
const mayBeForMethod: readonly number[] = [400, 403, 404, 405, 501]
const isAboutMethod = (error: unknown) =>
  error instanceof ServiceError && (error.status === 405 || error.status === 501)

/**
 * Opens a download by the document's method, or else by GET, then POST. One try. What has not arrived yet is refused as
 * well: of two refusals, the one that is not about the method counts.
 */
export async function openDownload(
  document: ServiceDocument,
  usual: Operation,
  from: number,
  signal?: AbortSignal,
): Promise<Opened> {
  const by = async (method: Operation['method']): Promise<Opened> => {
    const operation = { ...usual, method }
    const range = from > 0 ? { range: `bytes=${from}-` } : {}
    const answer = await document.connection.authorized(operation, {
      timeout: slowAnswerTimeout,
      idle: answerTimeout,
      headers: { accept: '*/*', 'accept-encoding': 'identity', ...range },
      signal,
    })
    document.worked.set(usual.name, method)
    const { body, close, headers } = answer
    return { operation, body, close, ...retryAfter(headers['retry-after']), ...position(answer, from) }
  }
  const worked = document.worked.get(usual.name)
  if (worked !== undefined) return by(worked)
  const said = await document.methodOf(usual).catch(() => undefined)
  try {
    return await by(said ?? 'GET')
  } catch (error) {
    signal?.throwIfAborted()
    const isSuspect = error instanceof ServiceError && mayBeForMethod.includes(error.status ?? 0)
    if (!isAboutMethod(error) && (said !== undefined || !isSuspect)) throw error
    return by((said ?? 'GET') === 'GET' ? 'POST' : 'GET').catch((other: unknown) => {
      throw isAboutMethod(error) && other instanceof ServiceError && !isAboutMethod(other) ? other : error
    })
  }
}

/** The minimum speed: this many bytes in this many milliseconds of waiting for them. */
const usualFloor = { bytes: 60_000, milliseconds: 60_000 }
const maxBreaks = 5

export interface WholeDownload {
  /** Opens it at a byte offset. One try. @param signal ends this call, as that of the job ends all */
  open: (from: number, signal?: AbortSignal) => Promise<Opened>
  download: { kind: 'report' | 'result'; loadTest: number; number: number }
  opened: Opened
  log: Log
  signal?: AbortSignal | undefined
  patience: Patience
  floor?: typeof usualFloor | undefined
}

/**
 * The bytes of a download, from the first to the last. If the connection breaks or is slower than the minimum speed,
 * the download continues at the same byte if the service offers ranges, else from the start, skipping what has
 * already arrived.
 *
 * @throws ServiceError if it keeps breaking with less than the minimum in between, ReportError if the file changes,
 * the signal's reason
 */
export async function* wholeDownload(whole: WholeDownload): AsyncGenerator<Uint8Array> {
  const { download, opened, log, signal, floor = usualFloor } = whole
  const { total } = opened
  const bear = breaks(whole, floor.bytes)
  let current: Opened | undefined = opened
  let received = 0
  const report = everyFifth('Downloaded', log)
  for (;;) {
    try {
      current ??= await reopen(whole, received)
      checkSame(download, total, current.total)
      let skip = received - current.from
      if (skip < 0) throw new Error(`the answer begins at byte ${current.from} instead`)
      for await (const chunk of chunks(current.body, floor)) {
        const part = chunk.subarray(skip)
        skip -= chunk.length - part.length
        received += part.length
        if (total !== undefined) report({ bytes: received, ofBytes: total })
        yield part
      }
      if (skip > 0 || received < (total ?? 0) || !current.body.complete)
        throw new Error(`the download ended after ${received} bytes`)
      return
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ReportError) throw error
      await bear(error, received)
    } finally {
      current?.close()
      current = undefined
    }
  }
}

/** Waits after each break before the download continues. What it returns throws ServiceError if it must not. */
function breaks({ opened, log, signal, patience }: WholeDownload, enough: number) {
  let count = 0
  let receivedAtFirst = 0
  return async (error: unknown, received: number): Promise<void> => {
    const failure = error instanceof ServiceError ? error : broken(opened.operation, error)
    if (received - receivedAtFirst >= enough) count = 0
    if (count === 0) receivedAtFirst = received
    count++
    if (!failure.passing || count > maxBreaks) throw failure
    log.info(`${failure.message} Continuing after ${received} bytes.`)
    const pause = Math.min(patience.firstPause * 2 ** (count - 1), patience.longestPause)
    await sleep(Math.max(pause, wantedPause(failure)), signal)
  }
}

/** Opens the rest; if the service refuses that range (416), the whole file. */
async function reopen({ open, signal }: WholeDownload, received: number): Promise<Opened> {
  try {
    return await open(received, signal)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 416 || received === 0) throw error
    return open(0, signal)
  }
}

/** @throws ReportError if what has arrived and what follows belong to two files */
function checkSame({ kind, number, loadTest }: WholeDownload['download'], was?: number, is?: number): void {
  if (was === undefined || is === undefined || is === was) return
  throw new ReportError(
    `The ${kind} ${number} of load test ${loadTest} changed while it was downloaded: it had ${was} bytes and now has ${is}. Download it again.`,
  )
}

/** Below the minimum speed, the connection counts as broken. */
async function* chunks(body: Opened['body'], floor: typeof usualFloor): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]()
  let came = 0
  let waited = 0
  for (;;) {
    const tooSlow = () =>
      body.destroy(new Error(`only ${formatBytes(came)} came in ${floor.milliseconds / 1000} s`))
    const asked = performance.now()
    const timer = setTimeout(tooSlow, floor.milliseconds - waited)
    const next = await source.next().finally(() => clearTimeout(timer))
    if (next.done) return
    waited += performance.now() - asked
    const chunk: unknown = next.value
    if (!(chunk instanceof Uint8Array)) continue
    came += chunk.length
    if (came >= floor.bytes) came = waited = 0
    yield chunk
  }
}
