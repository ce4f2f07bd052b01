import { renderComment } from '../src/publish/comment/comment.js'
import { renderHistory } from '../src/publish/history/history.js'
import { renderSummary } from '../src/publish/summary/summary.js'
import { keptWeek } from './kept-outcomes.js'

/** What people see in the first week of docs/gates.md, by file name. */
interface PicturedWeek {
  /** Summaries that suggest gates. */
  summaries: Record<string, string>
  comments: Record<string, string[]>
  /** The page of the history that tries these gates. */
  history: string
}

export async function picturedWeek(): Promise<PicturedWeek> {
  const { monday, thursday, tried, friday, guarded } = await keptWeek()
  if (tried.kind !== 'history' || !tried.history) throw new Error('The week has no history.')
  return {
    summaries: { 'week-monday': renderSummary(monday), 'week-thursday': renderSummary(thursday) },
    comments: {
      'week-friday': [renderComment(friday, 'pictures')],
      'week-guarded': [renderComment(guarded, 'pictures')],
    },
    history: renderHistory(tried, tried.history),
  }
}
