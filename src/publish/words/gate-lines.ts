import { logLine } from '../../text/foreign-text.js'
import type { GateResult } from '../../gates/result.js'
import { gateFigures } from './figure-text.js'
import { plainNumber } from '../../figures/quantity.js'
import { openFirst } from './gate-order.js'
import type { Tone } from './table.js'
import { gateWords } from './verdict-words.js'

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

/** The outcome file has all of them. */
const mostLines = 200

/** Gates for the job's log. */
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
