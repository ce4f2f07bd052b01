import { ReportError } from '../../errors.js'
import { defined, heldIn } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { kept, numberOf, pushBounded } from '../elements.js'
import {
  emptyReport,
  isMeasurable,
  isPercentile,
  timersIn,
  timerKinds,
  type ErrorGroup,
  type Report,
  type Timer,
  type TimerKind,
} from '../report.js'

const mostTimers = 250_000

/** @param engine such as `JMeter`; undefined if a report does not tell */
export function reportBy(engine: string | undefined, timeStep?: number): Report {
  const name = engine === undefined ? undefined : kept(engine, 200)
  return { ...emptyReport(), ...defined({ engineVersion: name, timeStep }) }
}

/** @param isDated whether the times are of a known zone */
export function setPeriod({ general }: Report, start: number, end: number, isDated = true): void {
  if (isDated) Object.assign(general, { startTime: Math.round(start), endTime: Math.round(end) })
  general.duration = (end - start) / 1000
}

/**
 * A timer of what is known about it; one that measured nothing has only its count and errors.
 *
 * @param seconds the length of the run, where known
 */
export function timerOf(name: string, figures: Partial<Timer>, seconds?: number): Timer {
  const { count, errors, percentiles = {}, ...others } = figures
  const timer: Timer = { name: kept(name), percentiles: {} }
  if (count !== undefined) timer.count = count
  if (errors !== undefined) timer.errors = errors
  if (count === 0) return timer
  const rate = others.countPerSecond ?? (count !== undefined && seconds ? count / seconds : undefined)
  if (rate !== undefined) {
    // 16.6 a second are 996 a minute, and not a little more.
    const per = (seconds: number) => Number((rate * seconds).toPrecision(15))
    Object.assign(timer, { countPerSecond: rate, countPerMinute: per(60), countPerHour: per(3600) })
  }
  return { ...others, ...timer, percentiles }
}

/** The length of a run, where nothing says it, from the number of all and that a second. */
export function lengthFrom({ general }: Report, all: Timer | undefined): void {
  const { count, countPerSecond: rate } = all ?? {}
  if (count && rate && rate > 0) general.duration ??= count / rate
}

/** @throws ReportError if there are too many */
export function addTimer(report: Report, kind: TimerKind, timer: Timer): void {
  pushBounded(report.timers[kind].timers, timer, mostTimers, kind)
}

/** A row of a summary: of one name, or of all of the kind. @throws ReportError if there are too many */
export function addRow(report: Report, kind: TimerKind, isAll: boolean, timer: Timer): void {
  if (!isAll) {
    addTimer(report, kind, timer)
    return
  }
  report.timers[kind].summary = timer
  lengthFrom(report, timer)
}

/** @param file of several; others may be all that the load test measured, as beside the error.jtl of Taurus */
export function nothingMeasured(file?: string): ReportError {
  const other = file === undefined ? '' : ', or leave it out if it is no part of the run'
  return new ReportError(
    `${file ?? 'The report'} has no samples, so nothing was measured. Look into the output of the load test for the reason${other}.`,
  )
}

/** @param sign of it, as the end of a sentence */
export function severalRuns(sign: string): ReportError {
  return new ReportError(
    `It holds more than one run: ${sign}. Remove what earlier runs have left before the load test starts: JMeter adds to a file that exists.`,
  )
}

/** @throws ReportError if two timers of a kind have the same name: a gate could pass on one and miss the other */
export function namesOnce(report: Report): Report {
  for (const kind of timerKinds) {
    const names = new Set<string>()
    for (const { name } of report.timers[kind].timers) {
      if (names.has(name)) {
        throw new ReportError(
          `The report is refused: two of its ${kind} are named "${oneLine(name, 120)}", so their figures are ambiguous.`,
        )
      }
      names.add(name)
    }
  }
  return report
}

/** @throws ReportError if it is empty, or as `namesOnce` */
export function unambiguous(report: Report): Report {
  if (timersIn(report).some(hasFigure) || report.webVitals.length > 0) return namesOnce(report)
  throw nothingMeasured()
}

/** Rows of names alone, or of zeros, are of nothing that was measured. */
export function hasFigure(timer: Timer): boolean {
  return Object.values({ ...timer, ...timer.percentiles }).some(
    (value) => typeof value === 'number' && value > 0,
  )
}

/** A figure of a summary, from 0 on, as a number or as a text, whose thousands may be grouped; undefined if it is none. */
export function figureOf(value: unknown): number | undefined {
  if (typeof value === 'number') return isMeasurable(value) && value >= 0 ? value : undefined
  if (typeof value !== 'string') return undefined
  const isGrouped = /^\d{1,3}(?:[, '\u00a0\u202f]\d{3})+(?:\.\d{1,20})?$/.test(value)
  const figure = numberOf(isGrouped ? value.replace(/[^\d.]/g, '') : value)
  return figure !== undefined && figure >= 0 ? figure : undefined
}

/** The figures that a summary has under names of its own: `{ mean: 'Average Response Time' }`. */
export function figuresOf<Name extends string>(
  names: Readonly<Record<Name, string>>,
  figure: (name: string) => number | undefined,
): Partial<Record<Name, number>> {
  const found: Partial<Record<Name, number>> = {}
  for (const name in names) {
    const value = figure(names[name])
    if (value !== undefined) found[name] = value
  }
  return found
}

/** Those of the figures whose names are percentiles. */
export function percentilesAmong(
  names: readonly string[],
  figure: (name: string, at: number) => number | undefined,
): Record<string, number> {
  const found: Record<string, number> = {}
  for (const [at, name] of names.entries()) {
    const value = isPercentile(name) ? figure(name, at) : undefined
    if (value !== undefined) found[name] = value
  }
  return found
}

const mostMessages = 10_000
const mostPlaces = 100
const longestMessage = 2000

/**
 * Errors by message. Messages are distinguished by their first 2,000 characters; beyond 10,000 of them, the others are
 * counted together.
 */
export class ErrorGroups {
  readonly #groups = new Map<string, { count: number; places: Set<string> }>()

  /** @param place where it was seen; empty if unknown */
  add(text: string, count: number, place = ''): void {
    const message = kept(text.trim(), longestMessage) || '(no message)'
    const key = this.#groups.has(message) || this.#groups.size < mostMessages ? message : '(other messages)'
    const group = heldIn(this.#groups, key, () => ({ count: 0, places: new Set<string>() }))
    group.count += count
    const shown = kept(place.trim(), longestMessage)
    if (shown !== '' && group.places.size < mostPlaces) group.places.add(shown)
  }

  /** Most frequent first. */
  sorted(): ErrorGroup[] {
    return [...this.#groups]
      .map(([message, { count, places }]) => ({ message, count, places: [...places] }))
      .sort((a, b) => b.count - a.count || (a.message < b.message ? -1 : 1))
  }
}
