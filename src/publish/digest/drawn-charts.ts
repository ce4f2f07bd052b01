import { scaleLinear } from 'd3-scale'
import { unitOf, type Unit } from '../../figures/metrics.js'
import { plainNumber, quantity } from '../../figures/numbers.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import { type Timeline, type TimelineFigure, timelineFigures } from '../../report/report.js'
import { defined } from '../../text/fields.js'
import { htmlText } from '../../text/foreign-text.js'
import { lineChart } from './line-chart.js'
import { durationText, nowText } from '../words/figure-text.js'
import { percentilesOf, slowestRequests, summaryRow } from '../words/timer-rows.js'
import { chartsAndSteady, nameHtml, section } from './html.js'

const mostBars = 10

interface Bar {
  name: string
  value?: number
  baseline?: number | undefined
}

/** The slowest requests, and all of them together, as bars. */
export function barCharts(outcome: LoadTestOutcome): string[] {
  const { title, unit, requests } = slowestRequests(outcome)
  const all = summaryRow(outcome, 'requests')
  // The median is p50.
  const named = percentilesOf(outcome, 'requests').filter((metric) => metric !== 'p50')
  const ofAll = ['mean', 'median', ...named, 'max'].map((name) => ({ name, ...all?.figure(name) }))
  return [...barsHtml(title, unit, requests), ...barsHtml('All requests', 'ms', ofAll)]
}

/** A list, each with its bar below it; none without figures. */
function barsHtml(title: string, unit: Unit, figures: readonly Bar[]): string[] {
  const bars = figures.filter(({ value }) => value !== undefined).slice(0, mostBars)
  if (bars.length === 0) return []
  const most = Math.max(...bars.flatMap(({ value = 0, baseline = 0 }) => [value, baseline])) || 1
  const rect = (look: string, value: number) =>
    `<rect class="${look}" width="${plainNumber(Math.max(0, (value / most) * 100), 2)}%"/>`
  const items = bars.map(({ name, value = 0, baseline }) => {
    const text = nowText({ value, ...defined({ baseline }) }, unit)
    const base = baseline === undefined ? '' : rect('base', baseline)
    return `<li>${nameHtml(name)}<span>${htmlText(text)}</span><svg aria-hidden="true">${rect('run', value)}${base}</svg></li>`
  })
  const isCompared = bars.some(({ baseline }) => baseline !== undefined)
  const legend = isCompared
    ? '<span class="legend"><span><i class="run"></i>now</span><span><i class="base"></i>before</span></span>'
    : ''
  return [
    `<figure class="card"><figcaption>${htmlText(title)}${legend}</figcaption><ul class="bars">${items.join('\n')}</ul></figure>`,
  ]
}

const titles: Record<TimelineFigure, string> = {
  throughput: 'Requests per second',
  p50: 'Median time of a request',
  p95: 'p95 of the requests',
  'error-rate': 'Error rate of the requests',
  users: 'Users',
}

/** More of an outcome file are not believed. */
const mostSteps = 120

/** How all requests went, with the baseline's run behind it; empty where the report has no samples. */
export function timelineHtml(outcome: LoadTestOutcome): string {
  const now = outcome.figures?.timeline
  if (!now) return ''
  const before = outcome.comparison?.timeline
  const figures = timelineFigures.flatMap((name) => figureHtml(name, { now, before }, outcome))
  const grey = before ? ' Dashed: the latest run of the baseline that has samples.' : ''
  return section(
    'Over time',
    chartsAndSteady(figures),
    `All requests in steps of ${durationText(now.step)}, by when they ended; times are drawn to 2%.${grey}`,
  )
}

/** A chart, or a line of text for what never changes. */
function figureHtml(
  name: TimelineFigure,
  { now, before }: { now: Timeline; before: Timeline | undefined },
  outcome: LoadTestOutcome,
): string[] {
  const [run, base] = [now, before].map((one) => lineOf(one, name))
  if (!run) return []
  const unit = name === 'users' ? 'number' : unitOf(name)
  const title = titles[name]
  const both = base ? [run, base] : [run]
  const known = both.flatMap(({ values }) => values.filter((one) => one !== null))
  const [low, high] = [Math.min(...known), Math.max(...known)]
  if (high - low <= high * 0.01) {
    return [`<p class="card steady">${title}: <b>${htmlText(quantity(high, unit))}</b> all the time</p>`]
  }
  const seconds = Math.max(...both.map(({ step, values }) => step * values.length))
  const chart = lineChart({
    ...{ size: 'plot', unit, span: [0, seconds], ticks: timeTicks(seconds), bands: [], marks: [], dots: [] },
    text: `${title} over time: ${spoken(run, unit)}${base ? `; before: ${spoken(base, unit)}` : ''}`,
    lines: [
      ...(base ? [{ look: 'before' as const, points: pointsOf(base) }] : []),
      { look: 'line', points: pointsOf(run) },
    ],
  })
  const figure = name === 'users' ? undefined : summaryRow(outcome, 'requests')?.figure(name)
  const whole = figure?.value === undefined ? '' : `whole run ${nowText(figure, unit)}`
  const legend = base ? '<span><i class="line"></i>now</span><span><i class="before"></i>before</span>' : ''
  return [
    `<figure class="card"><figcaption>${title}<span class="legend">${htmlText(whole)}${legend}</span></figcaption>\n${chart}</figure>`,
  ]
}

function lineOf(timeline: Timeline | undefined, name: TimelineFigure) {
  const values = timeline?.figures[name]?.slice(0, mostSteps)
  return timeline && values?.some((value) => value !== null) ? { step: timeline.step, values } : undefined
}

/** In the middle of their steps. */
function pointsOf({ step, values }: NonNullable<ReturnType<typeof lineOf>>): [number, number | null][] {
  return values.map((value, at) => [(at + 0.5) * step, value])
}

/** `from 151 ms to 301 ms, highest 391 ms after 5 min` */
function spoken({ step, values }: NonNullable<ReturnType<typeof lineOf>>, unit: Unit): string {
  const known = values.filter((value) => value !== null)
  const highest = Math.max(...known)
  const after = durationText(values.indexOf(highest) * step)
  const [first, last] = [known[0], known.at(-1)].map((value) => quantity(value, unit, highest))
  return `from ${first} to ${last}, highest ${quantity(highest, unit)} after ${after}`
}

/** Of the time since the start, in the unit that fits. */
function timeTicks(seconds: number): { at: number; text: string }[] {
  const [unit, word] = seconds < 180 ? [1, 's'] : seconds < 3 * 3600 ? [60, 'min'] : [3600, 'h']
  return scaleLinear([0, seconds / unit], [0, 1])
    .ticks(3)
    .map((at) => ({ at: at * unit, text: `${plainNumber(at)} ${word}` }))
}
