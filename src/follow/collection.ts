import type { FoundBaseline } from '../baseline/baseline.js'
import { message } from '../errors.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Run, Telling } from '../outcome/outcome.js'
import type { Client } from '../service/client.js'
import { facts, type Launched } from '../start/start.js'
import { builtFrom, foreignArchive, type BuildRecord } from '../start/race.js'
import { collectLater } from '../start/run-advice.js'
import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { formatBytes } from '../text/size.js'
import { detailsOf } from './end.js'
import { hasEnded, phaseOf } from '../service/state.js'
import type { World } from '../world.js'
import { afterBadEnd, endReason } from './bad-end.js'
import { download, type Evidence } from './evidence.js'
import { judgeReport, type ReportJudgement } from '../judgement/judgement.js'

/** A run that has ended, and what was uploaded for it. */
export interface EndedRun extends Pick<Launched, 'uploaded'> {
  seen: Run
}

/**
 * What a run that has ended produced, and its judgement.
 *
 * @returns the judgement, which is not yielded yet; undefined if there is none, with the reason yielded
 */
export async function* collect(
  { seen, uploaded }: EndedRun,
  inputs: Pick<Inputs, 'gates' | 'reportTimeout' | 'resultsArtifact'>,
  world: Pick<World, 'clock' | 'log' | 'redact' | 'signal' | 'temp' | 'xpathWorker'>,
  client: Client,
  baseline: FoundBaseline | undefined,
): Telling<ReportJudgement | undefined> {
  const { log, signal } = world
  // Times and the reason of an end are in the details, but not necessarily in the status.
  const details = await detailsOf({ ...world, client, number: seen.number })
  const { state, ...times } = facts(details)
  // They may lag behind the status: an end that was seen still counts.
  const run = {
    ...seen,
    ...times,
    ...defined({ state: hasEnded(details) ? state : undefined, url: details.page }),
  }
  yield { run }
  const isFinished = phaseOf(run.state) === 'finished'
  // A service that knows when a run ended also knows when it began: this one never did, as when its build failed.
  const hasRun = isFinished || details.endTime === undefined || details.startTime !== undefined
  // A failed run may have no report at all, so the wait is shorter.
  const timeout = isFinished ? inputs.reportTimeout : Math.min(inputs.reportTimeout, 5 * 60_000)
  const receive = (kind: 'report' | 'result') => download(kind, timeout, world, client, run.number)
  const report = hasRun
    ? await log.group('Download the report', () => reportOf(isFinished, () => receive('report'), signal))
    : { notes: [] }
  if (report.evidence) {
    const { file } = report.evidence
    log.info(`Downloaded report ${file.number}: ${formatBytes(file.bytes)}`)
    yield { report: file }
  }
  if (report.evidence?.fault) throw report.evidence.fault
  yield { notes: report.notes }
  const missing =
    inputs.resultsArtifact === undefined || !hasRun
      ? []
      : yield* collectResults(run, timeout, () => receive('result'), world)
  const { archiveId, useLatest } = details
  const record = defined({ archiveId, useLatest, revision: run.revision })
  const foreign = await foreignBuild(run.number, record, uploaded)
  if (!isFinished) {
    const why = details.reason ? `: ${endReason(details.reason)}` : '.'
    const state = run.state === 'unknown' ? 'a state that the service does not say' : oneLine(run.state, 40)
    const ended = `Load test ${run.number} ended in ${state}${why}`
    yield {
      verdict: 'load-test-failed',
      reasons: [ended, ...foreign, ...missing],
      advice: afterBadEnd(run, hasRun),
    }
    return undefined
  }
  if (foreign.length > 0) {
    const advice = ['Its report is attached, but says nothing about this code: run the job again.']
    yield { verdict: 'error', reasons: [...foreign, ...missing], advice }
    return undefined
  }
  const xml = report.evidence?.xml
  if (!xml) {
    const late = `Load test ${run.number} has finished, but its report was not available after ${formatDuration(timeout)}.`
    yield { verdict: 'error', reasons: [late, ...missing], advice: collectLater(run) }
    return undefined
  }
  const { redact, xpathWorker } = world
  const label = report.evidence?.file.label
  const judged = await log.group('Judge the report', () =>
    judgeReport({
      files: xml,
      gates: inputs.gates,
      xpathWorker,
      signal,
      redact,
      ...defined({ baseline, label }),
    }),
  )
  return {
    ...judged,
    // The judgement stands, but a green verdict would claim that everything asked for exists.
    verdict: missing.length > 0 && judged.verdict === 'passed' ? 'error' : judged.verdict,
    reasons: [...judged.reasons, ...missing],
  }
}

/**
 * The template may have taken an archive that was uploaded after the start. Without a word of the record about what was
 * built, what was uploaded makes no difference.
 */
async function foreignBuild(
  number: number,
  record: BuildRecord,
  uploaded: Launched['uploaded'],
): Promise<string[]> {
  if (record.archiveId === undefined && record.revision === undefined) return []
  const ours = await uploaded()
  return ours && builtFrom(record, ours) === 'foreign' ? [foreignArchive(number, record, ours)] : []
}

/** A failed run may have a report that is damaged or cannot be read: then there is a note instead. */
async function reportOf(
  isFinished: boolean,
  receive: () => Promise<Evidence | undefined>,
  signal: AbortSignal,
): Promise<{ evidence?: Evidence; notes: string[] }> {
  try {
    return { ...defined({ evidence: await receive() }), notes: [] }
  } catch (error) {
    signal.throwIfAborted()
    if (isFinished) throw error
    return { notes: [message(error)] }
  }
}

/**
 * The results are separate from the report: without them, the report is still judged.
 *
 * @returns why they are not available; if they are only late, there is a note
 */
async function* collectResults(
  { number }: Run,
  timeout: number,
  receive: () => Promise<Evidence | undefined>,
  { log, signal }: Pick<World, 'log' | 'signal'>,
): Telling<string[]> {
  try {
    const results = await log.group('Download the results', receive)
    if (results) yield { results: results.file }
    else {
      const late = `The results of load test ${number} were not available after ${formatDuration(timeout)}. Download them from the service.`
      yield { notes: [late] }
    }
    return []
  } catch (error) {
    signal.throwIfAborted()
    return [`The results of load test ${number} could not be downloaded. ${message(error)}`]
  }
}
