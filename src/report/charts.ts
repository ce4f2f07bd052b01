import type { TimerKind } from './report.js'

/** The charts of XLT's report: those of the whole run, and one of the times of each timer. */
export const chartFiles =
  /(?:^|\/)charts\/(?:[A-Z][A-Za-z]+|agents\/All Agents\/CpuUsage|(?:transactions|actions|requests|pageLoadTimings|custom)\/[^/]+(?<!_(?:Average|CountPerSecond|Histogram|ResponseSize|ArrivalRate|ConcurrentUsers)))\.webp$/

const folders: Record<TimerKind, string> = {
  transactions: 'transactions',
  actions: 'actions',
  requests: 'requests',
  pageLoads: 'pageLoadTimings',
  customTimers: 'custom',
}

/** The path in the report of a timer's chart. The engine writes some signs of a name as `$2f`. */
export function timerChart(kind: TimerKind, name: string): string {
  const file = name.replace(
    /[/\\<>|*?:";,%#$]/g,
    (sign) => `$${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return `charts/${folders[kind]}/${file}.webp`
}
