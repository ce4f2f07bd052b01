import { isGreen, type Outcome, type Verdict } from '../../outcome/outcome.js'
import type { GateOutcome } from '../../gates/result.js'
import { gotWorse } from '../history/words.js'
import type { Tone } from './table.js'

/** How a verdict looks, and what it means. */
interface VerdictWords {
  icon: string
  word: string
  tone: Tone
}

export const verdictWords: Record<Verdict, VerdictWords> = {
  passed: { icon: '✅', word: 'Passed', tone: 'good' },
  failed: { icon: '❌', word: 'Failed', tone: 'bad' },
  accepted: { icon: '☑️', word: 'Accepted', tone: 'good' },
  invalid: { icon: '⚠️', word: 'Invalid', tone: 'bad' },
  'load-test-failed': { icon: '❌', word: 'Load test failed', tone: 'bad' },
  'timed-out': { icon: '⏱️', word: 'Timed out', tone: 'bad' },
  cancelled: { icon: '⚠️', word: 'Cancelled', tone: 'caution' },
  error: { icon: '❌', word: 'Error', tone: 'bad' },
  started: { icon: '⏱️', word: 'Started', tone: 'caution' },
}

/** How the verdict of an outcome looks. A history judges nothing, and is not green while something is worse than before. */
export function wordsFor(outcome: Outcome): VerdictWords {
  const words = verdictWords[outcome.verdict]
  const isWorse = outcome.kind === 'history' && outcome.history !== undefined && gotWorse(outcome.history)
  return isWorse && isGreen(outcome.verdict) ? { ...words, icon: '⚠️', tone: 'caution' } : words
}

export const gateWords: Record<GateOutcome, VerdictWords> = {
  failed: { icon: '❌', word: 'failed', tone: 'bad' },
  'not-measured': { icon: '⚠️', word: 'not measured', tone: 'bad' },
  'left-out': { icon: '➖', word: 'left out', tone: 'caution' },
  warned: { icon: '⚠️', word: 'warned', tone: 'caution' },
  'not-compared': { icon: 'ℹ️', word: 'not compared', tone: 'caution' },
  passed: { icon: '✅', word: 'passed', tone: 'good' },
}
