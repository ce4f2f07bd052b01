import { logLine, oneLine } from '../../text/foreign-text.js'
import type { GateResult } from '../../gates/result.js'
import { isGreen, latestRun, type Check, type Leg, type Outcome } from '../../outcome/outcome.js'
import { isDoubtful, isHindrance } from './check-table.js'
import { gatesThat } from './gate-order.js'
import { historyHeadline } from '../history/words.js'
import { durationText, withFirstLetter } from './figure-text.js'
import { plainNumber } from '../../gates/quantity.js'
import { otherReasons } from './other-reasons.js'
import { plural } from '../../text/plural.js'
import { verdictWords } from './verdict-words.js'

/**
 * The verdict in one line of plain text, at most 250 characters: the headline of comment, summary and digest, and the
 * title of an annotation. `Load test: 2 of 7 gates failed`.
 */
export function headline(outcome: Outcome): string {
  const subject = outcome.checks ? 'Check' : outcome.legs ? 'Load tests' : 'Load test'
  return logLine(outcome.history ? finding(outcome) : `${subject}: ${finding(outcome)}`, 250)
}

/** The same without what it is about: `2 of 7 gates failed`. */
export function finding(outcome: Outcome): string {
  const { verdict, gates, run, step, reasons, scorecard, checks, history, legs, acceptance } = outcome
  if (legs) return merged(legs)
  if (checks && (verdict === 'passed' || verdict === 'error')) return checked(checks)
  switch (verdict) {
    case 'passed':
      return history ? historyHeadline(history) : passed(gates)
    case 'failed':
      return failure(outcome)
    case 'accepted':
      return `${failure(outcome)}, accepted${acceptance ? ` by ${oneLine(acceptance.by, 60)}` : ''}`
    case 'invalid': {
      const missing = gatesThat(gates, 'not-measured')
      if (missing.length === 0 && scorecard?.verdict === 'error')
        return 'invalid. The scorecard could not be evaluated'
      // What is about the whole run comes before what follows from it.
      const [other] = otherReasons(outcome)
      if (other !== undefined) return `invalid. ${firstSentence(other)}`
      if (missing.length > 0)
        return `invalid. ${withFirstLetter(share(missing.length, gates.length))} not measured`
      return 'invalid'
    }
    case 'load-test-failed':
      return run ? `ended in ${oneLine(run.state, 40)}` : 'failed'
    case 'timed-out': {
      const after = `timed out after ${durationText(step.seconds)}`
      return run ? `${after}, still running` : `${after}, not started`
    }
    case 'cancelled': {
      if (step.mode === 'judge') return 'cancelled before the report was judged'
      if (step.mode === 'history') return 'cancelled before the history was written'
      if (step.mode === 'merge') return 'cancelled before the outcomes were read'
      const last = latestRun(outcome)
      return last ? `cancelled, last seen as ${oneLine(last.state, 40)}` : 'cancelled before it was started'
    }
    case 'error': {
      const after = run ? ' after it was started' : ''
      return `error${after}${reasons[0] === undefined ? '' : `. ${firstSentence(reasons[0])}`}`
    }
    case 'started':
      return 'started'
  }
}

/** `6 of 7 gates passed, 1 warned`; `first run, 2 of 4 gates passed, 2 not compared yet` */
function passed(gates: readonly GateResult[]): string {
  if (gates.length === 0) return 'passed'
  const open = gatesThat(gates, 'not-compared')
  const counts: [number, string][] = [
    [gates.filter(isExcused).length, 'of them over the limit but within noise'],
    [gates.filter(({ again }) => again).length, 'not confirmed by a second run'],
    [gatesThat(gates, 'warned').length, 'warned'],
  ]
  const left = gatesThat(gates, 'left-out')
  const count = gatesThat(gates, 'passed').length
  const all = count === 1 ? 'the gate passed' : `all ${plural(count, 'gate')} passed`
  const some = `${count} of ${plural(gates.length, 'gate')} passed`
  const uncompared =
    count > 0
      ? [some, `${open.length} not compared yet`]
      : [`${plural(open.length, 'gate')} not compared yet`]
  return [
    ...(open.length > 0
      ? [isNew(open) ? 'new baseline' : 'first run', ...uncompared]
      : [count === gates.length ? all : some]),
    ...counts.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`])),
    ...(left.length === 0 ? [] : [`${left.length} left out (${reasonsOf(left)})`]),
  ].join(', ')
}

function isNew(open: readonly GateResult[]): boolean {
  return open[0]?.reason?.startsWith('New baseline') ?? false
}

/** Why matches of wildcards cannot be compared: `too few samples or too noisy`. */
function reasonsOf(left: readonly GateResult[]): string {
  return [...new Set(left.map(({ unfit }) => unfit))].sort().join(' or ')
}

function failure({ gates, scorecard }: Outcome): string {
  const failed = gatesThat(gates, 'failed')
  if (failed.length === 0) return scorecard?.verdict === 'failed' ? 'the scorecard failed' : 'failed'
  const twice = failed.every(({ again }) => again?.result === 'failed') ? ' in both runs' : ''
  return `${share(failed.length, gates.length)} failed${twice}`
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

/** A gate that noise excused says why; a gate within its limit says nothing. */
function isExcused({ result, reason, again }: GateResult): boolean {
  return result === 'passed' && reason !== undefined && !again
}

/** `2 of 20 found a problem, 1 to look at` */
function checked(checks: readonly Check[]): string {
  const wrong = checks.filter(isHindrance).length
  const doubtful = checks.filter(isDoubtful).length
  const rest = doubtful > 0 ? `, ${doubtful} to look at` : ''
  if (wrong > 0) return `${wrong} of ${plural(checks.length, 'check')} found a problem${rest}`
  if (doubtful > 0) return `${checks.length - doubtful} of ${plural(checks.length, 'check')} ok${rest}`
  return `all ${plural(checks.length, 'check')} passed`
}

function firstSentence(text: string): string {
  return oneLine(text.split(/(?<=[.!?])\s/, 1)[0] ?? text, 160).replace(/[.:]$/, '')
}

function share(count: number, of: number): string {
  return of === 1 ? 'the gate' : `${count} of ${plural(of, 'gate')}`
}
