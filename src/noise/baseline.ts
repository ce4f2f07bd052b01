import { isPercentile, type Report, timerKinds, type Timer, type TimerKind } from '../report/report.js'
import { ReportFigures, type Place, figureReader, nameOf } from '../figures/figures.js'
import { metricsOf, ruleOf, type Metric, type RateUnit } from '../figures/metrics.js'
import { exactMedian } from '../figures/numbers.js'

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
   * Over the runs that measured it: the exact median, the lowest and the highest, and how many these are.
   *
   * @param seconds the length of the run that is judged, which counts and errors are converted to
   */
  figure(
    place: Place,
    metric: Metric,
    rate?: RateUnit,
    seconds?: number,
  ): { median: number; low: number; high: number; n: number } | undefined
  /** Whether any of the runs used it. */
  has(place: Place): boolean
}

export interface RunOrigin {
  /** As readers know it: `load test 17`, a path. */
  name?: string
  /** The verdict that its own step came to. */
  verdict?: string
  /** How much whole runs differ, as its own baseline showed: percent, by kind and metric. */
  runNoise?: Record<string, number>
  /** Far more failed than usual, whatever its verdict. */
  tooManyErrors?: boolean
  /** The workflow run that measured it, and the commit. */
  page?: string
  commit?: string
  /** Its change was accepted: it is the new level, and runs before it are no longer compared with. */
  isNewLevel?: true
  /** The template that it was a copy of; absent if it is no run of a workflow. */
  template?: { number: number } | 'unknown'
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
      const median = exactMedian(values)
      if (median === undefined) return undefined
      return { median, low: Math.min(...values), high: Math.max(...values), n: values.length }
    },
    has(place) {
      return runs.some((run) => (run.value(place, 'count') ?? 0) > 0)
    },
  }
}

/** Runs whose lengths, in seconds, differ by more than one percent have no comparable counts. */
export function areAsLong(seconds: number, before: number): boolean {
  return Math.abs(seconds - before) * 100 <= before
}

/** The factor by which a count of an earlier run is multiplied, to compare it with a run of another length. */
export function lengthRatio(metric: Metric, seconds?: number, before?: number): number {
  if (ruleOf(metric).rate === undefined || !seconds || !before) return 1
  return areAsLong(seconds, before) ? 1 : seconds / before
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
  private readonly timerKind: TimerKind | undefined
  private readonly indexes = new Map<string | undefined, number>()
  private readonly timers: (Timer | undefined)[] = []
  private columns: ReadonlyMap<string, Column> | undefined
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
    this.timerKind = timers
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

  /** The metrics that any of the timers may have; none of other places. */
  get metrics(): Metric[] {
    return this.timerKind ? metricsOf(this.timerKind, this.ofTimers(this.timerKind).keys()) : []
  }

  /** A column of figures; NaN where there is none. */
  figures(metric: Metric, rate: RateUnit): Float64Array {
    if (!this.timerKind) return this.ofPlaces((place, run) => run.value(place, metric))
    if (rate === '/s') return this.ofTimers(this.timerKind).get(metric)?.figures ?? new Float64Array()
    const read = figureReader(metric, rate)
    return Float64Array.from(this.timers, (timer) => (timer && read(timer)) ?? Number.NaN)
  }

  /** A column of how often the figures were measured; NaN where the report does not say. */
  samples(metric: Metric): Float64Array {
    if (this.timerKind) return this.figures('count', '/s')
    return this.ofPlaces((place, { report }) => samplesOf(report, place, metric))
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

  /** Read at once: each of many thousand timers takes longer to reach than all its figures to read. */
  private ofTimers(kind: TimerKind): ReadonlyMap<string, Column> {
    if (this.columns) return this.columns
    const { timers } = this
    const columns = new Map<string, Column>()
    const add = (metric: Metric) => {
      const figures = new Float64Array(timers.length).fill(Number.NaN)
      const column = { figures, read: figureReader(metric, '/s') }
      columns.set(metric, column)
      return column
    }
    const all = metricsOf(kind, []).map(add)
    for (let at = 0; at < timers.length; at++) {
      const timer = timers[at]
      if (!timer) continue
      for (const { figures, read } of all) figures[at] = read(timer) ?? Number.NaN
      for (const name in timer.percentiles) {
        const column =
          columns.get(name) ?? (columns.size < mostColumns && isPercentile(name) ? add(name) : undefined)
        if (column) column.figures[at] = column.read(timer) ?? Number.NaN
      }
    }
    return (this.columns = columns)
  }

  private ofPlaces(figure: (place: Place, run: ReportFigures) => number | undefined): Float64Array {
    return Float64Array.from(
      this.places.flatMap((place) => this.runs.map((run) => figure(place, run) ?? Number.NaN)),
    )
  }
}

/** No engine writes nearly that many percentiles; a hostile report could fill the memory with them. */
const mostColumns = 100

interface Column {
  figures: Float64Array
  read: (timer: Timer) => number | undefined
}

/** What a column holds there; NaN beyond its end. */
export function cell(column: Float64Array, at: number): number {
  return column[at] ?? Number.NaN
}

/** How often a web vital was measured; undefined if the report does not say. */
export function samplesOf(report: Report, place: Place, metric: Metric): number | undefined {
  if (place.kind !== 'web-vitals') return undefined
  const row = report.webVitals.find(({ name }) => name === place.name)
  const vital = Object.entries(row?.vitals ?? {}).find(([name]) => name === metric)?.[1]
  const counts = [vital?.goodCount, vital?.improveCount, vital?.poorCount].flatMap((count) => count ?? [])
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

/** With fewer earlier runs nothing can be learned from them: noise is assumed. */
export const fewestRuns = 3

/** Why a figure cannot be compared, and a sentence with its figures. */
export interface Unfit {
  unfit: 'few-samples' | 'noisy' | 'busy-generator' | 'first-run' | 'new-baseline' | 'new' | 'gone'
  reason: string
}
