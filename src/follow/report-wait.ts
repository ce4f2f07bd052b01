import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import type { Log } from '../log.js'
import type { Client } from '../service/service.js'
import type { Download, Opened } from '../service/opening.js'
import { ServiceError } from '../service/failure.js'
import { latest, type LoadTest } from '../service/wire.js'
import { oneLine } from '../text/foreign-text.js'
import type { Clock } from '../clock.js'

interface ReportWait {
  client: Pick<Client, 'details' | 'open'>
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

/**
 * Waits until a report (or result) archive can be downloaded, and opens it. It follows the end of a load test by
 * minutes: the service creates, publishes and then archives it, and answers 404 until then.
 *
 * The number is the highest that the details list; where a deployment lists none, the automatic final report
 * of a fresh copy is number 1 (user manual).
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
  const { client, loadTest, kind, late, clock, signal, log, onMiss } = wait
  const began = clock.now()
  let lineAt = began
  for (;;) {
    const details = await client.details(loadTest, late)
    const { number, label } = latest(details[`${kind}s`])
    const download = { kind, loadTest, number }
    try {
      const opened = await client.open(download, 0, late)
      sayWhich(details, download, log)
      return { download, opened, ...defined({ label }) }
    } catch (error) {
      if (!(error instanceof ServiceError) || !isNotYet(error)) throw error
      log.debug(error.message)
      onMiss(error.message)
    }
    const now = clock.now()
    const left = began + wait.timeout - now
    if (left <= 0) return undefined
    if (now - lineAt >= lineEvery || now === began) {
      log.info(
        `The ${kind} of load test ${loadTest} is not available yet${now > began ? `, after ${formatDuration(now - began)}` : ''}`,
      )
      lineAt = now
    }
    await clock.sleep(Math.min(pollEvery, left), signal)
  }
}

/** A number that no list has shown is an assumption, and wrong if the final report has another one. */
function sayWhich(
  details: LoadTest,
  { kind, loadTest, number }: Download & Pick<ReportWait, 'kind'>,
  log: Log,
): void {
  if (details[`${kind}s`]) return
  const field = details.unread?.[`${kind}s`]
  if (field === undefined) {
    log.info(`The service lists no ${kind}s of load test ${loadTest}: ${kind} ${number} is taken.`)
    return
  }
  log.warning(
    `The details of load test ${loadTest} have a list "${oneLine(field, 60)}" that cannot be read, so ${kind} ${number} is taken. Check on the service that it is the final one.`,
  )
}

/**
 * 404 as long as there is no archive; the other statuses mean the same. After a temporary fault the call is repeated.
 */
function isNotYet(error: ServiceError): boolean {
  return error.passing || [400, 404, 409, 423, 425].includes(error.status ?? 0)
}
