import type { Report, Timer } from '../../report/report.js'
import type { Place } from '../figures.js'
import { normalDensity, normalQuantile } from './distributions.js'
import { isStepped, percentOf } from '../metrics.js'
import { median } from './robust.js'
import { resolution } from '../limit.js'

/**
 * What is assumed about a metric's noise before runs have shown it: the standard deviations of the logarithm from run
 * to run, that of a whole run and that of a timer alone. Those of times are at the upper end of what load tests usually
 * show; the others are large, since it is not known how these figures are spread.
 */
export interface UsualNoise {
  run: number
  own: number
}

const usual = new Map<string, UsualNoise>([
  ['count', { run: 0.02, own: 0.03 }],
  ['throughput', { run: 0.02, own: 0.03 }],
  ['apdex', { run: 0.02, own: 0.03 }],
  ['min', { run: 0.05, own: 0.12 }],
  ['max', { run: 0.05, own: 0.3 }],
  ['deviation', { run: 0.05, own: 0.15 }],
  ['cls', { run: 0.05, own: 0.15 }],
  ['cpu', { run: 0.05, own: 0.08 }],
])

export function usualNoise(metric: string): UsualNoise {
  return usual.get(metric) ?? { run: 0.05, own: 0.05 }
}

/** The share of the samples below a metric's figure, where it is a quantile. */
export function quantileOf(metric: string): number | undefined {
  if (metric === 'median') return 0.5
  const percent = percentOf(metric)
  if (percent !== undefined) return percent / 100
  return vitals.has(metric) ? 0.75 : undefined
}

const vitals = new Set(['cls', 'fcp', 'fid', 'inp', 'lcp', 'ttfb'])

/** A spread of times for reports that show none: the logarithm's standard deviation. */
const usualSpread = 0.6

/** A deviation of more than three times the mean comes from a few extreme times, and says nothing about the rest. */
const widestSpread = 3

/** How often a place was measured; undefined if the report does not say. */
export function samplesOf(
  report: Report,
  place: Place,
  timer: Timer | undefined,
  metric: string,
): number | undefined {
  if (place.kind === 'timers') return timer?.count
  if (place.kind === 'agents') return undefined
  const row = report.webVitals.find(({ name }) => name === place.name)
  const vital = Object.entries(row?.vitals ?? {}).find(([name]) => name === metric)?.[1]
  const counts = [vital?.goodCount, vital?.improveCount, vital?.poorCount].filter(
    (count) => count !== undefined,
  )
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

/** Fewer than these beyond a percentile, or in all for other figures, and the figure says nothing. */
const fewestBeyond = 1
const fewest = 5

/** How many samples a figure needs to be compared at all. */
export function samplesNeeded(metric: string): number {
  const q = quantileOf(metric)
  if (q === undefined || vitals.has(metric)) return fewest
  return Math.ceil(fewestBeyond / Math.min(q, 1 - q) - 1e-6)
}

/**
 * How the times of a timer are spread around a metric's figure: for a quantile the standard deviation that the
 * logarithm of a normally distributed time has in that part, for a mean the deviation as a share of it.
 */
export function spreadAt(timer: Timer | undefined, metric: string): number {
  const q = quantileOf(metric)
  const relative =
    timer?.deviation !== undefined && timer.mean !== undefined && timer.mean > 0
      ? Math.min(widestSpread, timer.deviation / timer.mean)
      : undefined
  if (q === undefined) return relative ?? usualSpread
  const slopes = timer ? slopesAround(timer, q) : []
  if (slopes.length > 0) return slopes.reduce((sum, slope) => sum + slope, 0) / slopes.length
  return relative === undefined ? usualSpread : Math.sqrt(Math.log1p(relative * relative))
}

/** The slope of log(time) over the normal quantile, from the percentiles next to q on either side. */
function slopesAround(timer: Timer, q: number): number[] {
  let at: Point | undefined
  let below: Point | undefined
  let above: Point | undefined
  const take = (point: Point) => {
    if (!(point.value > 0 && point.q > 0 && point.q < 1)) return
    if (Math.abs(point.q - q) < 1e-9) at = at && at.q <= point.q ? at : point
    else if (point.q < q) below = below && below.q > point.q ? below : point
    else above = above && above.q <= point.q ? above : point
  }
  for (const name of Object.keys(timer.percentiles)) {
    take({ q: quantileOf(name) ?? 0, value: timer.percentiles[name] ?? 0 })
  }
  if (timer.median !== undefined) take({ q: 0.5, value: timer.median })
  const middle = at
  if (!middle) return []
  return [below, above].flatMap((other) =>
    other ? [Math.log(middle.value / other.value) / (scoreOf(middle.q) - scoreOf(other.q))] : [],
  )
}

interface Point {
  q: number
  value: number
}

/** The samples of one run resemble each other: n of them tell as much as n / 1.3 of several runs. */
const resemblance = 1.3

/**
 * The variance of a figure's logarithm that comes from having only this many samples, and from the steps in which the
 * report writes it.
 *
 * A quantile: 1.3 · spread² q (1 - q) / (samples · density(z_q)²), and that times 1 + 2 / the samples beyond it: few of
 * them vary more than many would. A mean likewise: 1.3 · spread² / samples. A rate or a count: 1 / samples, as of a
 * Poisson process. An apdex a: (1 - a) / (a · samples).
 */
export function samplingVariance(
  metric: string,
  value: number,
  samples: number | undefined,
  spread: number,
): number {
  const step = isStepped(metric) ? resolution : wholes.has(metric) ? 1 : 0
  const written = (step * step) / 12 / (value * value)
  if (samples === undefined || samples <= 0) return written
  const few = (beyond: number) => resemblance * (1 + 2 / beyond)
  const q = quantileOf(metric)
  if (q !== undefined) {
    const density = normalDensity(scoreOf(q))
    const beyond = samples * Math.min(q, 1 - q)
    return written + (few(beyond) * (spread * spread * q * (1 - q))) / (samples * density * density)
  }
  switch (metric) {
    case 'mean':
      return (few(samples / 2) * (spread * spread)) / samples
    case 'count':
    case 'throughput':
      return 1 / samples
    case 'apdex':
      return Math.max(0, 1 - value) / (value * samples)
    default:
      return written
  }
}

/** A report has few percentiles, each of many timers. */
const scores = new Map<number, number>()

function scoreOf(q: number): number {
  const known = scores.get(q) ?? normalQuantile(q)
  scores.set(q, known)
  return known
}

/** Written in whole milliseconds. */
const wholes = new Set(['min', 'max'])

/** The median of the spreads that several runs show, for a metric whose samples vary with it. */
export function commonSpread(timers: readonly Timer[], metric: string): number {
  if (timers.length === 0 || !isSpread(metric)) return usualSpread
  return Math.max(0.05, median(timers.map((timer) => spreadAt(timer, metric))))
}

function isSpread(metric: string): boolean {
  return metric === 'mean' || quantileOf(metric) !== undefined
}
