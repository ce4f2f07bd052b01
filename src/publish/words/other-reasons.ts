import { resultSentence, verdictOf } from '../../gates/verdict.js'
import type { Outcome } from '../../outcome/outcome.js'

/** The reasons that the tables of gates and checks do not show already. */
export function otherReasons({ reasons, gates, checks = [] }: Outcome): string[] {
  const told = new Set([
    ...gates.map(resultSentence),
    ...verdictOf(gates).reasons,
    ...checks.map(({ sentence }) => sentence),
  ])
  return reasons.filter((reason) => !told.has(reason))
}
