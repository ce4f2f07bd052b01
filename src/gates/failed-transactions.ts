import type { Report } from '../report/report.js'
import { groupThousands } from '../text/thousands.js'

/** In percent: where this many transactions fail, a run has measured the failure. */
const nearlyAll = 90

/** That nearly all transactions failed, as a sentence; undefined if they did not, or if the report has none. */
export function nearlyAllFailed({ timers: { transactions } }: Report): string | undefined {
  const { summary, timers } = transactions
  const sum = (name: 'count' | 'errors') => timers.reduce((all, timer) => all + (timer[name] ?? 0), 0)
  const count = summary?.count ?? sum('count')
  const errors = summary?.errors ?? sum('errors')
  if (count === 0 || errors * 100 < count * nearlyAll) return undefined
  const all = errors >= count ? 'All' : 'Nearly all'
  return `${all} transactions failed: ${groupThousands(String(errors))} of ${groupThousands(String(count))}.`
}
