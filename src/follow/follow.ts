import type { FoundBaseline } from '../baseline/baseline.js'
import { message } from '../errors.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Run, Telling } from '../outcome/outcome.js'
import type { Client } from '../service/client.js'
import { facts, type Launched } from '../start/start.js'
import { stray, strayCopies, type OwnStart } from '../start/new-copies.js'
import { goesOn } from '../start/run-advice.js'
import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { waitForEnd } from './end.js'
import type { World } from '../world.js'
import { collect } from './collection.js'
import type { ReportJudgement } from '../judgement/judgement.js'

/**
 * Follows one run to its end, collects its report and judges it; whatever the result, the list is read once more.
 *
 * @returns the judgement, which is not yielded yet; undefined if the run came to none, with the reason yielded
 */
export async function* followAndJudge(
  { run, own, uploaded, expected }: Launched,
  inputs: Inputs,
  world: World,
  client: Client,
  baseline: FoundBaseline | undefined,
): Telling<ReportJudgement | undefined> {
  let seen: Run | undefined
  try {
    seen = yield* follow({ run, ...defined({ expected }) }, inputs, world, client)
    return seen && (yield* collect({ seen, uploaded }, inputs, world, client, baseline))
  } finally {
    if (own) yield { notes: await straysBeside(run, own, seen !== undefined, world, client) }
  }
}

/** @returns the run as it ended; undefined if it is still running after the timeout */
async function* follow(
  { run, expected }: Pick<Launched, 'run' | 'expected'>,
  { pollInterval, timeout }: Pick<Inputs, 'pollInterval' | 'timeout'>,
  { clock, log, signal }: Pick<World, 'clock' | 'log' | 'signal'>,
  client: Client,
): Telling<Run | undefined> {
  yield { run }
  let last = run
  try {
    const { ended, test } = await log.group('Follow the load test', () =>
      waitForEnd({
        client,
        number: run.number,
        ...defined({ interval: pollInterval, expected }),
        timeout,
        clock,
        signal,
        log,
        onState: (seen) => void (last = { ...run, ...facts(seen) }),
      }),
    )
    last = { ...run, ...facts(test) }
    if (ended) return { ...last, state: test.state ?? 'unknown' }
  } finally {
    // A run that was lost on the way is reported as it was last seen.
    yield { run: last }
  }
  yield {
    verdict: 'timed-out',
    reasons: [
      `Load test ${run.number} had not ended after ${formatDuration(timeout)}; its last state was ${oneLine(last.state, 40)}.`,
    ],
    advice: goesOn(last),
  }
  return undefined
}

/** The list once more: a second copy may have appeared late. For a cancelled job the post step does this. */
async function straysBeside(
  run: Run,
  own: OwnStart,
  hasEnded: boolean,
  { keep, log, signal }: Pick<World, 'keep' | 'log' | 'signal'>,
  client: Client,
): Promise<string[]> {
  if (signal.aborted) return []
  try {
    const strays = await strayCopies(client, own, run.number, log)
    if (hasEnded) keep.settled()
    return strays.map((copy) => stray(copy, own))
  } catch (error) {
    log.info(`${message(error)} The post step will look at the list.`)
    return []
  }
}
