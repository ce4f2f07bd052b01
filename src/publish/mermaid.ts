import { chartLabel } from '../text/foreign-text.js'
import type { Outcome } from '../outcome.js'
import { metricTitle } from './figure-text.js'
import { mainMetric, timerRows } from './timer-rows.js'

const mostBars = 8

/**
 * The slowest requests against the baseline as a chart that GitHub draws; empty where fewer than two requests can
 * be shown.
 */
export function slowestRequestsChart(outcome: Outcome): string {
  const rows = timerRows(outcome, 'requests')
  const metric = mainMetric(rows)
  const all = rows.flatMap((row) => {
    const { value, baseline } = row.figure(metric)
    return value === undefined ? [] : [{ name: row.name ?? '', value, baseline }]
  })
  all.sort((a, b) => b.value - a.value)
  const compared = all.filter(({ baseline }) => baseline !== undefined)
  const shown = (compared.length > 1 ? compared : all).slice(0, mostBars)
  if (shown.length < 2) return ''
  const withBaseline = shown.every(({ baseline }) => baseline !== undefined)
  const legend = withBaseline ? ' - bars this run, line baseline' : ''
  return [
    '```mermaid',
    'xychart-beta horizontal',
    `    title "Slowest requests, ${metricTitle(metric)} in ms${legend}"`,
    `    x-axis [${shown.map(({ name }) => `"${chartLabel(name)}"`).join(', ')}]`,
    `    y-axis "ms" 0 --> ${Math.ceil(Math.max(1, ...shown.flatMap(({ value, baseline }) => [value, baseline ?? 0])))}`,
    `    bar [${shown.map(({ value }) => chartNumber(value)).join(', ')}]`,
    ...(withBaseline
      ? [`    line [${shown.map(({ baseline }) => chartNumber(baseline ?? 0)).join(', ')}]`]
      : []),
    '```',
  ].join('\n')
}

// Without exponents, which the chart's language does not know.
function chartNumber(value: number): string {
  return Number.isFinite(value) && Math.abs(value) < 1e15 ? String(Number(value.toFixed(2))) : '0'
}
