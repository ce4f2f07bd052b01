import { ReportError } from '../errors.js'
import type { Log } from '../log.js'
import { everyFifth } from '../text/progress.js'
import { formatBytes } from '../text/size.js'
import { ServiceError } from './failure.js'
import type { Client } from './service.js'
import type { Download, Opened } from './opening.js'
import { patience as usualPatience, sleep, type Patience } from './patience.js'
import { broken } from './transport.js'

/** The minimum speed: this many bytes in this many milliseconds of waiting for them. */
interface Floor {
  bytes: number
  milliseconds: number
}

const usualFloor: Floor = { bytes: 60_000, milliseconds: 60_000 }
const maxBreaks = 5

export interface WholeDownload {
  client: Pick<Client, 'open'>
  download: Download
  /** The download, just opened. */
  opened: Opened
  log: Log
  signal?: AbortSignal
  patience?: Patience
  floor?: Floor
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
  const breaks = new Breaks({ ...whole, floor })
  let current: Opened | undefined = opened
  let received = 0
  const report = everyFifth(({ bytes, ofBytes }) =>
    log.info(`Downloaded ${formatBytes(bytes)} of ${formatBytes(ofBytes)}`),
  )
  for (;;) {
    try {
      current ??= await reopen(whole, received)
      checkSame(download, total, current.total)
      for await (const chunk of chunksAfter(received, current, floor)) {
        received += chunk.length
        if (total !== undefined) report({ bytes: received, ofBytes: total })
        yield chunk
      }
      if (received < (total ?? 0) || !current.body.complete) throw endedAfter(received)
      return
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ReportError) throw error
      await breaks.pause(error, received)
    } finally {
      current?.close()
      current = undefined
    }
  }
}

/** How often a download broke with less than the minimum in between. */
class Breaks {
  #count = 0
  #receivedAtFirst = 0

  constructor(readonly whole: WholeDownload & { floor: Floor }) {}

  /** Waits before the download continues. @throws ServiceError if it must not */
  async pause(error: unknown, received: number): Promise<void> {
    const { opened, log, signal, patience = usualPatience, floor } = this.whole
    const failure = error instanceof ServiceError ? error : broken(opened.operation, error)
    if (received - this.#receivedAtFirst >= floor.bytes) this.#count = 0
    if (this.#count === 0) this.#receivedAtFirst = received
    this.#count++
    if (!failure.passing || this.#count > maxBreaks) throw failure
    log.info(`${failure.message} Continuing after ${received} bytes.`)
    await sleep(Math.min(patience.firstPause * 2 ** (this.#count - 1), patience.longestPause), signal)
  }
}

/** Opens the rest; if the service refuses that range (416), the whole file. */
async function reopen({ client, download, signal }: WholeDownload, received: number): Promise<Opened> {
  try {
    return await client.open(download, received, signal)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 416 || received === 0) throw error
    return client.open(download, 0, signal)
  }
}

/** @throws ReportError if what has arrived and what follows belong to two files */
function checkSame({ kind, number, loadTest }: Download, was?: number, is?: number): void {
  if (was === undefined || is === undefined || is === was) return
  throw new ReportError(
    `The ${kind} ${number} of load test ${loadTest} changed while it was downloaded: it had ${was} bytes and now has ${is}. Download it again.`,
  )
}

/**
 * The chunks of one answer after what has arrived already. Below the minimum speed, the connection counts as broken.
 *
 * @throws Error if it does not begin where it should, or ends too early
 */
async function* chunksAfter(
  received: number,
  { body, from }: Opened,
  floor: Floor,
): AsyncGenerator<Uint8Array> {
  if (from > received) throw new Error(`the answer begins at byte ${from} instead`)
  let skip = received - from
  for await (const chunk of chunks(body, floor)) {
    const part = chunk.subarray(skip)
    skip = Math.max(0, skip - chunk.length)
    if (part.length > 0) yield part
  }
  if (skip > 0) throw endedAfter(received)
}

function endedAfter(received: number): Error {
  return new Error(`the download ended after ${received} bytes`)
}

async function* chunks(body: Opened['body'], floor: Floor): AsyncGenerator<Uint8Array> {
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
