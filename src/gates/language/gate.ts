import type { TimerKind } from '../../report/report.js'
import type { NamePattern } from '../../text/name-pattern.js'
import type { Metric } from '../../figures/metrics.js'

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

export type GateCheck = ScorecardCheck | FigureCheck | XPathCheck

interface ScorecardCheck {
  kind: 'scorecard'
}

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
