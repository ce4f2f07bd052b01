import { gateOutcomes, type GateResult } from '../gates/result.js'
import { groupsBy } from '../text/groups.js'

/**
 * The gates that did not pass: failed, then not measured, then warned, then left out, each in the order they were written. If a gate
 * with a pattern has several results, the one furthest beyond the limit comes first.
 */
export function openGates(gates: readonly GateResult[]): GateResult[] {
  return gateOutcomes
    .filter((result) => result !== 'passed' && result !== 'not-compared')
    .flatMap((result) => gatesThat(gates, result))
}

/** All of them, those that did not pass first. */
export function openFirst(gates: readonly GateResult[]): GateResult[] {
  return [...openGates(gates), ...gatesThat(gates, 'not-compared'), ...gatesThat(gates, 'passed')]
}

/** Those of one outcome, in the same order. */
export function gatesThat(gates: readonly GateResult[], outcome: GateResult['result']): GateResult[] {
  const wanted = gates.filter(({ result }) => result === outcome)
  const byGate = groupsBy(wanted, ({ line, file = '' }) => `${line} ${file}`)
  return [...byGate.values()].flatMap((one) => one.sort((a, b) => beyond(b) - beyond(a)))
}

function beyond({ value, limit }: GateResult): number {
  if (value === undefined || limit === undefined) return 0
  return Math.abs(value - limit) / (Math.abs(limit) || 1)
}
