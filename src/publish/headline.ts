import { logLine, oneLine } from '../text/foreign-text.js'
import type { GateResult } from '../gates/result.js'
import { isGreen, latestRun, type Check, type Leg, type Outcome } from '../outcome.js'
import { isDoubtful, isHindrance } from './check-table.js'
import { keyFigures } from './figure-tables.js'
import { gatesThat } from './gate-order.js'
import { historyHeadline } from './history-words.js'
import { durationText, metricTitle, signed, signedPercent, withFirstLetter } from './figure-text.js'
import { plainNumber, quantity, valueAndLimit } from '../gates/quantity.js'
import { otherReasons } from './other-reasons.js'
import { plural } from '../text/plural.js'
import { verdictWords } from './verdict-words.js'

/**
 * The verdict in one line of plain text, at most 250 characters: the headline of comment, summary and digest, and the
 * title of an annotation. `2 of 7 gates failed: requests p95 550 ms, +34 %`.
 */
export function headline(outcome: Outcome): string {
  return logLine(sentence(outcome), 250)
}

function sentence(outcome: Outcome): string {
  const { verdict, gates, run, report, step, reasons, scorecard, checks, history, legs, acceptance } = outcome
  if (legs) return merged(legs)
  if (checks && (verdict === 'passed' || verdict === 'error')) return checked(checks)
  const given = report?.given && `report ${oneLine(report.given.name, 100)}`
  const test = given ?? (run ? `load test ${run.number}` : 'the load test')
  switch (verdict) {
    case 'passed': {
      if (history) return historyHeadline(history)
      const warned = gatesThat(gates, 'warned').length
      const figure = overall(outcome)
      const beyond = gates.filter(isExcused).length
      const unconfirmed = gates.filter(({ again }) => again).length
      const passed = gates.length - warned - gatesThat(gates, 'left-out').length
      const others =
        (beyond === 0 ? '' : `, ${beyond} of them over the limit but within noise`) +
        (unconfirmed === 0 ? '' : `, ${unconfirmed} not confirmed by a second run`) +
        (warned === 0 ? '' : `, ${warned} warned`) +
        leftOut(gates)
      if (gates.length === 0) return `${withFirstLetter(test)} passed${figure}`
      if (gates.some(({ result }) => result === 'not-compared'))
        return `${uncompared(gates, warned)}${figure}`
      if (passed < gates.length)
        return `${passed} of ${plural(gates.length, 'gate')} passed${others}${figure}`
      if (gates.length === 1) return `The gate passed${others}${figure}`
      return `All ${plural(gates.length, 'gate')} passed${others}${figure}`
    }
    case 'failed':
      return withFirstLetter(failure(outcome, test))
    case 'accepted':
      return `Accepted${acceptance ? ` by ${oneLine(acceptance.by, 60)}` : ''}: ${failure(outcome, test)}`
    case 'invalid': {
      const missing = gatesThat(gates, 'not-measured')
      if (missing.length === 0 && scorecard?.verdict === 'error')
        return `Invalid: the scorecard of ${test} could not be evaluated`
      // What is about the whole run comes before what follows from it.
      const [other] = otherReasons(outcome)
      if (other !== undefined) return `Invalid: ${withFirstLetter(firstSentence(other), 'lower')}`
      if (missing.length > 0) return `Invalid: ${share(missing.length, gates.length)} not measured`
      return `Invalid: ${test} could not be judged`
    }
    case 'load-test-failed':
      return run ? `${withFirstLetter(test)} ended in ${oneLine(run.state, 40)}` : 'The load test failed'
    case 'timed-out':
      return run
        ? `Timed out after ${durationText(step.seconds)}: ${test} is still running`
        : `Timed out after ${durationText(step.seconds)}, before a load test was started`
    case 'cancelled': {
      if (step.mode === 'judge') return 'Cancelled before the report was judged'
      if (step.mode === 'history') return 'Cancelled before the history was written'
      if (step.mode === 'merge') return 'Cancelled before the outcomes were read'
      const last = latestRun(outcome)
      return last
        ? `Cancelled: load test ${last.number} was last seen as ${oneLine(last.state, 40)}`
        : 'Cancelled before a load test was started'
    }
    case 'error': {
      const reason = reasons[0] === undefined ? 'the step could not do its work' : firstSentence(reasons[0])
      return run ? `Error after ${test} was started: ${reason}` : `Error: ${reason}`
    }
    case 'started':
      return `${withFirstLetter(test)} was started`
  }
}

/** `First run: 2 of 4 gates passed, 2 not compared yet` */
function uncompared(gates: readonly GateResult[], warned: number): string {
  const open = gatesThat(gates, 'not-compared')
  const passed = gates.length - open.length - warned
  const what = open[0]?.reason?.startsWith('New baseline') ? 'New baseline' : 'First run'
  const compared =
    passed > 0
      ? `${passed} of ${plural(gates.length, 'gate')} passed, ${open.length} not compared yet`
      : `${plural(open.length, 'gate')} not compared yet`
  return `${what}: ${compared}${warned > 0 ? `, ${warned} warned` : ''}`
}

function failure(outcome: Outcome, test: string): string {
  const { gates, scorecard } = outcome
  const failed = gatesThat(gates, 'failed')
  if (failed.length === 0) {
    if (scorecard?.verdict === 'failed') return `the scorecard of ${test} failed${overall(outcome)}`
    return `${test} failed its gates${overall(outcome)}`
  }
  const twice = failed.every(({ again }) => again?.result === 'failed') ? ' in both runs' : ''
  return `${share(failed.length, gates.length)} failed${twice}${measured(failed[0])}`
}

/** `, 3 left out: too few samples or too noisy`; the matches of wildcards that cannot be compared. */
function leftOut(gates: readonly GateResult[]): string {
  const all = gatesThat(gates, 'left-out')
  if (all.length === 0) return ''
  const why = [...new Set(all.map(({ unfit }) => unfit))].sort().join(' or ')
  return `, ${all.length} left out: ${why}`
}

/** `2 of 5 load tests did not pass: checkout (failed), login (error)` */
function merged(legs: readonly Leg[]): string {
  const red = legs.filter(({ verdict }) => !isGreen(verdict))
  const accepted = legs.filter(({ verdict }) => verdict === 'accepted').length
  if (red.length === 0) {
    const all = legs.length === 1 ? 'The load test passed' : `All ${plural(legs.length, 'load test')} passed`
    return accepted === 0 ? all : `${all}, ${accepted} of them accepted`
  }
  const of = `${plainNumber(red.length)} of ${plural(legs.length, 'load test')}`
  const name = (leg: Leg) => oneLine(leg.name, 40)
  if (red.every(({ verdict }) => verdict === 'failed')) return `${of} failed: ${red.map(name).join(', ')}`
  const words = red.map((leg) => `${name(leg)} (${verdictWords[leg.verdict].word.toLowerCase()})`)
  return `${of} did not pass: ${words.join(', ')}`
}

/** A gate that noise excused says why; a gate within its limit says nothing. */
function isExcused({ result, reason, again }: GateResult): boolean {
  return result === 'passed' && reason !== undefined && !again
}

/** `2 of 20 checks found a problem, 1 to look at` */
function checked(checks: readonly Check[]): string {
  const wrong = checks.filter(isHindrance).length
  const doubtful = checks.filter(isDoubtful).length
  const rest = doubtful > 0 ? `, ${doubtful} to look at` : ''
  if (wrong > 0) return `${wrong} of ${plural(checks.length, 'check')} found a problem${rest}`
  if (doubtful > 0) return `${checks.length - doubtful} of ${plural(checks.length, 'check')} ok${rest}`
  return `All ${plural(checks.length, 'check')} passed`
}

function firstSentence(text: string): string {
  return oneLine(text.split(/(?<=[.!?])\s/, 1)[0] ?? text, 160).replace(/[.:]$/, '')
}

function share(count: number, of: number): string {
  return of === 1 ? 'the gate' : `${count} of ${plural(of, 'gate')}`
}

/** `: requests p95 470 ms, +42 %`, of the first gate that failed. */
function measured(gate: GateResult | undefined): string {
  if (gate?.metric === undefined || gate.value === undefined) return ''
  const { value } = valueAndLimit(gate.value, gate.limit, gate.unit)
  const change =
    gate.relativeDifference !== undefined
      ? `, ${signedPercent(gate.relativeDifference)}`
      : gate.difference !== undefined
        ? `, ${signed(gate.difference, gate.unit)}`
        : ''
  return `: ${oneLine(gate.subject, 60)} ${metricTitle(gate.metric)} ${value}${change}`
}

function overall(outcome: Outcome): string {
  const figure = keyFigures(outcome)[0]
  if (figure?.unit !== 'ms') return ''
  const value = `: ${withFirstLetter(figure.title, 'lower')} ${quantity(figure.value, figure.unit)}`
  if (figure.relativeDifference === undefined) return value
  const noise = figure.change === 'none' && figure.relativeDifference !== 0 ? ' (within noise)' : ''
  return `${value}, ${signedPercent(figure.relativeDifference)}${noise}`
}
