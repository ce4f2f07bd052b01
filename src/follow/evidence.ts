import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { NoArchiveError, ReportError } from '../errors.js'
import type { ReportFile } from '../outcome/outcome.js'
import { receiveReport, type ReceivedReport } from '../report/reading/report-reader.js'
import { receiveArchive, unread, type ReceivedArchive } from '../unpack/unpack.js'
import { detailsOrStatus, type Client } from '../service/service.js'
import { deadline } from '../clock.js'
import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import { pauseWithin, ServiceError, wantedPause } from '../service/failure.js'
import type { World } from '../world.js'
import type { Listed, LoadTest } from '../service/project.js'

const maxReceptions = 3

/** A downloaded archive, and of a report what is judged, or why it cannot be, although its archive is whole. */
export interface Evidence extends Pick<ReceivedReport, 'files' | 'fault'> {
  /** Absent if there was none in time. */
  file?: ReportFile
  /** Then what the service answered last, as a sentence; empty if nothing. */
  late?: string
}

/**
 * Receives an archive and makes sure that it is complete. A damaged one is requested again a few times; one that still
 * grows, and what is not an archive, as long as there is time.
 *
 * @param timeout milliseconds for waiting and downloading together
 * @throws ReportError if there is one, but not whole in time or after some tries
 */
export async function download(
  session: { world: Pick<World, 'clock' | 'log' | 'signal' | 'temp'>; client: ReportWait['client'] },
  kind: 'report' | 'result',
  timeout: number,
  loadTest: number,
): Promise<Evidence> {
  const { client } = session
  const { clock, log, signal, temp } = session.world
  const folder = path.join(temp, kind)
  await mkdir(folder, { recursive: true })
  const end = clock.now() + timeout
  const late = deadline(timeout)
  const both = AbortSignal.any([signal, late])
  let said = ''
  let size: number | undefined
  for (let damaged = 0; ;) {
    const onMiss = (fault: string) => void (said = fault)
    const wait = { client, loadTest, kind, timeout: end - clock.now(), late, clock, signal, log, onMiss }
    const found = await waitForReport(wait).catch((error: unknown) => {
      signal.throwIfAborted()
      if (late.aborted) return undefined
      throw error
    })
    if (!found) return { late: said }
    const { number, opened, label } = found
    const source = opened.bytes(both)
    const target = path.join(folder, `${kind}-${loadTest}-${number}`)
    try {
      const received: ReceivedArchive & Pick<ReceivedReport, 'files' | 'fault'> =
        kind === 'result'
          ? await receiveArchive(source, target, unread())
          : await receiveReport(source, target)
      const { files, fault, bytes, kind: ending, path: at } = received
      const file = { number, path: at, ending: `.${ending}`, bytes, ...defined({ label }) }
      return { file, ...defined({ files, fault }) }
    } catch (error) {
      signal.throwIfAborted()
      if (late.aborted) {
        const incomplete = `The ${kind} of load test ${loadTest} was not completely downloaded within ${formatDuration(timeout)}. Check the connection to the service, or raise a timeout of less than 1 h.`
        throw new ReportError(incomplete, { cause: error })
      }
      if (!(error instanceof ReportError)) throw error
      const isNone = error instanceof NoArchiveError
      if (!isNone) {
        // One whose size differs from the last time is still being written.
        damaged = opened.total === size ? damaged + 1 : 1
        size = opened.total
      }
      const left = end - clock.now()
      if (left <= 0 || damaged >= maxReceptions) throw error
      if (!isNone) log.warning(`${error.message} Trying again.`)
      else if (error.message !== said) log.info(`${error.message} It may not be there yet: looking again.`)
      said = error.message
      const asked = pauseWithin((opened.retryAfterSeconds ?? 0) * 1000, left, log)
      await clock.sleep(Math.min(Math.max(pollEvery, asked), left), signal)
    }
  }
}

interface ReportWait extends Pick<World, 'clock' | 'log' | 'signal'> {
  client: Pick<Client, 'details' | 'open' | 'status'>
  loadTest: number
  kind: 'report' | 'result'
  timeout: number
  /** Ends a call that is under way then. */
  late: AbortSignal
  /** Gets each fault that only says that it is not there yet. */
  onMiss: (fault: string) => void
}

const pollEvery = 10_000
const lineEvery = 2 * 60_000

/** How long only the highest number that is listed is tried: a lower one is that of an earlier report. Milliseconds. */
const highestOnly = 2 * 60_000
/** If none are listed, number 1 is tried at each look, the first few once in a minute, and all of these now and then. */
const guesses = Array.from({ length: 20 }, (_, at) => ({ number: at + 1 }))

/**
 * Waits until a report (or result) archive can be downloaded, and opens it. It follows the end of a load test by
 * minutes: the service creates, publishes and then archives it, and answers 404 until then.
 *
 * The number is the highest that the details list and that is available; where a deployment lists none, the automatic
 * final report of a fresh copy is number 1 (user manual), or else the first of those that are tried.
 *
 * @returns undefined if none came in time
 */
async function waitForReport(wait: ReportWait) {
  const { loadTest, kind, clock, signal, log, onMiss } = wait
  const began = clock.now()
  let lineAt = began
  for (let looks = 0; ; looks++) {
    const { details, pause: asked } = await seen(wait)
    const isSoon = clock.now() - began < Math.min(highestOnly, wait.timeout / 2)
    const tried = await firstOf(wait, numbersOf(details[`${kind}s`], isSoon, looks))
    if ('opened' in tried) {
      if (!details[`${kind}s`]) {
        const which = `${kind} ${tried.number} is taken, the first that is available.`
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
    const wanted = pauseWithin(Math.max(asked, wantedPause(tried.fault)), left, log)
    await clock.sleep(Math.min(Math.max(pollEvery, wanted), left), signal)
  }
}

/** The details, and what the service asks to wait. They only say which report: while they are refused, it is number 1. */
async function seen(wait: ReportWait): Promise<{ details: LoadTest; pause: number }> {
  const { client, loadTest, late, log } = wait
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
  if (!list) return guesses.slice(0, looks % 30 === 0 ? Infinity : looks % 6 === 0 ? 5 : 1)
  const descending = list.toReversed().toSorted((a, b) => b.number - a.number)
  return isSoon ? descending.slice(0, 1) : descending
}

/** Opens the first that is available. @returns the fault of the best one if none is */
async function firstOf({ client, loadTest, kind, late }: ReportWait, numbers: readonly Listed[]) {
  let fault: ServiceError | undefined
  for (const { number, label } of numbers) {
    try {
      const opened = await client.open({ kind, loadTest, number }, late)
      return { number, opened, ...defined({ label }) }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      // 404 as long as there is no archive; the other statuses mean the same. After a temporary fault the call is repeated.
      const isNotYet = error.passing || [400, 404, 409, 412, 422, 423, 425].includes(error.status ?? 0)
      if (!isNotYet && !fault) throw error
      fault ??= error
      // Other statuses say that this is the report, and that it is not there yet; of a mere guess they say nothing.
      if (error.status !== 404 && error.status !== 400) break
    }
  }
  return { fault }
}
