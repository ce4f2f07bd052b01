import type { Phase } from '../service/state.js'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

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
