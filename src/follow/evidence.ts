import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { NoArchiveError, ReportError } from '../errors.js'
import type { ReportFile } from '../outcome/outcome.js'
import {
  NoRoomError,
  receiveArchive,
  receiveReport,
  type ReceivedArchive,
  type ReceivedReport,
} from '../unpack/unpack.js'
import type { Client } from '../service/service.js'
import { wholeDownload } from '../service/download.js'
import { deadline } from '../clock.js'
import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import { pollEvery, waitForReport } from './report-wait.js'
import type { World } from '../world.js'

const maxReceptions = 3

/** A downloaded archive; a report's holds the XML files that are judged. */
export interface Evidence {
  file: ReportFile
  xml?: Pick<ReceivedReport, 'testReport' | 'scorecard'>
  /** Why a report cannot be judged, although its archive is whole. */
  fault?: Error
}

/** There was none in time. */
export interface Late {
  /** What the service answered last, as a sentence; empty if nothing. */
  late: string
  file?: never
  xml?: never
}

/**
 * Receives an archive and makes sure that it is complete. A damaged one is requested again a few times. What is not
 * an archive is requested again as long as there is time.
 *
 * @param timeout milliseconds for waiting and downloading together
 * @throws ReportError if there is one, but not whole in time or after some tries
 */
export async function download(
  {
    world: { clock, log, signal, temp },
    client,
  }: {
    world: Pick<World, 'clock' | 'log' | 'signal' | 'temp'>
    client: Pick<Client, 'details' | 'open' | 'status'>
  },
  kind: 'report' | 'result',
  timeout: number,
  loadTest: number,
): Promise<Evidence | Late> {
  const folder = path.join(temp, kind)
  await mkdir(folder, { recursive: true })
  const end = clock.now() + timeout
  const late = deadline(timeout)
  const both = AbortSignal.any([signal, late])
  let said = ''
  for (let damaged = 0; ;) {
    const left = end - clock.now()
    const onMiss = (fault: string) => void (said = fault)
    const found = await waitForReport({
      ...{ client, loadTest, kind, timeout: left, late, clock, signal, log, onMiss },
    })
    if (!found) return { late: said }
    const { download, opened, label } = found
    const source = wholeDownload({ client, download, opened, log, signal: both })
    const target = path.join(folder, `${kind}-${loadTest}-${download.number}`)
    const fileOf = ({ path, bytes, kind: format }: ReceivedArchive): ReportFile => {
      return { number: download.number, path, ending: `.${format}`, bytes, ...defined({ label }) }
    }
    try {
      const { decoder } = opened
      if (kind === 'result') return { file: fileOf(await receiveArchive(source, target, { decoder })) }
      const xml = await receiveReport(source, target, { decoder })
      return { file: fileOf(xml), xml }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof NoRoomError) return { file: fileOf(error.archive), fault: error }
      if (late.aborted) throw tooLate(kind, timeout, loadTest, error)
      if (!(error instanceof ReportError)) throw error
      if (error instanceof NoArchiveError) {
        if (clock.now() >= end) throw error
        if (error.message !== said) log.info(`${error.message} It may not be there yet: looking again.`)
        said = error.message
        const asked = (opened.retryAfterSeconds ?? 0) * 1000
        await clock.sleep(Math.min(Math.max(pollEvery, asked), end - clock.now()), signal)
        continue
      }
      if (++damaged >= maxReceptions) throw error
      log.warning(`${error.message} Trying again.`)
    }
  }
}

function tooLate(kind: string, timeout: number, loadTest: number, cause: unknown): ReportError {
  return new ReportError(
    `The ${kind} of load test ${loadTest} was not completely downloaded within ${formatDuration(timeout)}. Check the connection to the service, or raise timeout.`,
    { cause },
  )
}
