import { cell, fewestRuns } from './baseline.js'
import { ruleOf, type Metric } from '../figures/metrics.js'
import { digamma, ratioTail, trigamma, trigammaInverse } from './distributions.js'
import { excessVariance, mean, median, medianCost, medianOfSquares, squaresOf } from '../figures/numbers.js'
import { heldIn } from '../text/fields.js'
import type { Rows } from './rows.js'

/** The variances that all timers of a kind have in common, and the degrees of freedom that each is known with. */
export interface CommonNoise {
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
export function noiseOf(
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
