import type { History, Leg, LoadTestOutcome, Outcome } from '../../outcome/outcome.js'
import { oneLine, webAddress } from '../../text/foreign-text.js'
import { generatorDoubt, tooSlow } from './cause.js'
import { costliest } from './changes.js'
import { codeChanges, documents, linkOfRun, linkTo, reportTitle, toSecrets, toWorkflowRun } from './facts.js'
import type { Link } from './table.js'
import { gatesThat, otherReasons, sentencesIn } from './verdict-words.js'
import { fewestForChange, whatGotWorse, isOf, rangeOf } from './history-words.js'
import { headline, redLegs, verdictMeaning } from './words.js'
import { quantity } from '../../figures/numbers.js'
import { unitOf, type Unit } from '../../figures/metrics.js'
import { isUncompared, mayBeAccepted, type GateResult } from '../../gates/result.js'
import type { Suggestion } from '../../gates/suggested-gates.js'
import { plural } from '../../text/plural.js'
import { metricTitle, nowText, wholePercent, withoutTime } from './figure-text.js'

/** What a reader can do next, in a sentence, and where. */
export interface Todo {
  text: string
  links: readonly Link[]
}

/** What a reader does next: for gates that failed, find the cause, accept it or run again; else what is advised. */
export function whatToDo(outcome: Outcome): readonly Todo[] {
  if (outcome.kind === 'load-test') return ofLoadTest(outcome, toService(outcome))
  if (outcome.kind === 'history' && outcome.history) return ofHistory(outcome, outcome.history)
  if (outcome.kind === 'merge' && outcome.legs) return ofLegs(outcome, outcome.legs)
  if (outcome.kind === 'check' && outcome.checks && outcome.verdict === 'error')
    return afterError(outcome, 'marked ❌', 'Then check again: re-run the job.', toService(outcome))
  return adviceOf(outcome)
}

function adviceOf({ advice }: Outcome, links: readonly Link[] = []): Todo[] {
  return advice.map((text, at) => ({ text, links: at === 0 ? links : [] }))
}

/** @param service that this step was given; what the outcome of a leg says is foreign */
function ofLoadTest(outcome: LoadTestOutcome, service: readonly Link[] = []): readonly Todo[] {
  const { verdict, reasons } = outcome
  const isCut = verdict === 'invalid' && reasons.some(({ about }) => about === 'run')
  const again = verdict === 'invalid' ? toWorkflowRun(outcome) : []
  const advice = adviceOf(outcome, isCut && outcome.run ? [linkOfRun(outcome.run, outcome.step)] : again)
  if (verdict === 'failed') return afterFailure(outcome, advice)
  const later = 'Nothing, if a later step of the workflow with mode: collect judges it.'
  if (verdict === 'started') return [{ text: later, links: [] }, ...advice]
  // What a run that broke off did not call was not removed on purpose.
  const name = verdict === 'invalid' && !isCut && outcome.gates.find(mayBeAccepted)
  if (name) return [nameTodo(name), ...advice]
  if (advice.length > 0) return advice
  if (verdict === 'error') return afterError(outcome, 'named above', afterwards(outcome), service)
  return verdict === 'invalid' && gatesThat(outcome.gates, 'not-measured').length > 0
    ? unmeasured(outcome)
    : []
}

/** A re-run would start another load test, where only the files of this one could not be kept. */
function afterwards({ mode, run }: LoadTestOutcome): string {
  return run && mode !== 'collect'
    ? `Then run this step with the inputs mode: collect and run-number: ${run.number}, which starts no new load test.`
    : 'Then run the job again.'
}

/** What the only reason says after its first sentence, which the title has; of several, `where` they are. */
function afterError(outcome: Outcome, where: string, again: string, service: readonly Link[]): Todo[] {
  const [only, ...more] = outcome.reasons
  const advised = only && more.length === 0 ? sentencesIn(only).slice(1).join(' ') : ''
  const isOwn = only?.about === 'inputs'
  const mend = {
    text:
      advised || `Mend what is ${where}${more.length > 0 || isOwn ? '' : ', unless it passes by itself'}.`,
    links: isOwn ? [] : [...(only?.about === 'credentials' ? toSecrets(outcome) : []), ...service],
  }
  // A re-run takes the workflow file of its commit.
  const pushed = isOwn ? again.replace(/\.$/, ', by a push if the workflow was changed.') : again
  return [mend, { text: pushed, links: toWorkflowRun(outcome) }]
}

/** The reasons of which headline, meaning and what to do do not say every sentence. */
export function listedReasons(outcome: Outcome): string[] {
  const todo = whatToDo(outcome).map(({ text }) => text)
  const said = [`${headline(outcome)}.`, verdictMeaning(outcome), ...todo].join(' ').toLowerCase()
  return otherReasons(outcome)
    .filter((reason) => !sentencesIn(reason).every((one) => said.includes(one.toLowerCase())))
    .map(({ text }) => text)
}

function toService({ step }: Outcome): Link[] {
  return linkTo('The service', webAddress(step.service))
}

function afterFailure(outcome: LoadTestOutcome, advice: readonly Todo[]): Todo[] {
  const onPurpose = 'If this is intended, a label on the pull request can accept it.'
  const isAcceptable = advice.length === 0 && gatesThat(outcome.gates, 'failed').length > 0
  const doubt = generatorDoubt(outcome)
  return [
    ...(doubt === undefined ? [] : [moreGenerators(outcome)]),
    whereToLook(outcome),
    ...whatFirst(outcome),
    ...advice,
    ...(isAcceptable && outcome.step.pullRequest !== undefined
      ? [{ text: onPurpose, links: [documents.accepting] }]
      : []),
    ...(doubt === undefined ? again(outcome) : []),
  ]
}

function ofHistory(outcome: Outcome, history: History): Todo[] {
  const { runs, series } = history
  const change = whatGotWorse(history)
  const run = change && runs[change.run]
  const wait = {
    text: `Nothing yet. Until there are ${fewestForChange} runs, look at the charts of the page.`,
    links: [],
  }
  if (!run) return runs.length > 0 && runs.length < fewestForChange ? [wait] : []
  const figure = series.find((one) => isOf(change, one))
  const { isOneCommit, ...range } = rangeOf(outcome, runs, figure, change)
  const cause = isOneCommit ? 'what' : 'the cause in these commits, or in what'
  const first = { text: 'First run that shows it', href: run.url }
  return [{ text: `Look for ${cause} else changed at that time.`, links: [range, first] }]
}

/** Legs of which a reader is told what to do, and how much of each. */
const mostOfLegs = { legs: 3, each: 4 }

function ofLegs(outcome: Outcome, legs: readonly Leg[]): Todo[] {
  return redLegs(legs)
    .slice(0, mostOfLegs.legs)
    .flatMap(({ name, outcome: own }) => {
      const look = { text: 'See the log of its job, then re-run it.', links: toWorkflowRun(outcome) }
      const todo = own ? ofLoadTest(own).slice(0, mostOfLegs.each) : [look]
      return todo.map(({ text, links }) => ({ text: `${oneLine(name, 40)}: ${text}`, links }))
    })
}

/** Not after a second run, which has answered that. */
function again(outcome: LoadTestOutcome): Todo[] {
  if (outcome.mode !== 'run' || outcome.confirmation) return []
  return [{ text: 'If in doubt, re-run the job.', links: toWorkflowRun(outcome) }]
}

function moreGenerators(outcome: LoadTestOutcome): Todo {
  const text =
    'To rule out the load generators, set more or larger ones for the load test on the service, or ask whoever runs it there. Then run it again.'
  return { text, links: outcome.mode === 'run' ? toWorkflowRun(outcome) : [] }
}

/** Of a name that is gone or new. */
function nameTodo({ subject, unfit }: GateResult): Todo {
  const name = oneLine(subject, 80)
  const text =
    unfit === 'new'
      ? `Once the baseline has ${name}, it is compared. Until then, write a fixed limit, or let a label on the pull request accept it.`
      : `Find out why ${name} was not called. If it was removed on purpose, a label on the pull request can accept that. A new name for the step begins its baseline anew once main has run with it.`
  return { text, links: [documents.accepting] }
}

/** Most often a name is misspelt, which costs no second load test to find out. */
function unmeasured(outcome: LoadTestOutcome): Todo[] {
  const open = gatesThat(outcome.gates, 'not-measured')
  const again =
    'Give the load test the load and length of its baseline, take a newer baseline, or write a fixed limit.'
  if (open.every(isUncompared)) return [{ text: again, links: [] }]
  const rerun = 'Then push that: a re-run of the job would still have the old gate.'
  const misspelt = open.find(({ hint }) => hint !== undefined)
  const text = misspelt
    ? `${misspelt.hint} Correct the gate in line ${misspelt.line} of ${misspelt.file === undefined ? 'the input "gates" in the workflow file' : oneLine(misspelt.file, 80)}. ${rerun}`
    : `Correct the gate, or let the load test measure what it is about. ${rerun}`
  const report = outcome.mode === 'judge' ? [] : toReport(outcome)
  const tryOut = 'To try gates without another load test, give this report to the action "judge".'
  return [{ text, links: [] }, ...report.map((link) => ({ text: tryOut, links: [link] }))]
}

/** As one line of plain text. */
export function todoLine({ text, links }: Todo): string {
  return [text, ...links.flatMap(({ href }) => href ?? [])].join(' ')
}

/** A report may show where it is slower, but not why: the cause is in what differs from the baseline. */
function whereToLook(outcome: LoadTestOutcome): Todo {
  const { gates, comparison, step } = outcome
  const compares = gates.some(({ result, baseline }) => result === 'failed' && baseline !== undefined)
  if (!compares) {
    const text = 'Look for the cause in the report, which has every request, its errors and its times.'
    return { text, links: toReport(outcome) }
  }
  const before = comparison?.baseline.commit
  if (before !== undefined && before === step.commit) {
    const text =
      'The commit is that of the baseline: look for the cause in what else has changed, such as the system under test or its load.'
    return { text, links: [] }
  }
  return { text: 'Look for the cause in what has changed since the baseline.', links: codeChanges(outcome) }
}

/** What costs most, where a gate about times failed. */
function whatFirst(outcome: LoadTestOutcome): Todo[] {
  const first = tooSlow(outcome).length > 0 ? costliest(outcome) : undefined
  if (!first || unitOf(first.metric) !== 'ms') return []
  const change = `${metricTitle(first.metric)} ${nowText(first.figure, unitOf(first.metric))}`
  return [{ text: `Begin with "${oneLine(first.name, 80)}" (${change}).`, links: toReport(outcome) }]
}

function toReport(outcome: LoadTestOutcome): Link[] {
  return linkTo(reportTitle(outcome), outcome.report?.artifact?.url)
}

/**
 * The gates that a run supports, as texts that may be foreign; undefined if there are none.
 *
 * @returns `block` to copy, as the input `gates` or a file; `notes` on what the load test cannot show, and how far it sees
 */
export function suggestionText({ suggestion }: LoadTestOutcome) {
  if (!suggestion) return undefined
  const { runs, isAssumed, gates, leftOut, power } = suggestion
  const basis =
    runs === 1
      ? 'One run says little, so these limits leave room.'
      : `These gates rest on ${runs} runs${isAssumed ? ', too few to show their noise' : ''}.`
  return {
    title: `Suggested gates: ${gates.length}`,
    lead: `${basis} They say what is, not what should be.`,
    block: ['gates: |', ...gates.map((gate) => `  ${gate.gate} # ${basisOf(gate, suggestion)}`)],
    notes: [
      ...power.map(powerSentence),
      ...leftOut.map(({ gate, reason: why }) => `Not suggested: ${gate}. ${why}`),
    ],
  }
}

/** `6 runs: 612 to 640 ms, noise ±4%` */
function basisOf(
  { unit, runs, low, high, noise, samples }: Suggestion['gates'][number],
  { runs: all, isAssumed }: Suggestion,
): string {
  const varies = noise === undefined ? '' : `, noise ±${wholePercent(noise)}${isAssumed ? ', assumed' : ''}`
  const of = noise === undefined && samples !== undefined ? `, ${plural(samples, 'sample')}` : ''
  return `${plural(runs ?? all, 'run')}: ${range(low, high, unit)}${varies}${of}`
}

function range(low: number, high: number, unit: Unit): string {
  const [first, last] = [quantity(low, unit, high), quantity(high, unit)]
  return first === last ? last : `${withoutTime(first).replace(/%$/, '')} to ${last}`
}

/** What the load test finds, and what it would find if it were longer. */
function powerSentence({ subject, slower, ...of }: Suggestion['power'][number]): string {
  const { chance, chanceIfTwice, longerForTenth: times } = of
  const longer = times === 1 ? '' : ` only if they are ${times} times as long`
  const tenth =
    times === undefined
      ? 'stays within noise even if they are 50 times as long: compare with more runs.'
      : `stands out from noise in 8 of 10 runs${longer}.`
  return `With this load, +${slower}% of ${subject} is found in ${ofTen(chance)} runs; twice the duration: ${ofTen(chanceIfTwice)}. +10% ${tenth}`
}

/** `3 of 10` */
function ofTen(chance: number): string {
  return `${Math.round(chance * 10)} of 10`
}
