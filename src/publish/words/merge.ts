import { plainNumber } from '../../figures/quantity.js'
import { isGreen, type Leg, type MergeOutcome, type Verdict } from '../../outcome/outcome.js'
import { oneLine } from '../../text/foreign-text.js'
import type { StepWords } from './step-words.js'
import { verdictWords } from './verdict-words.js'

/** About the load tests of a matrix together. */
export const mergeWords: StepWords<MergeOutcome> = {
  subject: 'Load tests: ',
  finding: ({ legs = [] }) => merged(legs),
  meaning: ({ verdict }) =>
    meanings[verdict] ?? 'The worst verdict of the load tests counts for all of them.',
}

const meanings: Partial<Record<Verdict, string>> = {
  passed: 'Every load test of this workflow run passed.',
  accepted: 'Every load test of this workflow run passed or was accepted.',
}

/** `2 of 5 did not pass: checkout (failed), login (error)` */
function merged(legs: readonly Leg[]): string {
  const red = legs.filter(({ verdict }) => !isGreen(verdict))
  const accepted = legs.filter(({ verdict }) => verdict === 'accepted').length
  if (red.length === 0) {
    const all = legs.length === 1 ? 'the only one passed' : `all ${plainNumber(legs.length)} passed`
    return accepted === 0 ? all : `${all}, ${accepted} of them accepted`
  }
  const of = `${plainNumber(red.length)} of ${plainNumber(legs.length)}`
  const name = (leg: Leg) => oneLine(leg.name, 40)
  if (red.every(({ verdict }) => verdict === 'failed')) return `${of} failed: ${red.map(name).join(', ')}`
  const words = red.map((leg) => `${name(leg)} (${verdictWords[leg.verdict].word.toLowerCase()})`)
  return `${of} did not pass: ${words.join(', ')}`
}
