import { unitOf, type Metric } from '../../src/figures/metrics.js'
import { metricTitle } from '../../src/publish/words/figure-text.js'
import { quantity } from '../../src/figures/quantity.js'
import { kindTitles } from '../../src/publish/words/timer-rows.js'
import { timerKinds, type TimerKind } from '../../src/report/report.js'
import { changeText, largestChangeFirst } from './change.js'
import { foreign, markup, type Markup, type Part } from './markup.js'
import { chosenMetric, metricChoice } from './metric-choice.js'
import { section } from './shell.js'
import { table } from './table.js'
import { trendChart } from './trend-chart.js'
import { trendRows, type TrendReport, type TrendRow } from './trend.js'

/** Each kind of timers by one figure, which the reader chooses: a chart for all of them, a row for each. */
export function trendTables(report: TrendReport, wanted: unknown): Part {
  const metric = chosenMetric(wanted)
  return [
    metricChoice(metric, 'The largest change since the first report comes first.'),
    timerKinds.map((kind) => section(kindTitles[kind], trendOf(report, kind, metric))),
  ]
}

function trendOf(report: TrendReport, kind: TimerKind, metric: Metric): Part {
  const rows = trendRows(report, kind, metric)
  if (rows.length === 0) return markup`<p class="quiet">None of the reports has any.</p>`
  const [unit, title] = [unitOf(metric), `${kindTitles[kind]}, ${metricTitle(metric)}`]
  const names = report.runs.map(({ number }) => `#${number}`)
  const summary = rows.filter(({ name }) => name === undefined)
  const timers = rows.filter(({ name }) => name !== undefined)
  // There may be more reports than a page is wide, so the changes come first.
  const columns = [
    { title: 'Name' },
    ...['Since the first', 'Since the previous', ...names].map((name) => ({ title: name, numeric: true })),
  ]
  const sorted = [...summary, ...largestChangeFirst(timers, ({ sinceFirst }) => sinceFirst)]
  const cells = sorted.map((row): Part[] => [
    rowName(row),
    changeText(row.sinceFirst, unit),
    changeText(row.sincePrevious, unit),
    ...row.values.map((value) => quantity(value, unit)),
  ])
  return [
    summary.map(({ values }) => trendChart(title, names, values, unit)),
    markup`<div class="trend">${table({ caption: title, columns, empty: '' }, cells, { scrolls: true })}</div>`,
  ]
}

function rowName({ name }: TrendRow): Markup {
  return name === undefined ? markup`All` : markup`<span class="code">${foreign(name)}</span>`
}
