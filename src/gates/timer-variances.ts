import { digamma, trigamma, trigammaInverse } from './distributions.js'

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
const usualWeight = 40
const leastSpread = 0.02

/**
 * How much timers differ in their noise, and what follows for each: the more the timers differ beyond what chance
 * explains with so few runs, the more a timer's own figures count. Moderated variances after Smyth (2004).
 */
export class TimerVariances {
  /** As many degrees of freedom as the timers' common variance is worth for one of them. */
  private readonly common: number
  /**
   * How much all timers vary on average, as a share of what is expected: with heavy tails, that is more than most of
   * them vary.
   */
  private readonly level: number

  constructor(all: readonly Varied[]) {
    const told = all.filter(({ share, freedom }) => share > 0 && freedom > 0)
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
    this.level = Math.max(1, (usualWeight + varied) / (usualWeight + known))
    this.common = 2 * trigammaInverse(Math.max(leastSpread, spread))
  }

  /** The factor on a timer's expected variance, and the degrees of freedom that it is known with. */
  of({ share, freedom }: Varied): { factor: number; freedom: number } {
    const { common, level } = this
    return { factor: (common * level + freedom * share) / (common + freedom), freedom: common + freedom }
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
