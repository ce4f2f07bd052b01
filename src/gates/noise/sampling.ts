import type { Report, Timer } from '../../report/report.js'
import type { Place } from '../figures.js'
import { normalDensity, normalQuantile } from './distributions.js'
import { ruleOf, type Metric } from '../metrics.js'
import { median } from './robust.js'

/** A spread of times for reports that show none: the logarithm's standard deviation. */
const usualSpread = 0.6

/** A deviation of more than three times the mean comes from a few extreme times, and says nothing about the rest. */
const widestSpread = 3

/** How often a place was measured; undefined if the report does not say. */
export function samplesOf(
  report: Report,
  place: Place,
  timer: Timer | undefined,
  metric: Metric,
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

/**
 * How the times of a timer are spread around a metric's figure: for a quantile the standard deviation that the
 * logarithm of a normally distributed time has in that part, for a mean the deviation as a share of it.
 */
export function spreadAt(timer: Timer | undefined, metric: Metric): number {
  const { quantile: q } = ruleOf(metric)
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
  const known = Object.entries(timer.percentiles).map(([name, value]) => ({
    q: Number(name.slice(1)) / 100,
    value,
  }))
  if (timer.median !== undefined) known.push({ q: 0.5, value: timer.median })
  const points = known
    .filter((point) => point.value > 0 && point.q > 0 && point.q < 1)
    .sort((a, b) => a.q - b.q)
  const at = points.filter((point) => Math.abs(point.q - q) < 1e-9)[0]
  if (!at) return []
  const below = points.filter((point) => point.q < q - 1e-9).at(-1)
  const above = points.find((point) => point.q > q + 1e-9)
  return [below, above].flatMap((other) =>
    other ? [Math.log(at.value / other.value) / (scoreOf(at.q) - scoreOf(other.q))] : [],
  )
}

/** The samples of one run resemble each other: n of them tell as much as n / 1.3 of several runs. */
const resemblance = 1.3

/**
 * The variance of a figure's logarithm that comes from having only this many samples, and from the steps in which the
 * report writes it.
 *
 * A quantile: 1.3 · spread² q (1 - q) / (samples · density(z_q)²), and that times 1 + 2 / the samples beyond it: few of
 * them vary more than many would. A mean: 1.3 · spread² / samples. Events: 1 / samples, as of a Poisson
 * process. A share a: (1 - a) / (a · samples).
 */
export function samplingVariance(
  metric: Metric,
  value: number,
  samples: number | undefined,
  spread: number,
): number {
  const { quantile: q, sampling, step } = ruleOf(metric)
  const written = (step * step) / 12 / (value * value)
  if (samples === undefined || samples <= 0) return written
  const few = (beyond: number) => resemblance * (1 + 2 / beyond)
  if (q !== undefined) {
    const density = normalDensity(scoreOf(q))
    const beyond = samples * Math.min(q, 1 - q)
    return written + (few(beyond) * (spread * spread * q * (1 - q))) / (samples * density * density)
  }
  switch (sampling) {
    case 'mean':
      return (few(samples / 2) * (spread * spread)) / samples
    case 'events':
      return 1 / samples
    case 'share':
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

/** The median of the spreads that several runs show. */
export function commonSpread(timers: readonly Timer[], metric: Metric): number {
  if (timers.length === 0) return spreadAt(undefined, metric)
  return Math.max(0.05, median(timers.map((timer) => knownSpread(timer, metric))))
}

/** When a history is searched, a timer is in the baseline of many runs. */
const spreads = new WeakMap<Timer, Map<string, number>>()

function knownSpread(timer: Timer, metric: Metric): number {
  const known = spreads.get(timer) ?? new Map<string, number>()
  spreads.set(timer, known)
  const spread = known.get(metric) ?? spreadAt(timer, metric)
  known.set(metric, spread)
  return spread
}
