import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import type { Log } from '../log.js'
import { detailsOrStatus, type Client } from '../service/service.js'
import type { Download, Opened } from '../service/download.js'
import { ServiceError, wantedPause } from '../service/failure.js'
import type { Listed, LoadTest } from '../service/state.js'
import type { Clock } from '../clock.js'

interface ReportWait {
  client: Pick<Client, 'details' | 'open' | 'status'>
  loadTest: number
  kind: 'report' | 'result'
  /** Milliseconds to wait at most. */
  timeout: number
  /** Ends a call that is under way then. */
  late: AbortSignal
  clock: Clock
  signal: AbortSignal
  log: Log
  /** Gets each fault that only says that it is not there yet. */
  onMiss: (fault: string) => void
}

/** An archive that is available, just opened. */
export interface Found {
  download: Download
  opened: Opened
  label?: string
}

export const pollEvery = 10_000
const lineEvery = 2 * 60_000

/** How long only the highest number that is listed is tried: a lower one is that of an earlier report. Milliseconds. */
const highestOnly = 2 * 60_000
/** If none are listed, number 1 is tried at each look, and these once in a minute. */
const likeliest = [1, 2, 3, 4, 5] as const
const looksInMinute = 6

/**
 * Waits until a report (or result) archive can be downloaded, and opens it. It follows the end of a load test by
 * minutes: the service creates, publishes and then archives it, and answers 404 until then.
 *
 * The number is the highest that the details list and that is available; where a deployment lists none, the automatic
 * final report of a fresh copy is number 1 (user manual), or else the first that there is.
 *
 * @returns undefined if none came in time
 */
export async function waitForReport(wait: ReportWait): Promise<Found | undefined> {
  try {
    return await lookUntilThere(wait)
  } catch (error) {
    wait.signal.throwIfAborted()
    if (wait.late.aborted) return undefined
    throw error
  }
}

async function lookUntilThere(wait: ReportWait): Promise<Found | undefined> {
  const { loadTest, kind, clock, signal, log, onMiss } = wait
  const began = clock.now()
  let lineAt = began
  for (let looks = 0; ; looks++) {
    const { details, pause: asked } = await seen(wait)
    const isSoon = clock.now() - began < Math.min(highestOnly, wait.timeout / 2)
    const tried = await firstOf(wait, numbersOf(details[`${kind}s`], isSoon, looks))
    if ('opened' in tried) {
      if (!details[`${kind}s`]) {
        const { number } = tried.download
        const which = `${kind} ${number} is taken, the first that is available.`
        log.info(`The service lists no ${kind}s of load test ${loadTest}: ${which}`)
      }
      return tried
    }
    const miss = tried.fault?.message ?? ''
    log.debug(miss)
    onMiss(miss)
    const now = clock.now()
    const left = began + wait.timeout - now
    if (left <= 0) return undefined
    if (now - lineAt >= lineEvery || now === began) {
      log.info(
        `The ${kind} of load test ${loadTest} is not available yet${now > began ? `, after ${formatDuration(now - began)}` : ''}`,
      )
      lineAt = now
    }
    await clock.sleep(Math.min(Math.max(pollEvery, asked, wantedPause(tried.fault)), left), signal)
  }
}

/** The details, and what the service asks to wait. They only say which report: while they are refused, it is number 1. */
async function seen({
  client,
  loadTest,
  late,
  log,
}: ReportWait): Promise<{ details: LoadTest; pause: number }> {
  try {
    return { details: await detailsOrStatus(client, loadTest, late), pause: 0 }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status === undefined) throw error
    log.info(`${error.message} The number of the report is not known.`)
    return { details: { number: loadTest }, pause: wantedPause(error) }
  }
}

/** The reports to try, the best first. */
function numbersOf(list: readonly Listed[] | undefined, isSoon: boolean, looks: number): Listed[] {
  if (!list)
    return likeliest.slice(0, looks % looksInMinute === 2 ? Infinity : 1).map((number) => ({ number }))
  const descending = list.toReversed().toSorted((a, b) => b.number - a.number)
  return isSoon ? descending.slice(0, 1) : descending
}

/** Opens the first that is available. @returns the fault of the best one if none is */
async function firstOf(
  { client, loadTest, kind, late }: ReportWait,
  numbers: readonly Listed[],
): Promise<Found | { fault: ServiceError | undefined }> {
  let fault: ServiceError | undefined
  for (const { number, label } of numbers) {
    const download = { kind, loadTest, number }
    try {
      return { download, opened: await client.open(download, 0, late), ...defined({ label }) }
    } catch (error) {
      if (!(error instanceof ServiceError) || !isNotYet(error)) throw fault ?? error
      fault ??= error
      // Other statuses say that this is the report, and that it is not there yet.
      if (error.status !== 404 && error.status !== 400) break
    }
  }
  return { fault }
}

/**
 * 404 as long as there is no archive; the other statuses mean the same. After a temporary fault the call is repeated.
 */
function isNotYet(error: ServiceError): boolean {
  return error.passing || [400, 404, 409, 423, 425].includes(error.status ?? 0)
}
