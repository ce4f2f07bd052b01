import { maxCpu, metricRule, type Unit } from '../../figures/metrics.js'
import { quantity } from '../../figures/numbers.js'
import { numberOf, type GateResult } from '../../gates/result.js'
import type { Acceptance, LoadTestOutcome, Outcome, Verdict } from '../../outcome/outcome.js'
import { latestRun } from '../../outcome/outcome.js'
import { line, oneLine } from '../../text/foreign-text.js'
import { plural } from '../../text/plural.js'
import { changeText } from './changes.js'
import { shortHash, timeText } from './facts.js'
import { durationText, withFirstLetter } from './figure-text.js'
import { excuseOf, failureTitle, isExcused, passedTitle } from './title.js'
import { busiestCpu, kindNames, kindsInOrder, summaryRow, timerRows } from './timer-rows.js'
import { reasonsAbout } from '../../text/reason.js'
import type { TimerKind } from '../../report/report.js'
import { gatesThat, otherReasons, because, cutShort, type StepWords } from './verdict-words.js'

export const loadTestWords: StepWords<LoadTestOutcome> = {
  subject: 'Load test: ',
  finding: (outcome) => findings[outcome.verdict](outcome),
  meaning: (outcome) => meanings[outcome.verdict](outcome),
}

type Sentences = Record<Verdict, (outcome: LoadTestOutcome) => string>

const findings: Sentences = {
  passed: passedTitle,
  failed: failureTitle,
  accepted(outcome) {
    const { acceptance } = outcome
    return `${failureTitle(outcome)}, accepted${acceptance ? ` by ${oneLine(acceptance.by, 60)}` : ''}`
  },
  invalid: (outcome) => `no verdict${whyInvalid(outcome)}`,
  'load-test-failed': ({ run }) =>
    run ? `no verdict, the service ended it as ${oneLine(run.state, 40)}` : 'no verdict, it did not finish',
  'timed-out': ({ run, step }) =>
    `no verdict after ${durationText(step.seconds)}, ${run ? `last seen as ${oneLine(run.state, 40)}` : 'it was not started'}`,
  cancelled(outcome) {
    const last = latestRun(outcome)
    return last
      ? `cancelled, the run was last seen as ${oneLine(last.state, 40)}`
      : cut(outcome).finding(outcome)
  },
  error: ({ run, reasons }) => `no verdict${run ? ' though it was started' : ''}${because(reasons)}`,
  started: () => 'started',
}

const meanings: Sentences = {
  passed: passedMeaning,
  failed(outcome) {
    const { gates, reasons, comparison } = outcome
    if (gatesThat(gates, 'failed').length === 0)
      return reasons[0]?.text ?? `${isOver(outcome)}, but did not pass.`
    const about = comparison ? changeText(outcome) : `${isOver(outcome)}, but not within its limits.`
    const counted = `${withFirstLetter(countsOf(outcome))}.`
    return [counted, about, causeText(outcome), errorText(outcome)].filter((one) => one !== '').join(' ')
  },
  accepted: ({ acceptance, ...outcome }) =>
    `${withFirstLetter(countsOf(outcome))}, and the check is green all the same. ${acceptance ? acceptanceSentence(acceptance) : 'Somebody accepted that.'}`,
  invalid: () => 'It could not be judged as asked, so this run says nothing about the code, good or bad.',
  'load-test-failed': () =>
    'The load test did not finish as planned, which says nothing about the code. If there are figures, they are from an incomplete run.',
  'timed-out': ({ run }) =>
    run
      ? 'The step stopped waiting, which says nothing about the code. The load test was not stopped and has no verdict yet.'
      : 'The step stopped waiting before a load test was started.',
  cancelled: (outcome) =>
    outcome.run
      ? 'The job was cancelled. That says nothing about the code. The load test was not stopped and has no verdict yet.'
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
  const counted = gates.length === 0 ? '' : `${withFirstLetter(passed(gates))}. `
  if (confirmation) return `${counted}The load test ran twice, and no blocking gate failed in both runs.`
  const [notCompared] = gatesThat(gates, 'not-compared')
  if (notCompared?.reason !== undefined) return `${counted}${notCompared.reason}`
  if (comparison) return `${counted}${changeText(outcome)}`
  if (gates.length > 0) return `${counted}${isOver(outcome)}.`
  return `${isOver(outcome)}${scorecard ? ', and its scorecard passed.' : '. No gates were given.'}`
}

/** `6 of 7 gates passed, 1 warned`; `2 of 4 gates passed, 2 not compared yet` */
function passed(gates: readonly GateResult[]): string {
  const open = gatesThat(gates, 'not-compared')
  const excused = gates.filter(isExcused)
  const counts: [number, string][] = [
    [excused.length, `of them over the limit${excuseOf(excused)}`],
    [gates.filter(({ again }) => again).length, 'not confirmed by a second run'],
    [gatesThat(gates, 'warned').length, 'warned'],
  ]
  const left = gatesThat(gates, 'left-out')
  const count = numberOf(gatesThat(gates, 'passed'))
  const all = count === 1 ? 'the gate passed' : `all ${plural(count, 'gate')} passed`
  const of = numberOf(gates)
  const some = `${count} of ${plural(of, 'gate')} passed`
  const uncompared = `${count > 0 ? `${some}, ${open.length}` : plural(open.length, 'gate')} not compared yet`
  return [
    open.length > 0 ? uncompared : count === of ? all : some,
    ...counts.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`])),
    ...(left.length === 0 ? [] : [`${left.length} left out (${reasonsOf(left)})`]),
  ].join(', ')
}

/** Why matches of wildcards cannot be compared: `too few samples or too noisy`. */
function reasonsOf(left: readonly GateResult[]): string {
  const isFor = (wanted: GateResult['unfit']) => left.some(({ unfit }) => unfit === wanted)
  const reasons = [isFor('few-samples') && 'too few samples', isFor('noisy') && 'too noisy']
  return reasons.filter(Boolean).join(' or ')
}

/** `2 of 7 gates failed, 1 warned`; empty without a gate that failed. */
function countsOf({ gates }: Pick<LoadTestOutcome, 'gates'>): string {
  const [failed = 0, warned = 0, open = 0] = (['failed', 'warned', 'not-measured'] as const).map(
    (result) => gatesThat(gates, result).length,
  )
  const more = `${warned > 0 ? `, ${warned} warned` : ''}${open > 0 ? `, ${open} not measured` : ''}`
  return `${share(failed, numberOf(gates))} failed${more}`
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
  if (scorecard?.verdict === 'error') return '. The scorecard could not be evaluated'
  return missing.length === 0
    ? ''
    : `. ${withFirstLetter(share(missing.length, numberOf(gates)))} ${missing.length === 1 ? 'was' : 'were'} not measured`
}

function share(count: number, of: number): string {
  return of === 1 ? 'the gate' : `${count} of ${plural(of, 'gate')}`
}

/** Whether the code, a machine or chance made times longer, as far as the figures of a failed comparison say. */
function causeText(outcome: LoadTestOutcome): string {
  const failed = gatesThat(outcome.gates, 'failed').filter(
    ({ metric = '' }) => metricRule(metric)?.about === 'speed',
  )
  const [first] = failed
  if (!first) return ''
  const compared = failed.filter(({ baseline }) => baseline !== undefined)
  const [one] = compared
  if (!one) return 'Fixed limits decided: they say how slow it is, not whether the code changed that.'
  const kind = kindsInOrder.find((each) => each === one.place?.kind) ?? 'requests'
  const isAssumed = compared.some(({ noise }) => noise?.assumed)
  const chance = compared.every(({ noise }) => noise)
    ? `That is more than ${isAssumed ? 'assumed noise' : 'noise'} explains.`
    : ''
  const cpu = busiestCpu(outcome) ?? 0
  const busy = `A load generator was overloaded (${quantity(cpu, '%')} CPU), so times may be too high.`
  // Beside an overloaded load generator, what speaks against a slow machine would contradict it.
  const machine = cpu > maxCpu ? busy : machineText(outcome, kind, one.metric ?? '')
  return [chance, machine].filter((text) => text !== '').join(' ')
}

/** What speaks for a slower machine, or against it: it would slow everything by about one factor. */
function machineText(outcome: LoadTestOutcome, kind: TimerKind, metric: string): string {
  const rows = timerRows(outcome, kind).filter(({ presence }) => presence === 'both')
  const factors = rows.flatMap((row) => {
    const { value, baseline = 0 } = row.figure(metric)
    return value !== undefined && baseline > 0 ? [value / baseline] : []
  })
  if (factors.length < fewestForFactor) return ''
  factors.sort((a, b) => a - b)
  // Of many that are slower by one factor, chance alone makes some look as fast as before.
  const quarter = Math.floor(factors.length / 4)
  const [low = 0, high = 0] = [factors[quarter], factors.at(-1 - quarter)]
  if (low <= alike)
    return `Other ${kindNames[kind]}s are as fast as before; a slower machine would slow them, too.`
  const most = `Most of ${plural(factors.length, kindNames[kind])} take ${low.toFixed(1)} to ${high.toFixed(1)} times as long`
  if (high / low > spread) return `${most}; a slower machine would slow all of them alike.`
  return `${most}, as on a slower machine${machineFigures(outcome, kind)}.`
}

const fewestForFactor = 3
/** Times as long as before; up to this, something is as fast as it was. */
const alike = 1.05
/** The largest factor, in times of the smallest. */
const spread = 1.25

/** `: throughput 52/s (53/s before), load generator CPU 41% (40% before)` */
function machineFigures(outcome: LoadTestOutcome, kind: TimerKind): string {
  const { value, baseline } = summaryRow(outcome, kind)?.figure('throughput') ?? {}
  const cpu = busiestCpu(outcome)
  const facts = [
    ...(value === undefined ? [] : [`throughput ${withBefore(value, baseline, '/s')}`]),
    ...(cpu === undefined ? [] : [`load generator CPU ${withBefore(cpu, outcome.comparison?.cpu, '%')}`]),
  ]
  return facts.length === 0 ? '' : `: compare ${facts.join(' and ')}`
}

function withBefore(now: number, before: number | undefined, unit: Unit): string {
  return `${quantity(now, unit)}${before === undefined ? '' : ` (${quantity(before, unit)} before)`}`
}

function acceptanceSentence({ by, role, label, at, commit, pushedAt }: Acceptance): string {
  return (
    `${oneLine(by, 60)} (${oneLine(role, 40)}) set the label "${oneLine(label, 60)}" at ${timeText(at)}, ` +
    `after commit ${shortHash(commit)} was pushed at ${timeText(pushedAt)}. After the next push it has to be set again.`
  )
}
