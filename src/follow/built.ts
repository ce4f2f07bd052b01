import { UserError } from '../errors.js'
import type { StartInputs } from '../inputs/inputs.js'
import type { Session } from '../session.js'
import type { World } from '../world.js'
import { hasEnded, phaseOf, type LoadTest } from '../service/state.js'
import { formatDuration } from '../text/duration.js'
import { oneLine } from '../text/foreign-text.js'
import { sentence, reasonsAbout } from '../text/reason.js'
import { waitForBuild } from './end.js'
import { detailsOrStatus } from '../service/service.js'
import { collectLater, facts, goesOn } from '../start/run.js'
import type { Launched } from '../start/start.js'
import { builtFrom, foreignArchive } from '../start/code-archive.js'

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
  }: Session<Pick<World, 'clock' | 'log' | 'signal'>, Pick<StartInputs, 'timeout' | 'upload'>>,
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
  const ours = await uploaded()
  if (ours && builtFrom(test, ours) === 'foreign') throw new UserError(foreignArchive(run.number, test, ours))
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
