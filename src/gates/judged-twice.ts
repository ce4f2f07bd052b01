import { defined } from '../text/fields.js'
import { quantity } from './quantity.js'
import { compares, written, type Gate } from './language/gate.js'
import { placeKey } from './place.js'
import { gateKey, type GateResult, type Unit } from './result.js'

/** Whether a second run can change the verdict: gates have failed, all of them compare, and all else was measured. */
export function mayBeNoise(results: readonly GateResult[], gates: readonly Gate[]): boolean {
  const comparing = new Set(gates.filter(compares).map((gate) => gateKey(written(gate))))
  const isComparing = (result: GateResult) =>
    result.builtIn ? result.baseline !== undefined : comparing.has(gateKey(result))
  const failed = results.filter(({ result }) => result === 'failed')
  return (
    failed.length > 0 && failed.every(isComparing) && !results.some(({ result }) => result === 'not-measured')
  )
}

interface JudgedTwice {
  /**
   * The results of the first run; a gate that failed there fails only if the second run does not show that it passed.
   */
  results: GateResult[]
  /** A sentence for each gate that failed in one of the two runs only. */
  notes: string[]
}

/** @param runs the numbers of the two runs */
export function judgedTwice(
  first: readonly GateResult[],
  second: readonly GateResult[],
  runs: { first: number; second: number },
): JudgedTwice {
  const before = new Map(first.map((one) => [keyOf(one), one]))
  const after = new Map(second.map((one) => [keyOf(one), one]))
  const results = first.map((one) =>
    one.result === 'failed' ? lookedAtAgain(one, after.get(keyOf(one)), runs.second) : one,
  )
  const unconfirmed = results.filter(({ again, result }) => again && result === 'passed')
  const late = second.filter((one) => one.result === 'failed' && before.get(keyOf(one))?.result !== 'failed')
  return {
    results,
    notes: [
      ...unconfirmed.map(
        ({ again, ...one }) =>
          `Not confirmed: ${nameOf(one)} failed in load test ${runs.first}${valueOf(one)}, but passed in load test ${runs.second}${valueOf({ ...one, value: again?.value })}.`,
      ),
      ...late.map(
        (one) =>
          `${nameOf(one)} failed in load test ${runs.second} only${valueOf(one)}; that does not change the verdict.`,
      ),
    ],
  }
}

function lookedAtAgain(failed: GateResult, again: GateResult | undefined, run: number): GateResult {
  // What is built in gives no result where it is met.
  const { result, value, limit } = again ?? { result: failed.builtIn ? 'passed' : 'not-measured' }
  const shown = { again: { result, ...defined({ value, limit }) } }
  const reason = (what: string) => (failed.reason === undefined ? what : `${failed.reason} ${what}`)
  switch (result) {
    case 'failed':
      return { ...failed, ...shown, reason: reason(`Load test ${run} confirms it${valueOf(again)}.`) }
    case 'not-measured':
    case 'left-out':
    case 'not-compared':
      return { ...failed, ...shown, reason: reason(`Load test ${run} did not measure it.`) }
    case 'passed':
    case 'warned':
      return {
        ...failed,
        ...shown,
        result,
        reason: reason(`Load test ${run} does not confirm it${valueOf(again)}.`),
      }
  }
}

/** One gate or, for a wildcard, one of its matches. */
function keyOf(result: GateResult): string {
  return JSON.stringify([gateKey(result), result.place && placeKey(result.place)])
}

function nameOf({ subject, metric }: Pick<GateResult, 'subject' | 'metric'>): string {
  return metric === undefined ? subject : `${subject} ${metric}`
}

/** `, with 432 ms`; nothing without a value. */
function valueOf(one: { value?: number | undefined; unit: Unit } | undefined): string {
  return one?.value === undefined ? '' : `, with ${quantity(one.value, one.unit)}`
}
