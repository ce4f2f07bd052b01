import type { Report, Timer } from '../../report/report.js'
import { isTimerPlace, type Place } from '../place.js'
import { normalDensity, normalQuantile } from './distributions.js'
import { metricRule, ruleOf, type Metric } from '../metrics.js'
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
  if (isTimerPlace(place)) return timer?.count
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
  const near: Near = { at: 2, atTime: 0, below: 0, belowTime: 0, above: 1, aboveTime: 0 }
  for (const name in timer.percentiles) {
    look(near, q, metricRule(name)?.quantile ?? 0, timer.percentiles[name] ?? 0)
  }
  look(near, q, 0.5, timer.median ?? 0)
  const { at, atTime, below, belowTime, above, aboveTime } = near
  if (at > 1) return []
  const slopes: number[] = []
  if (below > 0) slopes.push(Math.log(atTime / belowTime) / (scoreOf(at) - scoreOf(below)))
  if (above < 1) slopes.push(Math.log(atTime / aboveTime) / (scoreOf(at) - scoreOf(above)))
  return slopes
}

/** A quantile of a timer and those next to it, with their times; beyond 0 and 1 = none. */
interface Near {
  at: number
  atTime: number
  below: number
  belowTime: number
  above: number
  aboveTime: number
}

/** Keeps the quantile p with its time if it is q, or nearer to q than those before. */
function look(near: Near, q: number, p: number, time: number): void {
  if (!(time > 0 && p > 0 && p < 1)) return
  if (Math.abs(p - q) < 1e-9) {
    if (p < near.at) [near.at, near.atTime] = [p, time]
  } else if (p < q) {
    if (p >= near.below) [near.below, near.belowTime] = [p, time]
  } else if (p < near.above) [near.above, near.aboveTime] = [p, time]
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
export function samplingVarianceOf(
  metric: Metric,
): (value: number, samples: number | undefined, spread: number) => number {
  const { quantile: q, sampling, step } = ruleOf(metric)
  const density = q === undefined ? 0 : normalDensity(scoreOf(q))
  return (value, samples = Number.NaN, spread) => {
    const written = (step * step) / 12 / (value * value)
    if (!(samples > 0)) return written
    if (q !== undefined) {
      const beyond = samples * Math.min(q, 1 - q)
      return written + (ofFew(beyond) * (spread * spread * q * (1 - q))) / (samples * density * density)
    }
    switch (sampling) {
      case 'mean':
        return (ofFew(samples / 2) * (spread * spread)) / samples
      case 'events':
        return 1 / samples
      case 'share':
        return Math.max(0, 1 - value) / (value * samples)
      default:
        return written
    }
  }
}

/** @param beyond the samples beyond the figure */
function ofFew(beyond: number): number {
  return resemblance * (1 + 2 / beyond)
}

/** A report has few percentiles, each of many timers. */
const scores = new Map<number, number>()

function scoreOf(q: number): number {
  const known = scores.get(q) ?? normalQuantile(q)
  scores.set(q, known)
  return known
}

/**
 * What of a run's own deviation is beyond its mean, as a share of it: a few extreme times, by which chance moves the
 * mean further than the earlier runs show.
 */
export function tailOf(timer: Timer | undefined, metric: Metric): number {
  const { deviation, mean } = timer ?? {}
  if (ruleOf(metric).sampling !== 'mean' || deviation === undefined || !mean) return 0
  return Math.sqrt(Math.max(0, (deviation / mean) ** 2 - 1))
}

/** The median of the spreads that several runs show, for a metric whose samples vary with it. */
export function commonSpread(timers: readonly Timer[], metric: Metric): number {
  const { quantile, sampling } = ruleOf(metric)
  if (timers.length === 0 || (quantile === undefined && sampling !== 'mean')) return usualSpread
  return Math.max(0.05, median(timers.map((timer) => spreadAt(timer, metric))))
}
