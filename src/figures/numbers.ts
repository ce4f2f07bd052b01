import Big from 'big.js'
import { groupThousands } from '../text/plural.js'
import type { Unit } from './metrics.js'

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
export function median(values: ArrayLike<number>): number {
  const { lower = Number.NaN, upper = Number.NaN } = middleTwo(values)
  return lower === upper ? lower : (lower + upper) / 2
}

/** The same of decimals, exact; undefined for none. */
export function exactMedian(values: readonly number[]): number | undefined {
  const { lower, upper } = middleTwo(values)
  if (lower === undefined || upper === undefined || lower === upper) return lower
  return new Big(lower).plus(upper).times('0.5').toNumber()
}

/** The same one twice, of an odd number. */
function middleTwo(values: ArrayLike<number>): { lower: number | undefined; upper: number | undefined } {
  const { length } = values
  const low = Math.ceil(length / 2) - 1
  const high = Math.floor(length / 2)
  if (length > mostCounted) {
    const moved = new Float64Array(values)
    const lower = ranked(moved, low)
    return { lower, upper: low === high ? lower : ranked(moved, high) }
  }
  const lower = ofRank(values, low)
  return { lower, upper: low === high ? lower : ofRank(values, high) }
}

/** More values are not ranked by comparing each with all others, which needs no copy of them. */
const mostCounted = 16

/** The value that has this rank, counted from 0, once they are sorted; undefined if there is none. */
function ofRank(values: ArrayLike<number>, rank: number): number | undefined {
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

/**
 * The effect of each run on all timers: the median of their distances from their own medians, done twice.
 *
 * @param levels for each timer those of all runs; NaN where a run does not have the timer
 */
export function effectsOf(levels: Float64Array, runs: number): number[] {
  const effects = Array.from({ length: runs }, () => 0)
  const level = (timer: number, run: number) =>
    (levels[timer * runs + run] ?? Number.NaN) - (effects[run] ?? 0)
  const middles = new Float64Array(levels.length / runs)
  const apart = new Float64Array(middles.length)
  const known: number[] = []
  for (let round = 0; round < 2; round++) {
    for (let timer = 0; timer < middles.length; timer++) {
      let count = 0
      for (let run = 0; run < runs; run++) {
        const one = level(timer, run)
        if (!Number.isNaN(one)) known[count++] = one
      }
      if (known.length > count) known.length = count
      middles[timer] = median(known)
    }
    for (const [run, effect] of effects.entries()) {
      let count = 0
      for (let timer = 0; timer < middles.length; timer++) {
        const one = level(timer, run) - (middles[timer] ?? Number.NaN)
        if (!Number.isNaN(one)) apart[count++] = one
      }
      if (count > 0) effects[run] = effect + median(apart.subarray(0, count))
    }
  }
  return effects
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
 * @param beyond square / `medianOfSquares` - known, of each; it is sorted by halves
 */
export function excessVariance(beyond: Float64Array): number {
  return beyond.length === 0 ? 0 : Math.max(0, ranked(beyond, Math.ceil(beyond.length / 2) - 1))
}

/**
 * difference = new - old, relative difference = (new / old - 1) * 100%; 0 to 0 is 0%, and from 0 to another there is none.
 * Exact, as of decimals.
 */
export function differenceOf(
  value: number,
  baseline: number,
): { difference: number; relativeDifference?: number } {
  const now = inMillionths(value)
  const before = inMillionths(baseline)
  if (now === undefined || before === undefined) {
    const apart = new Big(value).minus(baseline)
    const difference = apart.toNumber()
    return baseline === 0
      ? { difference }
      : { difference, relativeDifference: apart.times(100).div(baseline).toNumber() }
  }
  if (now === before) return { difference: 0, relativeDifference: 0 }
  const difference = (now - before) / million
  return before === 0 ? { difference } : { difference, relativeDifference: ((now - before) * 100) / before }
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

/** How a figure is written, everywhere in the same way. */

export const absent = '–'

/** A bare number with its thousands grouped: three significant digits below 1,000, whole above. */
export function plainNumber(value: number, decimals = decimalsOf(value)): string {
  if (!Number.isFinite(value)) return absent
  const magnitude = Math.abs(value)
  if (magnitude >= 1e15) return value.toExponential(2)
  const [whole = '0', fraction = ''] = magnitude.toFixed(decimals).split('.')
  const kept = fraction.replace(/0+$/, '')
  const digits = groupThousands(whole) + (kept === '' ? '' : `.${kept}`)
  return value < 0 && digits !== '0' ? `−${digits}` : digits
}

/** Whether one of the times that stand together is so long that all of them are written in seconds. */
export function areLong(unit: Unit, ...times: (number | undefined)[]): boolean {
  return unit === 'ms' && times.some((time = 0) => Math.abs(time) >= 100_000)
}

/** A figure with its unit; a dash if it is absent. @param beside what it is compared with, in the same unit */
export function quantity(value: number | undefined, unit: Unit, ...beside: (number | undefined)[]): string {
  if (value === undefined || !Number.isFinite(value)) return absent
  if (areLong(unit, value, ...beside)) return quantity(value / 1000, 's')
  // 99.97% is not 100%, nor is 0.
  if (unit === '%' && value < 100 && plainNumber(value) === '100')
    return withUnit(plainNumber(value, decimalsApart(value, 100)), unit)
  return withUnit(plainNumber(value), unit)
}

/**
 * A value and its limit, with as many decimals as they need to differ: no table says that 550 ms is more than 550 ms.
 */
export function valueAndLimit(
  value: number | undefined,
  limit: number | undefined,
  unit: Unit,
  baseline?: number,
): { value: string; limit: string } {
  if (value === undefined || limit === undefined || !Number.isFinite(value) || value === limit)
    return { value: quantity(value, unit, limit, baseline), limit: quantity(limit, unit, value, baseline) }
  if (areLong(unit, value, limit, baseline)) return valueAndLimit(value / 1000, limit / 1000, 's')
  const decimals = decimalsApart(value, limit)
  const shown = (figure: number) =>
    decimals === undefined ? String(figure) : plainNumber(figure, Math.max(decimals, decimalsOf(figure)))
  return { value: withUnit(shown(value), unit), limit: withUnit(shown(limit), unit) }
}

export function withUnit(text: string, unit: Unit): string {
  if (text === absent || unit === 'number') return text
  return unit === '%' ? `${text}%` : `${text} ${unit}`
}

/** As few decimals as keep two numbers apart, and in their order; undefined if it takes more than twelve. */
function decimalsApart(value: number, limit: number): number | undefined {
  for (let decimals = decimalsOf(value); decimals < 12; decimals += 1) {
    const first = Number(value.toFixed(decimals))
    const second = Number(limit.toFixed(Math.max(decimals, decimalsOf(limit))))
    if (first !== second && first < second === value < limit) return decimals
  }
  return undefined
}

/** The number that a reader sees. */
export function asWritten(value: number): number {
  return Number(value.toFixed(decimalsOf(value)))
}

export function decimalsOf(value: number): number {
  const magnitude = Math.abs(value)
  if (magnitude === 0 || !Number.isFinite(value)) return 0
  return Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(magnitude))))
}
