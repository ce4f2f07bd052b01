import { message, UserError } from '../errors.js'
import type { StartInputs } from '../inputs/inputs.js'
import type { Run } from '../outcome/outcome.js'
import type { Session } from '../session.js'
import { detailsOrStatus } from '../service/service.js'
import { hasEnded, phaseOf, type LoadTest } from '../service/project.js'
import { builtFrom, foreignArchive, collectLater, facts, goesOn } from '../start/run.js'
import type { Launched, StartWorld } from '../start/start.js'
import { stray, strayCopies, type OwnStart } from '../start/new-copies.js'
import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { waitForBuild, waitForEnd } from './end.js'
import { collect, type CollectWorld } from './collection.js'
import type { ReportJudgement } from '../judgement/judgement.js'
import { reasonsAbout, sentence } from '../text/reason.js'

export type FollowWorld = CollectWorld & Pick<StartWorld, 'keep'>

type FollowSession = Session<FollowWorld>

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
        client,
        number: run.number,
        ...defined({ expected }),
        timeout,
        clock,
        signal,
        log,
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
  tell({
    verdict: 'timed-out',
    reasons: reasonsAbout(
      'run',
      [
        `Load test ${run.number} had not ended after ${formatDuration(timeout)}; its last state was ${oneLine(last.state, 40)}.`,
        ...(hidden === undefined ? [] : [`The run's state could not be read. ${hidden}`]),
      ].join(' '),
    ),
    advice: goesOn(last, hidden === undefined),
  })
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
  {
    inputs: { timeout, upload },
    world: { clock, log, signal },
    client,
    tell,
  }: Session<Pick<FollowWorld, 'clock' | 'log' | 'signal'>, Pick<StartInputs, 'timeout' | 'upload'>>,
  { run, uploaded }: Launched,
): Promise<void> {
  const started = { verdict: 'started' as const, advice: goesOn(run) }
  if (!upload) {
    tell({
      ...started,
      reasons: reasonsAbout('run', 'The load test was started; this step does not wait for it.'),
    })
    return
  }
  const within = Math.min(timeout, buildWithin)
  const details = (number: number) => detailsOrStatus(client, number)
  const { built, test } = await log.group('Wait until the load test is built', () =>
    waitForBuild({
      // The status would need one more scope.
      client: { status: details, details },
      number: run.number,
      timeout: within,
      ...{ clock, signal, log, onState: () => undefined },
    }),
  )
  const now = { ...run, ...facts(test) }
  tell({ run: now })
  if (uploaded && builtFrom(test, uploaded) === 'foreign')
    throw new UserError(foreignArchive(run.number, test, uploaded))
  if (!built) {
    const sentence = stillToBuild(test, within)
    log.warning(sentence)
    tell({ ...started, reasons: reasonsAbout('run', sentence) })
  } else if (!hasEnded(test)) {
    tell({
      ...started,
      reasons: reasonsAbout(
        'run',
        'The load test was started and built; this step does not wait for its end.',
      ),
    })
  } else if (phaseOf(test.state) === 'finished') {
    tell({
      ...started,
      reasons: reasonsAbout('run', 'The load test has already finished.'),
      advice: collectLater(run),
    })
  } else {
    const why = test.reason ? `: ${sentence(oneLine(test.reason, 300))}` : '.'
    const ended = `Load test ${run.number} ended in ${oneLine(test.state ?? 'UNKNOWN', 40)}${why}`
    tell({ verdict: 'load-test-failed', reasons: reasonsAbout('run', ended), advice: collectLater(run) })
  }
}

function stillToBuild({ number, state = 'in no known state' }: LoadTest, after: number): string {
  return (
    `Load test ${number} was still ${oneLine(state, 40)} after ${formatDuration(after)}: it may not have been built yet. ` +
    'If another job uploads before that, its code may be tested in this run. Keep other jobs from uploading to this project until it is RUNNING.'
  )
}
