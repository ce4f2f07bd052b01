import {
  accepted,
  confirmed,
  error,
  firstRun,
  green,
  invalid,
  regression,
} from '../__tests__/publish/outcomes.js'
import type { Outcome } from '../src/outcome.js'
import { renderComment } from '../src/publish/comment.js'

/** The comments of docs/pictures, by the names of their files. @param failed the outcome of the demo */
export function picturedComments(failed: Outcome): Record<string, string[]> {
  const comment = (outcome: Outcome) => renderComment(outcome, 'pictures')
  return {
    failed: [comment(failed)],
    passed: [comment(green())],
    invalid: [comment(invalid())],
    error: [comment(error())],
    accepted: [comment(accepted())],
    confirmed: [comment(confirmed())],
    'first-run': [comment(firstRun())],
    matrix: [comment(leg(green(), 'Search')), comment(leg(regression(), 'Checkout'))],
  }
}

/** As a leg of a matrix over several templates leaves it. */
function leg(outcome: Outcome, template: string): Outcome {
  if (!outcome.run) return outcome
  return {
    ...outcome,
    run: { ...outcome.run, name: `${template} (copy)`, template: { number: 17, name: template } },
  }
}
