import { unitOf } from '../../figures/metrics.js'
import type { EarlierRun } from '../../gates/comparison.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import type { TimerKind } from '../../report/report.js'
import { chartLabel } from '../../text/foreign-text.js'
import { runChart } from '../comment/change-chart.js'
import { worst } from '../words/changes.js'
import { dateText, shortHash, timeText } from '../words/facts.js'
import { metricTitle } from '../words/figure-text.js'
import { quantity } from '../../figures/quantity.js'
import type { Cell, Table } from '../words/table.js'
import { kindsInOrder, kindTitles, mainMetric, summaryRow } from '../words/timer-rows.js'

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

/**
 * The whole run and what got worse most, each as a chart that GitHub draws, over the runs of the table; empty without
 * them.
 */
export function trendCharts(outcome: LoadTestOutcome): string {
  const { comparison } = outcome
  if (!comparison?.trend) return ''
  const [timer] = worst(outcome)
  const kind = timer?.kind ?? kindsInOrder.find((one) => summaryRow(outcome, one)) ?? 'requests'
  const summary = summaryRow(outcome, kind)
  const metric = timer?.metric ?? mainMetric(summary ? [summary] : [])
  const whole = comparison.trend.map(({ figures }) => figures[kind]?.[metric])
  const charts = [
    trendChart(comparison.trend, metric, kindTitles[kind], [...whole, summary?.figure(metric).value]),
  ]
  const row = comparison.rows.find((one) => one.kind === kind && one.name === timer?.name)
  if (timer && row?.earlier?.[metric])
    charts.push(
      trendChart(comparison.trend, metric, chartLabel(timer.name), [
        ...row.earlier[metric],
        timer.figure.value,
      ]),
    )
  return charts.filter((chart) => chart !== '').join('\n\n')
}

/** @param figures of the earlier runs and of this one */
function trendChart(
  earlier: readonly EarlierRun[],
  metric: string,
  title: string,
  figures: readonly (number | null | undefined)[],
): string {
  const known = figures.flatMap((value, at) => {
    const name = earlier[at] ? (dateText(earlier[at].startTime) ?? '') : 'this run'
    return typeof value === 'number' ? [{ value, name }] : []
  })
  return runChart(
    `${title} ${metricTitle(metric)}`,
    unitOf(metric),
    known.map(({ value }) => value),
    known.map(({ name }) => name),
  )
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
