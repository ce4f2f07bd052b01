import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { ReportError } from '../errors.js'
import type { ReportFile } from '../outcome.js'
import { receiveArchive, receiveReport, type ReceivedReport } from '../report/archive.js'
import type { Client } from '../service/client.js'
import { wholeDownload } from '../service/download.js'
import { patience } from '../service/patience.js'
import { waitForReport } from './report-wait.js'
import type { World } from '../world.js'

const maxReceptions = 3

/** A downloaded archive; a report's holds the XML files that are judged. */
export interface Evidence {
  file: ReportFile
  xml?: Pick<ReceivedReport, 'testReport' | 'scorecard'>
}

/** Receives an archive and makes sure that it is whole; a damaged one is asked for again, a few times. */
export async function download(
  kind: 'report' | 'result',
  timeout: number,
  { clock, log, signal, temp }: Pick<World, 'clock' | 'log' | 'signal' | 'temp'>,
  client: Client,
  loadTest: number,
): Promise<Evidence | undefined> {
  const folder = path.join(temp, kind)
  await mkdir(folder, { recursive: true })
  for (let tries = 1; ; tries++) {
    const found = await waitForReport({ client, loadTest, kind, timeout, clock, signal, log })
    if (!found) return undefined
    const source = wholeDownload(client, found.download, found.opened, patience, log, signal)
    const target = path.join(folder, `${kind}-${loadTest}-${found.download.number}`)
    try {
      const xml = kind === 'report' ? await receiveReport(source, target) : undefined
      const { path: where, bytes, kind: format } = xml ?? (await receiveArchive(source, target))
      const { number } = found.download
      const label = found.label === undefined ? {} : { label: found.label }
      const file = { number, path: where, ending: `.${format}`, bytes, ...label }
      return xml ? { file, xml } : { file }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ReportError) || tries >= maxReceptions) throw error
      log.warning(`${error.message} Trying again.`)
    }
  }
}
