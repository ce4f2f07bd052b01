import { resultSentence, verdictOf } from '../../gates/verdict.js'
import type { Outcome } from '../../outcome/outcome.js'

/** The reasons that the tables of gates and checks do not show already. */
export function otherReasons(outcome: Outcome): string[] {
  const told = new Set(inTables(outcome))
  return outcome.reasons.filter((reason) => !told.has(reason))
}

function inTables(outcome: Outcome): string[] {
  if (outcome.kind === 'check') return (outcome.checks ?? []).map(({ sentence }) => sentence)
  if (outcome.kind !== 'load-test') return []
  return [...outcome.gates.map(resultSentence), ...verdictOf(outcome.gates).reasons]
}
