import type { ComparedFigure, ComparisonRow } from '../../src/gates/comparison.js'
import { unitOf } from '../../src/gates/figures.js'
import { differenceCell } from '../../src/publish/figure-tables.js'
import { metricTitle, quantity } from '../../src/publish/figure-text.js'
import { kindTitles } from '../../src/publish/timer-rows.js'
import type { TimerKind } from '../../src/report/report.js'
import type { ComparisonReport, SourceReport } from './comparison.js'
import { foreign, markup, type Markup, type Part } from './markup.js'
import { section } from './shell.js'
import { table, type Column } from './table.js'

const kinds: readonly TimerKind[] = ['transactions', 'actions', 'requests']
const summaryMetrics = ['count', 'errors', 'mean', 'p95']
const metrics = ['mean', 'median', 'p95', 'p99', 'max', 'count', 'errors', 'error-rate', 'throughput']

/** The totals of both runs, then each timer by one figure, which the reader chooses. */
export function comparisonTables(report: ComparisonReport, wanted: unknown): Part {
  const metric = metrics.find((one) => one === wanted) ?? 'mean'
  return [
    section('Summary', summary(report)),
    markup`<form class="card choice"><label>Figure <select name="metric">${metrics.map(
      (one) =>
        markup`<option value="${one}"${one === metric ? markup` selected` : ''}>${metricTitle(one)}</option>`,
    )}</select></label><button>Show</button></form>`,
    kinds.map((kind) => section(kindTitles[kind], timers(report, kind, metric))),
  ]
}

function summary(report: ComparisonReport): Markup {
  const rows = kinds.flatMap((kind) => {
    const row = report.figures.rows.find((one) => one.kind === kind && one.name === undefined)
    return summaryMetrics.flatMap((metric) =>
      row?.figures[metric] ? [[`${kindTitles[kind]}, ${metricTitle(metric)}`, ...cells(row, metric)]] : [],
    )
  })
  return table({ caption: 'Summary of both runs', columns: columns(report, 'Figure'), empty: nothing }, rows)
}

function timers(report: ComparisonReport, kind: TimerKind, metric: string): Markup {
  const rows = report.figures.rows
    .filter((row) => row.kind === kind && row.name !== undefined)
    .map((row) => [
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

function cells({ figures }: ComparisonRow, metric: string): Part[] {
  const figure: ComparedFigure = figures[metric] ?? { change: 'unknown' }
  const unit = unitOf(metric)
  const { text, tone } = differenceCell(figure, unit)
  return [
    quantity(figure.baseline, unit),
    quantity(figure.value, unit),
    tone === undefined ? text : markup`<span class="${tone}">${text}</span>`,
  ]
}

const nothing = 'Neither run has any.'
