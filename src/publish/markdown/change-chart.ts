import { type Unit, unitOf } from '../../figures/metrics.js'
import { areLong, plainNumber } from '../../figures/numbers.js'
import { chartLabel } from '../../text/foreign-text.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import { worst } from '../words/changes.js'
import { metricTitle } from '../words/figure-text.js'
import { kindsInOrder, kindTitles, mainMetric, slowestRequests, summaryRow } from '../words/timer-rows.js'
import { dateText } from '../words/facts.js'
import { paragraphs } from './markdown.js'

const mostBars = 8
/** Characters beside a bar. */
const longestLabel = 26
/** The chart's language has no exponents. */
const longest = 1e15

const axisLook = { labelFontSize: 10, titleFontSize: 12 }

/**
 * One series as a chart that GitHub draws: by how much the costliest of what got slower did, in the order of its table,
 * or, without a baseline, the slowest requests. Each figure stands in its label: the axis ends at the largest bar, where
 * the chart would cut a number. Empty if there are fewer than two bars.
 */
export function changeChart(outcome: LoadTestOutcome): string {
  const { title, more, bars } = outcome.comparison ? slower(outcome) : slowest(outcome)
  const shown = bars.slice(0, mostBars)
  const [unit, values] = drawable(
    'ms',
    shown.map(({ value }) => value),
  )
  if (shown.length < 2) return ''
  const size = { width: 330, height: 90 + 22 * shown.length, titleFontSize: 14, plotReservedSpacePercent: 35 }
  const xyChart = { ...size, xAxis: axisLook, yAxis: { ...axisLook, showLabel: false, showTick: false } }
  const names = shown.map(({ name }, at) => {
    const figure = plainNumber(values[at] ?? 0)
    return `"${chartLabel(name, Math.max(8, longestLabel - figure.length))} ${figure}"`
  })
  return drawn(xyChart, 'xychart-beta horizontal', [
    `title "${title}"`,
    `x-axis [${names.join(', ')}]`,
    `y-axis "${unit}${more}" 0 --> ${Math.max(1, ...values)}`,
    `bar [${values.join(', ')}]`,
  ])
}

/** More names than that would touch each other. */
const mostNames = 8

/**
 * One figure over runs as a chart that GitHub draws, the oldest first; empty for fewer than two of them.
 *
 * @param names of the runs, on the axis if they differ
 */
export function runChart(
  title: string,
  unit: Unit,
  values: readonly number[],
  names: readonly string[] = [],
): string {
  if (values.length < 2) return ''
  const [own, shown] = drawable(unit, values)
  const labels = [...new Set(names)].map((name) => `"${chartLabel(name)}"`)
  const isNamed = labels.length === values.length && labels.length <= mostNames
  const look = { width: 330, height: 200, titleFontSize: 14, xAxis: axisLook, yAxis: axisLook }
  return drawn(look, 'xychart-beta', [
    `title "${chartLabel(title, 40)}"`,
    `x-axis ${isNamed ? `[${labels.join(', ')}]` : `"the ${values.length} latest runs that measured it" 1 --> ${values.length}`}`,
    `y-axis "${own}" 0 --> ${Math.ceil(Math.max(1, ...shown))}`,
    `line [${shown.join(', ')}]`,
  ])
}

/** @param xyChart settings as in Mermaid's documentation */
function drawn(xyChart: object, kind: string, lines: readonly string[]): string {
  // Visible on white and on black, unlike the default colours of the chart.
  const theme = { xyChart: { plotColorPalette: '#1f6feb', backgroundColor: 'transparent' } }
  const look = `%%{init: ${JSON.stringify({ themeVariables: theme, xyChart })}}%%`
  return ['```mermaid', look, kind, ...lines.map((line) => `    ${line}`), '```'].join('\n')
}

// Bars grow from the left edge, so what became faster is not shown.
function slower(outcome: LoadTestOutcome) {
  const times = worst(outcome).filter(({ metric }) => unitOf(metric) === 'ms')
  const metric = times[0]?.metric ?? ''
  const bars = times
    .filter((change) => change.metric === metric)
    .map(({ name, figure }) => ({ name, value: figure.difference ?? 0 }))
  return { title: `Slower, ${metricTitle(metric)}`, more: ' slower', bars }
}

function slowest(outcome: LoadTestOutcome) {
  const { title, requests } = slowestRequests(outcome)
  return { title, more: '', bars: requests }
}

/** Figures as the chart's language takes them, and their unit. */
function drawable(unit: Unit, values: readonly number[]): [Unit, number[]] {
  const isLong = areLong(unit, ...values)
  const numbers = values.map((value) => Number(Math.min(isLong ? value / 1000 : value, longest).toFixed(2)))
  return [isLong ? 's' : unit, numbers]
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
  const runs = [...comparison.trend.map(({ startTime }) => dateText(startTime) ?? ''), 'this run']
  const chart = (title: string, figures: readonly (number | null | undefined)[]) => {
    const values = figures.filter((value) => typeof value === 'number')
    const names = runs.filter((_, at) => typeof figures[at] === 'number')
    return runChart(`${title} ${metricTitle(metric)}`, unitOf(metric), values, names)
  }
  const whole = comparison.trend.map(({ figures }) => figures[kind]?.[metric])
  const row = comparison.rows.find((one) => one.kind === kind && one.name === timer?.name)
  const own = timer && row?.earlier?.[metric]
  return paragraphs([
    chart(kindTitles[kind], [...whole, summary?.value(metric)]),
    own ? chart(chartLabel(timer.name), [...own, timer.figure.value]) : '',
  ])
}
