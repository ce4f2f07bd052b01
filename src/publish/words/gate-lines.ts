import { gateKey, gateOutcomes, type GateResult } from '../../gates/result.js'
import { groupsBy } from '../../text/fields.js'
import { logLine } from '../../text/foreign-text.js'
import { gateFigures } from './figure-text.js'
import { plainNumber } from '../../figures/numbers.js'
import type { Tone } from './table.js'
import { gateWords } from './verdict-words.js'

/** Whether somebody has to look at it: it failed, was not measured, or warned. */
export function isOpen({ result }: GateResult): boolean {
  return result === 'failed' || result === 'not-measured' || result === 'warned'
}

/**
 * All of them: failed, then not measured, then warned, left out, not compared, passed, each in the order they were
 * written. Of the results of one gate with a pattern, the costliest comes first.
 */
export function openFirst(gates: readonly GateResult[]): GateResult[] {
  return gateOutcomes.flatMap((result) => gatesThat(gates, result))
}

/** The gates with one outcome, in the order they were written; of one gate the costliest first. */
export function gatesThat(gates: readonly GateResult[], outcome: GateResult['result']): GateResult[] {
  const wanted = gates.filter(({ result }) => result === outcome)
  return byGate(wanted).flatMap((one) => one.sort((a, b) => cost(b) - cost(a)))
}

/** Without what an earlier one has said of the whole run. */
export function saidOnce(gates: readonly GateResult[]): GateResult[] {
  const said = new Set<string>()
  return gates.map((gate) => {
    const { reason, noise, ...rest } = gate
    if (reason === undefined || !noise?.run) return gate
    if (said.has(reason)) return rest
    said.add(reason)
    return gate
  })
}

export function byGate(gates: readonly GateResult[]): GateResult[][] {
  return [...groupsBy(gates, gateKey).values()]
}

/** What users feel: how far the figure is beyond its limit, as often as it was measured. */
function cost({ value, limit, noise }: GateResult): number {
  if (value === undefined || limit === undefined) return 0
  return Math.abs(value - limit) * (noise?.samples ?? 1)
}

/** A gate and its result, as one line of plain text: its name and text, its subject, value, limit and reason. */
export function gateLine(gate: GateResult): string {
  const subject = gate.isMatch ? ` for ${gate.subject}` : ''
  const reason = gate.reason === undefined ? '' : `. ${gate.reason}`
  const name = gate.name === undefined ? '' : `${gate.name}: `
  return logLine(`${name}${gate.gate}${subject}: ${gateFigures(gate)}${reason}`, 800)
}

/** One line of the job's log. */
export interface ToneLine {
  line: string
  tone?: Tone
}

const mostLines = 200

export function gateLines(gates: readonly GateResult[]): ToneLine[] {
  return bounded(
    openFirst(gates).map((gate) => {
      const { word, tone } = gateWords[gate.result]
      return { line: `${word}: ${gateLine(gate)}`, tone }
    }),
  )
}

/** As many lines as a log is read for. */
export function bounded(lines: ToneLine[]): ToneLine[] {
  if (lines.length <= mostLines) return lines
  const more = `${plainNumber(lines.length - mostLines)} more: the outcome file lists them.`
  return [...lines.slice(0, mostLines), { line: more }]
}
