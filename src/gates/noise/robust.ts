/** Estimators that a few odd figures cannot move. */

/** The middle one; of an even number the mean of the middle two. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN
  return (lower + upper) / 2
}

/** The values of a timer in a few runs, or those of all timers: a copy, sorted without a call for each pair. */
export function ascending(values: readonly number[]): ArrayLike<number> {
  if (values.length > 16) return new Float64Array(values).sort()
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
 */
export function excessVariance(deviations: readonly { square: number; known: number }[]): number {
  const beyond = Float64Array.from(deviations, ({ square, known }) => square / medianOfSquares - known).sort()
  return Math.max(0, beyond[Math.ceil(beyond.length / 2) - 1] ?? 0)
}
