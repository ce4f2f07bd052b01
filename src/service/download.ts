import { ReportError } from '../errors.js'
import type { Log } from '../log.js'
import { everyFifth } from '../text/progress.js'
import { formatBytes } from '../text/size.js'
import { ServiceError } from './failure.js'
import type { Client, Download, Opened } from './client.js'
import { patience as usualPatience, sleep, type Patience } from './patience.js'
import { broken } from './transport.js'

/** The minimum speed: this many bytes in this many milliseconds of waiting for them. */
export interface Floor {
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
  const { download, opened, log, signal, patience = usualPatience, floor = usualFloor } = whole
  const { operation, total } = opened
  let current: Opened | undefined = opened
  let received = 0
  let receivedAtFirstBreak = 0
  const report = everyFifth(({ bytes, ofBytes }) =>
    log.info(`Downloaded ${formatBytes(bytes)} of ${formatBytes(ofBytes)}`),
  )
  for (let breaks = 0; ;) {
    try {
      current ??= await reopen(whole, received)
      if (total !== undefined && current.total !== undefined && current.total !== total) {
        throw changed(download, total, current.total)
      }
      if (current.from > received) throw new Error(`the answer begins at byte ${current.from} instead`)
      let skip: number = received - current.from
      for await (const chunk of chunks(current, floor)) {
        if (skip >= chunk.length) {
          skip -= chunk.length
          continue
        }
        const rest = skip > 0 ? chunk.subarray(skip) : chunk
        skip = 0
        received += rest.length
        if (total !== undefined) report({ bytes: received, ofBytes: total })
        yield rest
      }
      if (skip > 0 || (total !== undefined && received < total) || !current.body.complete) {
        throw new Error(`the download ended after ${received} bytes`)
      }
      return
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ReportError) throw error
      const failure = error instanceof ServiceError ? error : broken(operation, error)
      if (received - receivedAtFirstBreak >= floor.bytes) breaks = 0
      if (breaks === 0) receivedAtFirstBreak = received
      breaks++
      if (!failure.passing || breaks > maxBreaks) throw failure
      log.info(`${failure.message} Continuing after ${received} bytes.`)
      await sleep(Math.min(patience.firstPause * 2 ** (breaks - 1), patience.longestPause), signal)
    } finally {
      current?.close()
      current = undefined
    }
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

/** What has arrived and what follows belong to two files. */
function changed({ kind, number, loadTest }: Download, was: number, is: number): ReportError {
  return new ReportError(
    `The ${kind} ${number} of load test ${loadTest} changed while it was downloaded: it had ${was} bytes and now has ${is}. Download it again.`,
  )
}

/** The chunks of one answer; below the minimum speed, the connection counts as broken. */
async function* chunks({ body }: Opened, floor: Floor): AsyncGenerator<Uint8Array> {
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
