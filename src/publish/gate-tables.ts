import { defined } from '../text/fields.js'
import { gateOutcomes, type GateResult } from '../gates/result.js'
import { differenceText, noiseText, operatorText, quantity, valueAndLimit } from './figure-text.js'
import type { Table } from './table.js'
import { gateWords } from './verdict-words.js'

/** The gates that did not hold: failed, then not measured, then warned, each in the order they were written. */
export function openGates(gates: readonly GateResult[]): GateResult[] {
  return gateOutcomes
    .filter((result) => result !== 'passed')
    .flatMap((result) => gates.filter((gate) => gate.result === result))
}

export function passedGates(gates: readonly GateResult[]): GateResult[] {
  return gates.filter(({ result }) => result === 'passed')
}

/** One row for each gate; without the baseline's columns where no gate has one. */
export function gateTable(title: string, gates: readonly GateResult[]): Table {
  const compared = gates.some(({ baseline }) => baseline !== undefined)
  const columns = [
    { title: 'Gate' },
    { title: 'Value', numeric: true },
    { title: 'Limit', numeric: true },
    ...(compared
      ? [
          { title: 'Baseline', numeric: true },
          { title: 'Difference', numeric: true },
        ]
      : []),
    { title: 'Result' },
  ]
  const rows = gates.map((gate) => {
    const { value, limit } = valueAndLimit(gate.value, gate.limit, gate.unit)
    const { icon, word, tone } = gateWords[gate.result]
    return [
      gateCell(gate),
      { text: value },
      { text: gate.limit === undefined ? limit : `${operatorText(gate.operator)}${limit}` },
      ...(compared
        ? [{ text: quantity(gate.baseline, gate.unit) }, { text: differenceText(gate, gate.unit) }]
        : []),
      { text: word, icon, tone, ...resultDetail(gate) },
    ]
  })
  return { title, columns, rows }
}

/** Why, and how far noise may go. */
function resultDetail(gate: GateResult): { detail?: string } {
  const room = gate.noise && `${noiseText(gate, gate.noise)}.`
  const told = [gate.reason, room && room.charAt(0).toUpperCase() + room.slice(1)]
  return defined({ detail: told.filter((part) => part !== undefined).join(' ') || undefined })
}

// A gate with a pattern in its name gives several results: each says which subject it is of.
function gateCell(gate: GateResult) {
  const subject = gate.gate.includes(gate.subject) ? undefined : gate.subject
  const detail = [gate.name, subject].filter((part) => part !== undefined).join(': ')
  return { text: gate.gate, code: true, ...defined({ detail: detail || undefined }) }
}
