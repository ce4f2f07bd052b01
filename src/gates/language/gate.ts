import type { TimerKind } from '../../report/report.js'
import type { NamePattern } from '../../text/name-pattern.js'
import type { Metric } from '../metrics.js'
import type { GateResult, Operator } from '../result.js'
import { defined } from '../../text/fields.js'

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

/** What a result says about its gate. */
export function written(gate: Gate): Pick<GateResult, 'gate' | 'name' | 'file' | 'line'> {
  return {
    gate: gate.text,
    ...defined({ name: gate.name, file: gate.file }),
    line: gate.line,
  }
}

/** Where it stands, as the beginning of a sentence. */
export function placeOf({ file, line }: Gate): string {
  return `${file ?? 'gates'}, line ${line}`
}

/** A gate that warns is passed or warned, never failed or not measured, so it cannot change a verdict. */
export function outcomeOf(gate: Gate, held: boolean): GateResult['result'] {
  return held ? 'passed' : gate.warn ? 'warned' : 'failed'
}

export function missingResult(gate: Gate): GateResult['result'] {
  return gate.warn ? 'warned' : 'not-measured'
}

/** Whether the limit of a gate follows the baseline. */
export function compares({ check }: Gate): boolean {
  return check.kind === 'figure' && check.limit.from === 'baseline'
}
