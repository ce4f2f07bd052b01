import { message } from '../errors.js'
import type { Run } from '../outcome/outcome.js'
import type { Session } from '../session.js'
import type { Launched, StartWorld } from '../start/start.js'
import { facts, goesOn } from '../start/run.js'
import { stray, strayCopies, type OwnStart } from '../start/new-copies.js'
import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { waitForEnd } from './end.js'
import { collect, type CollectWorld } from './collection.js'
import type { ReportJudgement } from '../judgement/judgement.js'
import { reasonsAbout } from '../text/reason.js'

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
  hasEnded: boolean,
): Promise<string[]> {
  if (signal.aborted) return []
  try {
    const strays = await strayCopies(client, own, run.number, log)
    if (hasEnded && (!own.isOpen || strays.length > 0)) keep.settled()
    return strays.map((copy) => stray(copy, own))
  } catch (error) {
    log.info(`${message(error)} The post step will look at the list.`)
    return []
  }
}
