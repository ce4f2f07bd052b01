import type { Verdict } from '../outcome/outcome.js'

/** The choices of the input `fail-on`. */
export const failOnChoices = ['failed', 'error', 'never'] as const
export type FailOn = (typeof failOnChoices)[number]

const red: Record<FailOn, readonly Verdict[]> = {
  failed: ['failed', 'invalid', 'load-test-failed', 'timed-out', 'cancelled', 'error'],
  error: ['load-test-failed', 'timed-out', 'cancelled', 'error'],
  never: [],
}

/** Whether a step with this verdict goes red. */
export function goesRed(verdict: Verdict, failOn: FailOn): boolean {
  return red[failOn].includes(verdict)
}
