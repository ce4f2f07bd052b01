import { timerKinds, type Report, type Timer, type TimerKind } from '../../report/report.js'
import { addedTime } from './added-time.js'
import { exactMedian, sameLength, type Baseline } from './baseline.js'
import type { BaselineInfo, ComparedFigure, Comparison, ComparisonRow } from './comparison.js'
import { ReportFigures } from '../figures.js'
import { cell, type LineUp } from './line-up.js'
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
import { nameOf, placeKey, type Place } from '../place.js'
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
  const failed = failedPlaces(gates)
  const sameDuration = durationsAgree(report, baseline)
  const rowsOf = (kind: TimerKind, isSummary: boolean) => {
    const lineUp = noise.lineUp(kind)
    const indexes = [...lineUp.places.keys()].filter((at) => at >= lineUp.named === isSummary)
    const judgeOf = (metric: Metric) => changesBy(noise, kind, metric, failed.get(metric))
    const rows = compareTimers(kind, indexes, lineUp, judgeOf)
    if (!sameDuration) for (const { figures } of rows) judgeCountsByRate(figures)
    return rows
  }
  const summaries = timerKinds
    .filter((kind) => runs.some((one) => one.timer(kind, undefined)))
    .flatMap((kind) => rowsOf(kind, true))
  const named = timerKinds.flatMap((kind) => rowsOf(kind, false))
  const known = new Set(baseline.reports.flatMap((earlier) => earlier.errors.map((error) => error.message)))
  const newErrors = report.errors.map((error) => error.message).filter((message) => !known.has(message))
  const cpu = compareFigure(run.value(agents, 'cpu'), baseline.figure(agents, 'cpu')?.median)
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

/** The keys of the places that a metric's gates found to have failed. */
function failedPlaces(gates: readonly GateResult[]): Map<string | undefined, Set<string>> {
  const failed = new Map<string | undefined, Set<string>>()
  for (const { result, metric, place } of gates) {
    if (result !== 'failed' || !place) continue
    failed.set(metric, (failed.get(metric) ?? new Set()).add(placeKey(place)))
  }
  return failed
}

/** Whether a figure of the place with this index changed. */
type Judge = (at: number, difference: number) => ComparedFigure['change']

/** By the noise model that judges the gates, or by a gate that failed. */
function changesBy(noise: Noise, kind: TimerKind, metric: Metric, failed?: ReadonlySet<string>): Judge {
  const { places } = noise.lineUp(kind)
  const isBeyond = noise.judgeOf(kind, metric)
  const { higherIsBetter } = ruleOf(metric)
  const least = isStepped(metric) ? resolution : 0
  const isFailed = (place?: Place) => place !== undefined && failed?.has(placeKey(place)) === true
  return (at, difference) => {
    if (difference === 0) return 'none'
    if (!isFailed(places[at])) {
      if (Math.abs(difference) <= least) return 'none'
      const isChange = isBeyond(at, difference > 0)
      if (!isChange) return isChange === undefined ? 'unknown' : 'none'
    }
    return difference > 0 === higherIsBetter ? 'better' : 'worse'
  }
}

/**
 * The rows of some places of a kind, metric by metric: a noise model is about one metric of all of them.
 *
 * @param indexes of the places
 */
function compareTimers(
  kind: TimerKind,
  indexes: readonly number[],
  lineUp: LineUp,
  judgeOf: (metric: Metric) => Judge,
): ComparisonRow[] {
  const wide = lineUp.runs.length
  const all: Timer[] = []
  const rows = indexes.map((at): ComparisonRow => {
    const timers = lineUp.timersAt(at)
    const place = lineUp.places[at]
    for (const timer of timers) all.push(timer)
    const name = place && nameOf(place)
    const isNow = lineUp.timerAt(at, 0) !== undefined
    const presence = !isNow ? 'removed' : timers.length > 1 ? 'both' : 'added'
    return { kind, ...(name === undefined ? {} : { name }), presence, figures: {} }
  })
  for (const metric of metricsOf(kind, all)) {
    const figures = lineUp.figures(metric, '/s')
    const change = judgeOf(metric)
    for (const [index, row] of rows.entries()) {
      const at = indexes[index] ?? 0
      const value = cell(figures, at * wide)
      const figure = compareFigure(
        Number.isNaN(value) ? undefined : value,
        exactMedian(lineUp.earlier(figures, at)),
      )
      if (!figure) continue
      if (figure.difference !== undefined) figure.change = change(at, figure.difference)
      row.figures[metric] = figure
    }
  }
  return rows
}

/** The metric words for which one of the timers may have a figure. */
export function metricsOf(kind: TimerKind, timers: readonly Timer[]): Metric[] {
  const names = new Set<string>()
  for (const { percentiles } of timers) for (const name in percentiles) names.add(name)
  const sorted = [...names].filter(isPercentile).sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
  return [...timerMetrics, ...sorted, ...(kind === 'actions' ? actionMetrics : [])]
}

/** One figure of two runs, whose change is not judged yet; undefined if neither has it. */
export function compareFigure(
  value: number | undefined,
  baseline: number | undefined,
): ComparedFigure | undefined {
  if (baseline === undefined) return value === undefined ? undefined : { value, change: 'unknown' }
  if (value === undefined) return { baseline, change: 'unknown' }
  const { difference, relativeDifference } = differenceOf(value, baseline)
  if (relativeDifference === undefined) return { baseline, value, difference, change: 'unknown' }
  return { baseline, value, difference, relativeDifference, change: 'unknown' }
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
