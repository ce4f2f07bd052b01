import { metricRule } from '../../figures/metrics.js'
import { quantity } from '../../figures/quantity.js'
import type { GateResult } from '../../gates/result.js'
import {
  latestRun,
  type Acceptance,
  type LoadTestOutcome,
  type Outcome,
  type Verdict,
} from '../../outcome/outcome.js'
import { line, oneLine } from '../../text/foreign-text.js'
import { plural } from '../../text/plural.js'
import { keyFigures } from '../summary/figure-tables.js'
import { changeText } from './changes.js'
import { shortHash, timeText } from './facts.js'
import { durationText, signedPercent } from './figure-text.js'
import { gatesThat } from './gate-lines.js'
import { otherReasons, because, cutShort, type StepWords } from './verdict-words.js'

/** About one load test, or the report of one that was given. */
export const loadTestWords: StepWords<LoadTestOutcome> = {
  subject: 'Load test: ',
  finding: (outcome) => findings[outcome.verdict](outcome),
  meaning: (outcome) => meanings[outcome.verdict](outcome),
}

type Sentences = Record<Verdict, (outcome: LoadTestOutcome) => string>

const findings: Sentences = {
  passed: ({ gates }) => passed(gates),
  failed: failure,
  accepted(outcome) {
    const { acceptance } = outcome
    return `${failure(outcome)}, accepted${acceptance ? ` by ${oneLine(acceptance.by, 60)}` : ''}`
  },
  invalid: (outcome) => `invalid${whyInvalid(outcome)}`,
  'load-test-failed': ({ run }) => (run ? `ended in ${oneLine(run.state, 40)}` : 'failed'),
  'timed-out': ({ run, step }) =>
    `timed out after ${durationText(step.seconds)}, ${run ? `last seen as ${oneLine(run.state, 40)}` : 'not started'}`,
  cancelled(outcome) {
    const last = latestRun(outcome)
    return last ? `cancelled, last seen as ${oneLine(last.state, 40)}` : cut(outcome).finding(outcome)
  },
  error: ({ run, reasons }) => `error${run ? ' after it was started' : ''}${because(reasons)}`,
  started: () => 'started',
}

const meanings: Sentences = {
  passed: passedMeaning,
  failed(outcome) {
    const { gates, reasons, comparison } = outcome
    if (gatesThat(gates, 'failed').length === 0)
      return reasons[0]?.text ?? `${isOver(outcome)}, but did not pass.`
    const about = comparison ? changeText(outcome) : `${isOver(outcome)}, but not within its limits.`
    return [about, errorText(outcome)].filter((sentence) => sentence !== '').join(' ')
  },
  accepted: ({ acceptance }) =>
    acceptance ? acceptanceSentence(acceptance) : 'Gates failed, and somebody accepted that.',
  invalid: () =>
    'Something that was asked for could not be measured, so this run does not show whether the code is fast enough.',
  'load-test-failed': () =>
    'The load test did not finish as planned. If there are figures, they are from an incomplete run.',
  'timed-out': ({ run }) =>
    run
      ? 'The step stopped waiting. The load test was not stopped and has no verdict yet.'
      : 'The step stopped waiting before a load test was started.',
  cancelled: (outcome) =>
    outcome.run
      ? 'The job was cancelled. That stops the step, but not the load test.'
      : cut(outcome).meaning(outcome),
  error: (outcome) => cut(outcome).meaning(outcome),
  started: () => 'The load test was started. It gets its verdict when it is collected.',
}

function cut({ mode }: LoadTestOutcome): StepWords<Outcome> {
  return mode === 'judge' ? cutShort('before the report was judged') : cutShort()
}

/** Which error is behind a failed gate, as a sentence; empty if no gate about errors failed. */
function errorText({ gates, figures, comparison }: LoadTestOutcome): string {
  const isAbout = ({ metric = '' }: GateResult) => metricRule(metric)?.about === 'errors'
  if (!gatesThat(gates, 'failed').some(isAbout)) return ''
  const fresh = new Set(comparison?.newErrors)
  const errors = (figures?.errors ?? []).filter(({ message }) => message.trim() !== '')
  const newest = errors.filter(({ message }) => fresh.has(message))
  const [most] = (newest.length > 0 ? newest : errors).toSorted((a, b) => b.count - a.count)
  if (!most) return ''
  const what = `Most frequent ${newest.length > 0 ? 'new ' : ''}error (${plural(most.count, 'time')})`
  return `${what}: ${line(most.message, 160).replace(/[.!]$/, '')}.`
}

function isOver({ mode }: LoadTestOutcome): string {
  return mode === 'judge' ? 'The report was read' : 'The load test finished'
}

function passedMeaning(outcome: LoadTestOutcome): string {
  const { gates, scorecard, confirmation, comparison } = outcome
  if (confirmation) return 'The load test ran twice, and no blocking gate failed in both runs.'
  const [notCompared] = gatesThat(gates, 'not-compared')
  if (notCompared?.reason !== undefined) return notCompared.reason
  if (comparison) return `${figureText(outcome)}${changeText(outcome)}`
  const over = `${figureText(outcome)}${isOver(outcome)}`
  if (gates.length > 0) return `${over}.`
  return `${over}${scorecard ? ', and its scorecard passed.' : '. No gates were given.'}`
}

/** `6 of 7 gates passed, 1 warned`; `first run, 2 of 4 gates passed, 2 not compared yet` */
function passed(gates: readonly GateResult[]): string {
  if (gates.length === 0) return 'passed'
  const open = gatesThat(gates, 'not-compared')
  const excused = gates.filter(isExcused)
  const counts: [number, string][] = [
    [
      excused.length,
      excused.some(({ noise }) => noise?.assumed)
        ? 'of them over the limit, which may be chance'
        : 'of them over the limit but within noise',
    ],
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
      ? [open[0]?.unfit === 'new-baseline' ? 'new baseline' : 'first run', ...uncompared]
      : [count === gates.length ? all : some]),
    ...counts.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`])),
    ...(left.length === 0 ? [] : [`${left.length} left out (${reasonsOf(left)})`]),
  ].join(', ')
}

/** Why matches of wildcards cannot be compared: `too few samples or too noisy`. */
function reasonsOf(left: readonly GateResult[]): string {
  const isFor = (wanted: GateResult['unfit']) => left.some(({ unfit }) => unfit === wanted)
  return [
    ...(isFor('few-samples') ? ['too few samples'] : []),
    ...(isFor('noisy') ? ['too noisy'] : []),
  ].join(' or ')
}

/** A gate that noise excused says why; a gate within its limit says nothing. */
function isExcused({ result, reason, again }: GateResult): boolean {
  return result === 'passed' && reason !== undefined && !again
}

function failure({ gates, scorecard }: LoadTestOutcome): string {
  const failed = gatesThat(gates, 'failed')
  if (failed.length === 0) return scorecard?.verdict === 'failed' ? 'the scorecard failed' : 'failed'
  if (failed.every(({ builtIn }) => builtIn)) return 'too many errors'
  const twice = failed.every(({ again }) => again?.result === 'failed') ? ' in both runs' : ''
  return `${share(failed.length, gates.length)} failed${twice}`
}

/** `. 2 of 7 gates not measured`; empty if nothing says why. */
function whyInvalid(outcome: LoadTestOutcome): string {
  const { gates, scorecard } = outcome
  const missing = gatesThat(gates, 'not-measured').length
  if (missing === 0 && scorecard?.verdict === 'error') return '. The scorecard could not be evaluated'
  // What is about the whole run comes before what follows from it.
  const [other] = otherReasons(outcome)
  if (other !== undefined) return because([other])
  return missing === 0
    ? ''
    : `. ${gates.length === 1 ? 'The gate was' : share(missing, gates.length)} not measured`
}

function share(count: number, of: number): string {
  return of === 1 ? 'the gate' : `${count} of ${plural(of, 'gate')}`
}

/** `Requests p95: 412 ms, +0.5%. `, the first key figure; empty without one. */
function figureText(outcome: LoadTestOutcome): string {
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
