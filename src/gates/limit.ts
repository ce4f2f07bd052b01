import Big from 'big.js'
import type { Limit } from './language/gate.js'
import type { Fraction } from './metrics.js'
import type { Operator } from './result.js'

/**
 * The limit in the metric's own unit (ms for times), exact. Every `%` after `baseline` is that share of the
 * baseline's figure, whatever the metric; percentage points are written `pp`. Undefined without a baseline.
 */
export function limitOf(limit: Limit, baseline: number | undefined): Big | undefined {
  if (limit.from === 'zero') return inOwnUnit(limit.amount.number, limit.amount.unit)
  if (baseline === undefined) return undefined
  const start = new Big(baseline)
  return limit.amounts.reduce((sum, { sign, number, unit }) => {
    const amount = unit === '%' ? start.times(number).times('0.01') : inOwnUnit(number, unit)
    return sign === '-' ? sum.minus(amount) : sum.plus(amount)
  }, start)
}

function inOwnUnit(number: string, unit: string | undefined): Big {
  return unit === 's' ? new Big(number).times(1000) : new Big(number)
}

/** All comparisons use exact decimals. */
export function holds(value: number | Big, operator: Operator, limit: number | Big): boolean {
  return isOrdered(new Big(value).cmp(limit), operator)
}

/** An error rate is compared with a limit in percent as a fraction: nothing is rounded. */
export function holdsRate({ errors, count }: Fraction, operator: Operator, limit: Big): boolean {
  return isOrdered(new Big(errors).times(100).cmp(limit.times(count)), operator)
}

/** XPath computes in binary fractions, in which 0.1 + 0.2 is a little more than 0.3: 12 digits of them count. */
export function holdsNumber(value: number, operator: Operator, limit: Big): boolean {
  const rounded = (number: number): Big => new Big(number.toPrecision(12))
  return isOrdered(rounded(value).cmp(rounded(limit.toNumber())), operator)
}

function isOrdered(order: number, operator: Operator): boolean {
  switch (operator) {
    case '<=':
      return order <= 0
    case '<':
      return order < 0
    case '>=':
      return order >= 0
    case '>':
      return order > 0
    case '=':
      return order === 0
  }
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
