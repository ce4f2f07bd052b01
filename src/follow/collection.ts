import { message } from '../errors.js'
import type { Inputs } from '../inputs/inputs.js'
import { isGreen, type Run } from '../outcome/outcome.js'
import { hasEnded, hasFinished, type LoadTest } from '../service/project.js'
import type { Session } from '../session.js'
import { builtFrom, foreignArchive, collectLater, facts } from '../start/run.js'
import type { Launched } from '../start/start.js'
import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { sentence, reasonsAbout } from '../text/reason.js'
import { formatBytes } from '../text/size.js'
import { endDetails } from './end.js'
import { download, type Evidence } from './evidence.js'
import type { World } from '../world.js'
import { readReport } from '../report/reading/report-reader.js'
import { judgeReport, type ReportJudgement } from '../judgement/judgement.js'

export type CollectSession = Session<
  Pick<World, 'clock' | 'log' | 'signal' | 'temp' | 'xpathWorker'>,
  Pick<Inputs, 'gates' | 'reportTimeout' | 'results'>
>

/**
 * What a run that has ended produced, and its judgement.
 *
 * @param uploaded what was uploaded for it
 * @returns the judgement, which is not told yet; undefined if there is none, with the reason told
 */
export async function collect(
  session: CollectSession,
  ended: Run,
  uploaded: Launched['uploaded'],
): Promise<ReportJudgement | undefined> {
  const { tell } = session
  // Times and the reason of an end are in the details, but not necessarily in the status.
  const details = await endDetails({ ...session.world, client: session.client, number: ended.number })
  const run = withDetails(ended, details)
  tell({ run })
  const { file, files, late, missing, waited } = await downloads(session, run)
  // The template may have taken an archive that was uploaded after the start.
  const built = { ...details, ...defined({ revision: run.revision }) }
  const isForeign = uploaded && builtFrom(built, uploaded) === 'foreign'
  const foreign = isForeign ? [foreignArchive(run.number, built, uploaded)] : []
  if (!hasFinished(run)) {
    const why = details.reason ? `: ${sentence(endReason(details.reason))}` : '.'
    const state = run.state === 'unknown' ? 'a state that the service does not say' : oneLine(run.state, 40)
    tell({
      verdict: 'load-test-failed',
      reasons: reasonsAbout('run', `Load test ${run.number} ended in ${state}${why}`, ...foreign, ...missing),
      advice: afterBadEnd(run, details.startTime === undefined && details.reason !== undefined),
    })
    return undefined
  }
  if (foreign.length > 0) {
    const advice = ['Its report is attached, but says nothing about this code: run the job again.']
    tell({ verdict: 'error', reasons: reasonsAbout('run', ...foreign, ...missing), advice })
    return undefined
  }
  if (!files) {
    const tooLate = [
      `Load test ${run.number} has finished, but its report was not available after ${formatDuration(waited)}.`,
      ...late,
    ].join(' ')
    tell({
      verdict: 'error',
      reasons: reasonsAbout('report', tooLate, ...missing),
      advice: [...collectLater(run), otherwise],
    })
    return undefined
  }
  if (run.state === 'unknown') {
    const untold = `The service does not say in which state load test ${run.number} ended: its times show that it ran, and its report is judged. Look at its page on the service if that is in doubt.`
    tell({ notes: [untold] })
  }
  const judged = await judge(session, run, files, file?.label)
  // A green step prints no reasons.
  if (isGreen(judged.verdict)) for (const one of missing) session.world.log.warning(one)
  return { ...judged, reasons: [...judged.reasons, ...reasonsAbout('report', ...missing)] }
}

const otherwise =
  'If its page on the service shows a report that the step does not find, download it there and judge it with the action judge.'

/** Details may lag behind the status: an end that was seen still counts. */
function withDetails(ended: Run, details: LoadTest): Run {
  const { state, ...times } = facts(details)
  return {
    ...ended,
    ...times,
    ...defined({ state: hasEnded(details) ? state : undefined, url: details.page }),
  }
}

/** @returns the report, where there is one, or why not; why results are missing; and how long both were waited for, in ms */
async function downloads(session: CollectSession, run: Run) {
  const { inputs, world, tell } = session
  const isFinished = hasFinished(run)
  // A failed run may have no report at all, so the wait is shorter; most have none if they never began.
  const longest = isFinished ? Infinity : run.startTime === undefined ? 1000 : 5 * 60_000
  const waited = Math.min(inputs.reportTimeout, longest)
  const receive = (kind: 'report' | 'result') => download(session, kind, waited, run.number)
  const { file, files, fault, late } = await world.log.group('Download the report', () =>
    reportOf(isFinished, () => receive('report'), session),
  )
  if (file) {
    world.log.info(`Downloaded report ${file.number}: ${formatBytes(file.bytes)}`)
    tell({ report: file })
  }
  if (fault) throw fault
  const mayHaveResults = isFinished || run.startTime !== undefined
  const missing =
    inputs.results && mayHaveResults
      ? await collectResults(session, run, waited, () => receive('result'))
      : []
  return { file, files, late: late ? [late] : [], missing, waited }
}

async function judge(
  { inputs: { gates }, world, baseline }: CollectSession,
  { template }: Pick<Run, 'template'>,
  files: NonNullable<Evidence['files']>,
  label: string | undefined,
): Promise<ReportJudgement> {
  const { log, signal, xpathWorker } = world
  return log.group('Judge the report', async () => {
    const read = await readReport(files, defined({ label }))
    return judgeReport({ read, gates, xpathWorker, signal, ...defined({ baseline, label, template }) })
  })
}

/** A failed run may have a report that is damaged or cannot be read: then there is a note instead. */
async function reportOf(
  isFinished: boolean,
  receive: () => Promise<Evidence>,
  { world: { signal }, tell }: CollectSession,
): Promise<Evidence> {
  try {
    return await receive()
  } catch (error) {
    signal.throwIfAborted()
    if (isFinished) throw error
    tell({ notes: [message(error)] })
    return {}
  }
}

/**
 * The results are separate from the report: without them, the report is still judged.
 *
 * @returns why they are not available
 */
async function collectResults(
  { world: { log, signal }, tell }: CollectSession,
  { number }: Run,
  timeout: number,
  receive: () => Promise<Evidence>,
): Promise<string[]> {
  try {
    const { file, late } = await log.group('Download the results', receive)
    if (file) {
      tell({ results: file })
      return []
    }
    const none = `The results of load test ${number} were not available after ${formatDuration(timeout)}. Download them from the service.`
    return [late ? `${none} ${late}` : none]
  } catch (error) {
    signal.throwIfAborted()
    return [`The results of load test ${number} could not be downloaded. ${message(error)}`]
  }
}

/** What build tools print around the reason. */
const around =
  /^\[(?:INFO|WARNING|DEBUG)\]|^BUILD FAIL|^\[ERROR\] *(?:$|-> |\[Help \d|COMPILATION ERROR|To see the full|Re-run Maven|For more information)/
const fault = /\[ERROR\]|\berror\b|exception|\bfail/i
/** `Shop.java:[7,3]`, `Shop.java:7` */
const place = /\.[a-z]{1,10}:\[?\d/i
const mostLines = 2

/**
 * Why a run ended, as the service says it, on one line. It may be the log of a build, whose first lines say nothing:
 * then the lines that name a fault, those with its place first.
 */
export function endReason(text: string): string {
  const lines = text
    .split(/[\r\n]+|(?=\[(?:ERROR|WARNING|INFO)\])/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const [first = '', ...rest] = lines
  const isLog = /^[[>]/.test(first)
  const faults = (isLog ? lines : rest).filter((line) => fault.test(line) && !around.test(line))
  if (faults.length === 0) return oneLine(text, 300)
  const told = [...new Set([...faults.filter((line) => place.test(line)), ...faults])].slice(0, mostLines)
  const shown = told.map((line) => oneLine(line.replace(/^\[ERROR\] */, ''), 180))
  return [...(isLog ? [] : [oneLine(first, 100)]), ...shown].join(' ')
}

/** What to do about a run that ended in ABORTED or ERROR. @param isBuildFault it never ran, and a reason says why */
export function afterBadEnd({ number, url, state }: Run, isBuildFault: boolean): string[] {
  const where = url ?? `load test ${number} on the service`
  if (isBuildFault) {
    return [
      `Correct what the reason names, such as a mistake in the test suite, and run the job again. Look at ${where} for the whole log.`,
    ]
  }
  return state === 'ABORTED'
    ? [`Look at ${where} for who or what ended it. If nobody did so on purpose, run the job again.`]
    : [`Look at ${where} for the cause, and run the job again when it is gone.`]
}
