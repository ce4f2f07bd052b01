import Big from 'big.js'
import {
  type TimerKind,
  isPercentile,
  timerKinds,
  type Percentile,
  type Report,
} from '../../report/report.js'
import type { NamePattern } from '../../text/name-pattern.js'
import { type Metric, type Fraction, ruleOf } from '../../figures/metrics.js'

/** One parsed gate. */
export interface Gate {
  /** As it was written, comments and surrounding blanks removed. */
  text: string
  name?: string
  file?: string
  line: number
  /** `warn:` gates warn where others fail. */
  warn: boolean
  check: GateCheck
}

export type GateCheck = { kind: 'scorecard' } | FigureCheck | XPathCheck

export interface FigureCheck {
  kind: 'figure'
  subject: Subject
  metric: Metric
  operator: Operator
  limit: Limit
  /** Only the figures decide, without regard to noise. */
  strict?: true
}

export interface XPathCheck {
  kind: 'xpath'
  expression: string
  operator: Operator
  /** A decimal number, perhaps with a sign. */
  number: string
}

export type Subject =
  /** Without a pattern: the kind's summary row. */
  | { kind: 'timers'; timers: TimerKind; pattern?: NamePattern }
  | { kind: 'web-vitals'; pattern: NamePattern }
  | { kind: 'agents' }

/** A fixed amount, or the baseline's figure with all amounts added to it. */
export type Limit = { from: 'zero'; amount: Amount } | { from: 'baseline'; amounts: Amount[] }

export const amountUnits = ['ms', 's', '%', 'pp', '/s', '/min', '/h'] as const
export type AmountUnit = (typeof amountUnits)[number]

export interface Amount {
  sign: '+' | '-'
  /** A decimal number as it was written, so that nothing is rounded. */
  number: string
  /** `%` after `baseline` is a share of the baseline's figure; `pp` are percentage points. */
  unit?: AmountUnit
}

/** Where it stands, as the beginning of a sentence. */
export function placeOf({ file, line }: Gate): string {
  return `${file ?? 'gates'}, line ${line}`
}

/** Whether the limit of a gate follows the baseline. */
export function compares({ check }: Gate): boolean {
  return check.kind === 'figure' && check.limit.from === 'baseline'
}

/** A mistake in a gate. */
export interface GateFault {
  /** The file with gates, or absent for the input `gates`. */
  file?: string
  /** Both count from 1; columns as editors count them, in UTF-16 units. */
  line: number
  column: number
  /** The mistake. */
  sentence: string
  /** What to do about it. */
  hint?: string
}

/** `gates.yml, line 3, column 12: "p95th" is not a metric. Did you mean p95?` */
export function faultMessage(fault: GateFault): string {
  const where = `${fault.file ?? 'gates'}, line ${fault.line}, column ${fault.column}`
  return `${where}: ${fault.sentence}${fault.hint ? ` ${fault.hint}` : ''}`
}

export const operators = ['<=', '<', '>=', '>', '='] as const
export type Operator = (typeof operators)[number]

export type CheckXPath = (expression: string) => XPathSlip | undefined

export interface XPathSlip {
  /** Index of the place in the expression, from 0; 0 where it is unknown. */
  offset: number
  sentence: string
}

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

/** What no figure is above: percent, an Apdex, a day in milliseconds, and a count that no run reaches. */
function mostOf({ metric }: FigureCheck): number {
  if (metric === 'apdex') return 1
  return { '%': 100, ms: 86_400_000, rate: 1e12, number: 1e12 }[ruleOf(metric).measure]
}

/** What every run does, whatever its figures are: pass the gate, or fail it; undefined if that depends on them. */
export function foregone(check: FigureCheck): 'passed' | 'failed' | undefined {
  const { operator, limit } = check
  const most = mostOf(check)
  const ends = [1e-3, most].flatMap((baseline) => {
    const at = limitOf(limit, baseline)
    if (at === undefined) return []
    if (operator === '=') return [at.lt(0) || at.gt(most) ? 'failed' : 'open']
    const [least, last] = [0, most].map((value) => holds(value, operator, at))
    return [least !== last ? 'open' : least ? 'passed' : 'failed']
  })
  return (['passed', 'failed'] as const).find((one) => ends.every((end) => end === one))
}

/** The percentiles that gates ask for. */
export function askedPercentiles(gates: readonly Gate[]): Percentile[] {
  return gates.flatMap(({ check }) =>
    check.kind === 'figure' && isPercentile(check.metric) ? [check.metric] : [],
  )
}

/** The percentiles that a report has, by their names. */
export function reportPercentiles({ timers }: Report): string[] {
  const some = timerKinds.flatMap((kind) => timers[kind].summary ?? timers[kind].timers[0] ?? [])
  return [...new Set(some.flatMap((timer) => Object.keys(timer.percentiles)))]
}

/** The percentiles that a suite asks for. */
export interface SuitePercentiles {
  /** By their names, such as `p95`. */
  all: readonly string[]
  /** It asks for none, so that these are the engine's own. */
  isUsual: boolean
}

/** Those of a suite that asks for none. */
export const usualPercentiles: SuitePercentiles = { all: ['p50', 'p95', 'p99', 'p99.9'], isUsual: true }

/**
 * What to say about each gate on a percentile that no report will have, without its place.
 *
 * @param known those that earlier reports have, or the suite asks for
 */
export function strangePercentiles(
  gates: readonly Gate[],
  known: readonly string[],
): { gate: Gate; sentence: string }[] {
  const all = [...new Set(known)].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
  return gates.flatMap((gate) => {
    const { check } = gate
    if (check.kind !== 'figure' || !isPercentile(check.metric) || all.includes(check.metric)) return []
    const apart = (one: string) => Math.abs(Number(one.slice(1)) - Number(check.metric.slice(1)))
    const [nearest] = all.toSorted((a, b) => apart(a) - apart(b))
    const has = nearest === undefined ? 'none' : `${all.join(', ')}. Did you mean ${nearest}?`
    const sentence = `The report will have no ${check.metric}, but ${has}${has.endsWith('?') ? '' : '.'} The suite asks for others with com.xceptance.xlt.reportgenerator.runtimePercentiles in config/project.properties.`
    return [{ gate, sentence }]
  })
}
