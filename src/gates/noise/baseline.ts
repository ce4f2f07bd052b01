import { type Report, timerKinds, type Timer } from '../../report/report.js'
import { ReportFigures, type Place, figureReader, isTimerPlace, nameOf } from '../../figures/figures.js'
import { ruleOf, type Metric, type RateUnit } from '../../figures/metrics.js'
import { exactMedian } from '../../figures/numbers.js'

/** One or several earlier runs that a run is compared with, the latest first. */
export interface Baseline {
  reports: readonly Report[]
  /** The reports, searchable. */
  runs: readonly ReportFigures[]
  /** What is known about each besides its report. */
  origins: readonly RunOrigin[]
  /** Red runs that later turned out to be noise: they say how much whole runs differ, and set no level. */
  reds: readonly ReportFigures[]
  /**
   * @param seconds the length of the run that is judged, which counts and errors are converted to
   */
  figure(place: Place, metric: Metric, rate?: RateUnit, seconds?: number): BaselineFigure | undefined
  /** Whether any of the runs used it. */
  has(place: Place): boolean
}

/** Where an earlier run comes from. */
export interface RunOrigin {
  /** As readers know it: `load test 17`, a path. */
  name?: string
  /** The verdict that its own step came to. */
  verdict?: string
  /** How much whole runs differ, as its own baseline showed: percent, by kind and metric. */
  runNoise?: Record<string, number>
  /** Far more failed than usual, whatever its verdict. */
  tooManyErrors?: boolean
  /** The workflow run that measured it. */
  page?: string
  /** Its change was accepted: it is the new level, and runs before it are no longer compared with. */
  isNewLevel?: true
  /** The template that it was a copy of; absent if it is no run of a workflow. */
  template?: { number: number } | 'unknown'
}

/** A figure over the baseline's runs: those that measured it. */
interface BaselineFigure {
  /** The middle one; of an even number the mean of the middle two, exact. */
  median: number
  /** The lowest and the highest that a run showed: the spread. */
  low: number
  high: number
  /** How many runs measured it, at least 1. */
  n: number
}

/**
 * Undefined if no report is given.
 *
 * @param origins of the reports, in their order
 * @param reds that a green run followed
 */
export function buildBaseline(
  reports: readonly Report[],
  origins: readonly RunOrigin[] = [],
  reds: readonly Report[] = [],
): Baseline | undefined {
  if (reports.length === 0) return undefined
  const byAge = reports
    .map((report, index) => ({ report, origin: origins[index] ?? {} }))
    .sort((a, b) => (b.report.general.startTime ?? 0) - (a.report.general.startTime ?? 0))
  const runs = byAge.map(({ report }) => new ReportFigures(report))
  return {
    reports: byAge.map(({ report }) => report),
    runs,
    origins: byAge.map(({ origin }) => origin),
    reds: reds.map((report) => new ReportFigures(report)),
    figure(place, metric, rate, seconds) {
      const values = runs.flatMap((run) => {
        const figure = run.figure(place, metric, rate)
        if (!('value' in figure)) return []
        return [figure.value * lengthRatio(metric, seconds, run.report.general.duration)]
      })
      return spreadOf(values)
    },
    has(place) {
      return runs.some((run) => (run.value(place, 'count') ?? 0) > 0)
    },
  }
}

/** Runs whose lengths differ by more than this many percent have no comparable counts. */
export const sameLength = 1

/** The factor by which a count of an earlier run is multiplied, to compare it with a run of another length. */
function lengthRatio(metric: Metric, seconds: number | undefined, before: number | undefined): number {
  if (ruleOf(metric).rate === undefined || !seconds || !before) return 1
  return Math.abs(seconds - before) * 100 <= before * sameLength ? 1 : seconds / before
}

/** Undefined for no values. */
export function spreadOf(values: readonly number[]): BaselineFigure | undefined {
  const median = exactMedian(values)
  if (median === undefined) return undefined
  return { median, low: Math.min(...values), high: Math.max(...values), n: values.length }
}

/**
 * The places of one kind in a run and in its earlier runs, side by side, with their timers and figures: each name is
 * looked up once, whatever asks for it. The columns hold a place after the other, and for each place a run after the
 * other, the judged one first.
 */
export class LineUp {
  /** The judged run, then the earlier ones. */
  readonly runs: readonly ReportFigures[]
  /** Those that have a name, the run's own first; then the one without, a summary row or the load generators. */
  readonly places: readonly Place[]
  /** How many have a name. */
  readonly named: number
  private readonly indexes = new Map<string | undefined, number>()
  private readonly timers: (Timer | undefined)[] = []
  private counts: Float64Array | undefined
  /** Whatever asks for a metric does so at once: of many thousand timers only the latest column is kept. */
  private latest: { key: string; column: Float64Array } | undefined
  private readonly found: number[] = []

  constructor(
    readonly kind: Place['kind'],
    readonly run: ReportFigures,
    readonly baseline: Baseline,
  ) {
    this.runs = [run, ...baseline.runs]
    const places: Place[] = []
    const put = (place: Place, index: number, timer?: Timer) => {
      const name = nameOf(place)
      let at = this.indexes.get(name)
      if (at === undefined) {
        at = places.push(place) - 1
        this.indexes.set(name, at)
        this.timers.push(...this.runs.map(() => undefined))
      }
      this.timers[at * this.runs.length + index] = timer
    }
    this.places = places
    const timers = timerKinds.find((one) => one === kind)
    if (timers) {
      this.runs.forEach((one, index) => {
        for (const [name, timer] of one.timers(timers)) put({ kind: timers, name }, index, timer)
      })
    } else for (const place of run.namedPlaces(kind)) put(place, 0)
    this.named = places.length
    if (kind === 'agents') put({ kind }, 0)
    if (!timers) return
    this.runs.forEach((one, index) => put({ kind: timers }, index, one.timer(timers, undefined)))
  }

  indexOf(place: Place): number | undefined {
    return this.indexes.get(nameOf(place))
  }

  /** @param run 0 for the judged one */
  timerAt(index: number, run: number): Timer | undefined {
    return this.timers[index * this.runs.length + run]
  }

  /** Those that there are, in the order of the runs. */
  timersAt(index: number): Timer[] {
    const { length } = this.runs
    return this.timers.slice(index * length, (index + 1) * length).filter((timer) => timer !== undefined)
  }

  /** A column of figures; NaN where there is none. */
  figures(metric: Metric, rate: RateUnit): Float64Array {
    const key = `${metric} ${rate}`
    if (this.latest?.key === key) return this.latest.column
    const figureOf = figureReader(metric, rate)
    const column = this.columnOf((place, run, timer) =>
      isTimerPlace(place) ? timer && figureOf(timer) : run.value(place, metric),
    )
    this.latest = { key, column }
    return column
  }

  /** A column of how often the figures were measured; NaN where the report does not say. */
  samples(metric: Metric): Float64Array {
    const [first] = this.places
    const isTimers = first !== undefined && isTimerPlace(first)
    if (isTimers && this.counts) return this.counts
    const column = this.columnOf((place, { report }, timer) => samplesOf(report, place, timer, metric))
    if (isTimers) this.counts = column
    return column
  }

  /** What earlier runs have in a place of a column; good until the next is asked for. */
  earlier(column: Float64Array, at: number): readonly number[] {
    const { length } = this.runs
    let count = 0
    for (let run = 1; run < length; run++) {
      const value = cell(column, at * length + run)
      if (!Number.isNaN(value)) this.found[count++] = value
    }
    if (this.found.length > count) this.found.length = count
    return this.found
  }

  private columnOf(valueOf: ValueOf): Float64Array {
    const { runs, places, timers } = this
    const column = new Float64Array(timers.length)
    let at = 0
    for (const place of places) {
      for (const run of runs) {
        column[at] = valueOf(place, run, timers[at]) ?? Number.NaN
        at++
      }
    }
    return column
  }
}

type ValueOf = (place: Place, run: ReportFigures, timer: Timer | undefined) => number | undefined

/** What a column holds there; NaN beyond its end. */
export function cell(column: Float64Array, at: number): number {
  return column[at] ?? Number.NaN
}

/** How often a place was measured; undefined if the report does not say. */
export function samplesOf(
  report: Report,
  place: Place,
  timer: Timer | undefined,
  metric: Metric,
): number | undefined {
  if (isTimerPlace(place)) return timer?.count
  if (place.kind === 'agents') return undefined
  const row = report.webVitals.find(({ name }) => name === place.name)
  const vital = Object.entries(row?.vitals ?? {}).find(([name]) => name === metric)?.[1]
  const counts = [vital?.goodCount, vital?.improveCount, vital?.poorCount].filter(
    (count) => count !== undefined,
  )
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

/** With fewer earlier runs nothing can be learned from them: noise is assumed. */
export const fewestRuns = 3

/** Why a figure cannot be compared, and a sentence with its figures. */
export interface Unfit {
  unfit: 'few-samples' | 'noisy' | 'busy-generator' | 'first-run' | 'new-baseline'
  reason: string
}
