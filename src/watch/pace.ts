import type { Phase } from './state.js'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/**
 * How long to wait until the next look, in milliseconds: short at first, since a faulty start shows soon;
 * longer while a load test runs, since an hour-long run does not end by surprise; short again once it is
 * ending, so that its end is noticed.
 *
 * @param inPhase milliseconds since this phase was first seen
 */
export function pace(phase: Phase, inPhase: number): number {
  switch (phase) {
    case 'running':
      if (inPhase < 2 * minute) return 10 * second
      return inPhase < 2 * hour ? 30 * second : minute
    case 'ending':
      return 10 * second
    default:
      if (inPhase < minute / 2) return 5 * second
      return inPhase < 5 * minute ? 15 * second : 20 * second
  }
}
