/** Estimators that a few odd figures cannot move. */

/** The middle one; of an even number the mean of the middle two. NaN for none. */
export function median(values: readonly number[]): number {
  // Such an array is sorted by value directly, without a call for each pair.
  const sorted = new Float64Array(values).sort()
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN
  return (lower + upper) / 2
}

/** The median of a chi-square distribution with one degree of freedom: of squares of standard normal figures. */
const medianOfSquares = 0.4549

/** A weighted median that can leave out one of its values at once. */
export class WeightedMedian {
  private readonly order: readonly number[]
  private readonly rank: readonly number[]
  private readonly sums: readonly number[]
  readonly total: number

  constructor(
    private readonly values: readonly number[],
    private readonly weights: readonly number[],
  ) {
    this.order = values.map((_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0))
    const rank: number[] = []
    let sum = 0
    this.sums = this.order.map((index, at) => {
      rank[index] = at
      return (sum += weights[index] ?? 0)
    })
    this.rank = rank
    this.total = sum
  }

  /** Undefined if nothing is left. */
  without(left?: number): number | undefined {
    const at = left === undefined ? this.order.length : (this.rank[left] ?? this.order.length)
    const weight = left === undefined ? 0 : (this.weights[left] ?? 0)
    const half = (this.total - weight) / 2
    const upTo = (place: number): number => (this.sums[place] ?? 0) - (place >= at ? weight : 0)
    let low = 0
    let high = this.order.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (upTo(middle) >= half * (1 - 1e-12)) high = middle
      else low = middle + 1
    }
    if (low === at) low++
    const here = this.valueAt(low)
    if (here === undefined) return undefined
    // Between two values where the weights split evenly.
    if (Math.abs(upTo(low) - half) > half * 1e-9) return here
    const next = this.valueAt(low + 1 === at ? low + 2 : low + 1)
    return next === undefined ? here : (here + next) / 2
  }

  private valueAt(place: number): number | undefined {
    const index = this.order[place]
    return index === undefined ? undefined : this.values[index]
  }
}

/** The mean, with values further than `reach` from the middle pulled in to that distance. */
export function clippedMean(values: readonly number[], middle: number, reach: number): number {
  const sum = values.reduce((so, value) => so + Math.max(-reach, Math.min(reach, value - middle)), 0)
  return middle + sum / values.length
}

/**
 * The variance that differences have beyond the known variance of each: the v for which half of difference² / (2 v +
 * known) lie below the median of squares. At least 0.
 */
export function excessVariance(pairs: readonly { difference: number; known: number }[]): number {
  if (pairs.length === 0) return 0
  const tooSmall = (variance: number): boolean => {
    const beyond = pairs.filter(
      ({ difference, known }) => difference * difference > medianOfSquares * (2 * variance + known),
    )
    return beyond.length * 2 > pairs.length
  }
  let low = 0
  let high = 4
  if (!tooSmall(1e-12)) return 0
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2
    if (tooSmall(middle)) low = middle
    else high = middle
  }
  return high
}
