import type { Timer } from '../../report/report.js'
import { measured, type Place, type ReportFigures } from '../figures.js'
import type { Metric, RateUnit } from '../metrics.js'
import type { NamedKind } from '../presence.js'
import type { Baseline } from './baseline.js'

/**
 * The places of one kind in a run and in its earlier runs, side by side, with their timers and figures: each name is
 * looked up once, whatever asks for it.
 */
export class LineUp {
  /** The judged run, then the earlier ones. */
  readonly runs: readonly ReportFigures[]
  /** Those that have a name, the run's own first; then the one without, a summary row or the load generators. */
  readonly places: readonly Place[]
  /** How many have a name. */
  readonly named: number
  private readonly indexes = new Map<string | undefined, number>()
  private readonly timers: readonly (Timer | undefined)[][]
  private readonly known = new Map<string, Float64Array>()

  constructor(
    kind: NamedKind | 'agents',
    readonly run: ReportFigures,
    readonly baseline: Baseline,
  ) {
    this.runs = [run, ...baseline.runs]
    const places: Place[] = []
    this.timers = this.runs.map((one) => {
      const timers: (Timer | undefined)[] = places.map(() => undefined)
      for (const place of one.namedPlaces(kind)) {
        const name = nameOf(place)
        const index = this.indexes.get(name) ?? places.push(place) - 1
        this.indexes.set(name, index)
        timers[index] = one.timerAt(place)
      }
      return timers
    })
    this.named = places.length
    const alone: Place | undefined =
      kind === 'agents' ? { kind } : kind === 'web-vitals' ? undefined : { kind: 'timers', timers: kind }
    this.places = alone ? [...places, alone] : places
    if (!alone) return
    this.indexes.set(undefined, this.named)
    this.runs.forEach((one, index) => {
      const timers = this.timers[index]
      if (timers) timers[this.named] = one.timerAt(alone)
    })
  }

  indexOf(place: Place): number | undefined {
    return this.indexes.get(nameOf(place))
  }

  /** Whether any of the runs has a timer there. */
  has(index: number): boolean {
    return this.timers.some((timers) => timers[index] !== undefined)
  }

  /** @param run 0 for the judged one */
  timerAt(index: number, run: number): Timer | undefined {
    return this.timers[run]?.[index]
  }

  /** Those that there are, in the order of the runs. */
  timersAt(index: number): Timer[] {
    return this.timers.flatMap((timers) => timers[index] ?? [])
  }

  /** A metric's figures: those of a place next to each other, in the order of the runs. NaN where there is none. */
  figures(metric: Metric, rate: RateUnit): Float64Array {
    const key = `${metric} ${rate}`
    const known = this.known.get(key)
    if (known) return known
    const wide = this.runs.length
    const made = new Float64Array(this.places.length * wide).fill(Number.NaN)
    for (const [run, one] of this.runs.entries()) {
      for (const [index, place] of this.places.entries()) {
        const timer = this.timers[run]?.[index]
        const value =
          place.kind !== 'timers' ? one.value(place, metric) : timer && measured(timer, metric, rate)
        if (value !== undefined) made[index * wide + run] = value
      }
    }
    this.known.set(key, made)
    return made
  }
}

/** Among the places of one kind, only one has no name. */
export function nameOf(place: Place | undefined): string | undefined {
  return place && 'name' in place ? place.name : undefined
}
