import { timerKinds, type Report, type Timer, type TimerKind } from '../../report/report.js'
import { addedTime } from './added-time.js'
import { sameLength, spreadOf, type Baseline, type BaselineFigure } from './baseline.js'
import type { BaselineInfo, ComparedFigure, Comparison, ComparisonRow } from './comparison.js'
import type { Finding, Unfit } from '../noise/false-alarms.js'
import { measured, placeName, ReportFigures, type TimerPlace } from '../figures.js'
import { differenceOf } from '../limit.js'
import {
  actionMetrics,
  isPercentile,
  isStepped,
  resolution,
  ruleOf,
  timerMetrics,
  type Metric,
} from '../metrics.js'
import { Noise } from '../noise/noise.js'
import type { GateResult } from '../result.js'
import { defined } from '../../text/fields.js'

export interface ComparisonInfo {
  baseline: BaselineInfo
  /** Custom report label of the measurement run. */
  label?: string
}

/**
 * Compares the run with its baseline as the engine's comparison does: timers matched by name, absolute and relative
 * differences, rows that were added or removed. A timer belongs to the baseline if any of its runs has it.
 *
 * @param judged what the gates were judged with, and their results
 */
export function compareRuns(
  report: Report,
  baseline: Baseline,
  info: ComparisonInfo,
  judged: { noise?: Noise; gates?: readonly GateResult[] } = {},
): Comparison {
  const run = new ReportFigures(report)
  const { noise = new Noise(run, baseline), gates = [] } = judged
  const failed = new Set(
    gates.flatMap((gate) => (gate.result === 'failed' ? [keyOf(gate.subject, gate.metric)] : [])),
  )
  const sameDuration = durationsAgree(report, baseline)
  const row = (place: TimerPlace): ComparisonRow => {
    const subject = placeName(place)
    const isFailed = (metric: Metric) => failed.size > 0 && failed.has(keyOf(subject, metric))
    const change: Judge = (metric, figure) =>
      changeOf(metric, figure, () => noise.find(place, metric), isFailed(metric))
    const compared = compareTimer(run, baseline, place, change)
    if (!sameDuration) judgeCountsByRate(compared.figures)
    return compared
  }
  const summaries = timerKinds
    .filter((kind) => [run, ...baseline.runs].some((one) => one.timer(kind, undefined)))
    .map((timers) => row({ kind: 'timers', timers }))
  const named = timerKinds.flatMap((timers) => {
    const names = new Set([run, ...baseline.runs].flatMap((one) => [...one.timers(timers).keys()]))
    return [...names].map((name) => row({ kind: 'timers', timers, name }))
  })
  const known = new Set(baseline.reports.flatMap((earlier) => earlier.errors.map((error) => error.message)))
  const newErrors = report.errors.map((error) => error.message).filter((message) => !known.has(message))
  const cpu = compareFigure(run.value(agents, 'cpu'), baseline.figure(agents, 'cpu'))
  const wholeRun = noise.wholeRun()
  const spent = addedTime(run, baseline, named)
  return {
    ...info,
    rows: [...summaries, ...named],
    ...(cpu ? { cpu } : {}),
    newErrors: [...new Set(newErrors)],
    ...(spent.length > 0 ? { addedTime: spent } : {}),
    ...(wholeRun ? { noise: wholeRun } : {}),
  }
}

const agents = { kind: 'agents' } as const

/** Whether a figure of a timer changed. */
type Judge = (metric: Metric, figure: ComparedFigure) => ComparedFigure['change']

function keyOf(subject: string, metric = ''): string {
  return `${subject} ${metric}`
}

function compareTimer(
  run: ReportFigures,
  baseline: Baseline,
  place: TimerPlace,
  change: Judge,
): ComparisonRow {
  const { timers, name } = place
  const now = run.timer(timers, name)
  const before = baseline.runs.flatMap((one) => one.timer(timers, name) ?? [])
  const figures: Record<string, ComparedFigure> = {}
  for (const metric of metricsOf(timers, [...(now ? [now] : []), ...before])) {
    const earlier = before.map((timer) => measured(timer, metric)).filter((value) => value !== undefined)
    const compared = compareFigure(now && measured(now, metric), spreadOf(earlier))
    if (!compared) continue
    compared.change = change(metric, compared)
    figures[metric] = compared
  }
  return {
    kind: timers,
    ...defined({ name }),
    presence: now && before.length > 0 ? 'both' : now ? 'added' : 'removed',
    figures,
  }
}

/** The metric words for which one of the timers may have a figure. */
export function metricsOf(kind: TimerKind, timers: readonly Timer[]): Metric[] {
  const names = new Set<string>()
  for (const { percentiles } of timers) for (const name of Object.keys(percentiles)) names.add(name)
  const sorted = [...names].filter(isPercentile).sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
  return [...timerMetrics, ...sorted, ...(kind === 'actions' ? actionMetrics : [])]
}

/** One figure of two runs, whose change is not judged yet; undefined if neither has it. */
export function compareFigure(
  value: number | undefined,
  earlier: BaselineFigure | undefined,
): ComparedFigure | undefined {
  if (value === undefined && earlier === undefined) return undefined
  if (value === undefined) return { ...(earlier ? { baseline: earlier.median } : {}), change: 'unknown' }
  if (earlier === undefined) return { value, change: 'unknown' }
  return { baseline: earlier.median, value, ...differenceOf(value, earlier.median), change: 'unknown' }
}

/** Whether a figure changed by more than noise, by the model that judges the gates, or by a gate that failed. */
function changeOf(
  metric: Metric,
  { difference }: ComparedFigure,
  find: () => Finding | Unfit | undefined,
  isFailed: boolean,
): ComparedFigure['change'] {
  if (difference === undefined) return 'unknown'
  if (difference === 0) return 'none'
  if (!isFailed) {
    if (isStepped(metric) && Math.abs(difference) <= resolution) return 'none'
    const finding = find()
    if (!finding || 'unfit' in finding) return 'unknown'
    if (!finding.isBeyond(difference > 0)) return 'none'
  }
  return difference > 0 === ruleOf(metric).higherIsBetter ? 'better' : 'worse'
}

/** Raw counts of runs of different lengths mislead: their rates say how they changed. */
function judgeCountsByRate(figures: Record<string, ComparedFigure>): void {
  for (const metric of timerMetrics) {
    const { rate } = ruleOf(metric)
    const figure = figures[metric]
    if (figure && rate) figures[metric] = { ...figure, change: figures[rate]?.change ?? 'unknown' }
  }
}

/** Also false if a length is unknown. */
function durationsAgree(report: Report, baseline: Baseline): boolean {
  const now = report.general.duration
  return (
    now !== undefined &&
    baseline.reports.every(({ general }) => {
      if (general.duration === undefined) return false
      return Math.abs(now - general.duration) * 100 <= general.duration * sameLength
    })
  )
}
