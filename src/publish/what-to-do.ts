import type { Outcome } from '../outcome.js'

/** What a reader does next: where to look for the cause of gates that failed, and what the outcome advises. */
export function whatToDo(outcome: Outcome): readonly string[] {
  const isFailed = outcome.verdict === 'failed' && outcome.legs === undefined
  return isFailed ? [whereToLook(outcome), ...outcome.advice] : outcome.advice
}

/** A report may show where it is slower, but not why: the cause is in what differs from the baseline. */
function whereToLook({ gates, comparison, step }: Outcome): string {
  const compares = gates.some(({ result, baseline }) => result === 'failed' && baseline !== undefined)
  if (!compares) return 'Look for the cause in the report, which has every request, its errors and its times.'
  const before = comparison?.baseline.commit
  if (before !== undefined && before === step.commit) {
    return 'The commit is that of the baseline: look for the cause in what else has changed, such as the system under test or its load.'
  }
  return 'Look for the cause in what has changed since the baseline. The report has the times of every request.'
}
