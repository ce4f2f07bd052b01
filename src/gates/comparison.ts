import {
  isPercentile,
  timerKinds,
  type Report,
  type Timeline,
  type Timer,
  type TimerKind,
} from '../report/report.js'
import { type RunNoise, Noise } from './noise/noise.js'
import { addedTime } from './added-time.js'
import { exactMedian, differenceOf } from '../figures/numbers.js'
import { sameLength, type Baseline, cell, type LineUp } from './noise/baseline.js'
import { ReportFigures, nameOf, placeKey, type Place } from '../figures/figures.js'
import {
  actionMetrics,
  isMetric,
  metricRule,
  resolutionOf,
  ruleOf,
  timerMetrics,
  type Metric,
} from '../figures/metrics.js'
import { defined } from '../text/fields.js'
import type { GateResult } from './result.js'

/** The run (the measurement run) compared with its baseline, matched by name as in the engine's own comparison. */
export interface Comparison {
  baseline: BaselineInfo
  /** Custom report label of the measurement run, where it has one. */
  label?: string
  /** One row for each timer of either run; summaries first. */
  rows: ComparisonRow[]
  /** Mean CPU use of the baseline's busiest load generator, percent. */
  cpu?: number
  /** Error messages that the baseline did not have. */
  newErrors: string[]
  /** Where the added time of what got slower was spent, as sentences, if the reports say so; costliest first. */
  addedTime?: string[]
  /** The load or the length is not that of the baseline; the notes say how. */
  otherLoad?: true
  /** How the latest run of the baseline went that has a timeline. */
  timeline?: Timeline
  /** How the whole run differs, if enough timers show it. */
  noise?: RunNoise
  /** The runs of the baseline one by one, the oldest first, where there are several. */
  trend?: EarlierRun[]
}

/** One run of a baseline of several. */
export interface EarlierRun {
  /** Its workflow run. */
  url?: string
  commit?: string
  /** ISO 8601. */
  startTime?: string
  /** The summary row of each kind, by metric word of the gate language. */
  figures: Partial<Record<TimerKind, Record<string, number>>>
}

export interface BaselineInfo {
  /** As a reader knows it: `load test 17`, `3 runs of main`, `baseline/testreport.xml`. */
  name: string
  /** Custom report label, where the baseline has one. */
  label?: string
  /** How many it is made of. */
  runs: number
  /** How many more were found and left out, where any were. */
  leftOut?: number
  url?: string
  commit?: string
  /** ISO 8601. */
  startTime?: string
}

export interface ComparisonRow {
  kind: TimerKind
  /** Absent for the kind's summary row. */
  name?: string
  presence: 'both' | 'added' | 'removed'
  /** What the baseline has, by metric word of the gate language; what the run has is in its report. */
  baseline: Record<string, number>
  /** The figures that differ by more than noise, or by which a gate failed. */
  changes?: Record<string, Direction>
  /** Those that got worse, in each run of the trend; null in a run that did not measure one. */
  earlier?: Record<string, (number | null)[]>
}

export type Direction = 'better' | 'worse'

/** A figure of the run, beside that of its baseline. */
export interface ComparedFigure {
  baseline?: number
  value?: number
  difference?: number
  /** Percent; absent if the baseline is 0 and the value is not. */
  relativeDifference?: number
  /** Absent if the difference may be noise. */
  change?: Direction
}

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
  const rows = timerKinds.flatMap((kind) => {
    const judgeOf = (metric: Metric) => changesBy(noise, kind, metric, failed.get(metric))
    const all = compareTimers(kind, noise.lineUp(kind), judgeOf)
    return sameDuration ? all : all.map(judgedByRate)
  })
  const isUsed = ({ kind }: ComparisonRow) => runs.some((one) => one.timer(kind, undefined))
  const summaries = rows.filter((row) => row.name === undefined && isUsed(row))
  const named = rows.filter(({ name }) => name !== undefined)
  const known = new Set(baseline.reports.flatMap((earlier) => earlier.errors.map((error) => error.message)))
  const newErrors = report.errors.map((error) => error.message).filter((message) => !known.has(message))
  const wholeRun = noise.wholeRun(gates.flatMap(({ place }) => place?.kind ?? []))
  const spent = addedTime(run, baseline, named)
  return {
    ...info,
    rows: [...summaries, ...named],
    ...defined({ cpu: baseline.figure({ kind: 'agents' }, 'cpu')?.median }),
    newErrors: [...new Set(newErrors)],
    ...(spent.length > 0 ? { addedTime: spent } : {}),
    ...(wholeRun ? { noise: wholeRun } : {}),
  }
}

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
type Judge = (at: number, value: number, before: number) => Direction | undefined

/** By the noise model that judges the gates, or by a gate that failed. */
function changesBy(noise: Noise, kind: TimerKind, metric: Metric, failed?: ReadonlySet<string>): Judge {
  const { places, runs } = noise.lineUp(kind)
  const resolution = resolutionOf(metric, runs)
  const isBeyond = noise.judgeOf(kind, metric)
  const { higherIsBetter } = ruleOf(metric)
  const isFar = (value: number, before: number) =>
    Math.abs(differenceOf(value, before).difference) > resolution
  const isFailed = (place?: Place) => place !== undefined && failed?.has(placeKey(place)) === true
  return (at, value, before) => {
    if (value === before) return undefined
    const isPlain = () => isFar(value, before) && isBeyond(at, value > before) === true
    if (!isFailed(places[at]) && !isPlain()) return undefined
    return value > before === higherIsBetter ? 'better' : 'worse'
  }
}

/** The rows of a kind, metric by metric: a noise model is about one metric of all of them. */
function compareTimers(kind: TimerKind, lineUp: LineUp, judgeOf: (metric: Metric) => Judge): ComparisonRow[] {
  const wide = lineUp.runs.length
  const all: Timer[] = []
  const rows = lineUp.places.map((place, at): ComparisonRow => {
    const timers = lineUp.timersAt(at)
    for (const timer of timers) all.push(timer)
    const name = nameOf(place)
    const isNow = lineUp.timerAt(at, 0) !== undefined
    const presence = !isNow ? 'removed' : timers.length > 1 ? 'both' : 'added'
    return { kind, ...(name === undefined ? {} : { name }), presence, baseline: {} }
  })
  for (const metric of metricsOf(kind, all)) {
    const figures = lineUp.figures(metric, '/s')
    const change = judgeOf(metric)
    for (const [at, row] of rows.entries()) {
      const before = exactMedian(lineUp.earlier(figures, at))
      if (before === undefined) continue
      row.baseline[metric] = before
      const value = cell(figures, at * wide)
      const found = Number.isNaN(value) ? undefined : change(at, value, before)
      if (found) row.changes = { ...row.changes, [metric]: found }
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

/** One figure of two runs; empty if neither has it. */
export function compareFigure(
  value: number | undefined,
  baseline: number | undefined,
  change?: Direction,
): ComparedFigure {
  const apart = value === undefined || baseline === undefined ? {} : differenceOf(value, baseline)
  return { ...defined({ baseline, value, change }), ...apart }
}

/** Raw counts of runs of different lengths mislead: their rates say how they changed. */
function judgedByRate(row: ComparisonRow): ComparisonRow {
  const { baseline, changes } = row
  if (!changes) return row
  const judged = Object.keys(baseline).flatMap((metric) => {
    const change = changes[metricRule(metric)?.rate ?? metric]
    return change ? [[metric, change] as const] : []
  })
  return { ...row, changes: Object.fromEntries(judged) }
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

/** The page of an earlier run. */
export interface EarlierPage {
  url: string
  commit: string
}

/**
 * The earlier runs one by one, the oldest first; undefined for fewer than two.
 *
 * @param pages of each run, in the same order
 */
export function trendOf(
  reports: readonly Report[],
  pages: readonly (EarlierPage | undefined)[] = [],
): EarlierRun[] | undefined {
  if (reports.length < 2) return undefined
  const runs = reports.map((report, index) => ({ report, page: pages[index] }))
  runs.sort((a, b) => byStart(a.report, b.report))
  return runs.map(({ report, page }) => {
    const { startTime } = report.general
    return {
      ...page,
      ...(startTime === undefined ? {} : { startTime: new Date(startTime).toISOString() }),
      figures: summaryFigures(report),
    }
  })
}

/** Where more got worse, the whole run shows it, and the outcome file stays small. */
const mostWithTrend = 1000

/** The rows, with the earlier figures of what got worse where there is a trend. */
export function withEarlier(rows: readonly ComparisonRow[], reports: readonly Report[]): ComparisonRow[] {
  const runs = reports.toSorted(byStart).map((report) => new ReportFigures(report))
  const worseIn = ({ changes = {} }: ComparisonRow) =>
    Object.keys(changes).filter((metric) => changes[metric] === 'worse')
  const count = rows.filter((row) => worseIn(row).length > 0).length
  if (runs.length < 2 || count > mostWithTrend) return [...rows]
  return rows.map((row) => {
    const earlier = worseIn(row)
      .filter(isMetric)
      .map((metric): [Metric, (number | null)[]] => [
        metric,
        runs.map((run) => run.value(row, metric) ?? null),
      ])
    return earlier.length === 0 ? row : { ...row, earlier: Object.fromEntries(earlier) }
  })
}

function byStart(a: Report, b: Report): number {
  return (a.general.startTime ?? 0) - (b.general.startTime ?? 0)
}

function summaryFigures(report: Report): EarlierRun['figures'] {
  const run = new ReportFigures(report)
  const kinds = timerKinds.flatMap((timers) => {
    const summary = run.timer(timers, undefined)
    if (!summary) return []
    const figures = metricsOf(timers, [summary]).flatMap((metric) => {
      const figure = run.figure({ kind: timers }, metric)
      return 'value' in figure ? [[metric, figure.value] as const] : []
    })
    return [[timers, Object.fromEntries(figures)] as const]
  })
  return Object.fromEntries(kinds)
}
