import {
  accepted,
  cancelled,
  checked,
  confirmed,
  error,
  firstRun,
  green,
  invalid,
  leg,
  loadTestFailed,
  merged,
  missingLeg,
  regression,
  started,
  timedOut,
  withoutBaseline,
  cutShort,
} from '../__tests__/publish/outcomes.js'
import { historied } from '../__tests__/publish/historied.js'
import type { Outcome } from '../src/outcome/outcome.js'
import { renderComment, renderStartedComment } from '../src/publish/comment/comment.js'
import { renderSummary } from '../src/publish/summary/summary.js'

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

/** Job summaries, and the comments of other results: to look at, not for the docs. @param failed as above */
export function otherFaces(failed: Outcome): Record<string, string[]> {
  const { run, step } = regression()
  const legs = [leg('checkout', regression()), missingLeg('login'), leg('search', green())]
  const ends = {
    'load-test-failed': loadTestFailed(),
    'timed-out': timedOut(),
    cancelled: cancelled(),
    started: started(),
    check: checked(),
    'no-baseline': withoutBaseline(),
    'cut-short': cutShort(),
    'first-run': firstRun(),
  }
  const comments = Object.entries(ends).map(([name, outcome]) => [name, renderComment(outcome, 'pictures')])
  const ofLegs = legs.flatMap(({ name, outcome }) =>
    outcome ? [[`leg-${name}`, renderComment(outcome, name)]] : [],
  )
  const summaries = Object.entries({
    ...ends,
    failed,
    passed: green(),
    invalid: invalid(),
    error: error(),
    merged: merged(legs),
    history: historied(),
  }).map(([name, outcome]) => [`summary-${name}`, renderSummary(outcome)])
  const running = run
    ? renderStartedComment({ run, step, expectedEnd: '2026-03-01T15:05:00Z' }, 'pictures')
    : ''
  return Object.fromEntries(
    [...comments, ...ofLegs, ['running', running], ...summaries].map(([name = '', body = '']) => [
      name,
      [body],
    ]),
  )
}
