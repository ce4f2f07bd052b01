import { logLine, oneLine } from '../text/foreign-text.js'
import type { GateResult } from '../gates/result.js'
import { latestRun, type Check, type Outcome } from '../outcome.js'
import { isDoubtful, isHindrance } from './check-table.js'
import { keyFigures } from './figure-tables.js'
import {
  durationText,
  metricTitle,
  plural,
  quantity,
  signed,
  signedPercent,
  valueAndLimit,
} from './figure-text.js'

/**
 * The verdict in one line of plain text, at most 250 characters: the head of every face and the title of an
 * annotation. `2 of 7 gates failed, p95 550 ms (+34 %)`.
 */
export function headline(outcome: Outcome): string {
  return logLine(sentence(outcome), 250)
}

function sentence(outcome: Outcome): string {
  const { verdict, gates, run, step, reasons, scorecard, checks } = outcome
  if (checks && (verdict === 'passed' || verdict === 'error')) return checked(checks)
  const test = run ? `load test ${run.number}` : 'the load test'
  const counted = (result: GateResult['result']) => gates.filter((gate) => gate.result === result)
  switch (verdict) {
    case 'passed': {
      const warned = counted('warned').length
      const measured = overall(outcome)
      const beyond = gates.filter(isExcused).length
      const unconfirmed = gates.filter(({ again }) => again).length
      const excused =
        (beyond === 0 ? '' : `, ${beyond} beyond the limit within noise`) +
        (unconfirmed === 0 ? '' : `, ${unconfirmed} not confirmed by a second run`)
      if (gates.length === 0) return `${start(test)} passed${measured}`
      if (warned > 0) {
        return `${gates.length - warned} of ${plural(gates.length, 'gate')} passed${excused}, ${warned} warned${measured}`
      }
      if (gates.length === 1) return `The gate passed${excused}${measured}`
      return `All ${plural(gates.length, 'gate')} passed${excused}${measured}`
    }
    case 'failed': {
      const failed = counted('failed')
      if (failed.length === 0) {
        if (scorecard?.verdict === 'failed') return `The scorecard of ${test} failed${overall(outcome)}`
        return `${start(test)} failed its gates${overall(outcome)}`
      }
      const twice = failed.every(({ again }) => again?.result === 'failed') ? ' in both runs' : ''
      return `${start(share(failed.length, gates.length))} failed${twice}${worst(failed)}`
    }
    case 'invalid': {
      const missing = counted('not-measured')
      if (missing.length > 0) return `Invalid: ${share(missing.length, gates.length)} not measured`
      if (scorecard?.verdict === 'error') return `Invalid: the scorecard of ${test} could not be evaluated`
      return `Invalid: ${test} could not be judged`
    }
    case 'load-test-failed':
      return run ? `${start(test)} ended as ${oneLine(run.state, 40)}` : 'The load test failed'
    case 'timed-out':
      return run
        ? `Timed out after ${durationText(step.seconds)}: ${test} goes on`
        : `Timed out after ${durationText(step.seconds)}, before a load test was started`
    case 'cancelled': {
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
      return `${start(test)} was started`
  }
}

/** A gate that noise let pass says why; one that held says nothing. */
function isExcused({ result, reason, again }: GateResult): boolean {
  return result === 'passed' && reason !== undefined && !again
}

/** `2 of 20 checks do not fit, 1 to look at` */
function checked(checks: readonly Check[]): string {
  const wrong = checks.filter(isHindrance).length
  const doubtful = checks.filter(isDoubtful).length
  const rest = doubtful > 0 ? `, ${doubtful} to look at` : ''
  if (wrong > 0)
    return `${wrong} of ${plural(checks.length, 'check')} ${wrong === 1 ? 'does' : 'do'} not fit${rest}`
  if (doubtful > 0) return `${checks.length - doubtful} of ${plural(checks.length, 'check')} fit${rest}`
  return `All ${plural(checks.length, 'check')} fit`
}

function start(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function firstSentence(text: string): string {
  return oneLine(text.split(/(?<=[.!?])\s/, 1)[0] ?? text, 160).replace(/[.:]$/, '')
}

function share(count: number, of: number): string {
  return of === 1 ? 'the gate' : `${count} of ${plural(of, 'gate')}`
}

// The failed gate that lies furthest from its baseline, else the first with a figure.
function worst(failed: readonly GateResult[]): string {
  const measured = failed.filter(({ metric, value }) => metric !== undefined && value !== undefined)
  const distance = (gate: GateResult) => Math.abs(gate.relativeDifference ?? -1)
  const first = measured.reduce<GateResult | undefined>(
    (top, gate) => (top === undefined || distance(gate) > distance(top) ? gate : top),
    undefined,
  )
  if (first?.metric === undefined) return ''
  const { value } = valueAndLimit(first.value, first.limit, first.unit)
  const metric = metricTitle(first.metric)
  const what = first.subject === 'requests' ? metric : `${metric} of ${oneLine(first.subject, 60)}`
  const difference =
    first.relativeDifference !== undefined
      ? ` (${signedPercent(first.relativeDifference)})`
      : first.difference !== undefined
        ? ` (${signed(first.difference, first.unit)})`
        : ''
  return `, ${what} ${value}${difference}`
}

function overall(outcome: Outcome): string {
  const figure = keyFigures(outcome)[0]
  if (figure?.unit !== 'ms') return ''
  const title = figure.title.replace(/^Requests /, '')
  const value = `, ${title.charAt(0).toLowerCase()}${title.slice(1)} ${quantity(figure.value, figure.unit)}`
  if (figure.relativeDifference === undefined) return value
  const noise = figure.change === 'none' && figure.relativeDifference !== 0 ? ', within noise' : ''
  return `${value} (${signedPercent(figure.relativeDifference)}${noise})`
}
