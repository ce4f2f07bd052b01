import { message, UserError } from '../errors.js'
import type { StartInputs } from '../inputs/inputs.js'
import type { Run } from '../outcome/outcome.js'
import type { Session } from '../session.js'
import { detailsOrStatus } from '../service/service.js'
import { hasEnded, isBuilt, phaseOf } from '../service/project.js'
import { builtFrom, foreignArchive, collectLater, facts, goesOn } from '../start/run.js'
import type { Launched, StartWorld } from '../start/start.js'
import { stray, strayCopies, type OwnStart } from '../start/new-copies.js'
import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { waitForEnd } from './end.js'
import { collect, type CollectSession } from './collection.js'
import type { ReportJudgement } from '../judgement/judgement.js'
import { reasonsAbout, sentence } from '../text/reason.js'

type FollowSession = Session<CollectSession['world'] & Pick<StartWorld, 'keep'>>

/**
 * Follows one run to its end, collects its report and judges it; whatever the result, the list is read once more.
 *
 * @returns the judgement, which is not told yet; undefined if the run came to none, with the reason told
 */
export async function followAndJudge(
  session: FollowSession,
  { run, own, uploaded, expected }: Launched,
): Promise<ReportJudgement | undefined> {
  let ended: Run | undefined
  try {
    ended = await follow(session, run, expected)
    return ended && (await collect(session, ended, uploaded))
  } finally {
    if (own) session.tell({ notes: await straysBeside(session, run, own, ended !== undefined) })
  }
}

/** @returns the run as it ended; undefined if it is still running after the timeout */
async function follow(
  { inputs: { timeout }, world: { clock, log, signal }, client, tell }: FollowSession,
  run: Run,
  expected: number | undefined,
): Promise<Run | undefined> {
  tell({ run })
  let last = run
  let hidden: string | undefined
  try {
    const { ended, test, fault } = await log.group('Follow the load test', () =>
      waitForEnd({
        ...{ client, number: run.number, timeout, clock, signal, log, ...defined({ expected }) },
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
  { world: { keep, log, signal }, client }: FollowSession,
  run: Run,
  own: OwnStart,
  isOver: boolean,
): Promise<string[]> {
  if (signal.aborted) return []
  try {
    const strays = await strayCopies(client, own, run.number, log)
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
  if (uploaded && builtFrom(test, uploaded) === 'foreign')
    throw new UserError(foreignArchive(run.number, test, uploaded))
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
