import type { Outcome } from '../../outcome/outcome.js'
import { logLine } from '../../text/foreign-text.js'
import { historyWords, unwritten } from '../history/words.js'
import { checkWords } from './check.js'
import { loadTestWords } from './load-test.js'
import { mergeWords } from './merge.js'
import { cutShort, type StepWords } from './step-words.js'

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
 * The verdict in one line of plain text, at most 250 characters: the headline of comment, summary and digest, and the
 * title of an annotation. `Load test: 2 of 7 gates failed`.
 */
export function headline(outcome: Outcome): string {
  return logLine(`${wordsOf(outcome).subject}${finding(outcome)}`, 250)
}

/** The verdict without what it is about: `2 of 7 gates failed`. */
export function finding(outcome: Outcome): string {
  return wordsOf(outcome).finding()
}

/** The text below the headline, in one or a few sentences: what changed, or what the verdict means. */
export function verdictMeaning(outcome: Outcome): string {
  return wordsOf(outcome).meaning()
}

/** The headline of a load test without an outcome yet. */
export const underWay = `${loadTestWords.subject}under way`
