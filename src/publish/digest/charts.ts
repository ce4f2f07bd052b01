import { scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { unitOf, type Unit } from '../../figures/metrics.js'
import { plainNumber, quantity } from '../../figures/numbers.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import { type Timeline, type TimelineFigure, timelineFigures } from '../../report/report.js'
import { defined } from '../../text/fields.js'
import { htmlText } from '../../text/foreign-text.js'
import { durationText, nowText } from '../words/figure-text.js'
import type { Tone } from '../words/table.js'
import { percentilesOf, slowestRequests, summaryRow } from '../words/timer-rows.js'
import { anchorHtml, chartsAndSteady, nameHtml, section } from './html.js'

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

/** One figure that a reader can point at and open. */
interface Dot {
  at: number
  value: number
  look: string
  text: string
  href: string | undefined
}

/** Units of the drawing, which the page stretches. */
const [width, height] = [1000, 100]

/**
 * Figures over runs or over time, drawn as SVG in the width that the page has; its texts may be foreign. Null is a gap
 * in a line; a band is where figures usually lie.
 */
export function lineChart(chart: {
  /** What it shows, with the figures, for readers who do not see it. */
  text: string
  size: 'plot' | 'spark'
  unit: Unit
  /** Where the horizontal axis begins and ends; the vertical one begins at 0. */
  span: readonly [number, number]
  /** Below the horizontal axis, in its order. */
  ticks: readonly { at: number; text: string }[]
  lines: readonly {
    look: 'line' | 'limit' | 'before'
    points: readonly (readonly [at: number, value: number | null])[]
  }[]
  bands: readonly { from: number; to: number; low: number; high: number }[]
  /** Vertical lines; those of a large chart are numbered from 1. */
  marks: readonly { at: number; tone: Tone }[]
  dots: readonly Dot[]
}): string {
  const { text, size, unit, span, ticks, lines, bands, marks, dots } = chart
  const x = scaleLinear(span, [0, width])
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value ?? 0))
  const highest = [...values, ...bands.map(({ high }) => high)].reduce((a, b) => Math.max(a, b), 0)
  const y = scaleLinear([0, highest > 0 ? highest : 1], [height, 0]).nice(4)
  const levels = size === 'plot' ? y.ticks(4) : y.domain()
  const path = line<(typeof lines)[number]['points'][number]>(
    ([at]) => x(at),
    ([, value]) => y(value ?? 0),
  ).defined(([, value]) => value !== null)
  const across = (at: number) => `${round((x(at) / width) * 100)}%`
  const drawn = [
    ...levels.map((level) => `<path class="grid" d="M0 ${round(y(level))}H${width}"/>`),
    ...bands.map(({ from, to, low, high }) => {
      const [left, right, bottom, top] = [x(from), x(to), y(low), y(high)].map(round)
      return `<path class="band" d="M${left} ${bottom}H${right}V${top}H${left}Z"/>`
    }),
    ...marks.map(({ at, tone }) => `<path class="change ${tone}" d="M${round(x(at))} 0V${height}"/>`),
    ...lines.map(({ look, points }) => `<path class="${look}" d="${path.digits(1)(points) ?? ''}"/>`),
    ...dots.map((dot) => dotSvg(dot, `M${round(x(dot.at))} ${round(y(dot.value))}h0`)),
  ]
  const written = [
    ...levels.map(
      (level) =>
        `<text x="-6" y="${round(y(level))}%" dy=".35em" text-anchor="end">${htmlText(quantity(level, unit, highest))}</text>`,
    ),
    ...ticks.map(
      ({ at, text: label }) =>
        `<text x="${across(at)}" y="100%" dy="1.3em" text-anchor="${anchorOf(x(at))}">${htmlText(label, 30)}</text>`,
    ),
    ...(size === 'plot' ? marks : []).map(({ at }, index) => {
      // Of two that are near each other, one number stands higher.
      const isNear = [marks[index - 1], marks[index + 1]].some(
        (other) => other && Math.abs(x(other.at) - x(at)) < width / 25,
      )
      const isHigh = isNear && index % 2 === 1
      return `<text class="number" x="${across(at)}" dy="${isHigh ? '-1.35em' : '-.35em'}" text-anchor="middle">${index + 1}</text>`
    }),
  ]
  return `<svg class="${size}" role="${dots.length > 0 ? 'group' : 'img'}"><title>${htmlText(text, 500)}</title>
<g aria-hidden="true">${written.join('')}</g><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${drawn.join('')}</svg></svg>`
}

// Lists and tables have the same links for who uses a keyboard.
function dotSvg({ look, text, href }: Dot, path: string): string {
  const dot = `<path class="dot ${look}" d="${path}"><title>${htmlText(text, 200)}</title></path>`
  return anchorHtml(dot, href, ' tabindex="-1"')
}

/** No label leaves the chart. */
function anchorOf(x: number): string {
  return x < width / 8 ? 'start' : x > (width * 7) / 8 ? 'end' : 'middle'
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
