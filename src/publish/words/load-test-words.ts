import { metricRule } from '../../figures/metrics.js'
import { resultCount, type GateResult } from '../../gates/result.js'
import type { LoadTestOutcome, Verdict } from '../../outcome/outcome.js'
import { latestRun } from '../../outcome/outcome.js'
import { line, oneLine } from '../../text/foreign-text.js'
import { plural, someOf } from '../../text/plural.js'
import { causeText } from './cause.js'
import { changeText } from './changes.js'
import { shortHash, timeText } from './facts.js'
import { durationText, withFirstLetter } from './figure-text.js'
import { acceptedTitle, failureTitle, passedTitle } from './title.js'
import { reasonsAbout } from '../../text/reason.js'
import {
  gatesThat,
  openFirst,
  otherReasons,
  because,
  byWord,
  cutShort,
  type StepWords,
} from './verdict-words.js'

export function loadTestWords(outcome: LoadTestOutcome): StepWords {
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
