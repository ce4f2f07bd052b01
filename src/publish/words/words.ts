import type { Outcome } from '../../outcome/outcome.js'
import { logLine } from '../../text/foreign-text.js'
import { historyWords } from '../history/words.js'
import { checkWords } from './check.js'
import { loadTestWords, type StepWords } from './load-test.js'
import { mergeWords } from './merge.js'

/** By what the outcome has: a step that ended before that speaks of its load test. */
function wordsOf({ legs, checks, history }: Outcome): StepWords {
  if (legs) return mergeWords
  if (checks) return checkWords
  return history ? historyWords : loadTestWords
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
  return wordsOf(outcome).finding(outcome)
}

/** The text below the headline, in one or a few sentences: what changed, or what the verdict means. */
export function verdictMeaning(outcome: Outcome): string {
  return wordsOf(outcome).meaning(outcome)
}

/** The headline of a load test without an outcome yet. */
export const underWay = `${loadTestWords.subject}under way`
