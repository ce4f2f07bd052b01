import {
  accepted,
  confirmed,
  error,
  firstRun,
  green,
  invalid,
  leg,
  merged,
  missingLeg,
  regression,
} from '../__tests__/publish/outcomes.js'
import type { Outcome } from '../src/outcome.js'
import { renderComment } from '../src/publish/comment.js'

/** The comments of docs/pictures, by file name. @param failed the outcome of the demo */
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
    merged: [comment(merged([leg('checkout', regression()), missingLeg('login'), leg('search', green())]))],
  }
}
