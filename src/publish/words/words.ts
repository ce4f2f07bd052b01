import { plainNumber } from '../../figures/numbers.js'
import { metricRule } from '../../figures/metrics.js'
import { resultCount, type GateResult } from '../../gates/result.js'
import { isGreen, latestRun, worstFirst, type Check, type Leg } from '../../outcome/outcome.js'
import type { LoadTestOutcome, Outcome, Verdict } from '../../outcome/outcome.js'
import { line, logLine, oneLine } from '../../text/foreign-text.js'
import { plural, someOf } from '../../text/plural.js'
import { reasonsAbout } from '../../text/reason.js'
import { causeText } from './cause.js'
import { changeText } from './changes.js'
import { shortHash, timeText } from './facts.js'
import { durationText, withFirstLetter } from './figure-text.js'
import { fewestForChange, historyHeadline, historyMeaning, whatGotWorse } from './history-words.js'
import { acceptedTitle, failureTitle, passedTitle } from './title.js'
import { because, byWord, gatesThat, openFirst, otherReasons } from './verdict-words.js'
import { undecided, verdictWords, type VerdictWords } from './verdict-words.js'

/** The words about an outcome that depend on its kind. */
interface StepWords {
  /** What the headline begins with: `Load test: `. */
  subject: string
  /** The rest of the headline: `2 of 7 gates failed`. */
  finding: () => string
  /** One or a few sentences, for below the headline: what changed, or what the verdict means. */
  meaning: () => string
}

/** About a step that was cancelled or failed before it had a result. */
function cutShort({ verdict, reasons }: Outcome): StepWords {
  const isCancelled = verdict === 'cancelled'
  return {
    subject: 'Load test: ',
    finding: () => (isCancelled ? 'cancelled before there was a result' : `error${because(reasons)}`),
    meaning: () =>
      isCancelled
        ? 'The job was cancelled before there was a result.'
        : 'The step failed, which says nothing about the code.',
  }
}

/** By kind; a step that ended before it had a result speaks of its load test. */
function wordsOf(outcome: Outcome): StepWords {
  const { verdict } = outcome
  if (outcome.kind === 'load-test') return loadTestWords(outcome)
  if (outcome.kind === 'check' && outcome.checks && ['passed', 'error'].includes(verdict))
    return checkWords(outcome.checks, verdict)
  if (outcome.kind === 'merge' && outcome.legs) return mergeWords(outcome.legs, verdict)
  if (outcome.kind !== 'history' || !outcome.history || verdict !== 'passed') return cutShort(outcome)
  const { history } = outcome
  // A history has no verdict.
  return { subject: '', finding: () => historyHeadline(history), meaning: () => historyMeaning(history) }
}

/**
 * The verdict in one line of plain text, at most 140 characters: the headline of comment, summary and digest, and the
 * title of an annotation. `Load test: requests 42% slower (p95 330 → 470 ms)`.
 */
export function headline(outcome: Outcome): string {
  const { name } = outcome.step
  // Other steps may have load tests, too.
  const isNamed = outcome.kind === 'load-test' && name !== undefined
  return logLine(`${isNamed ? `${oneLine(name, 40)}: ` : wordsOf(outcome).subject}${finding(outcome)}`, 140)
}

export function finding(outcome: Outcome): string {
  return wordsOf(outcome).finding()
}

/** The text below the headline, in one or a few sentences: what changed, or what the verdict means. */
export function verdictMeaning(outcome: Outcome): string {
  return wordsOf(outcome).meaning()
}

function loadTestWords(outcome: LoadTestOutcome): StepWords {
  const { verdict } = outcome
  return {
    subject: 'Load test: ',
    finding: () => findings[verdict](outcome),
    meaning: () => meanings[verdict](outcome),
  }
}

const findings: Record<Verdict, (outcome: LoadTestOutcome) => string> = {
  passed: passedTitle,
  failed: failureTitle,
  accepted: acceptedTitle,
  invalid(outcome) {
    // What is about the whole run comes before what follows from it.
    const reason = gatesThat(outcome.gates, 'not-measured').flatMap((gate) => gate.reason ?? [])
    return `no verdict${because([...otherReasons(outcome), ...reasonsAbout('gate', ...reason)])}`
  },
  'load-test-failed'({ run }) {
    if (!run) return 'no verdict, it did not finish'
    const after = run.durationSeconds === undefined ? '' : ` after ${durationText(run.durationSeconds)}`
    return `no verdict, it ended as ${oneLine(run.state, 40)}${after}`
  },
  'timed-out': ({ run, step }) =>
    `no verdict, ${run ? 'it had not ended' : 'it was not started'} after ${durationText(step.seconds)}`,
  cancelled: (outcome) =>
    latestRun(outcome) ? 'no verdict, the job was cancelled' : cutShort(outcome).finding(),
  error: ({ run, reasons }) => `no verdict${run ? ' though it was started' : ''}${because(reasons)}`,
  started: () => 'started, no verdict yet',
}

const meanings: typeof findings = {
  passed(outcome) {
    const { gates, confirmation, comparison } = outcome
    const [open] = gatesThat(gates, 'not-compared')
    const compared = comparison ? changeText(outcome) : 'It is compared with no earlier run.'
    return sentences(
      countsOf(gates, 'passed'),
      confirmation ? 'The load test ran twice, and no gate failed in both runs.' : (open?.reason ?? compared),
      toRead(outcome),
    )
  },
  failed(outcome) {
    const { gates, reasons } = outcome
    if (gatesThat(gates, 'failed').length === 0) return reasons[0]?.text ?? 'It did not pass.'
    const counted = countsOf(gates, 'failed')
    return sentences(counted, changeText(outcome), causeText(outcome), errorText(outcome))
  },
  accepted: (outcome) =>
    sentences(
      'The check is green all the same. Nothing to do now:',
      acceptanceText(outcome),
      causeText(outcome),
    ),
  invalid({ gates, reasons }) {
    const open = gatesThat(gates, 'not-measured')
    const isCut = reasons.some(({ about }) => about === 'run')
    const which = open.length === 0 ? 'It' : withFirstLetter(share(resultCount(open), resultCount(gates)))
    return `${which} could not be judged. That says nothing about the code, good or bad.${isCut ? ' The figures say nothing either: the run did not go as planned.' : ''}`
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
      : cutShort(outcome).meaning(),
  error: (outcome) => cutShort(outcome).meaning(),
  started: () =>
    'This step has started the load test and does not wait for its end: nothing is measured yet.',
}

function toRead({ gates, notes }: LoadTestOutcome): string {
  const some = (of: string, count: number) => (count > 0 ? [`the ${of}${count > 1 ? 's' : ''}`] : [])
  const all = [...some('warning', resultCount(gatesThat(gates, 'warned'))), ...some('note', notes.length)]
  return `Nothing to do${all.length > 0 ? ` but to read ${all.join(' and ')}` : ''}.`
}

function sentences(...all: string[]): string {
  return all.filter((one) => one !== '').join(' ')
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

/** `2 of 7 gates (limits) failed: requests p95, request "Login" mean. 1 warned: requests p99.` */
function countsOf(gates: readonly GateResult[], first: 'passed' | 'failed'): string {
  if (gates.length === 0) return ''
  const decided = gatesThat(gates, first)
  const others = openFirst(gates).filter(({ result }) => result !== 'passed' && result !== first)
  return sentences(
    `${withFirstLetter(share(resultCount(decided), resultCount(gates)))} ${first}${first === 'passed' ? '' : named(decided)}.`,
    ...byWord(others).map(([word, all]) => `${resultCount(all)} ${word}${named(all)}.`),
  )
}

/** Of more, the tables say which. */
const mostNamed = 3

/** `: requests p95, request "Login" mean`; empty for many. */
function named(gates: readonly GateResult[]): string {
  if (gates.length > mostNamed) return ''
  const names = gates.map(({ gate, subject, metric }) => oneLine(metric ? `${subject} ${metric}` : gate, 80))
  return `: ${names.join(', ')}`
}

/** What a gate is, for readers who have not written one. */
function share(count: number, of: number): string {
  if (of === 1) return count === 1 ? 'the gate (a limit)' : '0 of 1 gate (a limit)'
  return `${someOf(count, of, 'gate')} (limits)`
}

function acceptanceText({ acceptance }: LoadTestOutcome): string {
  if (!acceptance) return 'somebody accepted that.'
  const { by, role, label, at, commit, pushedAt } = acceptance
  return (
    `${oneLine(by, 60)} (role: ${oneLine(role, 40)}) set the label "${oneLine(label, 60)}" at ${timeText(at)}, ` +
    `after commit ${shortHash(commit)} was pushed at ${timeText(pushedAt)}. After the next push, somebody with write access has to set it again.`
  )
}

function mergeWords(legs: readonly Leg[], verdict: Verdict): StepWords {
  const allGreen = 'Every load test of this workflow run passed or was accepted.'
  return {
    subject: 'Load tests: ',
    finding: () => merged(legs),
    meaning: () => (isGreen(verdict) ? allGreen : legsText(redLegs(legs))),
  }
}

/** The worst first. */
export function redLegs(legs: readonly Leg[]): Leg[] {
  return worstFirst(legs).filter(({ verdict }) => !isGreen(verdict))
}

/** Legs whose headlines fit below that of all. */
const mostOfLegs = 3

/** `checkout: requests 42% slower (p95 330 → 470 ms). And 2 more.` */
function legsText(legs: readonly Leg[]): string {
  const said = legs.slice(0, mostOfLegs).map(({ name, outcome }) => {
    const of = oneLine(name, 40)
    if (!outcome) return `${of} measured nothing, which says nothing about the code.`
    return `${of}: ${line(finding(outcome), 140).replace(/[.]$/, '')}. ${causeText(outcome)}`.trimEnd()
  })
  const more = legs.length - said.length
  return [...said, ...(more > 0 ? [`And ${plainNumber(more)} more.`] : [])].join(' ')
}

/** What the leg's headline says; for a leg without an outcome, why there is none. */
export function legHeadline({ outcome, fault = '' }: Leg): string {
  return outcome ? finding(outcome) : fault
}

/** `failed`; of a leg without an outcome, that it has none. */
export function legWord({ verdict, outcome }: Leg): string {
  return outcome ? verdictWords[verdict].word.toLowerCase() : 'no outcome'
}

/** `2 of 5 did not pass: checkout (failed), login (no outcome)` */
function merged(legs: readonly Leg[]): string {
  const red = redLegs(legs)
  const accepted = legs.filter(({ verdict }) => verdict === 'accepted').length
  if (red.length === 0) {
    const all = legs.length === 1 ? 'the only one passed' : `all ${plainNumber(legs.length)} passed`
    return accepted === 0 ? all : `${all}, ${accepted} of them accepted`
  }
  const of = `${plainNumber(red.length)} of ${plainNumber(legs.length)}`
  const name = (leg: Leg) => oneLine(leg.name, 40)
  if (red.every(({ verdict }) => verdict === 'failed')) return `${of} failed: ${red.map(name).join(', ')}`
  return `${of} did not pass: ${red.map((leg) => `${name(leg)} (${legWord(leg)})`).join(', ')}`
}

/** How the verdict of an outcome looks. A history judges nothing, and is not green while something is worse than before. */
export function wordsFor(outcome: Outcome): VerdictWords {
  const words = verdictWords[outcome.verdict]
  if (outcome.verdict === 'passed' && hasNothingToCompare(outcome)) return undecided
  // Whatever became of the other legs, the code has made one fail.
  if (outcome.kind === 'merge' && outcome.legs?.some(({ verdict }) => verdict === 'failed'))
    return verdictWords.failed
  const isWorse = outcome.kind === 'history' && outcome.history && whatGotWorse(outcome.history)
  return isWorse && isGreen(outcome.verdict) ? { ...words, icon: '⚠️', tone: 'caution' } : words
}

function hasNothingToCompare(outcome: Outcome): boolean {
  if (outcome.kind === 'load-test') return outcome.gates.some(({ result }) => result === 'not-compared')
  return outcome.kind === 'history' && (outcome.history?.runs.length ?? 0) < fewestForChange
}

function checkWords(checks: readonly Check[], verdict: Verdict): StepWords {
  const hasPassed = verdict === 'passed'
  const wrong = checks.filter(({ endsRun }) => endsRun).map(({ sentence }) => sentence)
  const found = hasPassed ? 'Nothing was found that would stop a run' : withFirstLetter(checksText(checks))
  return {
    subject: 'Load test check: ',
    finding: () =>
      hasPassed ? checksText(checks) : `a run would fail${because(reasonsAbout('check', ...wrong))}`,
    meaning: () => `${found}. Nothing was started, uploaded, measured or changed.`,
  }
}

/** `2 of 20 checks found a problem, 1 is in doubt` */
function checksText(checks: readonly Check[]): string {
  const wrong = checks.filter(({ endsRun }) => endsRun).length
  const doubtful = checks.filter(isDoubtful).length
  const untried = checks.filter(({ result }) => result === 'not-tried').length
  const made = checks.length - untried
  const rest =
    (doubtful > 0 ? `, ${doubtful} ${doubtful === 1 ? 'is' : 'are'} in doubt` : '') +
    (untried > 0 ? `, ${untried} only a run can try` : '')
  if (wrong > 0) return `${wrong} of ${plural(made, 'check')} found a problem${rest}`
  if (doubtful > 0) return `${made - doubtful} of ${plural(made, 'check')} ok${rest}`
  return `all ${plural(made, 'check')} passed${rest}`
}

/** `❌ access token (problem): It was refused.`; what stops a run first, then what is in doubt. */
export function checkTexts(checks: readonly Check[]): string[] {
  const rank = (check: Check) => (check.endsRun ? 0 : isDoubtful(check) ? 1 : 2)
  return checks
    .toSorted((a, b) => rank(a) - rank(b))
    .map((check) => {
      const { icon, word } = checkResult(check)
      return `${icon} ${check.subject} (${word}): ${check.sentence}`
    })
}

/** What is only partly ok, or unknown. */
export function isDoubtful(check: Check): boolean {
  return check.result !== 'fits' && check.result !== 'not-tried' && !check.endsRun
}

function checkResult({ result, endsRun }: Check): { icon: string; word: string } {
  if (result === 'fits') return { icon: '✅', word: 'ok' }
  if (result === 'not-tried') return { icon: '➖', word: 'not tried' }
  return endsRun ? { icon: '❌', word: 'problem' } : { icon: '⚠️', word: 'in doubt' }
}
