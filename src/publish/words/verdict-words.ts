import type { Outcome, Verdict } from '../../outcome/outcome.js'
import type { GateOutcome } from '../../gates/result.js'
import { metricRule } from '../../figures/metrics.js'
import type { ChangePoint } from '../../gates/change-points.js'
import type { Tone } from './table.js'
import { line } from '../../text/foreign-text.js'
import type { Reason } from '../../text/reason.js'

export interface VerdictWords {
  icon: string
  word: string
  tone: Tone
}

/** ❌ is for what the tested code did. */
export const verdictWords: Record<Verdict, VerdictWords> = {
  passed: { icon: '✅', word: 'Passed', tone: 'good' },
  failed: { icon: '❌', word: 'Failed', tone: 'bad' },
  accepted: { icon: '☑️', word: 'Accepted', tone: 'good' },
  invalid: { icon: '⚠️', word: 'Invalid', tone: 'bad' },
  'load-test-failed': { icon: '⚠️', word: 'Load test failed', tone: 'bad' },
  'timed-out': { icon: '⏱️', word: 'Timed out', tone: 'bad' },
  cancelled: { icon: '⚠️', word: 'Cancelled', tone: 'caution' },
  error: { icon: '⚠️', word: 'Error', tone: 'bad' },
  started: { icon: '⏱️', word: 'Started', tone: 'caution' },
}

export const gateWords: Record<GateOutcome, VerdictWords> = {
  failed: { icon: '❌', word: 'failed', tone: 'bad' },
  'not-measured': { icon: '⚠️', word: 'not measured', tone: 'bad' },
  'left-out': { icon: '➖', word: 'left out', tone: 'caution' },
  warned: { icon: '⚠️', word: 'warned', tone: 'caution' },
  'not-compared': { icon: 'ℹ️', word: 'not compared', tone: 'caution' },
  passed: { icon: '✅', word: 'passed', tone: 'good' },
}

export function changePointTone({ metric, before, after }: ChangePoint): Tone {
  return after > before === (metricRule(metric)?.higherIsBetter ?? false) ? 'good' : 'bad'
}

/** The words about an outcome that depend on its kind. */
export interface StepWords<T extends Outcome> {
  /** What the headline begins with: `Load test: `. */
  subject: string
  /** The rest of the headline: `2 of 7 gates failed`. */
  finding: (outcome: T) => string
  /** One or a few sentences, for below the headline: what changed, or what the verdict means. */
  meaning: (outcome: T) => string
}

/**
 * About a step that was cancelled or failed.
 *
 * @param before what a cancelled step has not come to, if it was not to start or follow a load test
 */
export function cutShort(before?: string): StepWords<Outcome> {
  return {
    subject: 'Load test: ',
    finding: ({ verdict, reasons }) =>
      verdict === 'cancelled' ? `cancelled ${before ?? 'before it was started'}` : `error${because(reasons)}`,
    meaning: ({ verdict }) =>
      verdict === 'cancelled'
        ? `The job was cancelled ${before ?? 'before a load test was started'}.`
        : 'The step could not do its work. This says nothing about the code under test.',
  }
}

/** `. The service refused the credentials`: the first sentence of the first reason; empty without one. */
export function because([reason]: readonly Reason[]): string {
  if (reason === undefined) return ''
  const first = reason.text.split(/(?<=[.!?])\s/, 1)[0] ?? reason.text
  return `. ${line(first, 160).replace(/[.:]$/, '')}`
}

/** The reasons that the tables of gates and checks do not show already. */
export function otherReasons({ reasons }: Outcome): Reason[] {
  return reasons.filter(({ about }) => about !== 'gate' && about !== 'check')
}
