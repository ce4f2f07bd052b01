import { LostError, message } from '../errors.js'
import { formatDuration } from '../text/duration.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import type { World } from '../world.js'
import { pauseWithin, AnswerError, ServiceError, wantedPause } from '../service/failure.js'
import { deadline } from '../clock.js'
import { detailsOrStatus, statusOrDetails, type Client } from '../service/service.js'
import { hasEnded, phaseOf, type Phase, type LoadTest } from '../service/project.js'

interface Watch extends Pick<World, 'clock' | 'log' | 'signal'> {
  client: Pick<Client, 'status' | 'details'>
  number: number
  /** Milliseconds from now until its end, if an earlier run shows it. */
  expected?: number
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
  let isSeen = false
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
      isSeen = true
    } catch (error) {
      signal.throwIfAborted()
      if (late.aborted) return tooLate()
      // What the service asks to wait does not count.
      failing = { since: (failing?.since ?? clock.now()) + asked, fault: message(error) }
      const since = clock.now() - failing.since
      bear(error, isSeen, number, since)
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

/** @throws LostError if the service has failed for too long, or does not have what it has named as the copy */
function bear(error: unknown, isSeen: boolean, number: number, failing: number): void {
  const isMissing = !isSeen && error instanceof ServiceError && error.status === 404 && failing >= lostAfter
  if (!isMissing && isBearable(error, failing)) return
  const took = formatDuration(failing)
  const lost = isMissing
    ? `The service named load test ${number} when the copy was started, but has not shown it in ${took}. ${message(error)} No other start was requested.`
    : `The state of load test ${number} could not be read for ${took}. ${message(error)}`
  throw new LostError(lost, { cause: error })
}

/** Tells the log each new state, and now and then how long it has lasted. */
class StateLog {
  private readonly began: number
  /** Null before the first look, which may show none. */
  private state: string | null | undefined = null
  private since: number
  private lineAt: number

  constructor(private readonly watch: Watch) {
    this.began = this.since = this.lineAt = watch.clock.now()
  }

  pause(): number {
    const { clock, expected } = this.watch
    const now = clock.now()
    const expectedIn = expected === undefined ? undefined : this.began + expected - now
    return pace(phaseOf(this.state ?? undefined), now - this.since, expectedIn)
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

function isBearable(error: unknown, failing: number): boolean {
  if (error instanceof AnswerError) return failing < lostAfter
  if (!(error instanceof ServiceError)) return false
  const isRefused = error.status === 401 || error.status === 403 || error.facts.lasting === true
  return failing < (isRefused ? refusedAfter : lostAfter)
}

/** How far around the expected end the step looks more often, since no two runs take the same time. */
const around = 3 * minute

/**
 * How long to wait until the next look, in milliseconds. Short at first, since a faulty start shows soon; longer
 * while a load test runs, since an hour-long run does not end by surprise; short again once it is ending, or around
 * the time at which an earlier run ended, so that its end is noticed.
 *
 * @param inPhase milliseconds since this phase was first seen
 * @param expectedIn milliseconds until the end, as expected from an earlier run; negative = overdue
 */
export function pace(phase: Phase, inPhase: number, expectedIn?: number): number {
  switch (phase) {
    case 'running':
      if (inPhase < 2 * minute || Math.abs(expectedIn ?? hour) <= around) return 10 * second
      if (expectedIn !== undefined && expectedIn > 0) {
        return Math.min(minute, Math.max(10 * second, expectedIn - around))
      }
      return inPhase < 2 * hour ? 30 * second : minute
    case 'ending':
      return 7 * second
    default:
      if (inPhase < minute / 2) return 5 * second
      return inPhase < 5 * minute ? 15 * second : 20 * second
  }
}
