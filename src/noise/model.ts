import { cell, lengthRatio, type LineUp, fewestRuns, type Unfit } from './baseline.js'
import type { Place } from '../figures/figures.js'
import { ruleOf, type Metric, type RateUnit } from '../figures/metrics.js'
import { clippedMean, effectsOf, excessVariance, mean, median, medianCost } from '../figures/numbers.js'
import { medianOfSquares, squaresOf, weightedMedian } from '../figures/numbers.js'
import { digamma, ratioTail, trigamma, trigammaInverse, normalQuantile } from './distributions.js'
import { highestChance, studentQuantile, studentTail, type falseShares } from './distributions.js'
import type { Finding } from './noise.js'
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

/** The variances that all timers of a kind have in common, and the degrees of freedom that each is known with. */
interface CommonNoise {
  /** Of a timer's own effect. */
  own: number
  ownFreedom: number
  /** Of the effect of a whole run. */
  run: number
  runFreedom: number
}

/** The assumed noise is known as if it had been measured with this many degrees of freedom. */
const usualFreedom = 25
/** From three runs on, the assumed noise counts like this many runs, and like this many timers, beside what they show. */
const usualRuns = 2
const usualTimers = 4
/** What each run knew of how much runs differ counts like this many runs. */
const recalledRuns = 7
/** Green runs are those that differ least: each that recalls a variance makes it larger by this. */
const selected = 1.08
/** The precision of a median of squares as a share of that of their mean. */
const squaresWorth = 0.37
/** A run's effect beyond this is not noise but an odd run. */
const widestRun = Math.log(1.2)

/**
 * @param shown the effects of the runs, as `effectsOf` has them, those of red runs, and how much whole runs differed for
 *   each of the runs, in percent, where it says so
 */
function noiseOf(
  rows: Rows,
  timers: readonly number[],
  { effects, reds, recalled }: Record<'effects' | 'reds' | 'recalled', readonly number[]>,
  metric: Metric,
): CommonNoise {
  const { usualNoise: usual, freedom = Infinity } = ruleOf(metric)
  const { runs } = rows
  if (runs < fewestRuns) {
    const assumed = { ownFreedom: Math.min(usualFreedom, freedom), runFreedom: usualFreedom }
    return { own: pulled(usual.own, usualTimers, 0, 0), run: usual.run * usual.run, ...assumed }
  }
  const { variance, worth } = measuredOwn(rows, timers, effects)
  const own = pulled(usual.own, usualTimers, variance, worth)
  const all = [...effects, ...reds]
  const runFreedom = usualRuns + all.length - 1
  const now = pulled(usual.run, usualRuns, measuredRun(rows, timers, all, own), all.length - 1)
  // An outcome may say anything: no more than runs can show.
  const deviations = recalled.map((percent) => Math.min(Math.log1p(percent / 100), widestRun))
  const before = selected * deviations.reduce((sum, deviation) => sum + deviation ** 2, 0)
  // What was known before says how much, but not how surely: it rests on some of the same runs.
  const run = (runFreedom * now + recalledRuns * before) / (runFreedom + recalledRuns * recalled.length)
  return { own, ownFreedom: Math.min(usualTimers + worth, freedom), run, runFreedom }
}

/** A measured variance pulled towards an assumed one, each with its weight. */
function pulled(deviation: number, weight: number, measured: number, worth: number): number {
  return (weight * deviation * deviation + worth * measured) / (weight + worth)
}

/** The variance of a timer's own effect, from how far its figures are from its level. */
function measuredOwn(rows: Rows, timers: readonly number[], effects: readonly number[]) {
  const beyond = new Float64Array(timers.length * effects.length)
  let count = 0
  for (const at of timers) {
    const levels = rows.levelsOf(at, effects)
    if (levels.length < 2) continue
    const middle = mean(levels)
    const told = levels.length / (levels.length - 1)
    const known = cell(rows.beforeVariance, at)
    for (const level of levels) {
      beyond[count++] = ((level - middle) * (level - middle) * told) / medianOfSquares - known
    }
  }
  const worth = Math.max(0, timers.length - 1) * (effects.length - 1) * squaresWorth
  return { variance: excessVariance(beyond.subarray(0, count)), worth }
}

/** The variance of the effects of whole runs, less what comes from the timers' own noise. */
function measuredRun(rows: Rows, timers: readonly number[], effects: readonly number[], own: number): number {
  if (timers.length === 0) return 0
  const middle = median(effects)
  const clipped = effects.map((effect) => Math.max(-widestRun, Math.min(widestRun, effect - middle)))
  const known = own + mean(timers.map((at) => cell(rows.beforeVariance, at)))
  const told = (known * (timers.length === 1 ? 1 : medianCost)) / timers.length
  return Math.max(0, squaresOf(clipped) / (effects.length - 1) - told)
}

/**
 * How much a timer varied over some runs: as a share of what is expected of it, known with this many degrees of
 * freedom.
 */
export interface Varied {
  share: number
  freedom: number
}

/** The variance of the logarithms of typical timers' variances: they differ by a third. */
const usualSpread = 0.1
/** The assumed noise counts like this many measured degrees of freedom. */
const usualWeight = 10
const leastSpread = 0.02
const leastLevel = 0.8
/** A timer that varied more than this, or less, says little about the others. */
const mostTold = 4
const leastTold = 0.05
/** Of 100 timers, chance makes one as noisy as this: from there on it has its own noise. */
const ownNoise = 0.01

/**
 * How much timers differ in their noise, and what follows for each: the more the timers differ beyond what chance
 * explains with so few runs, the more a timer's own figures count. Moderated variances after Smyth (2004), and robust
 * against a few far noisier timers after Phipson et al. (2016).
 */
export class TimerVariances {
  /** As many degrees of freedom as the timers' common variance is worth for one of them. */
  private readonly common: number
  /**
   * How much all timers vary on average, as a share of what is expected: with heavy tails that is more than most of
   * them vary, and less if samples vary less than independent ones would.
   */
  private readonly level: number
  /** By degrees of freedom, the highest ratio found that chance explains: most are below. */
  private readonly usual = new Map<number, number>()

  constructor(all: readonly Varied[]) {
    const told = all.filter(({ freedom }) => freedom > 0)
    let [known, varied, chances] = [0, 0, 0]
    // The effect of chance alone on each logarithm is known: digamma is its mean, trigamma its variance.
    const effects = new Map<number, { mean: number; variance: number }>()
    const logs = told.map(({ share, freedom }) => {
      const half = freedom / 2
      const effect = heldIn(effects, half, () => ({ mean: digamma(half), variance: trigamma(half) }))
      const worth = Math.max(leastTold, Math.min(share, mostTold)) * freedom
      known += freedom
      varied += worth
      chances += effect.variance
      return Math.log(worth / 2) - effect.mean
    })
    const middle = mean(logs)
    const chance = chances / told.length
    const degrees = Math.max(0, told.length - 1)
    const measured =
      (mean(logs.map((log) => (log - middle) * (log - middle))) * told.length) / degrees - chance
    const weight = degrees / (chance * chance)
    const spread =
      degrees === 0 ? usualSpread : (usualWeight * usualSpread + weight * measured) / (usualWeight + weight)
    this.level = Math.max(leastLevel, (usualWeight + varied) / (usualWeight + known))
    this.common = 2 * trigammaInverse(Math.max(leastSpread, spread))
  }

  /** The factor on a timer's expected variance, and the degrees of freedom that it is known with. */
  of({ share, freedom }: Varied): { factor: number; freedom: number } {
    const { level } = this
    const common = this.common * (freedom > 0 ? this.alike(share / level, freedom) : 1)
    return { factor: (common * level + freedom * share) / (common + freedom), freedom: common + freedom }
  }

  /** 1 for a timer whose noise may be that of the others, 0 for one whose noise is its own. */
  private alike(ratio: number, freedom: number): number {
    if (ratio <= (this.usual.get(freedom) ?? 0)) return 1
    const chance = ratioTail(ratio, freedom, this.common)
    if (chance >= ownNoise) this.usual.set(freedom, ratio)
    return Math.min(1, chance / ownNoise)
  }
}
