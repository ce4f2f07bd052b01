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

/** The middle one; of an even number the mean of the middle two. NaN for none. */
export function median(values: readonly number[]): number {
  const low = Math.ceil(values.length / 2) - 1
  const high = Math.floor(values.length / 2)
  if (values.length <= mostInserted) {
    const sorted = ascending(values)
    return ((sorted[low] ?? Number.NaN) + (sorted[high] ?? Number.NaN)) / 2
  }
  const moved = new Float64Array(values)
  const lower = ranked(moved, low)
  return low === high ? lower : (lower + ranked(moved, high)) / 2
}

/** More values are not sorted by insertion. */
const mostInserted = 16

/** The value that has this rank, counted from 0, once they are sorted. It moves them. Hoare's selection. */
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

/** The values of a timer in a few runs, or those of all timers: a copy, sorted without a call for each pair. */
export function ascending(values: readonly number[]): ArrayLike<number> {
  if (values.length > mostInserted) return new Float64Array(values).sort()
  const sorted = values.slice()
  for (let end = 1; end < sorted.length; end++) {
    const value = sorted[end] ?? 0
    let at = end
    for (; at > 0 && (sorted[at - 1] ?? 0) > value; at--) sorted[at] = sorted[at - 1] ?? 0
    sorted[at] = value
  }
  return sorted
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
  const sum = values.reduce((so, value) => so + Math.max(-reach, Math.min(reach, value - middle)), 0)
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
