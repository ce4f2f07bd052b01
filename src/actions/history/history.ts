import type { EarlierOutcome } from '../../baseline/baseline.js'
import { earlierRun, readOutcome, type ParsedOutcome } from '../../outcome/outcome-file.js'
import { isoTime } from '../../clock.js'
import { message } from '../../errors.js'
import { baselineRuns } from '../../baseline/source.js'
import type { ActionInputs } from '../../inputs/inputs.js'
import {
  judgedVerdicts,
  type HistoryOutcome,
  type Part,
  type HistoryRun,
  type Trial,
  type TrialResult,
} from '../../outcome/outcome.js'
import {
  timerKinds,
  ofKinds,
  webVitalNames,
  type TimerKind,
  type Report,
  type Timer,
  type WebVitals,
} from '../../report/report.js'
import { defined, groupsBy } from '../../text/fields.js'
import { oneLine, line } from '../../text/foreign-text.js'
import { withoutSecrets } from '../../text/redaction.js'
import { plural } from '../../text/plural.js'
import { changePointsIn, type Series, type Watched } from '../../comparison/change-points.js'
import { ReportFigures, placeKey, type Place } from '../../figures/figures.js'
import { standingMetric, unitOf, type Metric } from '../../figures/metrics.js'
import type { World } from '../../world.js'
import { setImmediate } from 'node:timers/promises'
import { buildBaseline, type RunOrigin } from '../../noise/baseline.js'
import { judge, soundly } from '../../gates/gates.js'
import { written, gateKey, resultSentence, verdictOf } from '../../gates/result.js'
import type { GateResult, GatesVerdict } from '../../gates/result.js'
import type { Gate } from '../../language/gate.js'

/** In all runs together: as much as memory and a page can take. */
const mostTimers = 200_000
/** In one run: it must not take the place of all others. */
const mostTimersOfOne = mostTimers / 2
const mostNamed = 10
/** Percent by which the times of a run are raised, to see which gates find that. */
const slowdowns = [10, 20, 50]

export interface HistoryWorld extends Pick<World, 'log' | 'signal'> {
  /**
   * Reads the outcome files of the latest runs on the branch, whatever their verdict, at most that many that count, the
   * latest first.
   *
   * @param read why one does not count, as the end of a sentence
   * @returns the branch, and a sentence for each run whose outcome could not be fetched
   */
  branchOutcomes: (
    runs: number,
    read: (outcome: EarlierOutcome) => string | undefined,
  ) => Promise<{ branch: string; unread: string[] }>
}

/** The figures of a branch's latest runs, and what the gates would have come to in them. The service is not used. */
export async function historyOfBranch(
  { runs: most, name, gates }: Pick<Extract<ActionInputs, { mode: 'history' }>, 'runs' | 'name' | 'gates'>,
  { branchOutcomes, log, signal }: HistoryWorld,
): Promise<Part<HistoryOutcome>> {
  const read: ReadRuns = { runs: [], timers: 0, faults: [], withoutFigures: 0, leftOut: 0 }
  const { branch, unread } = await log.group('Read the outcomes of the runs', () =>
    branchOutcomes(most, (outcome) => {
      signal.throwIfAborted()
      return readRun(outcome, read)
    }),
  )
  const count = read.runs.length
  log.info(
    `${plural(count, 'run')} of ${oneLine(branch, 100)} ${count === 1 ? 'has' : 'have'} the artifact ${name}-outcome with figures`,
  )
  const figures = read.runs.map((run) => run.figures)
  const series = seriesOf(figures)
  const reports = figures.map(({ report }) => report)
  const changePoints = changePointsIn(reports, series)
  const runs = read.runs.map((run) => run.about)
  const past = read.runs.map(({ about, figures: { report, scorecard, isNewLevel } }) => {
    const { url: page, verdict, commit: name } = about
    return { report, verdict, page, name, ...defined({ scorecard, isNewLevel }) }
  })
  const attempt = () => tryGates(gates, past, { baselineRuns, slowdowns, signal })
  const trial = gates.length > 0 ? await log.group('Try the gates on them', attempt) : undefined
  const history = { branch: withoutSecrets(branch), runs, series, changePoints, ...defined({ trial }) }
  return { verdict: 'passed', history, notes: notesOf(unread, read) }
}

interface ReadRuns {
  /** The oldest first. */
  runs: { about: HistoryRun; figures: ParsedOutcome }[]
  /** A sentence for each that cannot be read. */
  faults: string[]
  withoutFigures: number
  /** The number of older runs for which there was no room. */
  leftOut: number
  timers: number
}

/** Adds what counts of an outcome. @returns why it does not count, as the end of a sentence */
function readRun(outcome: EarlierOutcome, read: ReadRuns): string | undefined {
  const { path, url, branch } = outcome
  let parsed
  try {
    parsed = earlierRun(readOutcome(path))
  } catch (error) {
    read.faults.push(`The outcome of ${oneLine(url, 200)} ${message(error)} and is left out.`)
    return undefined
  }
  if (!parsed) {
    read.withoutFigures++
    return undefined
  }
  const why = parsed.whyNotOfBranch(branch)
  if (why !== undefined) return why
  const { timers, webVitals } = parsed.report
  const own = timerKinds.reduce((sum, kind) => sum + timers[kind].timers.length, webVitals.length)
  if (own > mostTimersOfOne) {
    read.faults.push(`The outcome of ${oneLine(url, 200)} has more than 100,000 timers and is left out.`)
  } else if (read.leftOut > 0 || read.timers + own > mostTimers) read.leftOut++
  else {
    read.timers += own
    // Without what neither a chart shows nor a gate judges.
    const report = { ...parsed.report, comments: [], errors: [], responseCodes: [] }
    const figures = { ...parsed, report }
    read.runs.unshift({ about: aboutRun(outcome, parsed), figures })
  }
  return undefined
}

function aboutRun(
  { url, commit }: EarlierOutcome,
  { verdict, report, acceptedBy, digest }: ParsedOutcome,
): HistoryRun {
  const { startTime } = report.general
  const began = isoTime(startTime)
  // The file of another workflow run cannot send readers elsewhere.
  const page = digest?.startsWith(`${url}/artifacts/`) ? digest : undefined
  return { url, commit, verdict, ...defined({ startTime: began, acceptedBy, digest: page }) }
}

function notesOf(unread: readonly string[], { faults, withoutFigures, leftOut }: ReadRuns): string[] {
  const named = [...unread, ...faults]
  const rest = named.length - mostNamed
  return [
    ...named.slice(0, mostNamed),
    ...(rest > 0
      ? [`${plural(rest, 'more outcome')} could not be read and ${rest === 1 ? 'is' : 'are'} left out.`]
      : []),
    ...(withoutFigures > 0
      ? [`Runs without figures, which read no report, are left out: ${withoutFigures}.`]
      : []),
    ...(leftOut > 0
      ? [`The oldest runs are left out, since all runs together have more than 200,000 timers: ${leftOut}.`]
      : []),
  ]
}

/** What is shown for all timers of a kind; `main` is the metric that represents them. */
const keyMetrics: [TimerKind, (Metric | 'main')[]][] = [
  ['requests', ['main', 'error-rate', 'throughput']],
  ['transactions', ['main', 'error-rate']],
  ['actions', ['main']],
  ['pageLoads', ['main']],
]

/** The figures of runs, in their order: a figure that one of them measured has a value or a gap for each. */
export function seriesOf(runs: readonly Pick<ParsedOutcome, 'report' | 'limits'>[]): Series[] {
  const figures = runs.map(({ report }) => new ReportFigures(report))
  // Where gates set several limits on one figure, the last counts.
  const limits = runs.map(
    (run) => new Map(run.limits.map(({ place, metric, limit }) => [figureKey(place, metric), limit])),
  )
  return watchedIn(figures).flatMap((watched) => {
    const values = figures.map((run) => run.value(watched, watched.metric) ?? null)
    if (values.every((value) => value === null)) return []
    const key = figureKey(watched, watched.metric)
    const allowed = limits.map((one) => one.get(key) ?? null)
    return [{ ...watched, values, ...(allowed.some((limit) => limit !== null) ? { limits: allowed } : {}) }]
  })
}

function watchedIn(runs: readonly ReportFigures[]): Watched[] {
  const main = new Map(timerKinds.map((kind) => [kind, mainMetricOf(kind, runs)]))
  const ofKind = (kind: TimerKind) => main.get(kind) ?? 'mean'
  const keys = keyMetrics.flatMap(([kind, metrics]) =>
    metrics.map((metric) => ({ kind, metric: metric === 'main' ? ofKind(kind) : metric })),
  )
  const timers = timerKinds.flatMap((kind) => {
    const names = new Set(runs.flatMap((run) => [...run.timers(kind).keys()]))
    return [...names].map((name) => ({ kind, name, metric: ofKind(kind) }))
  })
  return [...keys, ...timers]
}

/** One for all timers of a kind, so that their charts can be compared. */
function mainMetricOf(kind: TimerKind, runs: readonly ReportFigures[]): Metric {
  const timers = runs.flatMap((run) => [run.timer(kind, undefined), ...run.timers(kind).values()])
  return standingMetric((metric) => timers.some((one) => one && Object.hasOwn(one.percentiles, metric)))
}

function figureKey(place: Place, metric: string): string {
  return `${metric} ${placeKey(place)}`
}

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
  const ofGates = tried.map(({ gate, results, slowdowns }) => ({
    ...{ ...written(gate), results },
    ...(isOfTimes(gate) ? { slowdowns } : {}),
  }))
  return { verdicts, gates: ofGates }
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

const worstFirst = ['failed', 'not-measured', 'warned', 'not-compared', 'passed', 'left-out'] as const

/** A gate without a result was not measured. */
function worst(results: readonly GateResult[]) {
  return worstFirst.find((outcome) => results.some(({ result }) => result === outcome)) ?? 'not-measured'
}

function trialResult(gate: Gate, results: readonly GateResult[]): TrialResult {
  const result = worst(results)
  const first = results.find((one) => one.result === result)
  const isOpen = result === 'failed' || result === 'not-measured'
  const reason =
    gate.check.kind === 'xpath' ? withoutXml : isOpen && first ? resultSentence(first) : undefined
  const told = result === 'failed' && gate.warn ? 'warned' : result
  return { result: told, ...defined({ reason: reason && line(reason, longestReason) }) }
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
  const webVitals = report.webVitals.map((row) => slowedVitals(row, slower))
  return { ...report, timers, webVitals }
}

function slowedTimer(timer: Timer, slower: (time: number) => number): Timer {
  const times = (figures: object) =>
    Object.entries(figures).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'number' && unitOf(name) === 'ms' ? [[name, slower(value)] as const] : [],
    )
  const percentiles = Object.fromEntries(times(timer.percentiles))
  return { ...timer, ...Object.fromEntries(times(timer)), percentiles }
}

function slowedVitals({ name, vitals }: WebVitals, slower: (time: number) => number): WebVitals {
  const copy = { ...vitals }
  for (const vital of webVitalNames) {
    const one = vitals[vital]
    if (one && unitOf(vital) === 'ms') copy[vital] = { ...one, score: slower(one.score) }
  }
  return { name, vitals: copy }
}
