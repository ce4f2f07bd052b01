import { gateKey, gateOutcomes, type GateResult } from '../../gates/result.js'
import { groupsBy } from '../../text/groups.js'

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

/** The results of each gate, in the order they are given. */
export function byGate(gates: readonly GateResult[]): GateResult[][] {
  return [...groupsBy(gates, gateKey).values()]
}

/** What users feel: how far the figure is beyond its limit, as often as it was measured. */
function cost({ value, limit, noise }: GateResult): number {
  if (value === undefined || limit === undefined) return 0
  return Math.abs(value - limit) * (noise?.samples ?? 1)
}
