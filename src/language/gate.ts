import Big from 'big.js'
import { type TimerKind, isPercentile, timerKinds, type Percentile, type Report } from '../report/report.js'
import type { NamePattern } from '../text/name-pattern.js'
import { type Metric, ruleOf } from '../figures/metrics.js'

export interface Gate {
  /** As it was written, comments and surrounding blanks removed. */
  text: string
  name?: string
  file?: string
  line: number
  /** `warn:` gates warn where others fail. */
  warn: boolean
  check:
    | { kind: 'scorecard' }
    | FigureCheck
    /** The number is a decimal one, perhaps with a sign. */
    | { kind: 'xpath'; expression: string; operator: Operator; number: string }
}

export interface FigureCheck {
  kind: 'figure'
  subject: Subject
  metric: Metric
  operator: Operator
  /** A fixed amount, or the baseline's figure with all amounts added to it. */
  limit: { from: 'zero'; amount: Amount } | { from: 'baseline'; amounts: Amount[] }
  /** Only the figures decide, without regard to noise. */
  strict?: true
}

/** Without a pattern: the summary row of a kind of timers, or the load generators, which have no names. */
export interface Subject {
  kind: TimerKind | 'web-vitals' | 'agents'
  pattern?: NamePattern
}

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
export function placeOf({ file, line }: Pick<Gate, 'file' | 'line'>): string {
  return `${file ?? 'gates'}, line ${line}`
}

/** Whether the limit of a gate follows the baseline. */
export function compares({ check }: Gate): boolean {
  return check.kind === 'figure' && check.limit.from === 'baseline'
}

/** A mistake in a line of gates, with its place, and what to do about it. */
export interface Slip {
  /** Counts from 1, as editors count them, in UTF-16 units. */
  column: number
  sentence: string
  hint?: string
}

/** A mistake in the file with gates, or else in the input `gates`; lines count from 1. */
export type GateFault = Slip & { file?: string; line: number }

/** `gates.yml, line 3, column 12: "p95th" is not a metric. Did you mean p95?` */
export function faultMessage(fault: GateFault): string {
  return `${placeOf(fault)}, column ${fault.column}: ${fault.sentence}${fault.hint ? ` ${fault.hint}` : ''}`
}

export const operators = ['<=', '<', '>=', '>', '='] as const
export type Operator = (typeof operators)[number]

/** Undefined if the expression is valid. The offset counts from 0, and is 0 where the place is unknown. */
export type CheckXPath = (expression: string) => { offset: number; sentence: string } | undefined

/**
 * The limit in the metric's own unit (ms for times), exact. Every `%` after `baseline` is that share of the
 * baseline's figure, whatever the metric; percentage points are written `pp`. Undefined without a baseline.
 */
export function limitOf(limit: FigureCheck['limit'], baseline: number | undefined): Big | undefined {
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
  const order = new Big(value).cmp(limit)
  const met = { '<=': order <= 0, '<': order < 0, '>=': order >= 0, '>': order > 0, '=': order === 0 }
  return met[operator]
}

/** An error rate is compared with a limit in percent as a fraction: nothing is rounded. */
export function holdsRate(
  { errors, count }: { errors: number; count: number },
  operator: Operator,
  limit: Big,
): boolean {
  return holds(new Big(errors).times(100), operator, limit.times(count))
}

/** XPath computes in binary fractions, in which 0.1 + 0.2 is a little more than 0.3: 12 digits of them count. */
export function holdsNumber(value: number, operator: Operator, limit: Big): boolean {
  const rounded = (number: number): Big => new Big(number.toPrecision(12))
  return holds(rounded(value), operator, rounded(limit.toNumber()))
}

/** What no figure is above: percent, a day in milliseconds, and a count that no run reaches. */
const mostOf = { '%': 100, ms: 86_400_000, rate: 1e12, number: 1e12 }

/** What every run does, whatever its figures are: pass the gate, or fail it; undefined if that depends on them. */
export function foregone(check: FigureCheck): 'passed' | 'failed' | undefined {
  const { metric, operator, limit } = check
  const most = metric === 'apdex' ? 1 : mostOf[ruleOf(metric).measure]
  const ends = [1e-3, most].flatMap((baseline) => {
    const at = limitOf(limit, baseline)
    if (at === undefined) return []
    if (operator === '=') return [at.lt(0) || at.gt(most) ? 'failed' : 'open']
    const [least, last] = [0, most].map((value) => holds(value, operator, at))
    return [least !== last ? 'open' : least ? 'passed' : 'failed']
  })
  return (['passed', 'failed'] as const).find((one) => ends.every((end) => end === one))
}

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

/** The percentiles that a suite asks for; if it asks for none, these are the engine's own. */
export const usualPercentiles = { all: ['p50', 'p95', 'p99', 'p99.9'], isUsual: true }
export type SuitePercentiles = typeof usualPercentiles

/**
 * What to say about each gate on a percentile that no report will have, without its place.
 *
 * @param known those that earlier reports have, or the suite asks for
 */
export function strangePercentiles(gates: readonly Gate[], known: readonly string[]) {
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
