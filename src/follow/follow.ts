import { message, LostError } from '../errors.js'
import type { Inputs, StartInputs } from '../inputs/inputs.js'
import { isGreen, type Run } from '../outcome/outcome.js'
import type { Session } from '../session.js'
import { detailsOrStatus, statusOrDetails, type Client } from '../service/service.js'
import { hasEnded, hasFinished, isBuilt, phaseOf, type Phase, type LoadTest } from '../service/project.js'
import { afterBadEnd, isOfOther, collectLater, endReason, facts, foreignArchive, goesOn } from '../run/run.js'
import type { Launched, StartWorld } from '../start/start.js'
import { stray, strayCopies } from '../run/new-copies.js'
import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { formatBytes } from '../text/size.js'
import { readReport } from '../report/reading/report-reader.js'
import { download, type Evidence } from './evidence.js'
import type { World } from '../world.js'
import { judgeReport, type ReportJudgement } from '../judgement/judgement.js'
import { reasonsAbout, sentence } from '../text/reason.js'
import { pauseWithin, AnswerError, ServiceError, wantedPause } from '../service/failure.js'
import { deadline } from '../clock.js'

type CollectSession = Session<
  Pick<World, 'clock' | 'log' | 'signal' | 'temp' | 'xpathWorker'>,
  Pick<Inputs, 'gates' | 'reportTimeout' | 'results'>
>
type FollowSession = Session<CollectSession['world'] & Pick<StartWorld, 'keep' | 'startOf'>>

/**
 * Follows one run to its end, collects its report and judges it; whatever the result, the list is read once more.
 *
 * @returns the judgement, which is not told yet; undefined if the run came to none, with the reason told
 */
export async function followAndJudge(
  session: FollowSession,
  { run, own, uploaded }: Launched,
): Promise<ReportJudgement | undefined> {
  let ended: Run | undefined
  try {
    ended = await follow(session, run)
    return ended && (await collect(session, ended, uploaded))
  } finally {
    if (own) session.tell({ notes: await straysBeside(session, run, own, ended !== undefined) })
  }
}

/** @returns the run as it ended; undefined if it is still running after the timeout */
async function follow(
  { inputs: { timeout }, world: { clock, log, signal }, client, tell }: FollowSession,
  run: Run,
): Promise<Run | undefined> {
  tell({ run })
  let last = run
  let hidden: string | undefined
  try {
    const { ended, test, fault } = await log.group('Follow the load test', () =>
      waitForEnd({
        ...{ client, number: run.number, timeout, clock, signal, log },
        onState: (seen) => void (last = { ...run, ...facts(seen) }),
      }),
    )
    last = { ...run, ...facts(test) }
    if (ended) return { ...last, state: test.state ?? 'unknown' }
    hidden = fault
  } finally {
    // A run that was lost on the way is reported as it was last seen.
    tell({ run: last })
  }
  const unread = hidden === undefined ? '' : ` The run's state could not be read. ${hidden}`
  const late = `Load test ${run.number} had not ended after ${formatDuration(timeout)}; its last state was ${oneLine(last.state, 40)}.${unread}`
  const advice = goesOn(last, hidden === undefined)
  tell({ verdict: 'timed-out', reasons: reasonsAbout('run', late), advice })
  return undefined
}

/** The list once more: a second copy may have appeared late. For a cancelled job the post step does this. */
async function straysBeside(
  { inputs, world: { keep, log, signal, startOf }, client }: FollowSession,
  run: Run,
  own: NonNullable<Launched['own']>,
  isOver: boolean,
): Promise<string[]> {
  if (signal.aborted) return []
  try {
    const looking = { client, log, startOf: (other: number) => startOf(other, inputs) }
    const strays = await strayCopies(looking, own, run.number)
    if (isOver && (!own.isOpen || strays.length > 0)) keep.settled()
    return strays.map((copy) => stray(copy, own))
  } catch (error) {
    log.info(`${message(error)} The post step will look at the list.`)
    return []
  }
}

/** Milliseconds. A suite is fetched and built, and machines are provided, within minutes. */
const buildWithin = 30 * 60_000

/**
 * The end of mode start. A template set to Use Latest may take the archive that is the latest when the run is built, after
 * its start: until then, the lock that keeps other jobs from uploading must be held, and with it this step.
 *
 * @throws UserError if the run is certainly built from another archive
 */
export async function untilBuilt(
  session: Session<Pick<StartWorld, 'clock' | 'log' | 'signal'>, Pick<StartInputs, 'timeout' | 'upload'>>,
  { run, uploaded }: Launched,
): Promise<void> {
  const { inputs, client, tell } = session
  const { clock, log, signal } = session.world
  const started = (reason: string, advice = goesOn(run)) =>
    tell({ verdict: 'started', reasons: reasonsAbout('run', reason), advice })
  if (!inputs.upload) {
    started('The load test was started; this step does not wait for it.')
    return
  }
  const timeout = Math.min(inputs.timeout, buildWithin)
  const details = (number: number) => detailsOrStatus(client, number)
  // The status would need one more scope.
  const looking = { client: { status: details, details }, number: run.number, timeout }
  const { ended: built, test } = await log.group('Wait until the load test is built', () =>
    waitForEnd({ ...looking, clock, signal, log, onState: () => undefined }, isBuilt),
  )
  tell({ run: { ...run, ...facts(test) } })
  if (uploaded && isOfOther(test, uploaded)) throw foreignArchive(run.number, test, uploaded)
  if (!built) {
    const state = oneLine(test.state ?? 'in no known state', 40)
    const waiting =
      `Load test ${test.number} was still ${state} after ${formatDuration(timeout)}: it may not have been built yet. ` +
      'If another job uploads before that, its code may be tested in this run. Keep other jobs from uploading to this project until it is RUNNING.'
    log.warning(waiting)
    started(waiting)
  } else if (!hasEnded(test)) {
    started('The load test was started and built; this step does not wait for its end.')
  } else if (phaseOf(test.state) === 'finished') {
    started('The load test has already finished.', collectLater(run))
  } else {
    const why = test.reason ? `: ${sentence(oneLine(test.reason, 300))}` : '.'
    const ended = `Load test ${run.number} ended in ${oneLine(test.state ?? 'UNKNOWN', 40)}${why}`
    tell({ verdict: 'load-test-failed', reasons: reasonsAbout('run', ended), advice: collectLater(run) })
  }
}

/** What a run that has ended produced. @returns its judgement, not told yet; undefined if there is none, and why is told */
export async function collect(
  session: CollectSession,
  ended: Run,
  uploaded: Launched['uploaded'],
): Promise<ReportJudgement | undefined> {
  const { tell } = session
  // Times and the reason of an end are in the details, but not necessarily in the status.
  const details = await endDetails({ ...session.world, client: session.client, number: ended.number })
  const { state, ...times } = facts(details)
  // Details may lag behind the status: an end that was seen still counts.
  const lately = defined({ state: hasEnded(details) ? state : undefined, url: details.page })
  const run: Run = { ...ended, ...times, ...lately }
  tell({ run })
  const { file, files, late, missing, waited } = await downloads(session, run)
  // The template may have taken an archive that was uploaded after the start.
  const built = { ...details, ...defined({ revision: run.revision }) }
  const isForeign = uploaded && isOfOther(built, uploaded)
  const foreign = isForeign ? [foreignArchive(run.number, built, uploaded).message] : []
  if (!hasFinished(run)) {
    const isBuildFault = details.startTime === undefined && details.reason !== undefined
    const said = isBuildFault ? ': ' : '. The service only says: '
    const why = details.reason ? `${said}${sentence(endReason(details.reason))}` : '.'
    const end = run.state === 'unknown' ? 'a state that the service does not say' : oneLine(run.state, 40)
    tell({
      verdict: 'load-test-failed',
      reasons: reasonsAbout('run', `Load test ${run.number} ended in ${end}${why}`, ...foreign, ...missing),
      advice: afterBadEnd(run, isBuildFault),
    })
    return undefined
  }
  if (foreign.length > 0) {
    const advice = ['Its report is attached, but says nothing about this code: run the job again.']
    tell({ verdict: 'error', reasons: reasonsAbout('run', ...foreign, ...missing), advice })
    return undefined
  }
  if (!files) {
    const none = `Load test ${run.number} has finished, but its report was not available after ${formatDuration(waited)}.`
    const reasons = reasonsAbout('report', [none, ...late].join(' '), ...missing)
    tell({ verdict: 'error', reasons, advice: [...collectLater(run), otherwise] })
    return undefined
  }
  if (run.state === 'unknown') {
    const untold = `The service does not say in which state load test ${run.number} ended: its times show that it ran, and its report is judged. Look at its page on the service if that is in doubt.`
    tell({ notes: [untold] })
  }
  const { log, signal, xpathWorker } = session.world
  const judged = await log.group('Judge the report', async () => {
    const { inputs, baseline } = session
    const label = file?.label
    const read = await readReport(files, defined({ label }))
    const more = defined({ baseline, label, template: run.template })
    return judgeReport({ read, gates: inputs.gates, xpathWorker, signal, ...more })
  })
  // A green step prints no reasons.
  if (isGreen(judged.verdict)) for (const one of missing) log.warning(one)
  return { ...judged, reasons: [...judged.reasons, ...reasonsAbout('results', ...missing)] }
}

const otherwise =
  'If its page on the service shows a report that the step does not find, download it there and judge it with the action judge.'

/** @returns the report, where there is one, or why not; why results are missing; and how long both were waited for, in ms */
async function downloads(session: CollectSession, run: Run) {
  const { inputs, world, tell } = session
  const { log, signal } = world
  const isFinished = hasFinished(run)
  // A failed run may have no report at all, so the wait is shorter; most have none if they never began.
  const longest = isFinished ? Infinity : run.startTime === undefined ? 1000 : 5 * 60_000
  const waited = Math.min(inputs.reportTimeout, longest)
  const receive = async (kind: 'report' | 'result', onFault?: (why: string) => void): Promise<Evidence> => {
    try {
      const title = kind === 'report' ? 'Download the report' : 'Download the results'
      return await log.group(title, () => download(session, kind, waited, run.number))
    } catch (error) {
      signal.throwIfAborted()
      if (!onFault) throw error
      onFault(message(error))
      return {}
    }
  }
  // That of a failed run may be damaged, or cannot be read.
  const note = (why: string) => tell({ notes: [why] })
  const { file, files, fault, late } = await receive('report', isFinished ? undefined : note)
  if (file) {
    log.info(`Downloaded report ${file.number}: ${formatBytes(file.bytes)}`)
    tell({ report: file })
  }
  if (fault) throw fault
  const missing: string[] = []
  // Without the results, the report is still judged.
  if (inputs.results && (isFinished || run.startTime !== undefined)) {
    const results = await receive('result', (why) => {
      missing.push(`The results of load test ${run.number} could not be downloaded. ${why}`)
    })
    if (results.file) tell({ results: results.file })
    else if (missing.length === 0) {
      const none = `The results of load test ${run.number} were not available after ${formatDuration(waited)}. Download them from the service.`
      missing.push(results.late ? `${none} ${results.late}` : none)
    }
  }
  return { file, files, late: late ? [late] : [], missing, waited }
}

interface Watch extends Pick<World, 'clock' | 'log' | 'signal'> {
  client: Pick<Client, 'status' | 'details'>
  number: number
  /** Milliseconds to wait at most. */
  timeout: number
  /** Gets each change of state, including the first. */
  onState: (test: LoadTest) => void
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
/** Consecutive faults are tolerated this long: a proxy's restart, a service's update, a run that is not shown yet. */
const lostAfter = 30 * minute
/** Consecutive faults are tolerated this long if the credentials are refused (401, 403), or another try cannot help. */
const refusedAfter = minute
/** If the status has failed for this long, the details are asked first. */
const stuckAfter = 3 * minute
const lineEvery = 5 * minute
const detailsWithin = 2 * minute
const detailsPause = 5000

/**
 * Checks a load test until it has ended, or is over by another measure.
 *
 * @returns the load test, ended or, if the timeout came first, as it was last seen; with the fault that hid it since then
 * @throws LostError, or the signal's reason
 */
export async function waitForEnd(
  watch: Watch,
  isOver: (test: LoadTest) => boolean = hasEnded,
): Promise<{ ended: boolean; test: LoadTest; fault?: string }> {
  const { client, number, clock, log, signal } = watch
  const states = new StateLog(watch)
  const end = clock.now() + watch.timeout
  // A call that hangs ends with the wait; the clock does the waiting between calls.
  const late = deadline(watch.timeout)
  let seen: LoadTest = { number }
  let failing: { since: number; fault: string } | undefined
  let asked = 0
  const tooLate = () => ({ ended: false, test: seen, ...defined({ fault: failing?.fault }) })
  for (let first = true; ; first = false) {
    if (!first) {
      const left = end - clock.now()
      if (left <= 0) return tooLate()
      await clock.sleep(Math.min(Math.max(states.pause(), asked), left), signal)
    }
    try {
      // One of the two calls may fail for good, while the other one works.
      const isStuck = failing !== undefined && clock.now() - failing.since > stuckAfter
      const read = isStuck ? detailsOrStatus : statusOrDetails
      seen = { ...seen, ...(await read(client, number, late)) }
      failing = undefined
      asked = 0
    } catch (error) {
      signal.throwIfAborted()
      if (late.aborted) return tooLate()
      // What the service asks to wait does not count.
      failing = { since: (failing?.since ?? clock.now()) + asked, fault: message(error) }
      const since = clock.now() - failing.since
      if (!isBearable(error, since)) {
        const lost = `The state of load test ${number} could not be read for ${formatDuration(since)}.${whyGone(seen, error)} ${failing.fault}`
        throw new LostError(lost, { cause: error })
      }
      asked = pauseWithin(wantedPause(error), end - clock.now(), log)
      log.info(`${failing.fault} Looking again.`)
      continue
    }
    states.tell(seen)
    if (!isOver(seen)) continue
    const { state } = seen
    if (state !== undefined && phaseOf(state) === 'unknown') {
      log.warning(
        `The state ${oneLine(state, 40)} is unknown. Load test ${number} has an end time, so it has ended; only FINISHED counts as a success.`,
      )
    }
    return { ended: true, test: seen }
  }
}

/** Tells the log each new state, and now and then how long it has lasted. */
class StateLog {
  /** Null before the first look, which may show none. */
  private state: string | null | undefined = null
  private since: number
  private lineAt: number

  constructor(private readonly watch: Watch) {
    this.since = this.lineAt = watch.clock.now()
  }

  pause(): number {
    return pace(phaseOf(this.state ?? undefined), this.watch.clock.now() - this.since)
  }

  tell(seen: LoadTest): void {
    const { clock, number, log, onState } = this.watch
    const now = clock.now()
    const lasted = formatDuration(now - this.since)
    if (seen.state !== this.state) {
      const before = this.state ? ` (${oneLine(this.state, 40)} took ${lasted})` : ''
      log.info(`Load test ${number} is ${oneLine(seen.state ?? 'in no known state', 40)}${before}`)
      if (seen.state === undefined) {
        log.warning(
          `The service does not say in which state load test ${number} is: its start and end times decide. Look at its page on the service for more.`,
        )
      } else if (phaseOf(seen.state) === 'unknown' && !hasEnded(seen)) {
        log.warning(`The state ${oneLine(seen.state, 40)} is unknown; the step keeps waiting.`)
      }
      this.state = seen.state
      this.since = this.lineAt = now
      onState(seen)
    } else if (now - this.lineAt >= lineEvery) {
      log.info(`Load test ${number} has been ${oneLine(this.state ?? 'in no known state', 40)} for ${lasted}`)
      this.lineAt = now
    }
  }
}

/**
 * The details of a run that has ended. They may not be there at once; a failure to read them must not cost the report.
 *
 * @returns only the number if they are not available for two minutes
 */
export async function endDetails(
  watch: Pick<Watch, 'client' | 'number' | 'clock' | 'signal' | 'log'>,
): Promise<LoadTest> {
  const { client, number, clock, signal, log } = watch
  const began = clock.now()
  for (;;) {
    try {
      return await detailsOrStatus(client, number)
    } catch (error) {
      signal.throwIfAborted()
      const failing = clock.now() - began
      if (!isBearable(error, failing)) throw error
      log.info(`${message(error)} The times of the run may be missing.`)
      if (failing >= detailsWithin) return { number }
      const asked = pauseWithin(wantedPause(error), detailsWithin - failing, log)
      await clock.sleep(Math.max(detailsPause, asked), signal)
    }
  }
}

/** What to say of a load test that was there before. */
function whyGone({ state }: LoadTest, error: unknown): string {
  const isGone = state !== undefined && error instanceof ServiceError && error.status === 404
  return isGone ? ' It was there before: somebody may have deleted it.' : ''
}

function isBearable(error: unknown, failing: number): boolean {
  if (error instanceof AnswerError) return failing < lostAfter
  if (!(error instanceof ServiceError)) return false
  const isRefused = error.status === 401 || error.status === 403 || error.facts.lasting === true
  return failing < (isRefused ? refusedAfter : lostAfter)
}

/**
 * How long to wait until the next look, in milliseconds. Short at first, since a faulty start shows soon; longer
 * while a load test runs, since an hour-long run does not end by surprise; short again once it is ending.
 *
 * @param inPhase milliseconds since this phase was first seen
 */
function pace(phase: Phase, inPhase: number): number {
  switch (phase) {
    case 'running':
      if (inPhase < 2 * minute) return 10 * second
      return inPhase < 2 * hour ? 30 * second : minute
    case 'ending':
      return 7 * second
    default:
      if (inPhase < minute / 2) return 5 * second
      return inPhase < 5 * minute ? 15 * second : 20 * second
  }
}
