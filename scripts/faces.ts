import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  accepted,
  confirmed,
  error,
  firstRun,
  green,
  invalid,
  merged,
} from '../__tests__/publish/outcomes.js'
import { tried } from '../__tests__/publish/historied.js'
import type { Outcome } from '../src/outcome/outcome.js'
import { renderComment } from '../src/publish/markdown/comment.js'
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

type Week = Record<'monday' | 'thursday' | 'tried' | 'friday' | 'guarded', Outcome>

/** The first week of docs/gates.md: summaries that suggest gates and comments, by file name, and the page that tries these gates. */
export async function picturedWeek() {
  const kept = JSON.parse(await readFile(path.join(pictures, 'week.json'), 'utf8')) as Week
  const { monday, thursday, tried, friday, guarded } = kept
  if (tried.kind !== 'history' || !tried.history) throw new Error('The week has no history.')
  return {
    summaries: { 'week-monday': renderSummary(monday), 'week-thursday': renderSummary(thursday) },
    comments: { 'week-friday': comment(friday), 'week-guarded': comment(guarded) },
    history: renderHistory(tried, tried.history),
  }
}
