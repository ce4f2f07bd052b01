import { timerKinds, type Report, type Timer, type TimerKind } from '../../report/report.js'
import { addedTime } from './added-time.js'
import { sameLength, spreadOf, type Baseline, type BaselineFigure } from './baseline.js'
import type { BaselineInfo, ComparedFigure, Comparison, ComparisonRow } from './comparison.js'
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
  const runs = [run, ...baseline.runs]
  const change = changesBy(noise, gates)
  const sameDuration = durationsAgree(report, baseline)
  const rowsOf = (kind: TimerKind, names: readonly (string | undefined)[]) => {
    const rows = compareTimers(kind, names, runs, change)
    if (!sameDuration) for (const { figures } of rows) judgeCountsByRate(figures)
    return rows
  }
  const summaries = timerKinds
    .filter((kind) => runs.some((one) => one.timer(kind, undefined)))
    .flatMap((kind) => rowsOf(kind, [undefined]))
  const named = timerKinds.flatMap((kind) => {
    const names = new Set(runs.flatMap((one) => [...one.timers(kind).keys()]))
    return rowsOf(kind, [...names])
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
type Judge = (place: TimerPlace, metric: Metric, figure: ComparedFigure) => ComparedFigure['change']

/** By the noise model that judges the gates, or by a gate that failed. */
function changesBy(noise: Noise, gates: readonly GateResult[]): Judge {
  const failed = new Map<string | undefined, Set<string>>()
  for (const { result, metric, subject } of gates) {
    if (result === 'failed') failed.set(metric, (failed.get(metric) ?? new Set()).add(subject))
  }
  return (place, metric, { difference }) => {
    if (difference === undefined) return 'unknown'
    if (difference === 0) return 'none'
    if (!failed.get(metric)?.has(placeName(place))) {
      if (isStepped(metric) && Math.abs(difference) <= resolution) return 'none'
      const isBeyond = noise.isBeyond(place, metric, difference > 0)
      if (!isBeyond) return isBeyond === undefined ? 'unknown' : 'none'
    }
    return difference > 0 === ruleOf(metric).higherIsBetter ? 'better' : 'worse'
  }
}

/** The rows of a kind's timers. They are judged metric by metric: a noise model is about one metric of all of them. */
function compareTimers(
  kind: TimerKind,
  names: readonly (string | undefined)[],
  [run, ...earlier]: readonly ReportFigures[],
  change: Judge,
): ComparisonRow[] {
  const compared = names.map((name) => {
    const named = name === undefined ? {} : { name }
    const now = run?.timer(kind, name)
    const before = earlier.flatMap((one) => one.timer(kind, name) ?? [])
    const presence = now && before.length > 0 ? 'both' : now ? 'added' : 'removed'
    const row: ComparisonRow = { kind, ...named, presence, figures: {} }
    return { place: { kind: 'timers', timers: kind, ...named } as const, now, before, row }
  })
  const metrics = metricsOf(
    kind,
    compared.flatMap(({ now, before }) => (now ? [now, ...before] : before)),
  )
  for (const { now, before, row } of compared) {
    for (const metric of metrics) {
      const figure = compareFigure(now && measured(now, metric), spreadOf(figuresOf(before, metric)))
      if (figure) row.figures[metric] = figure
    }
  }
  for (const metric of metrics) {
    for (const { place, row } of compared) {
      const figure = row.figures[metric]
      if (figure) figure.change = change(place, metric, figure)
    }
  }
  return compared.map(({ row }) => row)
}

function figuresOf(timers: readonly Timer[], metric: Metric): number[] {
  const values: number[] = []
  for (const timer of timers) {
    const value = measured(timer, metric)
    if (value !== undefined) values.push(value)
  }
  return values
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
