import { defined } from '../../text/fields.js'
import { compareFigure } from '../../gates/comparison.js'
import { gateKey, type GateResult } from '../../gates/result.js'
import { counted, differenceText, noiseText, operatorText } from '../words/figure-text.js'
import { holds } from '../../gates/language/gate.js'
import { plainNumber, quantity, valueAndLimit } from '../../figures/numbers.js'
import { byGate, gatesThat, saidOnce } from '../words/gate-lines.js'
import { rowsOf, type Cell, type Table } from '../words/table.js'
import { gateWords } from '../words/verdict-words.js'

/** A table each for the gates that failed or warned, that were not measured, and that were not compared. */
export function openGateTables(gates: readonly GateResult[]): Table[] {
  return [limitTable(gates, beyondLimit(gates)), ...unknownGateTables(gates)]
}

/** The gates that were not measured, and that were not compared. */
export function unknownGateTables(gates: readonly GateResult[]): Table[] {
  return [
    reasonTable('Gates not measured', gatesThat(gates, 'not-measured')),
    uncomparedTable(gatesThat(gates, 'not-compared')),
  ]
}

/** The gates that failed or warned in two tables: the costliest results of each, at most six, and all others. */
export function failedGateTables(gates: readonly GateResult[]): { first: Table; others: Table } {
  const all = beyondLimit(gates)
  const ranked = byGate(all).flatMap((results) => results.map((one, rank) => ({ one, rank })))
  const shown = new Set(
    ranked
      .sort((a, b) => a.rank - b.rank)
      .slice(0, mostShown)
      .map(({ one }) => one),
  )
  const others = all.filter((one) => !shown.has(one))
  const table = limitTable(gates, others)
  return {
    first: limitTable(
      gates,
      all.filter((one) => shown.has(one)),
    ),
    others: { ...table, title: `More of these gates: ${plainNumber(others.length)}` },
  }
}

/** More rows push what to do off the first screen. */
const mostShown = 6

function beyondLimit(gates: readonly GateResult[]): GateResult[] {
  return saidOnce([...gatesThat(gates, 'failed'), ...gatesThat(gates, 'warned')])
}

function limitTable(gates: readonly GateResult[], shown: readonly GateResult[]): Table {
  const [failed, warned] = [gatesThat(gates, 'failed').length, gatesThat(gates, 'warned').length]
  const counts = [
    ...(failed > 0 ? [`${plainNumber(failed)} failed`] : []),
    ...(warned > 0 ? [`${plainNumber(warned)} warned`] : []),
  ]
  return figureTable(`Gates: ${counts.join(', ')}`, shown)
}

/** The matches of wildcards that cannot be compared. */
export function leftOutGateTable(gates: readonly GateResult[]): Table {
  const left = gatesThat(gates, 'left-out')
  return reasonTable(counted('Gates left out', left.length), left)
}

export function passedGateTable(gates: readonly GateResult[]): Table {
  const passed = gatesThat(gates, 'passed')
  return figureTable(counted('Gates passed', passed.length), passed)
}

/** The costliest gates whose value is beyond the limit, and which did not fail: noise or something else excused them. */
export function excusedGateTable(gates: readonly GateResult[]): Table {
  const all = [...gatesThat(gates, 'passed'), ...gatesThat(gates, 'left-out')].filter(isExcused)
  return figureTable(counted('Over the limit, but not failed', all.length), all.slice(0, mostShown))
}

function isExcused({ result, reason, value, operator, limit }: GateResult): boolean {
  if (value === undefined || limit === undefined || operator === undefined) return false
  return result === 'passed' ? reason !== undefined : !holds(value, operator, limit)
}

/** One row for each gate. With two columns a phone shows a gate with a long name and its figures side by side. */
function figureTable(title: string, gates: readonly GateResult[]): Table {
  const compared = gates.some(({ baseline }) => baseline !== undefined)
  return {
    title,
    columns: [{ title: 'Gate' }, { title: compared ? 'Before → now (limit)' : 'Now (limit)', numeric: true }],
    rows: rowsOf(gates, (gate, at) => {
      const { unit, baseline } = gate
      const { value, limit } = valueAndLimit(gate.value, gate.limit, unit)
      return [
        gateCell(
          gate,
          gates[at - 1],
          noise(gate),
          gate.reason === gates[at - 1]?.reason ? undefined : gate.reason,
        ),
        {
          text:
            baseline === undefined
              ? value
              : `${unit === 'ms' ? plainNumber(baseline) : quantity(baseline, unit)} → ${value}`,
          ...defined({
            tone: gate.result === 'failed' ? ('bad' as const) : undefined,
            detail: gate.limit === undefined ? undefined : `${operatorText(gate.operator)}${limit}`,
            below:
              baseline === undefined ? undefined : differenceText(compareFigure(gate.value, baseline), unit),
          }),
        },
      ]
    }),
  }
}

/** What was not measured has no figures, only a reason. */
function reasonTable(title: string, gates: readonly GateResult[]): Table {
  return {
    title,
    columns: [{ title: 'Gate' }, { title: 'Why' }],
    rows: rowsOf(gates, (gate, at) => [
      gateCell(gate, gates[at - 1]),
      { text: gate.reason ?? '–', long: true },
    ]),
  }
}

/** All have the same reason, which follows the headline. */
function uncomparedTable(gates: readonly GateResult[]): Table {
  return {
    title: 'Gates not compared',
    columns: [{ title: 'Gate' }, { title: 'Now', numeric: true }],
    rows: rowsOf(gates, (gate, at) => [
      gateCell(gate, gates[at - 1]),
      { text: quantity(gate.value, gate.unit) },
    ]),
  }
}

/** Where it says more than the limit does. */
function noise(gate: GateResult): string | undefined {
  if (gate.noise === undefined) return undefined
  const { failsBeyond } = gate.noise
  const isLimit =
    failsBeyond !== undefined && quantity(failsBeyond, gate.unit) === quantity(gate.limit, gate.unit)
  return isLimit ? undefined : noiseText(gate, gate.noise)
}

/**
 * A gate as it was written; of a gate with a pattern, which has several results, what this one is about, and the gate
 * once, in the first of its rows.
 */
function gateCell(gate: GateResult, previous: GateResult | undefined, ...more: (string | undefined)[]): Cell {
  const isOwn = !gate.isMatch
  const isFirst = !previous || gateKey(previous) !== gateKey(gate)
  const label = [gate.name, isOwn ? undefined : gate.gate].filter((part) => part !== undefined).join(': ')
  const detail = [isOwn || isFirst ? label : '', ...more].filter(Boolean).join(' · ')
  const { icon } = gateWords[gate.result]
  return {
    text: isOwn ? gate.gate : [gate.subject, gate.metric].filter(Boolean).join(' '),
    code: true,
    icon,
    ...defined({ detail: detail || undefined }),
  }
}
