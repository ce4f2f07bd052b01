import { metricRule } from '../../figures/metrics.js'
import { isUncompared, resultCount, type GateResult } from '../../gates/result.js'
import type { LoadTestOutcome, Outcome, Verdict } from '../../outcome/outcome.js'
import { latestRun } from '../../outcome/outcome.js'
import { line, oneLine } from '../../text/foreign-text.js'
import { plural } from '../../text/plural.js'
import { causeText } from './cause.js'
import { changeText } from './changes.js'
import { shortHash, timeText } from './facts.js'
import { durationText, withFirstLetter } from './figure-text.js'
import { acceptedTitle, excuseOf, failureTitle, isExcused, passedTitle } from './title.js'
import { reasonsAbout } from '../../text/reason.js'
import { gatesThat, otherReasons, because, byWord, cutShort, type StepWords } from './verdict-words.js'

export const loadTestWords: StepWords<LoadTestOutcome> = {
  subject: 'Load test: ',
  finding: (outcome) => findings[outcome.verdict](outcome),
  meaning: (outcome) => meanings[outcome.verdict](outcome),
}

const findings: Record<Verdict, (outcome: LoadTestOutcome) => string> = {
  passed: passedTitle,
  failed: failureTitle,
  accepted: acceptedTitle,
  invalid: (outcome) => `no verdict${whyInvalid(outcome)}`,
  'load-test-failed'({ run }) {
    if (!run) return 'no verdict, it did not finish'
    const after = run.durationSeconds === undefined ? '' : ` after ${durationText(run.durationSeconds)}`
    return `no verdict, it ended as ${oneLine(run.state, 40)}${after}`
  },
  'timed-out': ({ run, step }) =>
    `no verdict, ${run ? 'it had not ended' : 'it was not started'} after ${durationText(step.seconds)}`,
  cancelled: (outcome) =>
    latestRun(outcome) ? 'no verdict, the job was cancelled' : cut(outcome).finding(outcome),
  error: ({ run, reasons }) => `no verdict${run ? ' though it was started' : ''}${because(reasons)}`,
  started: () => 'started, no verdict yet',
}

const meanings: typeof findings = {
  passed: passedMeaning,
  failed(outcome) {
    const { gates, reasons, comparison } = outcome
    if (gatesThat(gates, 'failed').length === 0)
      return reasons[0]?.text ?? `${isOver(outcome)}, but did not pass.`
    const about = comparison ? changeText(outcome) : `${isOver(outcome)}, but not within its limits.`
    const counted = `${withFirstLetter(countsOf(outcome))}.`
    return sentences(counted, about, causeText(outcome), errorText(outcome))
  },
  accepted: (outcome) =>
    sentences(
      'The check is green all the same. Nothing to do now:',
      acceptanceText(outcome),
      causeText(outcome),
    ),
  invalid({ gates, reasons }) {
    const open = gatesThat(gates, 'not-measured')
    const isMeasured = open.length > 0 && open.every(isUncompared)
    const isCut = reasons.some(({ about }) => about === 'run')
    const which = open.length === 0 ? 'It' : withFirstLetter(share(resultCount(open), resultCount(gates)))
    return `${which} could not be ${isMeasured ? 'compared' : 'judged'}. That says nothing about the code, good or bad.${isCut ? ' The figures say nothing either: the run did not go as planned.' : ''}`
  },
  'load-test-failed': ({ report }) =>
    `The load test was not measured to its end, which says nothing about the code.${report ? ' Its report has only what was measured until then.' : ''}`,
  'timed-out': ({ run }) =>
    run
      ? 'The step stopped waiting, which says nothing about the code. The load test itself was not stopped.'
      : 'The step stopped waiting before a load test was started.',
  cancelled: (outcome) =>
    outcome.run
      ? 'The job was cancelled, which says nothing about the code. The load test itself was not stopped.'
      : cut(outcome).meaning(outcome),
  error: (outcome) => cut(outcome).meaning(outcome),
  started: () =>
    'This step has started the load test and does not wait for its end: nothing is measured yet.',
}

function sentences(...all: string[]): string {
  return all.filter((one) => one !== '').join(' ')
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
  const { gates } = outcome
  const counted = gates.length === 0 ? '' : `${withFirstLetter(passed(gates))}.`
  const [notCompared] = gatesThat(gates, 'not-compared')
  if (notCompared?.reason !== undefined && !outcome.confirmation)
    return sentences(counted, notCompared.reason, 'Nothing to do.')
  const isNoted = outcome.notes.length > 0
  return sentences(counted, passedText(outcome), `Nothing to do${isNoted ? ' but to read the notes' : ''}.`)
}

function passedText(outcome: LoadTestOutcome): string {
  const { gates, scorecard, confirmation, comparison } = outcome
  if (confirmation) return 'The load test ran twice, and no blocking gate failed in both runs.'
  if (comparison) return changeText(outcome)
  if (gates.length > 0) return `${isOver(outcome)}.`
  return `${isOver(outcome)}${scorecard ? ', and passed its scorecard, the rules of its test suite' : '. No gates were given'}. It is compared with no earlier run.`
}

/** `6 of 7 gates (limits) passed, 1 warned: requests p99`; `2 of 4 gates (limits) passed, 2 not compared yet` */
function passed(gates: readonly GateResult[]): string {
  const open = gatesThat(gates, 'not-compared')
  const excused = gates.filter(isExcused)
  const counts: [number, string][] = [
    [resultCount(excused), `of them over the limit${excuseOf(excused)}`],
    [resultCount(gates.filter(({ again }) => again)), 'not confirmed by a second run'],
  ]
  const warned = warnedText(gates)
  const left = gatesThat(gates, 'left-out')
  const [count, of] = [resultCount(gatesThat(gates, 'passed')), resultCount(gates)]
  const all = count === 1 ? 'the gate (a limit) passed' : `all ${gatesText(count)} passed`
  const some = `${count} of ${gatesText(of)} passed`
  const uncompared = `${count > 0 ? `${some}, ${open.length}` : gatesText(open.length)} not compared yet`
  return [
    open.length > 0 ? uncompared : count === of ? all : some,
    ...counts.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`])),
    ...(left.length === 0 ? [] : [`${resultCount(left)} left out (${reasonsOf(left)})`]),
    ...(warned === '' ? [] : [warned]),
  ].join(', ')
}

/** What a gate is, for readers who have not written one. */
function gatesText(count: number): string {
  return count === 1 ? '1 gate (a limit)' : `${plural(count, 'gate')} (limits)`
}

/** `1 warned: requests p99`; empty if none did. */
function warnedText(gates: readonly GateResult[]): string {
  const warned = gatesThat(gates, 'warned')
  return warned.length === 0 ? '' : `${resultCount(warned)} warned${named(warned)}`
}

/** Of more, the table says which. */
const mostNamed = 3

/** `: requests p95, request "Login" mean`; empty for many. */
function named(gates: readonly GateResult[]): string {
  if (gates.length === 0 || gates.length > mostNamed) return ''
  const names = gates.map(({ gate, subject, metric }) => oneLine(metric ? `${subject} ${metric}` : gate, 80))
  return `: ${names.join(', ')}`
}

/** Why matches of wildcards cannot be compared: `too few samples or too noisy`. */
function reasonsOf(left: readonly GateResult[]): string {
  const isFor = (wanted: GateResult['unfit']) => left.some(({ unfit }) => unfit === wanted)
  const reasons = [
    isFor('few-samples') && 'too few samples',
    isFor('noisy') && 'too noisy',
    isFor('new') && 'new since the baseline',
  ]
  return reasons.filter(Boolean).join(' or ')
}

/** `2 of 7 gates (limits) failed: requests p95, request "Login" mean. 1 warned: requests p99` */
function countsOf({ gates }: Pick<LoadTestOutcome, 'gates'>): string {
  const failed = gatesThat(gates, 'failed')
  const open = byWord(gatesThat(gates, 'not-measured')).map(([word, all]) => `${resultCount(all)} ${word}`)
  const more = [warnedText(gates), ...open]
  return [`${share(resultCount(failed), resultCount(gates))} failed${named(failed)}`, ...more]
    .filter(Boolean)
    .join('. ')
}

/** `. No request is named "Chekout"`; empty if nothing says why. */
function whyInvalid(outcome: LoadTestOutcome): string {
  const { gates, scorecard } = outcome
  const missing = gatesThat(gates, 'not-measured')
  // What is about the whole run comes before what follows from it.
  const [other] = otherReasons(outcome)
  if (other !== undefined) return because([other])
  const reason = missing.find((gate) => gate.reason !== undefined)?.reason
  if (reason !== undefined) return because(reasonsAbout('gate', reason))
  if (scorecard?.verdict === 'error')
    return '. The scorecard, the rules of its test suite, could not be evaluated'
  return missing.length === 0
    ? ''
    : `. ${withFirstLetter(share(resultCount(missing), resultCount(gates)))} ${missing.length === 1 ? 'was' : 'were'} not measured`
}

function share(count: number, of: number): string {
  if (of === 1) return 'the gate (a limit)'
  return `${count === of ? 'all' : `${count} of`} ${gatesText(of)}`
}

function acceptanceText({ acceptance }: LoadTestOutcome): string {
  if (!acceptance) return 'somebody accepted that.'
  const { by, role, label, at, commit, pushedAt } = acceptance
  return (
    `${oneLine(by, 60)} (role: ${oneLine(role, 40)}) set the label "${oneLine(label, 60)}" at ${timeText(at)}, ` +
    `after commit ${shortHash(commit)} was pushed at ${timeText(pushedAt)}. After the next push, somebody with write access has to set it again.`
  )
}
