import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  accepted,
  cancelled,
  checked,
  confirmed,
  cutShort,
  error,
  firstRun,
  green,
  invalid,
  loadTestFailed,
  merged,
  regression,
  started,
  threeLegs,
  timedOut,
  withoutBaseline,
} from '../__tests__/publish/outcomes.js'
import { historied, tried } from '../__tests__/publish/historied.js'
import type { Outcome } from '../src/outcome/outcome.js'
import { renderComment, renderStartedComment } from '../src/publish/markdown/comment.js'
import { renderHistory } from '../src/publish/history/history-page.js'
import { renderSummary } from '../src/publish/markdown/summary.js'

/** What people see of a step, as text: from the outcomes of real steps kept in docs/pictures, and from made-up ones. */

export const pictures = fileURLToPath(new URL('../docs/pictures/', import.meta.url))

const comment = (outcome: Outcome) => renderComment(outcome, 'pictures')

/** The comments of docs/pictures, by file name. @param failed the outcome of the demo */
export function picturedComments(failed: Outcome): Record<string, string> {
  return {
    failed: comment(failed),
    passed: comment(green()),
    invalid: comment(invalid()),
    error: comment(error()),
    accepted: comment(accepted()),
    confirmed: comment(confirmed()),
    'first-run': comment(firstRun()),
    merged: comment(merged()),
  }
}

/** Job summaries, and the comments of other results: to look at, not for the docs. @param failed as above */
export function otherFaces(failed: Outcome): Record<string, string> {
  const { run, step } = regression()
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
  const summarized = {
    ...ends,
    failed,
    passed: green(),
    invalid: invalid(),
    error: error(),
    merged: merged(),
    history: historied(),
  }
  const expectedEnd = '2026-03-01T15:05:00Z'
  const written = (all: Record<string, Outcome>, prefix: string, text: (outcome: Outcome) => string) =>
    Object.fromEntries(Object.entries(all).map(([name, outcome]) => [prefix + name, text(outcome)]))
  const ofLegs: Record<string, string> = {}
  for (const { name, outcome } of threeLegs())
    if (outcome) ofLegs[`leg-${name}`] = renderComment(outcome, name)
  return {
    ...written(ends, '', comment),
    ...ofLegs,
    ...(run && { running: renderStartedComment({ run, step, expectedEnd }, 'pictures') }),
    ...written(summarized, 'summary-', renderSummary),
  }
}

/** The page of docs/pictures: forty simulated nights, and what gates would have done in them. */
export async function picturedHistory(): Promise<string> {
  const outcome = await tried([
    'request "*" mean <= baseline + 20%',
    'requests p95 <= baseline + 10%',
    'requests p95 <= 1000 ms',
    'transactions error-rate <= 1%',
  ])
  if (!outcome.history) throw new Error('The example has no history.')
  return renderHistory(outcome, outcome.history)
}

/** The first week of docs/gates.md: summaries that suggest gates and comments, by file name, and the page that tries these gates. */
interface PicturedWeek {
  summaries: Record<string, string>
  comments: Record<string, string>
  history: string
}

type Week = Record<'monday' | 'thursday' | 'tried' | 'friday' | 'guarded', Outcome>

export async function picturedWeek(): Promise<PicturedWeek> {
  const kept = JSON.parse(await readFile(path.join(pictures, 'week.json'), 'utf8')) as Week
  const { monday, thursday, tried, friday, guarded } = kept
  if (tried.kind !== 'history' || !tried.history) throw new Error('The week has no history.')
  return {
    summaries: { 'week-monday': renderSummary(monday), 'week-thursday': renderSummary(thursday) },
    comments: { 'week-friday': comment(friday), 'week-guarded': comment(guarded) },
    history: renderHistory(tried, tried.history),
  }
}
