import { digamma, ratioTail, trigamma, trigammaInverse } from './distributions.js'
import { mean } from './robust.js'

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
    const told = all
      .filter(({ freedom }) => freedom > 0)
      .map(({ share, freedom }) => ({ share: Math.max(leastTold, Math.min(share, mostTold)), freedom }))
    // The effect of chance alone on each logarithm is known: digamma is its mean, trigamma its variance.
    const logs = told.map(({ share, freedom }) => Math.log((share * freedom) / 2) - digamma(freedom / 2))
    const middle = mean(logs)
    const chance = mean(told.map(({ freedom }) => trigamma(freedom / 2)))
    const degrees = Math.max(0, told.length - 1)
    const measured =
      (mean(logs.map((log) => (log - middle) * (log - middle))) * told.length) / degrees - chance
    const weight = degrees / (chance * chance)
    const spread =
      degrees === 0 ? usualSpread : (usualWeight * usualSpread + weight * measured) / (usualWeight + weight)
    const known = told.reduce((sum, { freedom }) => sum + freedom, 0)
    const varied = told.reduce((sum, { share, freedom }) => sum + share * freedom, 0)
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
