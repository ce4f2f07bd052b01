import { cell, lengthRatio, type LineUp, fewestRuns, type Unfit } from './baseline.js'
import type { Place } from '../figures/figures.js'
import { ruleOf, type Metric, type RateUnit } from '../figures/metrics.js'
import { noiseOf, type CommonNoise, TimerVariances, type Varied } from './variances.js'
import { normalQuantile, studentQuantile, studentTail, highestChance } from './distributions.js'
import type { falseShares } from './distributions.js'
import type { Finding } from './noise.js'
import { clippedMean, effectsOf, median, medianCost, squaresOf, weightedMedian } from '../figures/numbers.js'
import { Rows } from './rows.js'
import { heldIn } from '../text/fields.js'

/** With fewer timers the effect of a whole run cannot be distinguished from theirs. */
const fewestTimers = 3
/** Whatever the noise: what is more than three times the baseline, or less than a third of it, is a change. */
const furthest = Math.log(3)
/** A red run alone may be a regression that was mended at once: it says nothing about noise. */
const fewestReds = 2
/** Earlier runs that differ by more than this, ±30 percent, are no baseline. */
const mostApart = Math.log(1.3)

/**
 * The noise of one metric, learned from the earlier runs alone, and from all timers of one kind. log(figure) = the
 * timer's level + the run's effect, shared by all timers + the timer's own effect in a run + sampling error.
 * docs/internals/noise.md has the reasons.
 */
export class NoiseModel {
  readonly isAssumed: boolean
  readonly key: string
  private readonly isHigherBetter: boolean
  private readonly rows: Rows
  /** The places that are judged among each other: those that have a name, and the figure on both sides. */
  private readonly timers: readonly number[]
  /** Effects of the baseline's runs. */
  private readonly effects: readonly number[]
  readonly noise: CommonNoise
  private readonly variances: TimerVariances
  /** What is expected of a figure. Like all columns it is by place, and about logarithms. */
  private readonly centre: Float64Array
  /** The standard deviation of the figure around its centre if nothing has changed. */
  private readonly deviation: Float64Array
  /** The variance without the run's effect, which all timers share. */
  private readonly alone: Float64Array
  /** What of the variance comes from the number of samples. */
  private readonly sampling: Float64Array
  private readonly freedom: Float64Array
  /** The standard deviation of the earlier runs, less what comes from their few samples. */
  private readonly apart: Float64Array
  /** The probability of being as far off by noise alone, to the side where the figure is. */
  private readonly chance: Float64Array
  private shift: Finding['run']
  private readonly cuts = new Map<boolean, number>()
  private readonly quantiles = new Map<string, number>()

  constructor(
    private readonly lineUp: LineUp,
    private readonly shares: typeof falseShares,
    metric: Metric,
    rate: RateUnit,
  ) {
    const rows = new Rows(lineUp, metric, rate)
    const all = lineUp.places.map((_, at) => at).filter((at) => rows.has(at))
    this.rows = rows
    this.timers = all.filter((at) => at < lineUp.named)
    this.isAssumed = rows.runs < fewestRuns
    const effects = this.isAssumed
      ? Array.from({ length: rows.runs }, () => 0)
      : effectsOf(rows.logs.subarray(0, lineUp.named * rows.runs), rows.runs)
    const reds = this.effectsOfReds(effects, metric, rate)
    this.key = `${lineUp.kind} ${metric}`
    this.isHigherBetter = ruleOf(metric).higherIsBetter
    const recalled = lineUp.baseline.origins.flatMap(({ runNoise }) => runNoise?.[this.key] ?? [])
    this.noise = noiseOf(rows, this.timers, { effects, reds, recalled }, metric)
    const centre = clippedMean(effects, median(effects), 2 * Math.sqrt(this.noise.run))
    this.effects = effects.map((effect) => effect - centre)
    // The runs' effects were taken from the timers themselves.
    const left = 1 - 1 / Math.max(1, this.timers.length)
    const varied = all.map((at) => this.varied(at, at < lineUp.named ? left : 1))
    this.variances = new TimerVariances(varied.slice(0, this.timers.length))
    const column = () => new Float64Array(lineUp.places.length)
    this.centre = column()
    this.deviation = column()
    this.alone = column()
    this.sampling = column()
    this.freedom = column()
    this.apart = column()
    this.chance = column()
    // What is nearer than this is as likely as a normal figure beyond it, and more likely than any cut.
    const plain = -normalQuantile(Math.max(shares.timers, shares.alone)) - 1e-6
    all.forEach((at, index) => {
      this.expect(at, varied[index] ?? { share: 1, freedom: 0 })
      const far = Math.abs(this.far(at)) / cell(this.deviation, at)
      this.chance[at] = far < plain ? 0.5 : studentTail(far, cell(this.freedom, at))
    })
  }

  /** Undefined if the figure is missing on one side. */
  find(place: Place): Finding | Unfit | undefined {
    const { rows } = this
    const at = this.lineUp.indexOf(place)
    if (at === undefined || !rows.has(at)) return at === undefined ? undefined : rows.unfit(at)
    const unsure = this.unsure(at)
    if (unsure && !this.isFar(at)) return unsure
    const samples = rows.samples(at)
    const centre = cell(this.centre, at)
    const deviation = cell(this.deviation, at)
    const freedom = cell(this.freedom, at)
    return {
      percent: Math.expm1(deviation) * 100,
      isAssumed: this.isAssumed,
      ...(unsure ? { unsure } : {}),
      ...(samples === undefined ? {} : { samples }),
      run: this.runShift,
      isBeyond: (above) => this.isJudgedBeyond(at, above),
      reach: (above) => {
        const noise = this.quantile(this.cut(above, at), freedom) * deviation
        return Math.exp(centre + (above ? 1 : -1) * Math.min(noise, furthest))
      },
      exceededWith: (chance) => Math.exp(centre + this.quantile(chance, freedom) * deviation),
      variation: {
        steady: deviation * deviation - cell(this.sampling, at),
        sampling: cell(this.sampling, at),
        freedom,
        cut: this.isOne(at) ? this.shares.alone : this.shares.timers / this.timers.length,
      },
    }
  }

  /**
   * Whether the figure is beyond noise; undefined if that cannot be said.
   *
   * @param at the index of a place
   */
  isBeyond(at: number, above: boolean): boolean | undefined {
    if (!this.rows.has(at) || (this.unsure(at) && !this.isFar(at))) return undefined
    return this.isJudgedBeyond(at, above)
  }

  /** Undefined if there are too few timers to tell the run's effect from their own. */
  get runShift(): Finding['run'] {
    if (this.shift) return this.shift
    const { timers } = this
    if (timers.length < fewestTimers) return undefined
    const changes = timers.map((at) => ({ value: this.far(at), weight: 1 / cell(this.alone, at) }))
    const weight = changes.reduce((sum, one) => sum + one.weight, 0)
    const deviation = Math.sqrt(this.runChange(this.effects.length) + medianCost / weight)
    const shift = weightedMedian(changes)
    return (this.shift = {
      shift,
      shown: changes.filter(({ value }) => value * Math.sign(shift) >= Math.abs(shift) / 2).length,
      deviation,
      reach: this.quantile(this.shares.run, this.noise.runFreedom) * deviation,
      timers: timers.length,
    })
  }

  private isJudgedBeyond(at: number, above: boolean): boolean {
    const far = this.far(at) * (above ? 1 : -1)
    return far > furthest || this.chanceOf(at, above) <= this.cut(above, at)
  }

  /** The chance below which a figure is not noise: that of a figure alone, or of one among all timers. */
  private cut(above: boolean, at: number): number {
    if (this.isOne(at)) return this.shares.alone
    return heldIn(this.cuts, above, () => {
      const chances = this.timers.map((timer) => this.chanceOf(timer, above))
      return highestChance(chances, this.shares.timers)
    })
  }

  /** To the other side, noise plainly suffices. */
  private chanceOf(at: number, above: boolean): number {
    return this.far(at) > 0 === above ? cell(this.chance, at) : 0.5
  }

  /** Most timers of a run have the same degrees of freedom. */
  private quantile(chance: number, freedom: number): number {
    return heldIn(this.quantiles, `${chance} ${freedom}`, () => studentQuantile(chance, freedom))
  }

  /** The median, over all timers, of a red run's distance from their levels. */
  private effectsOfReds(effects: readonly number[], metric: Metric, rate: RateUnit): number[] {
    const { rows, timers, lineUp } = this
    const { reds } = lineUp.baseline
    if (reds.length < fewestReds) return []
    const levels = timers.map((at) => ({
      place: lineUp.places[at],
      level: median(rows.levelsOf(at, effects)),
    }))
    return reds.flatMap((red) => {
      const longer = lengthRatio(metric, lineUp.run.report.general.duration, red.report.general.duration)
      const apart = levels.flatMap(({ place, level }) => {
        const figure = place && red.figure(place, metric, rate)
        return figure && 'value' in figure && figure.value > 0
          ? [Math.log(figure.value * longer) - level]
          : []
      })
      return apart.length < fewestTimers ? [] : [median(apart)]
    })
  }

  /** What is expected of a figure, and what it may be instead. */
  private expect(at: number, varied: Varied): void {
    const { own, ownFreedom: known, runFreedom } = this.noise
    const now = cell(this.rows.nowVariance, at)
    const before = cell(this.rows.beforeVariance, at)
    const { factor, freedom } = this.variances.of(varied)
    this.apart[at] = this.apartOf(at, before)
    const levels = this.rows.levelsOf(at, this.effects)
    const deviation = Math.sqrt(factor * (own + before))
    const alone = factor * (own + now + (own + before) / levels.length)
    const run = this.runChange(levels.length)
    // Welch and Satterthwaite: two variances, each known in its own way.
    const ownFreedom = Math.min(freedom, known)
    const together = ((alone + run) * (alone + run)) / (alone ** 2 / ownFreedom + run ** 2 / runFreedom)
    this.centre[at] = clippedMean(levels, median(levels), 2 * deviation)
    this.deviation[at] = Math.sqrt(alone + run)
    this.alone[at] = alone
    this.sampling[at] = factor * (now + before / levels.length)
    this.freedom[at] = Math.max(1, Math.floor(together))
  }

  /** The variance of this run's effect against the middle of some earlier ones. */
  private runChange(runs: number): number {
    return this.noise.run * (1 + 1 / runs)
  }

  /**
   * How much a timer varied in the baseline's runs, beside them as a whole.
   *
   * @param left the share of its degrees of freedom that the runs' effects leave
   */
  private varied(at: number, left: number): Varied {
    const levels = this.rows.levelsOf(at, this.effects)
    const freedom = (levels.length - 1) * left
    if (this.isAssumed || freedom <= 0) return { share: 1, freedom: 0 }
    const expected = this.noise.own + cell(this.rows.beforeVariance, at)
    return { share: squaresOf(levels) / freedom / expected, freedom }
  }

  private apartOf(at: number, known: number): number {
    const logs = this.rows.levelsOf(at, [])
    return logs.length < 2 ? 0 : Math.sqrt(Math.max(0, squaresOf(logs) / (logs.length - 1) - known))
  }

  private far(at: number): number {
    return cell(this.rows.now, at) - cell(this.centre, at)
  }

  /** Worse figures that an earlier run had, too, are no change for sure. */
  private isFar(at: number): boolean {
    const far = this.far(at)
    const isFurther = (level: number) => (cell(this.rows.now, at) - level) * far > 0
    if (Math.abs(far) <= furthest) return false
    return far > 0 === this.isHigherBetter || this.rows.levelsOf(at, []).every(isFurther)
  }

  /** Not one among the timers of its kind. */
  private isOne(at: number): boolean {
    return at >= this.lineUp.named
  }

  private unsure(at: number): Unfit | undefined {
    if (cell(this.apart, at) <= mostApart) return undefined
    const percent = Math.round(Math.expm1(cell(this.apart, at)) * 100)
    return { unfit: 'noisy', reason: `The earlier runs themselves differ by ±${percent}%.` }
  }
}
