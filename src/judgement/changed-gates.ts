import type { BaselineRuns } from '../baseline/baseline.js'
import type { Gate } from '../gates/language/gate.js'
import { whatBecameOf } from '../gates/result.js'
import { defined } from '../text/fields.js'
import { tryGates, type PastRun } from './trial.js'

/**
 * What gates that are new would have done to the runs of the baseline, as a sentence; none if the latest of them was
 * judged by the same gates, or if that is not known.
 *
 * @param earlier the latest run first; of those of other sources it is not known
 */
export async function changedGatesNotes(
  gates: readonly Gate[],
  { reports, origins }: Pick<BaselineRuns, 'reports' | 'origins'>,
  signal: AbortSignal,
): Promise<string[]> {
  const latest = origins.find((origin) => origin.gates !== undefined)
  if (gates.length === 0 || !latest?.gates || isSame(gates, latest.gates)) return []
  const runs = reports.flatMap((report, index): PastRun[] => {
    const { gates: own, page = '', scorecard, verdict = '' } = origins[index] ?? {}
    return own === undefined ? [] : [{ report, verdict, page, ...defined({ scorecard }) }]
  })
  const options = { baselineRuns: runs.length, slowdowns: [], signal }
  const { verdicts } = await tryGates(gates, runs.reverse(), options)
  return [`The gates differ from the baseline's: with these, ${whatBecameOf(verdicts)}.`]
}

function isSame(gates: readonly Gate[], texts: readonly string[]): boolean {
  const now = new Set(gates.map(({ text }) => text))
  return now.size === texts.length && texts.every((text) => now.has(text))
}
