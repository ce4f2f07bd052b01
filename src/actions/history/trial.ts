import { setImmediate } from 'node:timers/promises'
import { buildBaseline, type RunOrigin } from '../../noise/baseline.js'
import { judge, soundly } from '../../gates/gates.js'
import {
  written,
  gateKey,
  type GateOutcome,
  type GateResult,
  type GatesVerdict,
  resultSentence,
  verdictOf,
} from '../../gates/result.js'
import type { Gate } from '../../language/gate.js'
import { unitOf } from '../../figures/metrics.js'
import { judgedVerdicts, type Trial, type TrialResult } from '../../outcome/outcome.js'
import type { ParsedOutcome } from '../../outcome/outcome-file.js'
import { ofKinds, webVitalNames, type Report, type Timer, type WebVitals } from '../../report/report.js'
import { defined, groupsBy } from '../../text/fields.js'
import { line } from '../../text/foreign-text.js'

/** A run as its outcome file has it, with the page of its workflow run and the name of what it measured. */
export type PastRun = Pick<ParsedOutcome, 'report' | 'scorecard' | 'isNewLevel'> &
  Required<Pick<RunOrigin, 'verdict' | 'page' | 'name'>> &
  Pick<RunOrigin, 'tooManyErrors'>

const nothingBefore = { unfit: 'first-run', reason: 'There is no earlier run to compare with.' } as const
const withoutXml = 'An outcome file does not have the testreport.xml that xpath gates read.'
/** Characters. */
const longestReason = 200

/**
 * What gates would have come to in past runs, each compared with the latest ones before it. A run that would have
 * failed is left out of later baselines like any failed run. An xpath gate is never measured, and decides nothing.
 *
 * @param runs the oldest first
 * @param of how many runs form a baseline at most, and the percents by which response times are raised, to see whether
 *   the gates notice
 */
export async function tryGates(
  gates: readonly Gate[],
  runs: readonly PastRun[],
  of: { baselineRuns: number; slowdowns: readonly number[]; signal: AbortSignal },
): Promise<Trial> {
  const tried = gates.map((gate) => ({
    gate,
    results: [] as TrialResult[],
    slowdowns: of.slowdowns.map((percent) => ({ percent, found: 0, runs: 0 })),
  }))
  const verdicts: GatesVerdict[] = []
  const past: PastRun[] = []
  for (const run of runs) {
    await setImmediate()
    of.signal.throwIfAborted()
    const input = inputOf(run, past.slice(-of.baselineRuns).toReversed())
    const { resultsOf, errors, faults, tooManyErrors } = await judgedEach(gates, input)
    const deciding = gates.filter(({ warn, check }) => !warn && check.kind !== 'xpath')
    const { verdict } = soundly(verdictOf([...deciding.flatMap(resultsOf), ...errors]), faults)
    verdicts.push(verdict)
    past.push(...asEarlier(run, verdict, tooManyErrors))
    for (const { gate, results } of tried) results.push(trialResult(gate, resultsOf(gate)))
    const passing = tried.filter(({ gate }) => isOfTimes(gate) && worst(resultsOf(gate)) === 'passed')
    if (passing.length === 0) continue
    const still = passing.map(({ gate }) => gate)
    for (const [step, percent] of of.slowdowns.entries()) {
      const slower = await judgedEach(still, { ...input, report: slowed(run.report, percent) })
      for (const { gate, slowdowns } of passing) {
        const slowdown = slowdowns[step]
        if (!slowdown) continue
        slowdown.runs++
        if (worst(slower.resultsOf(gate)) === 'failed') slowdown.found++
      }
    }
  }
  return {
    verdicts,
    gates: tried.map(({ gate, results, slowdowns }) => ({
      ...{ ...written(gate), results },
      ...(isOfTimes(gate) ? { slowdowns } : {}),
    })),
  }
}

/** A run that the next ones would have been compared with, as these gates judge it. */
function asEarlier(run: PastRun, verdict: GatesVerdict, tooManyErrors: boolean): PastRun[] {
  if (!judgedVerdicts.includes(run.verdict)) return []
  return [{ ...run, tooManyErrors, verdict: verdict === 'failed' && run.isNewLevel ? 'accepted' : verdict }]
}

/** @param before the latest first */
function inputOf({ report, scorecard }: PastRun, before: readonly PastRun[]) {
  const reports = before.map((run) => run.report)
  const baseline = buildBaseline(reports, before)
  return { report, first: nothingBefore, isFailureEnough: true as const, ...defined({ scorecard, baseline }) }
}

/** The results of each gate, and what errors alone come to, for all gates together. */
async function judgedEach(gates: readonly Gate[], input: ReturnType<typeof inputOf>) {
  // Each fails or is not measured, so that the two can be distinguished where a gate only warns.
  const failing = gates.map((gate) => ({ ...gate, warn: false }))
  const { results, faults, tooManyErrors } = await judge({ ...input, gates: failing })
  const byGate = groupsBy(results, gateKey)
  return {
    resultsOf: (gate: Gate) => byGate.get(gateKey(written(gate))) ?? [],
    errors: results.filter(({ builtIn }) => builtIn),
    faults,
    tooManyErrors,
  }
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
