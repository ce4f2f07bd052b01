import { setImmediate } from 'node:timers/promises'
import { buildBaseline } from '../gates/noise/baseline.js'
import { judge, soundly, type Judged, type JudgeInput } from '../gates/gates.js'
import {
  written,
  gateKey,
  type GateOutcome,
  type GateResult,
  type GatesVerdict,
  resultSentence,
  verdictOf,
} from '../gates/result.js'
import type { Gate } from '../gates/language/gate.js'
import { unitOf } from '../figures/metrics.js'
import type { Slowdown, Trial, TrialResult, TriedGate } from '../outcome/history.js'
import {
  ofKinds,
  webVitalNames,
  type Report,
  type Scorecard,
  type Timer,
  type WebVitals,
} from '../report/report.js'
import { defined, groupsBy } from '../text/fields.js'
import { line } from '../text/foreign-text.js'

/** A run as its outcome file has it. */
export interface PastRun {
  report: Report
  scorecard?: Scorecard
  /** What its own step came to. */
  verdict: string
  /** Its workflow run. */
  page: string
}

interface TrialOptions {
  /** How many runs form a baseline, at most. */
  baselineRuns: number
  /** Percent by which response times are raised, to see whether the gates notice. */
  slowdowns: readonly number[]
  signal: AbortSignal
}

/** With any other verdict, such as load-test-failed, a run is nobody's baseline. */
const byGates: readonly string[] = ['passed', 'failed', 'accepted', 'invalid']
const nothingBefore = { unfit: 'first-run', reason: 'There is no earlier run to compare with.' } as const
const withoutXml = 'An outcome file does not have the testreport.xml that xpath gates read.'
/** Characters. */
const longestReason = 200

/**
 * What gates would have come to in past runs, each compared with the latest ones before it. A run that would have
 * failed is left out of later baselines like any failed run. An xpath gate is never measured, and decides nothing.
 *
 * @param runs the oldest first
 */
export async function tryGates(
  gates: readonly Gate[],
  runs: readonly PastRun[],
  { baselineRuns, slowdowns, signal }: TrialOptions,
): Promise<Trial> {
  // Each fails or is not measured, so that the two can be distinguished where a gate only warns.
  const tried = gates.map((gate) => ({
    gate,
    failing: { ...gate, warn: false },
    results: [] as TrialResult[],
    slowdowns: slowdowns.map((percent): Slowdown => ({ percent, found: 0, runs: 0 })),
  }))
  const verdicts: GatesVerdict[] = []
  for (const run of runs) {
    await setImmediate()
    signal.throwIfAborted()
    const input = inputOf(run, earlierRuns(runs, verdicts, baselineRuns))
    const judged = await judgedEach(tried, input)
    verdicts.push(verdictOfRun(judged))
    for (const { one, results } of judged) one.results.push(trialResult(one.gate, results))
    const passing = judged.filter(({ one, results }) => isOfTimes(one.gate) && worst(results) === 'passed')
    const still = passing.map(({ one }) => one)
    for (const [step, percent] of slowdowns.entries()) {
      const slower = await judgedEach(still, { ...input, report: slowed(run.report, percent) })
      for (const { one, results } of slower) count(one.slowdowns[step], worst(results) === 'failed')
    }
  }
  return { verdicts, gates: tried.map(withoutParts) }
}

/**
 * The runs that the step would have compared the next one with, the latest first.
 *
 * @param verdicts of the runs so far
 */
function earlierRuns(
  runs: readonly PastRun[],
  verdicts: readonly GatesVerdict[],
  most: number,
): (PastRun & { verdict: GatesVerdict })[] {
  return verdicts
    .flatMap((verdict, index) => {
      const run = runs[index]
      return run && byGates.includes(run.verdict) ? [{ ...run, verdict }] : []
    })
    .slice(-most)
    .reverse()
}

function inputOf({ report, scorecard }: PastRun, before: readonly PastRun[]): Omit<JudgeInput, 'gates'> {
  const baseline = buildBaseline(
    before.map((run) => run.report),
    before.map(({ verdict, page }) => ({ verdict, page })),
  )
  return { report, first: nothingBefore, isFailureEnough: true, ...defined({ scorecard, baseline }) }
}

interface Tried {
  gate: Gate
  /** The gate, as one that does not only warn. */
  failing: Gate
  results: TrialResult[]
  slowdowns: Slowdown[]
}

interface JudgedGate {
  one: Tried
  results: readonly GateResult[]
  /** What errors alone come to, for all gates together. */
  errors: readonly GateResult[]
  /** Why the run is not the one that was planned. */
  faults: Judged['faults']
}

async function judgedEach(tried: readonly Tried[], input: Omit<JudgeInput, 'gates'>): Promise<JudgedGate[]> {
  if (tried.length === 0) return []
  const judged = await judge({ ...input, gates: tried.map(({ failing }) => failing) })
  const byGate = groupsBy(judged.results, gateKey)
  const { faults } = judged
  const errors = judged.results.filter(({ builtIn }) => builtIn)
  return tried.map((one) => ({ one, results: byGate.get(gateKey(written(one.gate))) ?? [], errors, faults }))
}

function verdictOfRun(judged: readonly JudgedGate[]): GatesVerdict {
  const deciding = judged.filter(({ one: { gate } }) => !gate.warn && gate.check.kind !== 'xpath')
  const results = [...deciding.flatMap((one) => one.results), ...(judged[0]?.errors ?? [])]
  return soundly(verdictOf(results), judged[0]?.faults ?? []).verdict
}

function count(slowdown: Slowdown | undefined, isFound: boolean): void {
  if (!slowdown) return
  slowdown.runs++
  if (isFound) slowdown.found++
}

function withoutParts({ gate, results, slowdowns }: Tried): TriedGate {
  return { ...written(gate), results, ...(isOfTimes(gate) ? { slowdowns } : {}) }
}

/** Whether slower responses show in the figure of a gate. */
function isOfTimes({ check }: Gate): boolean {
  return check.kind === 'figure' && unitOf(check.metric) === 'ms'
}

const worstFirst: readonly GateOutcome[] = [
  'failed',
  'not-measured',
  'warned',
  'not-compared',
  'passed',
  'left-out',
]

/** A gate without a result was not measured. */
function worst(results: readonly GateResult[] = []): GateOutcome {
  return worstFirst.find((outcome) => results.some(({ result }) => result === outcome)) ?? 'not-measured'
}

function trialResult(gate: Gate, results: readonly GateResult[]): TrialResult {
  const result = worst(results)
  const first = results.find((one) => one.result === result)
  const isOpen = result === 'failed' || result === 'not-measured'
  const reason =
    gate.check.kind === 'xpath' ? withoutXml : isOpen && first ? resultSentence(first) : undefined
  return {
    result: result === 'failed' && gate.warn ? 'warned' : result,
    ...(reason === undefined ? {} : { reason: line(reason, longestReason) }),
  }
}

/** A report with all response times raised by some percent, and everything else as it was. */
export function slowed(report: Report, percent: number): Report {
  // A report has no more than three decimals: 400 ms and 10% are 440 ms, not a little more.
  const slower = (time: number) => Math.round(time * (100 + percent) * 10) / 1000
  const timers = ofKinds((kind) => {
    const { summary, timers } = report.timers[kind]
    return {
      timers: timers.map((timer) => slowedTimer(timer, slower)),
      ...(summary ? { summary: slowedTimer(summary, slower) } : {}),
    }
  })
  return {
    ...report,
    timers,
    webVitals: report.webVitals.map((row) => slowedVitals(row, slower)),
  }
}

function slowedTimer(timer: Timer, slower: (time: number) => number): Timer {
  const times = (figures: object) =>
    Object.entries(figures).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'number' && unitOf(name) === 'ms' ? [[name, slower(value)] as const] : [],
    )
  return {
    ...timer,
    ...Object.fromEntries(times(timer)),
    percentiles: Object.fromEntries(times(timer.percentiles)),
  }
}

function slowedVitals({ name, vitals }: WebVitals, slower: (time: number) => number): WebVitals {
  const copy = { ...vitals }
  for (const vital of webVitalNames) {
    const one = vitals[vital]
    if (one && unitOf(vital) === 'ms') copy[vital] = { ...one, score: slower(one.score) }
  }
  return { name, vitals: copy }
}
