/** What the report shows for a set of values. */
export interface Spread {
  min: number
  max: number
  mean: number
  /** Standard deviation of the whole set. */
  deviation: number
}

/** A spread of response times in milliseconds with its percentiles. */
export interface TimeStatistics extends Spread {
  count: number
  median: number
  /** p50, p95, p99 and p99.9. */
  percentiles: Record<string, number>
}

export const percentileRanks = { p50: 0.5, p95: 0.95, p99: 0.99, 'p99.9': 0.999 }

/** All zeros for no values, as the engine writes it. */
export function spread(values: readonly number[]): Spread {
  return spreadOf(values, (value) => value)
}

/** The spread of one figure of many objects, computed without a list of its values. */
export function spreadOf<T>(list: readonly T[], figure: (item: T) => number): Spread & { total: number } {
  const first = list[0]
  if (first === undefined) return { min: 0, max: 0, mean: 0, deviation: 0, total: 0 }
  let min = figure(first)
  let max = min
  let total = 0
  for (const item of list) {
    const value = figure(item)
    if (value < min) min = value
    if (value > max) max = value
    total += value
  }
  const mean = total / list.length
  let squares = 0
  for (const item of list) squares += (figure(item) - mean) ** 2
  return { min, max, mean, deviation: Math.sqrt(squares / list.length), total }
}

export function timeStatistics(times: readonly number[]): TimeStatistics {
  const sorted = Float64Array.from(times).sort()
  const percentiles: Record<string, number> = {}
  for (const [name, rank] of Object.entries(percentileRanks))
    percentiles[name] = inTens(quantile(sorted, rank))
  return { count: times.length, ...spread(times), median: percentiles['p50'] ?? 0, percentiles }
}

/** The value at a rank from 0 to 1 of ascending values (nearest rank); 0 for none. */
export function quantile(sorted: ArrayLike<number>, rank: number): number {
  return sorted[Math.max(0, Math.ceil(rank * sorted.length) - 1)] ?? 0
}

/** The engine counts times in classes of 10 ms and names each class after its lower end. */
function inTens(milliseconds: number): number {
  return Math.floor(milliseconds / 10) * 10
}
