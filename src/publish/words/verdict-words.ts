import { isGreen, type Acceptance, type Outcome, type Verdict } from '../../outcome/outcome.js'
import type { GateOutcome } from '../../gates/result.js'
import { quantity } from '../../gates/quantity.js'
import { oneLine } from '../../text/foreign-text.js'
import { changeText } from './changes.js'
import { shortHash, timeText } from './facts.js'
import { keyFigures } from '../summary/figure-tables.js'
import { signedPercent } from './figure-text.js'
import { gatesThat } from './gate-order.js'
import { historyMeaning, stepTone } from '../history/words.js'
import type { Tone } from './table.js'

/** How a verdict looks, and what it means. */
export interface VerdictWords {
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

/** How the verdict of an outcome looks. A history judges nothing, and is not green if something got worse in it. */
export function wordsFor({ verdict, history }: Outcome): VerdictWords {
  const words = verdictWords[verdict]
  const isWorse = history?.steps.some((step) => stepTone(step) === 'bad') ?? false
  return isWorse && isGreen(verdict) ? { ...words, icon: '⚠️', tone: 'caution' } : words
}

export const gateWords: Record<GateOutcome, VerdictWords> = {
  failed: { icon: '❌', word: 'failed', tone: 'bad' },
  'not-measured': { icon: '⚠️', word: 'not measured', tone: 'bad' },
  'left-out': { icon: '➖', word: 'left out', tone: 'caution' },
  warned: { icon: '⚠️', word: 'warned', tone: 'caution' },
  'not-compared': { icon: 'ℹ️', word: 'not compared', tone: 'caution' },
  passed: { icon: '✅', word: 'passed', tone: 'good' },
}

/**
 * The text below the headline, in one or a few sentences: what changed, or what the verdict means.
 */
export function verdictMeaning(outcome: Outcome): string {
  const { verdict, gates, scorecard, reasons, run, step, checks, confirmation, acceptance, legs } = outcome
  const [notCompared] = gatesThat(gates, 'not-compared')
  const isOver = step.mode === 'judge' ? 'The report was read' : 'The load test finished'
  if (legs) {
    if (verdict === 'passed') return 'Every load test of this workflow run passed.'
    if (verdict === 'accepted') return 'Every load test of this workflow run passed or was accepted.'
    return 'The worst verdict of the load tests counts for all of them.'
  }
  if (checks && verdict === 'passed') {
    return 'Nothing was found that would stop a run. Nothing was started, uploaded or changed.'
  }
  if (checks && verdict === 'error') {
    return 'A run with these inputs would fail. Nothing was started, uploaded or changed.'
  }
  switch (verdict) {
    case 'passed':
      if (outcome.history) return historyMeaning(outcome.history)
      if (confirmation) {
        return 'The load test ran twice, and no blocking gate failed in both runs.'
      }
      if (notCompared?.reason !== undefined) return notCompared.reason
      if (outcome.comparison) return `${figureText(outcome)}${changeText(outcome)}`
      if (gates.length > 0) return `${figureText(outcome)}${isOver}.`
      return `${figureText(outcome)}${isOver}${scorecard ? ', and its scorecard passed.' : '. No gates were given.'}`
    case 'failed': {
      if (gatesThat(gates, 'failed').length === 0) return reasons[0] ?? `${isOver}, but did not pass.`
      return outcome.comparison ? changeText(outcome) : `${isOver}, but not within its limits.`
    }
    case 'accepted':
      return acceptance ? acceptanceSentence(acceptance) : 'Gates failed, and somebody accepted that.'
    case 'invalid':
      return 'Something that was asked for could not be measured, so this run does not show whether the code is fast enough.'
    case 'load-test-failed':
      return 'The load test did not finish as planned. If there are figures, they are from an incomplete run.'
    case 'timed-out':
      return run
        ? 'The step stopped waiting. The load test was not stopped and has no verdict yet.'
        : 'The step stopped waiting before a load test was started.'
    case 'cancelled':
      if (step.mode === 'judge') return 'The job was cancelled before the report was judged.'
      if (step.mode === 'history') return 'The job was cancelled before the history was written.'
      if (step.mode === 'merge') return 'The job was cancelled before the outcomes were read.'
      return run
        ? 'The job was cancelled. That stops the step, but not the load test.'
        : 'The job was cancelled before a load test was started.'
    case 'error':
      return 'The step could not do its work. This says nothing about the code under test.'
    case 'started':
      return 'The load test was started. It gets its verdict when it is collected.'
  }
}

/** `Requests p95: 412 ms, +0.5%. `, the first key figure; empty without one. */
function figureText(outcome: Outcome): string {
  const [figure] = keyFigures(outcome)
  if (figure?.unit !== 'ms') return ''
  const { title, value, unit, relativeDifference } = figure
  const change = relativeDifference === undefined ? '' : `, ${signedPercent(relativeDifference)}`
  return `${title}: ${quantity(value, unit)}${change}. `
}

/** Who accepted it, when, and for which commit. */
function acceptanceSentence({ by, role, label, at, commit, pushedAt }: Acceptance): string {
  return (
    `${oneLine(by, 60)} (${oneLine(role, 40)}) set the label "${oneLine(label, 60)}" at ${timeText(at)}, ` +
    `after commit ${shortHash(commit)} was pushed at ${timeText(pushedAt)}. After the next push it has to be set again.`
  )
}
