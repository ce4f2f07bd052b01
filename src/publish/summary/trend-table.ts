import { unitOf } from '../../figures/metrics.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import type { TimerKind } from '../../report/report.js'
import { shortHash, timeText } from '../words/facts.js'
import { metricTitle } from '../words/figure-text.js'
import { quantity } from '../../figures/quantity.js'
import type { Cell, Table } from '../words/table.js'
import { kindTitles, mainMetric, summaryRow } from '../words/timer-rows.js'

/** Key figures of the earlier runs, the oldest first, and of this one; no rows if there are not several. */
export function trendTable(outcome: LoadTestOutcome): Table {
  const { comparison, figures, step } = outcome
  const earlier = comparison?.trend ?? []
  const columns = (['requests', 'transactions'] as const).flatMap((kind) => columnsOf(outcome, kind))
  const row = (first: Cell, figure: (column: TrendColumn) => number | undefined): Cell[] => [
    first,
    ...columns.map((column) => ({ text: quantity(figure(column), unitOf(column.metric)) })),
  ]
  const { startTime } = figures?.general ?? {}
  const now = startTime === undefined ? undefined : new Date(startTime).toISOString()
  return {
    title: `Trend over ${earlier.length + 1} runs`,
    columns: [
      { title: 'Run' },
      ...columns.map(({ kind, metric }) => ({
        title: `${kindTitles[kind]} ${metricTitle(metric)}`,
        numeric: true,
      })),
    ],
    rows:
      earlier.length === 0
        ? []
        : [
            ...earlier.map((run) => row(runCell(run), ({ kind, metric }) => run.figures[kind]?.[metric])),
            row(
              runCell({ startTime: now, commit: step.commit }, 'this run'),
              ({ kind, metric }) => summaryRow(outcome, kind)?.figure(metric).value,
            ),
          ],
  }
}

interface TrendColumn {
  kind: TimerKind
  metric: string
}

function columnsOf(outcome: LoadTestOutcome, kind: TimerKind): TrendColumn[] {
  const summary = summaryRow(outcome, kind)
  if (!summary) return []
  return [mainMetric([summary]), 'error-rate', 'throughput'].map((metric) => ({ kind, metric }))
}

function runCell(
  { startTime, commit }: { startTime?: string | undefined; commit?: string | undefined },
  which?: string,
): Cell {
  const parts = [which, commit === undefined ? undefined : shortHash(commit)]
  const detail = parts.filter((part) => part !== undefined).join(', ')
  return { text: startTime === undefined ? '–' : timeText(startTime), detail }
}
