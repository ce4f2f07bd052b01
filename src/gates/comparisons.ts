import { wholeSubject, type FigureGate } from './figure-gates.js'
import { compares, missingResult, written } from './language/gate.js'
import { ruleOf } from './metrics.js'
import type { Unfit } from './noise/false-alarms.js'
import type { GateResult } from './result.js'

/** What decides about the gates that compare, beside the figures. */
interface Circumstances {
  /** Why the run is not the one that was planned. */
  fault?: Pick<Unfit, 'reason'> | undefined
  /** Why its load generator may be the slow one. */
  busy?: Unfit | undefined
  /** Why there is nothing to compare with, where nobody is to blame for that. */
  first?: Unfit | undefined
}

/**
 * The results of a gate as they count. In a first run there is nothing to compare with. If the run itself or its load
 * generator is in doubt, a comparison that fails says nothing about the product: it is not measured. With `strict`,
 * only the figures decide.
 */
export function asTheyCount(
  gate: FigureGate,
  results: readonly GateResult[],
  { fault, busy, first }: Circumstances,
): readonly GateResult[] {
  if (!compares(gate)) return results
  if (first !== undefined) return inFirstRun(gate, results, first)
  const { metric, strict } = gate.check
  const { about } = ruleOf(metric)
  // A busy load generator shows in its own CPU use, and does not make a product answer with errors.
  const doubt = fault ?? (about === 'machines' || about === 'errors' ? undefined : busy)
  if (doubt === undefined || strict) return results
  return results.map((one) => (isFailure(one) ? { ...one, result: missingResult(gate), ...doubt } : one))
}

/** One result for all names that the gate is about. What the run itself did not measure stays so. */
function inFirstRun(gate: FigureGate, results: readonly GateResult[], first: Unfit): GateResult[] {
  const [one, ...others] = results.filter(({ value }) => value !== undefined)
  const missing = results.filter(({ value }) => value === undefined)
  if (!one) return missing
  const { subject, metric, operator } = gate.check
  const of = { ...wholeSubject(subject), metric, unit: one.unit, operator }
  return [
    { ...(others.length === 0 ? one : { ...written(gate), ...of }), result: 'not-compared', ...first },
    ...missing,
  ]
}

/** A gate that only warns can fail, too. */
function isFailure({ result, value, limit }: GateResult): boolean {
  return result === 'failed' || (result === 'warned' && value !== undefined && limit !== undefined)
}
