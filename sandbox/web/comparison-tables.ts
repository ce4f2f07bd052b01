import { unitOf } from '../../src/figures/metrics.js'
import { metricTitle } from '../../src/publish/words/figure-text.js'
import { quantity } from '../../src/figures/quantity.js'
import { kindTitles, summaryRow, timerRows, type TimerRow } from '../../src/publish/words/timer-rows.js'
import { timerKinds, type TimerKind } from '../../src/report/report.js'
import { changeText, largestChangeFirst } from './change.js'
import type { ComparisonReport, SourceReport } from './comparison.js'
import { foreign, markup, type Markup, type Part } from './markup.js'
import { chosenMetric, metricChoice } from './metric-choice.js'
import { section } from './shell.js'
import { table, type Column } from './table.js'

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
