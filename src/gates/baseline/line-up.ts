import { timerKinds, type Timer } from '../../report/report.js'
import { figureReader, type ReportFigures } from '../figures.js'
import type { Metric, RateUnit } from '../metrics.js'
import { samplesOf } from '../noise/sampling.js'
import { isTimerPlace, nameOf, type Place } from '../place.js'
import type { Baseline } from './baseline.js'

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
  private readonly columns = new Map<string, Float64Array>()
  private readonly found: number[] = []

  constructor(
    kind: Place['kind'],
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
    const figureOf = figureReader(metric, rate)
    return this.column(`${metric} ${rate}`, (place, run, timer) =>
      isTimerPlace(place) ? timer && figureOf(timer) : run.value(place, metric),
    )
  }

  /** A column of how often the figures were measured; NaN where the report does not say. */
  samples(metric: Metric): Float64Array {
    const [first] = this.places
    const key = first && isTimerPlace(first) ? 'samples' : `samples of ${metric}`
    return this.column(key, (place, { report }, timer) => samplesOf(report, place, timer, metric))
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

  private column(key: string, valueOf: ValueOf): Float64Array {
    const { runs, places, timers } = this
    const known = this.columns.get(key)
    if (known) return known
    const column = new Float64Array(timers.length)
    let at = 0
    for (const place of places) {
      for (const run of runs) {
        column[at] = valueOf(place, run, timers[at]) ?? Number.NaN
        at++
      }
    }
    this.columns.set(key, column)
    return column
  }
}

type ValueOf = (place: Place, run: ReportFigures, timer: Timer | undefined) => number | undefined

/** What a column holds there; NaN beyond its end. */
export function cell(column: Float64Array, at: number): number {
  return column[at] ?? Number.NaN
}
