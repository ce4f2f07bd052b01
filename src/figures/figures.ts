import { oneLine } from '../text/foreign-text.js'
import { isPercentile, timerKinds, webVitalNames } from '../report/report.js'
import type { Lack, Report, Timer, TimerKind } from '../report/report.js'
import { fractionOf, ruleOf, type Metric, type RateUnit } from './metrics.js'

/** A figure in its metric's unit (times in ms, rates in the unit asked for), or why there is none. */
export type Figure =
  { value: number; fraction?: NonNullable<ReturnType<typeof fractionOf>> } | { missing: string }

/** Of each list of timers: a step makes the figures of a report several times, and some have many thousand names. */
const byName = new WeakMap<readonly Timer[], ReadonlyMap<string, Timer>>()

/** The figures of one report, found by name at once however many timers it has. */
export class ReportFigures {
  private byRequest: ReadonlyMap<string, Timer> | undefined

  constructor(
    readonly report: Report,
    /** Why the report's format has no such figure. */
    readonly lack: Lack = () => undefined,
  ) {}

  /**
   * The figure of a place. A timer with count 0 measured nothing: only the count itself is a figure. `agents cpu` is
   * the mean CPU use of the busiest load generator, all processes of the machine; where the report lists no load
   * generators, the mean over all.
   */
  figure(place: Place, metric: Metric, rate: RateUnit = '/s'): Figure {
    if (place.kind === 'agents')
      return figure(cpuOf(this.report), () => 'The report has no CPU use of load generators.')
    return place.kind === 'web-vitals'
      ? this.webVitalFigure(place, metric)
      : this.figureOfTimer(place, metric, rate)
  }

  value(place: Place, metric: Metric): number | undefined {
    const figure = this.figure(place, metric)
    return 'value' in figure ? figure.value : undefined
  }

  private webVitalFigure(place: Extract<Place, { kind: 'web-vitals' }>, metric: Metric): Figure {
    const vital = webVitalNames.find((name) => name === metric)
    const rows = this.report.webVitals.filter(({ name }) => name === place.name)
    if (rows.length > 1) return { missing: `The report has two rows of ${placeName(place)}.` }
    const score = vital && rows[0]?.vitals[vital]?.score
    return figure(score, () => `The report has no ${metric} of ${placeName(place)}.`)
  }

  private figureOfTimer(place: TimerPlace, metric: Metric, rate: RateUnit): Figure {
    const timer = this.timerAt(place)
    if (!timer) {
      const hasOthers = place.name === undefined && this.report.timers[place.kind].timers.length > 0
      return { missing: `The report has no ${hasOthers ? 'summary of all ' : ''}${placeName(place)}.` }
    }
    const value = measured(timer, metric, rate)
    if (value !== undefined) {
      const fraction = metric === 'error-rate' ? fractionOf(timer) : undefined
      return fraction ? { value, fraction } : { value }
    }
    if (timer.count === 0 && metric !== 'count')
      return { missing: `Nothing was measured: the count of ${placeName(place)} is 0.` }
    const doubtful = doubt(timer, metric, ruleOf(metric).figure?.(timer, rate))
    if (doubtful)
      return { missing: `${doubtful} of ${placeName(place)}, so its ${metric} is not a measurement.` }
    const others = isPercentile(metric) ? Object.keys(timer.percentiles).slice(0, 12) : []
    const has = others.length === 0 ? '' : ` It has ${others.map((name) => oneLine(name, 12)).join(', ')}.`
    return { missing: `The report has no ${metric} of ${placeName(place)}.${has}` }
  }

  timerAt(place: Place): Timer | undefined {
    if (!isTimerPlace(place)) return undefined
    return place.anyStatus ? this.requests().get(place.name ?? '') : this.timer(place.kind, place.name)
  }

  /** All timers of a kind that have a name, or all rows of web vitals. */
  namedPlaces(kind: Place['kind']): Place[] {
    if (kind === 'agents') return []
    if (kind !== 'web-vitals') return [...this.timers(kind).keys()].map((name) => ({ kind, name }))
    const names = new Set(this.report.webVitals.map(({ name }) => name))
    return [...names].map((name) => ({ kind: 'web-vitals', name }))
  }

  /** Without a name: the kind's summary row. */
  timer(kind: TimerKind, name: string | undefined): Timer | undefined {
    return name === undefined ? this.report.timers[kind].summary : this.timers(kind).get(name)
  }

  /** All requests of a name, whatever the status that theirs end with, as one timer; by name. */
  private requests(): ReadonlyMap<string, Timer> {
    if (this.byRequest) return this.byRequest
    const made = new Map<string, Timer>()
    for (const timer of this.timers('requests').values()) {
      const name = withoutStatus(timer.name)
      const known = made.get(name)
      made.set(name, known ? together(name, [known, timer]) : timer)
    }
    return (this.byRequest = made)
  }

  /** By name; the first of two with the same name, which no engine writes. */
  timers(kind: TimerKind): ReadonlyMap<string, Timer> {
    const { timers } = this.report.timers[kind]
    const known = byName.get(timers)
    if (known) return known
    const made = new Map<string, Timer>()
    for (const timer of timers) if (!made.has(timer.name)) made.set(timer.name, timer)
    byName.set(timers, made)
    return made
  }
}

/** The counts and errors of several timers as those of one, where each of them is a measurement. */
function together(name: string, timers: readonly Timer[]): Timer {
  const count = sumOf(timers, 'count')
  const errors = sumOf(timers, 'errors')
  const made: Timer = { name, percentiles: {} }
  if (count !== undefined) made.count = count
  if (errors !== undefined) made.errors = errors
  return made
}

function sumOf(timers: readonly Timer[], figure: 'count' | 'errors'): number | undefined {
  let sum = 0
  for (const timer of timers) {
    const { [figure]: value, count = 0 } = timer
    if (timer.count === 0) continue
    if (value === undefined || value < 0 || count < 0) return undefined
    sum += value
  }
  return sum
}

/** `Pay` for `Pay [500]`: the engine's usual rules end the name of a request with the status of its answer. */
export function withoutStatus(name: string): string {
  return name.endsWith(']') ? name.replace(/ \[\d{1,3}\]$/, '') : name
}

/** Why a figure is not plausible, as the beginning of a sentence. */
function doubt({ count }: Timer, metric: Metric, value: number | undefined): string | undefined {
  if (value !== undefined && value < 0) return `The report has ${value} for the ${metric}`
  if (count !== undefined && count < 0) return `The report has ${count} for the count`
  return count === undefined && value === 0 ? 'The report has a 0 and no count' : undefined
}

/** The figure of a timer, undefined if it is not a measurement: `ReportFigures` says why. */
export function measured(timer: Timer, metric: Metric, rate: RateUnit = '/s'): number | undefined {
  return figureReader(metric, rate)(timer)
}

/** `measured` for many timers. */
export function figureReader(metric: Metric, rate: RateUnit): (timer: Timer) => number | undefined {
  const rule = ruleOf(metric)
  return (timer) => {
    if (timer.count === 0 && metric !== 'count') return undefined
    const value = rule.figure?.(timer, rate)
    return value !== undefined && Number.isFinite(value) && !doubt(timer, metric, value) ? value : undefined
  }
}

/** @param missing a name is made harmless only if a sentence needs it: models ask for many thousand figures */
function figure(value: number | undefined, missing: () => string): Figure {
  return value !== undefined && Number.isFinite(value) && value >= 0 ? { value } : { missing: missing() }
}

function cpuOf(report: Report): number | undefined {
  const busiest = report.agents.flatMap((agent) => (agent.totalMean === undefined ? [] : [agent.totalMean]))
  return busiest.length > 0 ? Math.max(...busiest) : report.agentSummary?.totalMean
}

/** Something in a report that has figures. `placeKey` tells it from all others. */
export type Place = TimerPlace | { kind: 'web-vitals'; name: string } | { kind: 'agents' }

/**
 * A timer; without a name, the summary row of its kind. With `anyStatus` it is all requests of that name, whatever status
 * theirs end with; they have a count, errors and an error rate.
 */
export interface TimerPlace {
  kind: TimerKind
  name?: string
  anyStatus?: true
}

/** The words of the gate language for each kind: its summary row, and one timer by name. */
export const timerWords: Record<TimerKind, { summary: string; single: string }> = {
  transactions: { summary: 'transactions', single: 'transaction' },
  actions: { summary: 'actions', single: 'action' },
  requests: { summary: 'requests', single: 'request' },
  pageLoads: { summary: 'page-loads', single: 'page-load' },
  customTimers: { summary: 'custom-timers', single: 'custom-timer' },
}

export const summaryKinds = new Map(timerKinds.map((kind) => [timerWords[kind].summary, kind]))
export const singleKinds = new Map(timerKinds.map((kind) => [timerWords[kind].single, kind]))

export function isTimerPlace(place: Place): place is TimerPlace {
  return place.kind !== 'agents' && place.kind !== 'web-vitals'
}

/** Undefined for the one place of its kind that has no name. */
export function nameOf(place: Place): string | undefined {
  return 'name' in place ? place.name : undefined
}

/** The same for the same place only; nothing to read. */
export function placeKey(place: Place): string {
  const name = nameOf(place)
  const kind = 'anyStatus' in place ? `${place.kind}*` : place.kind
  return name === undefined ? kind : `${kind} ${name}`
}

/** As people read it: `request "Login"`, `requests`, `web-vitals "Home"`, `agents`. Long names are cut. */
export function placeName(place: Place): string {
  if (place.kind === 'agents') return 'agents'
  if (place.kind === 'web-vitals') return `web-vitals "${oneLine(place.name)}"`
  const words = timerWords[place.kind]
  return place.name === undefined ? words.summary : `${words.single} "${oneLine(place.name)}"`
}
