import { nothingYet, withPart, type Step, type Tell } from '../src/outcome/outcome.js'

/** The outcome of a load test, which grows as a step's does. */
export function toldOutcome(step: Step = { actionVersion: '1', startedAt: '', seconds: 0 }) {
  let outcome = nothingYet('run', step)
  const tell: Tell = (part) => void (outcome = withPart(outcome, part))
  return { tell, told: () => outcome }
}
