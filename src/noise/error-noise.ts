import { type Baseline, type LineUp, fewestRuns } from './baseline.js'
import { countTail, highestChance, type falseShares } from './distributions.js'
import type { Finding } from './noise.js'
import { ruleOf, type Metric } from '../figures/metrics.js'
import { measured, withoutStatus, type ReportFigures, nameOf, type Place } from '../figures/figures.js'
import { median, medianOfSquares } from '../figures/numbers.js'
import type { Timer, TimerKind } from '../report/report.js'

/** The number of errors to be expected if nothing has changed. */
interface ErrorExpectation {
  mean: number
  /** The variance is mean + mean² · spread. */
  spread: number
  /** Requests, transactions and so on of this run. */
  count: number
}

interface Counted {
  errors: number
  count: number
}

/** How much an error rate varies from run to run where a few runs cannot show it: 20 percent. */
const usualSpread = 0.04
const usualRuns = 4
/** A baseline without errors counts as this many: of n runs without one, the next may have some (Jeffreys). */
const unseen = 0.5
const medianWorth = 0.64
/** Whatever the noise: three errors or more, and a quarter of all answers more than in the baseline, are a change. */
const fewestErrors = 3
const mostExcused = 0.25

/**
 * Errors as a rate: each run's errors are divided by its count. They vary as a Poisson process does, and beyond
 * that from run to run: errors come in bursts. How much is learned from all timers of the kind in the earlier runs.
 */
export class ErrorNoise {
  private readonly run: ReportFigures
  private readonly baseline: Baseline
  private readonly burst: number
  private readonly cuts = new Map<boolean, number>()
  private all: readonly { errors: number; expected: ErrorExpectation }[] | undefined

  constructor(
    lineUp: LineUp,
    private readonly kind: TimerKind,
    private readonly shares: typeof falseShares,
  ) {
    this.run = lineUp.run
    this.baseline = lineUp.baseline
    this.burst = this.baseline.runs.length < fewestRuns ? usualSpread : burstsOf(lineUp)
  }

  /** Undefined if errors or counts are missing on one side. */
  find(place: Place, metric: Metric): Finding | undefined {
    const now = countedAt(this.run, place)
    const expected = now && this.expect(place, now)
    if (!now || !expected) return undefined
    const { mean, spread, count } = expected
    const perError = ruleOf(metric).measure === '%' ? 100 / count : 1
    const isOne = nameOf(place) === undefined
    return {
      percent: 100 * Math.sqrt(1 / mean + spread),
      isAssumed: this.baseline.runs.length < fewestRuns,
      samples: count,
      isBeyond: (above) => isBeyond(now.errors, expected, this.cut(above, isOne), above),
      reach: (above) => {
        const first = firstBeyond(expected, this.cut(above, isOne), above)
        return first === undefined ? undefined : (first + (above ? -1 : 1)) * perError
      },
      exceededWith: (chance) => ((errorsBeyond(chance, expected, true) ?? 1) - 1) * perError,
    }
  }

  private expect(place: Place, now: Counted): ErrorExpectation | undefined {
    const before = this.baseline.runs.flatMap((one) => countedAt(one, place) ?? [])
    const runs = this.baseline.runs.length
    // What the earlier runs did not have failed in none of them.
    if (before.length === 0 && !this.baseline.has(place)) before.push({ errors: 0, count: now.count * runs })
    if (before.length === 0) return undefined
    const rate = median(before.map(({ errors, count }) => errors / count))
    // What the runs would have counted at the middle rate: a single odd run makes no difference.
    const worth = before.length > 2 ? medianWorth : 1
    const exposure = before.reduce((sum, { count }) => sum + count, 0) * worth
    const seen = rate * exposure + unseen
    const spread = 1 / seen + this.burst * (1 + 1 / before.length)
    return { mean: (seen * now.count) / exposure, spread, count: now.count }
  }

  private cut(above: boolean, isOne: boolean): number {
    if (isOne) return this.shares.alone
    const known = this.cuts.get(above)
    if (known !== undefined) return known
    const chances = this.judged().map(({ errors, expected }) => chanceOfErrors(errors, expected, above))
    const cut = highestChance(chances, this.shares.timers)
    this.cuts.set(above, cut)
    return cut
  }

  /** What failed of all that can, beside what is expected; for both cuts. */
  private judged() {
    return (this.all ??= failingPlaces(this.run, this.kind).flatMap((place) => {
      const now = countedAt(this.run, place)
      const expected = now && this.expect(place, now)
      return expected ? [{ errors: now.errors, expected }] : []
    }))
  }
}

/** What can fail on its own: all timers of a kind, and requests whatever status their names end with. */
function failingPlaces(run: ReportFigures, kind: TimerKind): Place[] {
  if (kind !== 'requests') return run.namedPlaces(kind)
  const names = new Set([...run.timers(kind).keys()].map(withoutStatus))
  return [...names].map((name) => ({ kind, name, anyStatus: true }))
}

function isBeyond(errors: number, expected: ErrorExpectation, cut: number, above: boolean): boolean {
  if (above && errors > lastExcused(expected)) return true
  return chanceOfErrors(errors, expected, above) <= cut
}

function firstBeyond(expected: ErrorExpectation, cut: number, above: boolean): number | undefined {
  const first = errorsBeyond(cut, expected, above)
  return above && first !== undefined ? Math.min(first, Math.floor(lastExcused(expected)) + 1) : first
}

function lastExcused({ mean, count }: ErrorExpectation): number {
  return Math.max(fewestErrors - 1, mean + mostExcused * count)
}

/** The probability of this many errors or more, or of this few or fewer, if nothing has changed. */
function chanceOfErrors(errors: number, { mean, spread }: ErrorExpectation, more: boolean): number {
  return more ? countTail(errors, mean, spread) : 1 - countTail(errors + 1, mean, spread)
}

/**
 * The first number of errors, going up or down, whose chance is at most `chance`; undefined if there is none, going
 * down.
 */
function errorsBeyond(chance: number, expected: ErrorExpectation, more: boolean): number | undefined {
  const isRare = (errors: number) => chanceOfErrors(errors, expected, more) <= chance
  if (!more && !isRare(0)) return undefined
  let low = 0
  let high = more ? 1 : Math.ceil(expected.mean) + 1
  while (more && !isRare(high) && high < 1e15) high *= 2
  // On one side of the first they are rare, on the other side not.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isRare(middle) === more) high = middle
    else low = middle
  }
  return more ? high : low
}

function countedAt(figures: ReportFigures, place: Place): Counted | undefined {
  return countedOf(figures.timerAt(place))
}

function countedOf(timer: Timer | undefined): Counted | undefined {
  const errors = timer && measured(timer, 'errors')
  const count = timer && measured(timer, 'count')
  return errors === undefined || !count ? undefined : { errors, count }
}

/**
 * The variance beyond Poisson's, as a share of the mean squared. It comes from the median of the squares, so it is
 * robust.
 */
function burstsOf(lineUp: LineUp): number {
  const squares: number[] = []
  const means: number[] = []
  for (let at = 0; at < lineUp.named; at++) {
    const row: Counted[] = []
    for (let run = 1; run < lineUp.runs.length; run++) {
      const counted = countedOf(lineUp.timerAt(at, run))
      if (counted) row.push(counted)
    }
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
  const runs = lineUp.runs.length - 2
  return (usualRuns * usualSpread + runs * measured) / (usualRuns + runs)
}
