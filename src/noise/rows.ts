import { cell, lengthRatio, type LineUp, type Unfit } from './baseline.js'
import { resolutionOf, ruleOf, type Metric, type RateUnit } from '../figures/metrics.js'
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
    this.sampling = new Sampling(metric, resolution, lineUp)
    this.now = new Float64Array(length).fill(Number.NaN)
    this.few = new Float64Array(length).fill(Number.NaN)
    this.nowVariance = new Float64Array(length)
    this.beforeVariance = new Float64Array(length)
    this.logs = new Float64Array(length * this.runs).fill(Number.NaN)
    const { duration } = lineUp.run.report.general
    const ratios = lineUp.runs.map(({ report }) => lengthRatio(metric, duration, report.general.duration))
    const figures = lineUp.figures(metric, rate)
    for (let at = 0; at < length; at++) this.read(at, figures, ratios)
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

  /** @param ratios by run: what makes its figures those of a run as long as the judged one */
  private read(at: number, figures: Float64Array, ratios: readonly number[]): void {
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
      const log = this.logOf(cell(figures, first + run) * (ratios[run] ?? 1))
      const count = cell(counts, first + run)
      if (Number.isNaN(log)) continue
      if (count < needed) most = most > count ? most : Math.max(0, count)
      else {
        this.logs[at * runs + run - 1] = log
        compared.push(first + run)
      }
    }
    if (compared.length === 0) this.few[at] = most
    else {
      this.now[at] = now
      this.vary(at, compared)
    }
  }

  /** What the samples of a place let its figures vary by. @param compared where the columns have its earlier figures */
  private vary(at: number, compared: readonly number[]): void {
    const { counts, sampling } = this
    const first = at * (this.runs + 1)
    const usual = Math.exp(median(this.levelsOf(at, [])))
    const spread = sampling.commonSpread(compared)
    let sum = 0
    for (const earlier of compared) sum += sampling.variance(usual, cell(counts, earlier), spread)
    this.beforeVariance[at] = sum / compared.length
    // Of a summary row, different timers differ.
    const tail = at < this.lineUp.named ? sampling.tail(first) : 0
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
  private readonly density: number
  private readonly isShown: boolean
  private readonly means: Float64Array
  private readonly deviations: Float64Array
  /** The columns of quantiles, the lowest first: percentiles, and after one of the same share the median. */
  private readonly quantiles: readonly Quantile[]

  /** @param resolution in milliseconds, of metrics that are written in the report's steps */
  constructor(metric: Metric, resolution: number, lineUp: LineUp) {
    this.rule = ruleOf(metric)
    this.step = this.rule.step === 'report' ? resolution : this.rule.step
    const { quantile, sampling } = this.rule
    const { metrics } = lineUp
    const column = (one: Metric) => (metrics.length > 0 ? lineUp.figures(one, '/s') : new Float64Array())
    this.density = quantile === undefined ? 0 : normalDensity(normalQuantile(quantile))
    this.isShown = metrics.length > 0 && (quantile !== undefined || sampling === 'mean')
    this.means = column('mean')
    this.deviations = column('deviation')
    this.quantiles = metrics
      .toReversed()
      .map((one) => ({ share: ruleOf(one).quantile ?? 0, times: column(one) }))
      .filter(({ share }) => share > 0 && share < 1)
      .sort((a, b) => a.share - b.share)
      .map((one) => ({ ...one, score: normalQuantile(one.share) }))
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

  /** The median of the spreads that several runs show, for a metric whose samples vary with it. @param all where in the columns */
  commonSpread(all: readonly number[]): number {
    if (!this.isShown) return usualSpread
    return Math.max(0.05, median(all.map((at) => this.spreadOf(at))))
  }

  /**
   * How the times of a timer are spread around the figure: for a quantile the standard deviation that the logarithm of
   * a normally distributed time has in that part, for a mean the deviation as a share of it, or else what the percentiles show of it.
   */
  private spreadOf(at: number): number {
    const { quantile } = this.rule
    const relative = Math.min(widestSpread, this.relative(at))
    const isKnown = !Number.isNaN(relative)
    if (quantile !== undefined) {
      return (
        this.slopeAround(at, quantile) ?? (isKnown ? Math.sqrt(Math.log1p(relative * relative)) : usualSpread)
      )
    }
    if (isKnown) return relative
    const slope = this.slopeAround(at, 0.95) ?? this.slopeAround(at, 0.5)
    return slope === undefined ? usualSpread : Math.min(widestSpread, Math.sqrt(Math.expm1(slope * slope)))
  }

  /**
   * What of a run's own deviation is beyond its mean, as a share of it: a few extreme times, by which chance moves the
   * mean further than the earlier runs show.
   */
  tail(at: number): number {
    const relative = this.rule.sampling === 'mean' ? this.relative(at) : 0
    return relative > 1 ? Math.sqrt(relative ** 2 - 1) : 0
  }

  /** The deviation as a share of the mean; NaN where it is not known. */
  private relative(at: number): number {
    const mean = cell(this.means, at)
    return mean > 0 ? cell(this.deviations, at) / mean : Number.NaN
  }

  /** The slope of log(time) over the normal quantile, from the quantiles next to it on either side. */
  private slopeAround(at: number, share: number): number | undefined {
    let [below, own, above]: (Quantile | undefined)[] = []
    for (const one of this.quantiles) {
      if (!(cell(one.times, at) > 0)) continue
      if (Math.abs(one.share - share) < 1e-9) own ??= one
      else if (one.share < share) below = one
      else above ??= one
    }
    const lower = own && below && slopeBetween(own, below, at)
    const upper = own && above && slopeBetween(own, above, at)
    return lower === undefined || upper === undefined ? (lower ?? upper) : (lower + upper) / 2
  }
}

/** The share of the samples below it, the normal quantile of that share, and the times of all timers. */
interface Quantile {
  share: number
  score: number
  times: Float64Array
}

function slopeBetween(one: Quantile, other: Quantile, at: number): number {
  return Math.log(cell(one.times, at) / cell(other.times, at)) / (one.score - other.score)
}

/** @param beyond the samples beyond the figure */
function ofFew(beyond: number): number {
  return resemblance * (1 + 2 / beyond)
}
