import { nothingYet, withPart, type Outcome, type Part, type Step } from '../src/outcome/outcome.js'

/** An outcome that grows as a step's does. */
export function toldOutcome(step: Step = { actionVersion: '1', mode: 'run', startedAt: '', seconds: 0 }) {
  let outcome: Outcome = nothingYet(step)
  return { tell: (part: Part) => void (outcome = withPart(outcome, part)), told: () => outcome }
}
