import { defined } from '../../text/fields.js'
import { compareFigure } from '../../comparison/comparison.js'
import { gateKey, resultCount, type GateResult } from '../../gates/result.js'
import {
  counted,
  differenceText,
  matchesText,
  noiseText,
  operatorText,
  withoutTime,
} from '../words/figure-text.js'
import { holds } from '../../language/gate.js'
import { plainNumber, quantity, valueAndLimit } from '../../figures/numbers.js'
import { byGate, byWord, gatesThat, saidOnce, gateWords } from '../words/verdict-words.js'
import { columnsOf, rowsOf, type Cell, type Table } from '../words/table.js'

/**
 * The gates that failed or warned in two tables, the costliest results of each, at most so many, and all others; then
 * those that were not measured or compared. Tables without rows are not shown.
 */
export function openGateTables(gates: readonly GateResult[], most = Infinity): [Table, Table, ...Table[]] {
  const all = saidOnce([...gatesThat(gates, 'failed'), ...gatesThat(gates, 'warned')])
  const ranked = byGate(all).flatMap((results) => results.map((one, rank) => ({ one, rank })))
  const costliest = ranked.sort((a, b) => a.rank - b.rank).slice(0, most)
  const shown = new Set(costliest.map(({ one }) => one))
  const first = all.filter((one) => shown.has(one))
  const others = all.filter((one) => !shown.has(one))
  const counts = byWord(all).map(([word, some]) => `${plainNumber(resultCount(some))} ${word}`)
  return [
    figureTable(`Gates: ${counts.join(', ')}`, first),
    figureTable(`More of these gates: ${plainNumber(resultCount(others))}`, others),
    ...byWord(gatesThat(gates, 'not-measured')).map(([word, open]) => reasonTable(`Gates ${word}`, open)),
    // All have the same reason, which follows the headline.
    figureTable(
      'Gates not compared',
      gatesThat(gates, 'not-compared').map(({ reason: _, ...gate }) => gate),
    ),
  ]
}

/** More rows push what else got slower off the first screens. */
export const mostGates = 6

/** The matches of wildcards that cannot be compared. */
export function leftOutGateTable(gates: readonly GateResult[]): Table {
  const left = gatesThat(gates, 'left-out')
  return reasonTable(counted('Gates left out', resultCount(left)), left)
}

export function passedGateTable(gates: readonly GateResult[]): Table {
  const passed = gatesThat(gates, 'passed')
  return figureTable(counted('Gates passed', resultCount(passed)), passed)
}

/** The costliest gates whose value is beyond the limit, and which did not fail: noise or something else excused them. */
export function excusedGateTable(gates: readonly GateResult[]): Table {
  const all = [...gatesThat(gates, 'passed'), ...gatesThat(gates, 'left-out')].filter(isExcused)
  const shown = all.slice(0, mostGates)
  const of = all.length > shown.length ? `the ${shown.length} costliest of ` : ''
  return figureTable(`Over the limit, but not failed: ${of}${plainNumber(resultCount(all))}`, shown)
}

function isExcused({ result, reason, value, operator, limit, matches }: GateResult): boolean {
  if (matches) return result === 'passed' && reason !== undefined
  if (value === undefined || limit === undefined || operator === undefined) return false
  return result === 'passed' ? reason !== undefined : !holds(value, operator, limit)
}

/** One row for each gate. */
function figureTable(title: string, gates: readonly GateResult[]): Table {
  const figures = gates.some(({ baseline }) => baseline !== undefined) ? 'Before → now' : 'Now'
  return {
    ...{ title, hasLongNames: true },
    columns: columnsOf(['Gate'], [figures]),
    rows: rowsOf(gates, (gate, at) => {
      const { unit, baseline } = gate
      const { value, limit } = valueAndLimit(gate.value, gate.limit, unit, baseline)
      const before = withoutTime(quantity(baseline, unit, gate.value, gate.limit))
      return [
        gateCell(gate, gates[at - 1], noiseText(gate)),
        {
          text: baseline === undefined ? (matchesText(gate) ?? value) : `${before} → ${value}`,
          ...(gate.result === 'failed' ? { tone: 'bad' } : {}),
          ...(gate.limit === undefined ? {} : { detail: `limit ${operatorText(gate.operator)}${limit}` }),
          ...(baseline === undefined
            ? {}
            : { below: differenceText(compareFigure(gate.value, baseline), unit, gate.limit) }),
        },
      ]
    }),
  }
}

/** In one column: beside a reason, a phone breaks a gate into pieces. */
function reasonTable(title: string, gates: readonly GateResult[]): Table {
  return {
    title,
    columns: columnsOf(['Gate and reason']),
    rows: rowsOf(gates, (gate, at) => [gateCell(gate, gates[at - 1])]),
  }
}

/**
 * A gate as it was written; of a gate with a pattern, which has several results, what this one is about, and the gate
 * once, in the first of its rows; a reason where it differs from that above.
 */
function gateCell(gate: GateResult, previous: GateResult | undefined, noise: readonly string[] = []): Cell {
  const isOwn = !gate.isMatch
  const isFirst = !previous || gateKey(previous) !== gateKey(gate)
  const reason = gate.reason === previous?.reason ? '' : gate.reason
  const detail = [isOwn || isFirst ? gate.name : '', ...noise, reason].filter(Boolean).join(' · ')
  const { icon } = gateWords[gate.result]
  return {
    text: isOwn ? gate.gate : [gate.subject, gate.metric].filter(Boolean).join(' '),
    code: isOwn ? 'gate' : true,
    icon,
    ...defined({ gate: isFirst && !isOwn ? gate.gate : undefined, detail: detail || undefined }),
  }
}
