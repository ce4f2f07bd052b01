import type { Timer } from '../../report/report.js'
import { cell, type LineUp } from './baseline.js'
import {
  isStepped,
  resolution,
  ruleOf,
  type Metric,
  type RateUnit,
  metricRule,
} from '../../figures/metrics.js'
import type { Unfit } from './noise.js'
import { median } from '../../figures/numbers.js'
import { normalDensity, normalQuantile } from './distributions.js'

/** Half a step: what a figure below the report's resolution counts as. */
const smallest = resolution / 2

/**
 * The figures of one metric at the places of a line-up, as logarithms, with the variance that each has from its
 * samples. They are columns: some ten thousand timers, and a dozen metrics of each, are too many for objects.
 */
export class Rows {
  /** By place; NaN where the figure is missing on one side, or has too few samples. */
  readonly now: Float64Array
  /** By place, and for each place by earlier run; NaN where the run has no figure, or too few samples of it. */
  private readonly logs: Float64Array
  readonly nowVariance: Float64Array
  /** Of one of the earlier runs. */
  readonly beforeVariance: Float64Array
  /** How many earlier runs there are. */
  readonly runs: number
  /** The samples of a figure that has too few; else NaN. */
  private readonly few: Float64Array
  private readonly needed: number
  private readonly least: number
  private readonly counts: Float64Array
  private readonly variance: ReturnType<typeof samplingVarianceOf>
  private readonly levels: number[] = []

  constructor(
    private readonly lineUp: LineUp,
    private readonly metric: Metric,
    rate: RateUnit,
  ) {
    const { length } = lineUp.places
    this.runs = lineUp.runs.length - 1
    this.needed = ruleOf(metric).samplesNeeded
    this.least = isStepped(metric) ? smallest : 0
    this.counts = lineUp.samples(metric)
    this.variance = samplingVarianceOf(metric)
    this.now = new Float64Array(length).fill(Number.NaN)
    this.few = new Float64Array(length).fill(Number.NaN)
    this.nowVariance = new Float64Array(length)
    this.beforeVariance = new Float64Array(length)
    this.logs = new Float64Array(length * this.runs).fill(Number.NaN)
    const figures = lineUp.figures(metric, rate)
    for (let at = 0; at < length; at++) this.read(at, figures)
  }

  has(at: number): boolean {
    return !Number.isNaN(cell(this.now, at))
  }

  /** Why a figure that is there on both sides cannot be compared. */
  unfit(at: number): Unfit | undefined {
    const few = cell(this.few, at)
    if (Number.isNaN(few)) return undefined
    const what = few === 1 ? '1 sample' : `${few} samples`
    return {
      unfit: 'few-samples',
      reason: `There are too few samples: ${what}, and ${this.metric} needs ${this.needed}.`,
    }
  }

  /** How often the figure was measured in the judged run, where known. */
  samples(at: number): number | undefined {
    const count = cell(this.counts, at * (this.runs + 1))
    return Number.isNaN(count) ? undefined : count
  }

  /** A place's logarithms without the effects of the runs; good until the next are asked for. */
  levelsOf(at: number, effects: readonly number[]): readonly number[] {
    const { levels, runs } = this
    let count = 0
    for (let run = 0; run < runs; run++) {
      const level = this.levelIn(at, run, effects)
      if (!Number.isNaN(level)) levels[count++] = level
    }
    if (levels.length > count) levels.length = count
    return levels
  }

  /** NaN where the run has no figure. */
  levelIn(at: number, run: number, effects: readonly number[]): number {
    return cell(this.logs, at * this.runs + run) - (effects[run] ?? 0)
  }

  private read(at: number, figures: Float64Array): void {
    const { needed, runs, counts } = this
    const first = at * (runs + 1)
    const now = this.logOf(cell(figures, first))
    if (Number.isNaN(now)) return
    if (cell(counts, first) < needed) {
      this.few[at] = cell(counts, first)
      return
    }
    const compared: number[] = []
    let most = Number.NaN
    for (let run = 1; run <= runs; run++) {
      const log = this.logOf(cell(figures, first + run))
      const count = cell(counts, first + run)
      if (Number.isNaN(log)) continue
      if (count < needed) most = most > count ? most : Math.max(0, count)
      else {
        this.logs[at * runs + run - 1] = log
        compared.push(run)
      }
    }
    if (compared.length === 0) this.few[at] = most
    else {
      this.now[at] = now
      this.vary(at, compared)
    }
  }

  /** What the samples of a place let its figures vary by. */
  private vary(at: number, compared: readonly number[]): void {
    const { lineUp, metric, counts, variance } = this
    const first = at * (this.runs + 1)
    const usual = Math.exp(median(this.levelsOf(at, [])))
    const timers: Timer[] = []
    for (const run of compared) {
      const timer = lineUp.timerAt(at, run)
      if (timer) timers.push(timer)
    }
    const spread = commonSpread(timers, metric)
    let sum = 0
    for (const run of compared) sum += variance(usual, cell(counts, first + run), spread)
    this.beforeVariance[at] = sum / compared.length
    // Of a summary row, different timers differ.
    const tail = at < lineUp.named ? tailOf(lineUp.timerAt(at, 0), metric) : 0
    this.nowVariance[at] = variance(usual, cell(counts, first), Math.hypot(spread, tail))
  }

  private logOf(value: number): number {
    const known = Math.max(value, this.least)
    return known > 0 ? Math.log(known) : Number.NaN
  }
}

/** A spread of times for reports that show none: the logarithm's standard deviation. */
const usualSpread = 0.6

/** A deviation of more than three times the mean comes from a few extreme times, and says nothing about the rest. */
const widestSpread = 3

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
