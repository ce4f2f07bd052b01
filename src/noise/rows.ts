import type { Timer } from '../report/report.js'
import { cell, type LineUp, type Unfit } from './baseline.js'
import { resolutionOf, ruleOf, type Metric, type RateUnit, metricRule } from '../figures/metrics.js'
import { median } from '../figures/numbers.js'
import { normalDensity, normalQuantile } from './distributions.js'

/**
 * The figures of one metric at the places of a line-up, as logarithms, with the variance that each has from its
 * samples. They are columns: some ten thousand timers, and a dozen metrics of each, are too many for objects.
 */
export class Rows {
  /** By place; NaN where the figure is missing on one side, or has too few samples. */
  readonly now: Float64Array
  /** By place, and for each place by earlier run; NaN where the run has no figure, or too few samples of it. */
  readonly logs: Float64Array
  readonly nowVariance: Float64Array
  /** Of one of the earlier runs. */
  readonly beforeVariance: Float64Array
  /** How many earlier runs there are. */
  readonly runs: number
  /** The samples of a figure that has too few; else NaN. */
  private readonly few: Float64Array
  private readonly needed: number
  /** Half a step: what a smaller figure counts as. */
  private readonly least: number
  private readonly counts: Float64Array
  private readonly sampling: Sampling
  private readonly levels: number[] = []

  constructor(
    private readonly lineUp: LineUp,
    private readonly metric: Metric,
    rate: RateUnit,
  ) {
    const { length } = lineUp.places
    this.runs = lineUp.runs.length - 1
    this.needed = ruleOf(metric).samplesNeeded
    const resolution = resolutionOf(metric, lineUp.runs)
    this.least = resolution / 2
    this.counts = lineUp.samples(metric)
    this.sampling = new Sampling(metric, resolution)
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
      const level = cell(this.logs, at * runs + run) - (effects[run] ?? 0)
      if (!Number.isNaN(level)) levels[count++] = level
    }
    if (levels.length > count) levels.length = count
    return levels
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
    const { lineUp, counts, sampling } = this
    const first = at * (this.runs + 1)
    const usual = Math.exp(median(this.levelsOf(at, [])))
    const timers: Timer[] = []
    for (const run of compared) {
      const timer = lineUp.timerAt(at, run)
      if (timer) timers.push(timer)
    }
    const spread = sampling.commonSpread(timers)
    let sum = 0
    for (const run of compared) sum += sampling.variance(usual, cell(counts, first + run), spread)
    this.beforeVariance[at] = sum / compared.length
    // Of a summary row, different timers differ.
    const tail = at < lineUp.named ? sampling.tail(lineUp.timerAt(at, 0)) : 0
    this.nowVariance[at] = sampling.variance(usual, cell(counts, first), Math.hypot(spread, tail))
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

/** The samples of one run resemble each other: n of them tell as much as n / 1.3 of several runs. */
const resemblance = 1.3

/** What a metric varies by because a figure has only so many samples. */
export class Sampling {
  private readonly rule
  private readonly step: number
  private readonly own: Quantile | undefined
  private readonly density: number
  /** By the names of percentiles: a report has few, each of many timers. */
  private readonly quantiles = new Map<string, Quantile>()

  /** @param resolution in milliseconds, of metrics that are written in the report's steps */
  constructor(metric: Metric, resolution: number) {
    this.rule = ruleOf(metric)
    this.step = this.rule.step === 'report' ? resolution : this.rule.step
    const { quantile } = this.rule
    this.own = quantile === undefined ? undefined : quantileAt(quantile)
    this.density = this.own === undefined ? 0 : normalDensity(this.own.score)
  }

  /**
   * The variance of a figure's logarithm that comes from having only this many samples, and from the steps in which
   * the report writes it.
   *
   * A quantile: 1.3 · spread² q (1 - q) / (samples · density(z_q)²), and that times 1 + 2 / the samples beyond it: few
   * of them vary more than many would. A mean: 1.3 · spread² / samples. Events: 1 / samples, as of a Poisson
   * process. A share a: (1 - a) / (a · samples).
   */
  variance(value: number, samples: number | undefined, spread: number): number {
    const { step } = this
    const { quantile: q, sampling } = this.rule
    const written = (step * step) / 12 / (value * value)
    if (samples === undefined || !(samples > 0)) return written
    if (q !== undefined) {
      const beyond = samples * Math.min(q, 1 - q)
      const { density } = this
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

  /** The median of the spreads that several runs show, for a metric whose samples vary with it. */
  commonSpread(timers: readonly Timer[]): number {
    const { quantile, sampling } = this.rule
    if (timers.length === 0 || (quantile === undefined && sampling !== 'mean')) return usualSpread
    return Math.max(0.05, median(timers.map((timer) => this.spreadOf(timer))))
  }

  /**
   * How the times of a timer are spread around the figure: for a quantile the standard deviation that the logarithm of
   * a normally distributed time has in that part, for a mean the deviation as a share of it, or else what the percentiles show of it.
   */
  private spreadOf(timer: Timer): number {
    const { own } = this
    const { deviation, mean } = timer
    const relative =
      deviation !== undefined && mean !== undefined && mean > 0
        ? Math.min(widestSpread, deviation / mean)
        : undefined
    if (own === undefined) {
      if (relative !== undefined) return relative
      const slope = this.slopeAround(timer, p95) ?? this.slopeAround(timer, p50)
      return slope === undefined ? usualSpread : Math.min(widestSpread, Math.sqrt(Math.expm1(slope * slope)))
    }
    return (
      this.slopeAround(timer, own) ??
      (relative === undefined ? usualSpread : Math.sqrt(Math.log1p(relative * relative)))
    )
  }

  /**
   * What of a run's own deviation is beyond its mean, as a share of it: a few extreme times, by which chance moves the
   * mean further than the earlier runs show.
   */
  tail(timer: Timer | undefined): number {
    const { deviation, mean } = timer ?? {}
    if (this.rule.sampling !== 'mean' || deviation === undefined || !mean) return 0
    return Math.sqrt(Math.max(0, (deviation / mean) ** 2 - 1))
  }

  /** The slope of log(time) over the normal quantile, from the percentiles next to it on either side. */
  private slopeAround(timer: Timer, asked: Quantile): number | undefined {
    const near: Near = { atTime: 0, below: none, belowTime: 0, above: all, aboveTime: 0 }
    for (const name in timer.percentiles)
      look(near, asked, this.quantileOf(name), timer.percentiles[name] ?? 0)
    look(near, asked, p50, timer.median ?? 0)
    const { atTime, below, belowTime, above, aboveTime } = near
    if (atTime === 0) return undefined
    const lower = below === none ? undefined : Math.log(atTime / belowTime) / (asked.score - below.score)
    const upper = above === all ? undefined : Math.log(atTime / aboveTime) / (asked.score - above.score)
    return lower === undefined || upper === undefined ? (lower ?? upper) : (lower + upper) / 2
  }

  private quantileOf(percentile: string): Quantile {
    const known = this.quantiles.get(percentile)
    if (known) return known
    const made = quantileAt(metricRule(percentile)?.quantile ?? 0)
    this.quantiles.set(percentile, made)
    return made
  }
}

/** The share of the samples below it, and the normal quantile of that share. */
interface Quantile {
  share: number
  score: number
}

function quantileAt(share: number): Quantile {
  return { share, score: normalQuantile(share) }
}

const p50 = quantileAt(0.5)
const p95 = quantileAt(0.95)
/** Below and above all samples. */
const none = quantileAt(0)
const all = quantileAt(1)

/** A timer's time at a quantile, and those next to it: `none` and `all` where there is no other. */
interface Near {
  atTime: number
  below: Quantile
  belowTime: number
  above: Quantile
  aboveTime: number
}

/** Keeps a quantile with its time if it is the one that is asked for, or nearer to it than those before. */
function look(near: Near, asked: Quantile, one: Quantile, time: number): void {
  const { share } = one
  if (!(time > 0 && share > 0 && share < 1)) return
  if (Math.abs(share - asked.share) < 1e-9) near.atTime ||= time
  else if (share < asked.share) {
    if (share >= near.below.share) [near.below, near.belowTime] = [one, time]
  } else if (share < near.above.share) [near.above, near.aboveTime] = [one, time]
}

/** @param beyond the samples beyond the figure */
function ofFew(beyond: number): number {
  return resemblance * (1 + 2 / beyond)
}
