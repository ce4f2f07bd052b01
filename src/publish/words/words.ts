import { gotWorse } from './history-words.js'
import { type VerdictWords } from './verdict-words.js'
import { isGreen, type Leg, type MergeOutcome, type Outcome, type Verdict } from '../../outcome/outcome.js'
import { logLine, oneLine } from '../../text/foreign-text.js'
import { historyWords, unwritten } from './history-words.js'
import { checkWords } from './check-words.js'
import { loadTestWords } from './load-test-words.js'
import { cutShort, otherReasons, type StepWords, verdictWords } from './verdict-words.js'
import { plainNumber } from '../../figures/numbers.js'

/** By kind; a step that ended before it had a result speaks of its load test. */
function wordsOf(outcome: Outcome) {
  switch (outcome.kind) {
    case 'load-test':
      return said(loadTestWords, outcome)
    case 'check':
      return said(outcome.checks ? checkWords : cutShort(), outcome)
    case 'history':
      return said(outcome.history ? historyWords : unwritten, outcome)
    case 'merge':
      return said(outcome.legs ? mergeWords : cutShort('before the outcomes were read'), outcome)
  }
}

function said<T extends Outcome>({ subject, finding, meaning }: StepWords<T>, outcome: T) {
  return { subject, finding: () => finding(outcome), meaning: () => meaning(outcome) }
}

/**
 * The verdict in one line of plain text, at most 140 characters: the headline of comment, summary and digest, and the
 * title of an annotation. `Load test: requests 42% slower (p95 330 → 470 ms)`.
 */
export function headline(outcome: Outcome): string {
  return logLine(`${wordsOf(outcome).subject}${finding(outcome)}`, 140)
}

/** The verdict without what it is about. */
export function finding(outcome: Outcome): string {
  return wordsOf(outcome).finding()
}

/** The text below the headline, in one or a few sentences: what changed, or what the verdict means. */
export function verdictMeaning(outcome: Outcome): string {
  return wordsOf(outcome).meaning()
}

/** The headline of a load test without an outcome yet. */
export const underWay = `${loadTestWords.subject}under way`

/** The reasons that the page does not show already, without what headline and meaning say. */
export function listedReasons(outcome: Outcome): string[] {
  const above = `${headline(outcome)}. ${verdictMeaning(outcome)}`.toLowerCase()
  return otherReasons(outcome).flatMap(({ text }) => (above.includes(text.toLowerCase()) ? [] : [text]))
}

/** About the load tests of a matrix together. */
const mergeWords: StepWords<MergeOutcome> = {
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

/** How the verdict of an outcome looks. A history judges nothing, and is not green while something is worse than before. */
export function wordsFor(outcome: Outcome): VerdictWords {
  const words = verdictWords[outcome.verdict]
  // Whatever became of the other legs, the code has made one fail.
  if (outcome.kind === 'merge' && outcome.legs?.some(({ verdict }) => verdict === 'failed'))
    return verdictWords.failed
  const isWorse = outcome.kind === 'history' && outcome.history !== undefined && gotWorse(outcome.history)
  return isWorse && isGreen(outcome.verdict) ? { ...words, icon: '⚠️', tone: 'caution' } : words
}
