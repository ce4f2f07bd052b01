import { studentQuantile, studentTail } from '../noise/distributions.js'
import type { Variation } from '../noise/false-alarms.js'

/** A change, and the run that is to show it. */
interface Change {
  /** The factor by which a timer is slower. */
  slower: number
  /** The share that the gate tolerates, such as 0.1. */
  tolerance: number
  /** How many times as long the runs are, and so how many times as many samples they have. */
  longer?: number
}

/**
 * The chance, from 0 to 1, that a gate that compares finds a timer slower: that its figure is beyond the limit, and
 * beyond what noise explains. Student's t around the true change stands for the noncentral one.
 */
export function chanceToFind(
  { steady, sampling, freedom, cut }: Variation,
  { slower, tolerance, longer = 1 }: Change,
): number {
  const deviation = Math.sqrt(steady + sampling / longer)
  const needed = Math.max(studentQuantile(cut, freedom) * deviation, Math.log1p(tolerance))
  return studentTail((needed - Math.log(slower)) / deviation, freedom)
}

/** Nobody runs a load test for longer than this many times its length to see more. */
const mostLonger = 50

/** How many times as long runs have to be for noise to leave that chance to a change; undefined if no length does. */
export function lengthFor(variation: Variation, slower: number, chance: number): number | undefined {
  for (let longer = 1; longer <= mostLonger; longer++) {
    if (chanceToFind(variation, { slower, tolerance: 0, longer }) >= chance) return longer
  }
  return undefined
}
