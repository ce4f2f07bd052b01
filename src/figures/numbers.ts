import Big from 'big.js'

/** Estimators that a few odd figures cannot move, and the mean. */

export function mean(values: readonly number[]): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/** The squares of the distances from the mean. */
export function squaresOf(values: readonly number[]): number {
  const middle = mean(values)
  let sum = 0
  for (const value of values) sum += (value - middle) * (value - middle)
  return sum
}

/** The precision of a median as a share of that of the mean. */
export const medianCost = Math.PI / 2

/** The middle one; of an even number the mean of the middle two. NaN for none. */
export function median(values: readonly number[]): number {
  const { length } = values
  if (length > mostCounted) return medianOfMany(new Float64Array(values))
  const lower = ofRank(values, Math.ceil(length / 2) - 1) ?? Number.NaN
  return length % 2 === 1 ? lower : (lower + (ofRank(values, length / 2) ?? Number.NaN)) / 2
}

/** That of a column, which it moves. */
export function medianOfMany(values: Float64Array): number {
  const low = Math.ceil(values.length / 2) - 1
  const high = Math.floor(values.length / 2)
  const lower = ranked(values, low)
  return low === high ? lower : (lower + ranked(values, high)) / 2
}

/** More values are not ranked by comparing each with all others, which needs no copy of them. */
const mostCounted = 16

/** The value that has this rank, counted from 0, once they are sorted; undefined if there is none. */
export function ofRank(values: readonly number[], rank: number): number | undefined {
  if (values.length > mostCounted) return new Float64Array(values).sort()[rank]
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0
    let below = 0
    for (let other = 0; other < values.length; other++) {
      const one = values[other] ?? 0
      if (one < value || (one === value && other < at)) below++
    }
    if (below === rank) return value
  }
  return undefined
}

/** The same of many, which it moves. Hoare's selection. */
function ranked(values: Float64Array, rank: number): number {
  const at = (index: number) => values[index] ?? Number.NaN
  let low = 0
  let high = values.length - 1
  while (low < high) {
    const pivot = at(rank)
    let [up, down] = [low, high]
    while (up <= down) {
      while (at(up) < pivot) up++
      while (at(down) > pivot) down--
      if (up > down) break
      const moved = at(up)
      values[up++] = at(down)
      values[down--] = moved
    }
    if (down < rank) low = up
    if (up > rank) high = down
  }
  return at(rank)
}

/** The median of a chi-square distribution with one degree of freedom: of squares of standard normal figures. */
export const medianOfSquares = 0.4549

/** The value below which half of the weight lies; between two values where it splits evenly. NaN for none. */
export function weightedMedian(values: readonly { value: number; weight: number }[]): number {
  const sorted = [...values].sort((a, b) => a.value - b.value)
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2
  let sum = 0
  for (const [at, { value, weight }] of sorted.entries()) {
    sum += weight
    if (Math.abs(sum - half) <= half * 1e-9) return (value + (sorted[at + 1]?.value ?? value)) / 2
    if (sum > half) return value
  }
  return Number.NaN
}

/** The mean, with values further than `reach` from the middle pulled in to that distance. */
export function clippedMean(values: readonly number[], middle: number, reach: number): number {
  let sum = 0
  for (const value of values) sum += Math.max(-reach, Math.min(reach, value - middle))
  return middle + sum / values.length
}

/**
 * The variance that deviations have beyond the known variance of each: the v for which half of the squares lie below
 * the median of squares of a normal figure with the variance v + known. At least 0.
 *
 * @param known variances, in the order of the squares
 */
export function excessVariance(squares: readonly number[], known: readonly number[]): number {
  if (squares.length === 0) return 0
  const beyond = new Float64Array(squares.length)
  for (let at = 0; at < beyond.length; at++) {
    beyond[at] = (squares[at] ?? 0) / medianOfSquares - (known[at] ?? 0)
  }
  return Math.max(0, ranked(beyond, Math.ceil(beyond.length / 2) - 1))
}

export interface Difference {
  difference: number
  /** Percent; absent if the baseline is 0 and the value is not: it would be infinite. */
  relativeDifference?: number
}

/** difference = new - old, relative difference = (new / old - 1) * 100%; 0 to 0 is 0%. Exact, as of decimals. */
export function differenceOf(value: number, baseline: number): Difference {
  const now = inMillionths(value)
  const before = inMillionths(baseline)
  if (now === undefined || before === undefined) return differenceOfAny(value, baseline)
  if (now === before) return { difference: 0, relativeDifference: 0 }
  const difference = (now - before) / million
  return before === 0 ? { difference } : { difference, relativeDifference: ((now - before) * 100) / before }
}

function differenceOfAny(value: number, baseline: number): Difference {
  const difference = new Big(value).minus(baseline)
  if (baseline === 0) return { difference: difference.toNumber() }
  return {
    difference: difference.toNumber(),
    relativeDifference: difference.times(100).div(baseline).toNumber(),
  }
}

const million = 1e6
/** Even a hundred times this is a whole number without rounding. */
const mostMillionths = 9e13

/**
 * A decimal of up to six places as a whole number, which is exact: a comparison has some hundred thousand figures, and
 * decimals of any length take fifteen times as long. Undefined for others.
 */
function inMillionths(value: number): number | undefined {
  const whole = Math.round(value * million)
  return Math.abs(whole) <= mostMillionths && whole / million === value ? whole : undefined
}

/** The middle one; of an even number the mean of the middle two, as of decimals. Undefined for none. */
export function exactMedian(values: readonly number[]): number | undefined {
  const lower = ofRank(values, Math.ceil(values.length / 2) - 1)
  const upper = values.length % 2 === 1 ? lower : ofRank(values, values.length / 2)
  if (lower === undefined || upper === undefined || lower === upper) return lower
  return new Big(lower).plus(upper).times('0.5').toNumber()
}
