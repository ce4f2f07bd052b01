import type { GateResult } from '../result.js'

/** What noise says about one figure of a run. */
export interface Finding {
  /** Standard deviation of the figure from one unchanged run to the next, in percent of what is expected. */
  percent: number
  /** Too few earlier runs show it: it is assumed. */
  isAssumed: boolean
  /** Samples in this run, where known. */
  samples?: number
  /** Whether the figure is too far above, or below, what is expected for noise to be a likely cause. */
  isBeyond(above: boolean): boolean
  /** The last value above, or below, that noise excuses; undefined if it excuses all of them. */
  reach(above: boolean): number | undefined
  /** The value that an unchanged run exceeds with this chance, from 1e-12 to 0.5. */
  exceededWith(chance: number): number
  /** Absent for errors, which are counted. */
  variation?: Variation
  /** The earlier runs differ so much that such a figure is a change, but not one that is known to be small enough. */
  unsure?: Unfit
  /** How all timers of the kind changed together, if there are enough of them. */
  readonly run?: RunShift | undefined
}

/** What a figure varies by from one unchanged run to the next: variances of its logarithm. */
export interface Variation {
  /** From run to run, however long they are. */
  steady: number
  /** From the number of samples: half as much in runs twice as long. */
  sampling: number
  /** Degrees of freedom that these are known with. */
  freedom: number
  /** The chance at which the figure counts as a change, if no other timer changed. */
  cut: number
}

/** How much slower (above 0) or faster a whole run is; logarithms. */
export interface RunShift {
  shift: number
  /** The standard deviation of the shift if nothing has changed. */
  deviation: number
  /** Noise alone hardly moves a run further than this. */
  reach: number
  /** By how many timers, of which so many changed by at least half of it. */
  timers: number
  shown: number
}

/** Why a figure cannot be compared, and a sentence with its figures. */
export interface Unfit {
  unfit: NonNullable<GateResult['unfit']>
  reason: string
}

/** The shares of unchanged runs that may have a false alarm. */
export interface FalseShares {
  /** Among the timers of one kind, by one metric: so a timer is judged the same whichever gates name it. */
  timers: number
  /** For a figure that stands alone: a summary row, the load generators. */
  alone: number
  /** For all timers of a run together. */
  run: number
}

/** With fewer earlier runs nothing can be learned from them: noise is assumed. */
export const fewestRuns = 3

/** The shares for one run that is judged. */
export const falseShares: FalseShares = { timers: 0.07, alone: 0.02, run: 0.01 }

/**
 * The highest chance at which a figure counts as a change, after Benjamini and Hochberg (1995): the i-th smallest of m
 * must be at most i / m of the tolerated share of false ones.
 */
export function highestChance(chances: readonly number[], falseShare: number): number {
  const few = chances.filter((chance) => chance <= falseShare).sort((a, b) => a - b)
  const last = few.findLastIndex((chance, index) => chance <= ((index + 1) * falseShare) / chances.length)
  return (Math.max(1, last + 1) * falseShare) / Math.max(1, chances.length)
}
