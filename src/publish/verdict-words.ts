import type { Outcome, Verdict } from '../outcome.js'
import type { GateOutcome } from '../gates/result.js'
import type { Tone } from './table.js'

/** How a verdict looks, and what it means. */
export interface VerdictWords {
  icon: string
  word: string
  tone: Tone
}

export const verdictWords: Record<Verdict, VerdictWords> = {
  passed: { icon: '✅', word: 'Passed', tone: 'good' },
  failed: { icon: '❌', word: 'Failed', tone: 'bad' },
  invalid: { icon: '⚠️', word: 'Invalid', tone: 'bad' },
  'load-test-failed': { icon: '❌', word: 'Load test failed', tone: 'bad' },
  'timed-out': { icon: '⏱️', word: 'Timed out', tone: 'bad' },
  cancelled: { icon: '⚠️', word: 'Cancelled', tone: 'caution' },
  error: { icon: '❌', word: 'Error', tone: 'bad' },
  started: { icon: '⏱️', word: 'Started', tone: 'caution' },
}

export const gateWords: Record<GateOutcome, VerdictWords> = {
  failed: { icon: '❌', word: 'failed', tone: 'bad' },
  'not-measured': { icon: '⚠️', word: 'not measured', tone: 'bad' },
  warned: { icon: '⚠️', word: 'warned', tone: 'caution' },
  passed: { icon: '✅', word: 'passed', tone: 'good' },
}

/** What the verdict means, as a sentence. */
export function verdictMeaning(outcome: Outcome): string {
  const { verdict, gates, scorecard, run, checks, confirmation } = outcome
  if (checks && verdict === 'passed') {
    return 'As far as could be told, nothing stands in the way of a run. Nothing was started, uploaded or changed.'
  }
  if (checks && verdict === 'error') {
    return 'A run with these inputs would not get to its end. Nothing was started, uploaded or changed.'
  }
  switch (verdict) {
    case 'passed':
      if (confirmation) {
        return 'The load test was run twice, and no gate that counts failed in both runs.'
      }
      if (gates.length > 0) return 'The load test finished, and every gate that counts held.'
      return scorecard
        ? 'The load test finished, and its scorecard passed.'
        : 'The load test finished; no gates were given.'
    case 'failed':
      return 'The load test finished, but what it measured is not good enough.'
    case 'invalid':
      return (
        'Invalid means that something asked for could not be measured. The run shows neither that the code is ' +
        'fast enough nor that it is not, so the step is red.'
      )
    case 'load-test-failed':
      return 'The load test itself did not finish as it should. Figures, where there are any, are of an unfinished run.'
    case 'timed-out':
      return run
        ? 'The step stopped waiting. The load test is not stopped by that and has no verdict yet.'
        : 'The step stopped waiting before a load test was started.'
    case 'cancelled':
      return run
        ? 'The job was cancelled, which stops the step but not the load test.'
        : 'The job was cancelled before a load test was started.'
    case 'error':
      return 'The step could not do its work. That says nothing about the code that was to be tested.'
    case 'started':
      return 'The load test was started. It has a verdict once it is collected.'
  }
}
