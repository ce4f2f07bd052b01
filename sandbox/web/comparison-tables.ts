import { unitOf, type Unit, type Metric } from '../../src/figures/metrics.js'
import { metricTitle } from '../../src/publish/words/figure-text.js'
import { quantity } from '../../src/figures/quantity.js'
import { kindTitles, summaryRow, timerRows, type TimerRow } from '../../src/publish/words/timer-rows.js'
import { timerKinds, type TimerKind } from '../../src/report/report.js'
import type { ComparisonReport, SourceReport } from './comparison.js'
import { foreign, markup, type Markup, type Part } from './markup.js'
import { section } from './shell.js'
import { table, type Column } from './table.js'
import type { ComparedFigure } from '../../src/gates/comparison.js'
import { differenceCell } from '../../src/publish/summary/figure-tables.js'

const summaryMetrics = ['p95', 'mean', 'count', 'errors']

/** The totals of both runs, then each timer by one figure, which the reader chooses. */
export function comparisonTables(report: ComparisonReport, wanted: unknown): Part {
  const metric = chosenMetric(wanted)
  return [
    section('Summary', summary(report)),
    metricChoice(metric, 'The largest change comes first.'),
    timerKinds.map((kind) => section(kindTitles[kind], timers(report, kind, metric))),
  ]
}

function summary(report: ComparisonReport): Markup {
  const rows = timerKinds.flatMap((kind) => {
    const row = summaryRow(report, kind)
    if (!row) return []
    return summaryMetrics.map((metric) => [
      `${kindTitles[kind]}, ${metricTitle(metric)}`,
      ...cells(row, metric),
    ])
  })
  return table({ caption: 'Summary of both runs', columns: columns(report, 'Figure'), empty: nothing }, rows)
}

function timers(report: ComparisonReport, kind: TimerKind, metric: string): Markup {
  const rows = largestChangeFirst(timerRows(report, kind), (row) => row.figure(metric)).map((row) => [
    markup`<span class="code">${foreign(row.name ?? '')}</span>${row.presence === 'both' ? '' : markup` <span class="tag">${row.presence}</span>`}`,
    ...cells(row, metric),
  ])
  const caption = `${kindTitles[kind]}, ${metricTitle(metric)}`
  return table({ caption, columns: columns(report, 'Name'), empty: nothing }, rows)
}

function columns({ baseline, measurement }: ComparisonReport, first: string): Column[] {
  return [
    { title: first },
    sourceColumn('Baseline', baseline),
    sourceColumn('Measurement Run', measurement),
    { title: 'Difference', numeric: true },
  ]
}

function sourceColumn(title: string, { label }: SourceReport): Column {
  return { title: label === undefined ? title : `${title}: ${label}`, numeric: true }
}

function cells(row: TimerRow, metric: string): Part[] {
  const figure = row.figure(metric)
  const unit = unitOf(metric)
  return [quantity(figure.baseline, unit), quantity(figure.value, unit), changeText(figure, unit)]
}

const nothing = 'Neither run has any.'

/** Sorted by the size of the change, in either direction; rows without a difference come last. */
export function largestChangeFirst<T>(
  rows: readonly T[],
  figureOf: (row: T) => ComparedFigure | undefined,
): T[] {
  return rows
    .map((row) => ({ row, size: sizeOf(figureOf(row)) }))
    .sort((one, other) => (one.size === other.size ? 0 : other.size - one.size))
    .map(({ row }) => row)
}

function sizeOf({ difference, relativeDifference }: Partial<ComparedFigure> = {}): number {
  if (difference === undefined) return -1
  // From 0 to something is more than any percentage.
  return relativeDifference === undefined ? Infinity : Math.abs(relativeDifference)
}

/** A difference, with colour and words if it is more than noise. */
export function changeText(figure: ComparedFigure, unit: Unit): Part {
  const { text, tone } = differenceCell(figure, unit)
  return tone === undefined ? text : markup`<span class="${tone}">${text}</span>`
}

/** The one that readers want first comes first. */
const metrics = [
  'p95',
  'mean',
  'median',
  'p99',
  'max',
  'count',
  'errors',
  'error-rate',
  'throughput',
] as const

/** The metric that an address asks for; p95 if there is no such metric. */
export function chosenMetric(wanted: unknown): Metric {
  return metrics.find((one) => one === wanted) ?? 'p95'
}

/** Shows the page again with another figure. */
export function metricChoice(chosen: string, hint: string): Markup {
  const options = metrics.map(
    (one) =>
      markup`<option value="${one}"${one === chosen ? markup` selected` : ''}>${metricTitle(one)}</option>`,
  )
  return markup`<form class="card choice"><label>Figure <select name="metric">${options}</select></label><button>Show</button><span class="quiet">${hint}</span></form>`
}
