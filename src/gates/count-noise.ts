import type { Baseline } from './baseline-figures.js'
import { placeKey, type Place, type ReportFigures } from './figures.js'
import { countTail } from './distributions.js'
import { median } from './robust.js'

/** The number of errors to be expected if nothing has changed. */
export interface ErrorExpectation {
  mean: number
  /** The variance is mean + mean² · spread. */
  spread: number
  /** Requests, transactions and so on of this run. */
  count: number
}

/** How much an error rate varies from run to run where a few runs cannot show it: 20 percent. */
const usualSpread = 0.04
const usualRuns = 4
/** A baseline without errors counts as this many: of n runs without one, the next may have some (Jeffreys). */
const unseen = 0.5
/** The median of a chi-square distribution with one degree of freedom. */
const medianOfSquares = 0.4549
const medianWorth = 0.64

/**
 * Errors as a rate: each run's errors are divided by its count. They vary as a Poisson process does, and beyond
 * that from run to run: errors come in bursts. How much is estimated from all timers of the baseline's runs together.
 */
export class ErrorNoise {
  private readonly burst: number

  constructor(
    private readonly run: ReportFigures,
    private readonly baseline: Baseline,
  ) {
    this.burst = burstsOf(baseline)
  }

  /** Undefined if errors or counts are missing on one side. */
  expect(place: Place): ErrorExpectation | undefined {
    const now = countedAt(this.run, place)
    if (!now) return undefined
    const before = this.baseline.runs.flatMap((one) => countedAt(one, place) ?? [])
    if (before.length === 0) return undefined
    const rate = median(before.map(({ errors, count }) => errors / count))
    // What the runs would have counted at the middle rate: a single odd run makes no difference.
    const counts = before.reduce((sum, { count }) => sum + count, 0)
    const seen = rate * counts * (before.length > 2 ? medianWorth : 1) + unseen
    const exposure = counts * (before.length > 2 ? medianWorth : 1)
    const mean = (seen * now.count) / exposure
    return { mean, spread: 1 / seen + this.burst * (1 + 1 / before.length), count: now.count }
  }
}

/** The probability of this many errors or more, or of this few or fewer, if nothing has changed. */
export function chanceOfErrors(errors: number, { mean, spread }: ErrorExpectation, more: boolean): number {
  return more ? countTail(errors, mean, spread) : 1 - countTail(errors + 1, mean, spread)
}

/**
 * The first number of errors, going up or down, whose chance is at most `chance`; undefined if there is none, going
 * down.
 */
export function errorsBeyond(chance: number, expected: ErrorExpectation, more: boolean): number | undefined {
  if (!more) {
    if (chanceOfErrors(0, expected, false) > chance) return undefined
    let low = 0
    let high = Math.ceil(expected.mean) + 1
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (chanceOfErrors(middle, expected, false) <= chance) low = middle
      else high = middle
    }
    return low
  }
  let low = 0
  let high = 1
  while (chanceOfErrors(high, expected, true) > chance && high < 1e15) high *= 2
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (chanceOfErrors(middle, expected, true) > chance) low = middle
    else high = middle
  }
  return high
}

function countedAt(figures: ReportFigures, place: Place): { errors: number; count: number } | undefined {
  const errors = figures.figure(place, 'errors')
  const count = figures.figure(place, 'count')
  if ('missing' in errors || 'missing' in count || count.value <= 0) return undefined
  return { errors: errors.value, count: count.value }
}

/**
 * The variance beyond Poisson's, as a share of the mean squared. It comes from the median of the squares, so it is
 * robust.
 */
function burstsOf(baseline: Baseline): number {
  const rows = new Map<string, { errors: number; count: number }[]>()
  for (const run of baseline.runs) {
    for (const place of run.namedPlaces()) {
      const counted = countedAt(run, place)
      if (!counted) continue
      const key = placeKey(place)
      rows.set(key, [...(rows.get(key) ?? []), counted])
    }
  }
  const squares: number[] = []
  const means: number[] = []
  for (const row of rows.values()) {
    const rate = median(row.map(({ errors, count }) => errors / count))
    if (row.length < 2 || rate <= 0) continue
    for (const { errors, count } of row) {
      const mean = rate * count
      if (mean < 1) continue
      squares.push((((errors - mean) * (errors - mean)) / mean) * (row.length / (row.length - 1)))
      means.push(mean)
    }
  }
  if (squares.length === 0) return usualSpread
  const measured = Math.max(0, median(squares) / medianOfSquares - 1) / median(means)
  const runs = baseline.runs.length - 1
  return (usualRuns * usualSpread + runs * measured) / (usualRuns + runs)
}
