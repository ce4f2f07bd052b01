import { unitOf, type Unit } from '../../figures/metrics.js'
import { htmlText } from '../../text/foreign-text.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import { metricTitle } from '../words/figure-text.js'
import { plainNumber, quantity } from '../../figures/numbers.js'
import { codeText } from '../summary/report-tables.js'
import { mainMetric, percentilesOf, summaryRow, timerRows } from '../words/timer-rows.js'

/** A chart of horizontal bars, each with its label above it; texts may be foreign. */
interface BarChart {
  title: string
  bars: Bar[]
  unit: Unit
}

interface Bar {
  label: string
  value?: number
  baseline?: number
  /** It stands for something bad, such as errors. */
  bad?: boolean
}

const mostBars = 10
// The number of letters that fit on one line of a phone, label and value together.
const lineLength = 42

/** The charts that the outcome has figures for. */
export function charts(outcome: LoadTestOutcome): BarChart[] {
  return [slowestRequests(outcome), percentiles(outcome), responseCodes(outcome), errors(outcome)].filter(
    ({ bars }) => bars.length > 0,
  )
}

function slowestRequests(outcome: LoadTestOutcome): BarChart {
  const rows = timerRows(outcome, 'requests')
  const metric = mainMetric(rows)
  const bars = rows.flatMap((row) => {
    const { value, baseline } = row.figure(metric)
    return value === undefined ? [] : [bar(row.name ?? 'all', value, baseline)]
  })
  bars.sort((a, b) => (b.value ?? 0) - (a.value ?? 0))
  return {
    title: `Slowest requests, ${metricTitle(metric)}`,
    bars: bars.slice(0, mostBars),
    unit: unitOf(metric),
  }
}

function percentiles(outcome: LoadTestOutcome): BarChart {
  const row = summaryRow(outcome, 'requests')
  // The median is p50.
  const named = percentilesOf(outcome, 'requests').filter((metric) => metric !== 'p50')
  const metrics = ['mean', 'median', ...named, 'max']
  const bars = metrics.flatMap((metric) => {
    const figure = row?.figure(metric)
    return figure?.value === undefined ? [] : [bar(metric, figure.value, figure.baseline)]
  })
  return { title: 'All requests', bars: bars.slice(0, mostBars), unit: 'ms' }
}

function responseCodes({ figures }: LoadTestOutcome): BarChart {
  const codes = [...(figures?.responseCodes ?? [])].sort((a, b) => b.count - a.count).slice(0, mostBars)
  const bars = codes.map(({ code, text, count }) => ({
    label: codeText(code, text),
    value: count,
    bad: code === 0 || code >= 400,
  }))
  return { title: 'Response codes', bars, unit: 'number' }
}

function errors({ figures, comparison }: LoadTestOutcome): BarChart {
  const fresh = new Set(comparison?.newErrors)
  const most = [...(figures?.errors ?? [])].sort((a, b) => b.count - a.count).slice(0, mostBars)
  const bars = most.map(({ message, count }) => ({
    label: `${fresh.has(message) ? 'new: ' : ''}${message}`,
    value: count,
    bad: true,
  }))
  return { title: 'Most frequent errors', bars, unit: 'number' }
}

function bar(label: string, value: number, baseline: number | undefined): Bar {
  return baseline === undefined ? { label, value } : { label, value, baseline }
}

/** The chart as a figure of HTML with one inline SVG; `id` is unique on its page. */
export function chartHtml({ title, bars, unit }: BarChart, id: string): string {
  const compared = bars.some(({ baseline }) => baseline !== undefined)
  const most = Math.max(...bars.flatMap(({ value, baseline }) => [value ?? 0, baseline ?? 0]), 0)
  const pitch = compared ? 44 : 36
  const rows = bars.map((one, index) => barSvg(one, index * pitch, most, unit))
  const legend = compared
    ? '<span class="legend"><span><i class="run"></i>now</span><span><i class="base"></i>before</span></span>'
    : ''
  const description = bars.map((one) => `${one.label}: ${valueText(one, unit, ' against ')}`).join('; ')
  return `<figure class="card"><figcaption>${htmlText(title)}${legend}</figcaption>
<svg role="img" aria-labelledby="${id}-title ${id}-desc" height="${bars.length * pitch}"><title id="${id}-title">${htmlText(title)}</title><desc id="${id}-desc">${htmlText(description, 2000)}</desc>
${rows.join('\n')}
</svg></figure>`
}

function barSvg(one: Bar, top: number, most: number, unit: Unit): string {
  const value = valueText(one, unit, ' / ')
  // Letters beyond the Latin, Greek and Cyrillic ones may be twice as wide.
  const room = lineLength - value.length
  const label = htmlText(
    one.label,
    /[^\u0020-\u04ff\u2000-\u206f]/.test(one.label) ? Math.floor(room / 2) : room,
  )
  const share = (value: number) => (most > 0 ? plainNumber(Math.max(0, (value / most) * 100), 2) : '0')
  const rect = (kind: string, y: number, height: number, width: string) =>
    `<rect class="${kind}" x="0" y="${y}" width="${width}%" height="${height}" rx="2"/>`
  const run = one.value === undefined ? '' : rect(one.bad ? 'bad' : 'run', top + 19, 9, share(one.value))
  const base = one.baseline === undefined ? '' : rect('base', top + 30, 5, share(one.baseline))
  return (
    `<g><title>${htmlText(one.label, 300)}</title><text x="0" y="${top + 13}">${label}</text>` +
    `<text class="value" x="100%" y="${top + 13}" text-anchor="end">${htmlText(value)}</text>` +
    `${rect('track', top + 19, 9, '100')}${run}${base}</g>`
  )
}

function valueText({ value, baseline }: Bar, unit: Unit, between: string): string {
  const text = quantity(value, unit)
  return baseline === undefined ? text : `${text}${between}${quantity(baseline, unit)}`
}
