import { nothingYet, withPart, type Step, type Tell } from '../src/outcome/outcome.js'
import type { Reason } from '../src/text/reason.js'

/** The outcome of a load test, which grows as a step's does. */
export function toldOutcome(step: Step = { actionVersion: '1', startedAt: '', seconds: 0 }) {
  let outcome = nothingYet('run', step)
  const tell: Tell = (part) => void (outcome = withPart(outcome, part))
  return { tell, told: () => outcome }
}

/** With the sentences of the reasons alone. */
export function worded<T extends { reasons: readonly Reason[] }>({ reasons, ...rest }: T) {
  return { ...rest, reasons: reasons.map(({ text }) => text) }
}

/** The outcome file of a step that read no report. */
export const withoutFigures = JSON.stringify(
  nothingYet('run', { actionVersion: '1.0.0', startedAt: '2026-11-20T08:00:00.000Z', seconds: 1 }),
)
