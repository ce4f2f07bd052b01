import type { Outcome, Verdict } from '../../outcome/outcome.js'
import { costOf, gateKey, gateOutcomes, type GateResult, isUncompared } from '../../gates/result.js'
import { metricRule } from '../../figures/metrics.js'
import type { ChangePoint } from '../../comparison/change-points.js'
import { groupsBy } from '../../text/fields.js'
import { line } from '../../text/foreign-text.js'
import type { Tone } from './table.js'
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

export const gateWords: Record<GateResult['result'], VerdictWords> = {
  failed: { icon: '❌', word: 'failed', tone: 'bad' },
  'not-measured': { icon: '⚠️', word: 'not measured', tone: 'bad' },
  'left-out': { icon: '➖', word: 'left out', tone: 'caution' },
  warned: { icon: '⚠️', word: 'warned', tone: 'caution' },
  'not-compared': { icon: 'ℹ️', word: 'not compared', tone: 'caution' },
  passed: { icon: '✅', word: 'passed', tone: 'good' },
}

/** How it came out, in a word or two. */
export function gateWord(gate: GateResult): string {
  return gateWords[isUncompared(gate) ? 'not-compared' : gate.result].word
}

export function byWord(gates: readonly GateResult[]): [string, GateResult[]][] {
  return [...groupsBy(gates, gateWord)]
}

/** Neither good nor bad. */
export const undecided: VerdictWords = { ...gateWords['not-compared'], word: 'Nothing to compare with yet' }

export function changePointTone({ metric, before, after }: ChangePoint): Tone {
  return after > before === (metricRule(metric)?.higherIsBetter ?? false) ? 'good' : 'bad'
}

/** `. The service refused the credentials`: the first sentence of the first reason; empty without one. */
export function because([reason]: readonly Reason[]): string {
  if (reason === undefined) return ''
  const [first = ''] = sentencesIn(reason)
  return `. ${line(first, 160).replace(/[.:]$/, '')}`
}

export function sentencesIn({ text }: Reason): string[] {
  return text.split(/(?<=[.!?])\s/)
}

/** The reasons that the tables of gates and checks do not show already. */
export function otherReasons({ reasons }: Outcome): Reason[] {
  return reasons.filter(({ about }) => about !== 'gate' && about !== 'check')
}

/**
 * All of them: failed, then not measured, then warned, left out, not compared, passed, each in the order they were
 * written. Of the results of one gate with a pattern, the costliest comes first.
 */
export function openFirst(gates: readonly GateResult[]): GateResult[] {
  return gateOutcomes.flatMap((result) => gatesThat(gates, result))
}

/** The gates with one outcome, in the order they were written; of one gate the costliest first. */
export function gatesThat(gates: readonly GateResult[], outcome: GateResult['result']): GateResult[] {
  const wanted = gates.filter(({ result }) => result === outcome)
  return byGate(wanted).flatMap((one) => one.sort((a, b) => costOf(b) - costOf(a)))
}

/** Without what an earlier one has said of the whole run. */
export function saidOnce(gates: readonly GateResult[]): GateResult[] {
  const said = new Set<string>()
  return gates.map((gate) => {
    const { reason, noise, ...rest } = gate
    if (reason === undefined || !noise?.run) return gate
    if (said.has(reason)) return rest
    said.add(reason)
    return gate
  })
}

export function byGate(gates: readonly GateResult[]): GateResult[][] {
  return [...groupsBy(gates, gateKey).values()]
}
