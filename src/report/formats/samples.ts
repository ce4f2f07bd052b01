import { crc32 } from 'node:zlib'
import { ReportError } from '../../errors.js'
import { formatDuration } from '../../text/duration.js'
import { oneLine } from '../../text/foreign-text.js'
import type { ReportPart } from '../format.js'
import { kept } from '../elements.js'
import type { Percentile, Report, RequestParts, Timer, TimerKind } from '../report.js'
import {
  addTimer,
  reportBy,
  ErrorGroups,
  nothingMeasured,
  setPeriod,
  severalRuns,
  timerOf,
} from './timers.js'
import { opened, type OpenPart } from './text-rows.js'
import { TimelineSteps } from '../timeline-steps.js'

/** Samples have these percentiles, and those that are asked for. */
const percentiles = ['p50', 'p75', 'p80', 'p90', 'p95', 'p97', 'p98', 'p99', 'p99.5', 'p99.9'] as const
const mostNames = 10_000
const mostResponses = 1000
const largestChunk = 64 * 1024

/**
 * The samples of a run, as they stream by. Kept are the times themselves, 4 or 8 bytes each, so that percentiles and
 * deviations are exact; of everything else there are sums.
 */
export class Samples {
  readonly steps = new TimelineSteps()
  /** Whether the times are of a known zone, as they are unless one says so; else only their differences mean something. */
  isDated?: boolean
  readonly #names = new Map<TimerKind, Map<string, Sampled>>()
  readonly #errors = new ErrorGroups()
  readonly #responses = new Map<number, { text: string; count: number }>()
  #taken = 0
  #start = Infinity
  #end = -Infinity
  #users = -Infinity

  /**
   * @param engine such as `JMeter`
   * @param hint what to do against too many names, as a sentence
   * @param asked percentiles beside the usual ones
   */
  constructor(
    private readonly engine: string,
    private readonly hint: string,
    private readonly asked: readonly Percentile[] = [],
  ) {}

  /**
   * Reads the files of one run.
   *
   * @param read returns the form of a file, such as `CSV`
   * @throws ReportError if one has no samples, since what its load generator should have measured is missing; or if some
   *   would count twice
   */
  async takeAll(parts: readonly ReportPart[], read: (file: OpenPart) => Promise<string>): Promise<void> {
    const known = new Map<string, string>()
    let first: { name: string; form: string } | undefined
    for (const part of parts) {
      const before = this.#taken
      const name = oneLine(part.name, 120)
      let [sum, size] = [0, 0]
      const bytes = async function* () {
        for await (const chunk of part.bytes()) {
          ;[sum, size] = [crc32(chunk, sum), size + chunk.length]
          yield chunk
        }
      }
      const form = await opened({ ...part, bytes }, read)
      if (this.#taken === before) throw nothingMeasured(parts.length > 1 ? name : undefined)
      first ??= { name, form }
      const twin = known.get(`${sum} ${size}`)
      if (twin !== undefined) {
        throw new ReportError(
          `${name} is a copy of ${twin}, so its samples would count twice. Remove one of them.`,
        )
      }
      if (first.form !== form) {
        throw new ReportError(
          `${first.name} is ${first.form}, and ${name} is ${form}. If they are two forms of one run, its samples would count twice: name the files of one form only.`,
        )
      }
      known.set(`${sum} ${size}`, name)
    }
  }

  /** Something was measured that is kept elsewhere. */
  also(): void {
    this.#taken++
  }

  /** @throws ReportError if there are too many names */
  of(kind: TimerKind, name: string): Sampled {
    this.#taken++
    let named = this.#names.get(kind)
    if (!named) this.#names.set(kind, (named = new Map<string, Sampled>()))
    const known = named.get(name)
    if (known) return known
    if (named.size >= mostNames) {
      throw new ReportError(
        `The report is refused: it has more than ${mostNames} names of ${kind.replace('T', ' t')}, too many to judge each. ${this.hint}`,
      )
    }
    // Bytes of other encodings have all become this sign: names that differ by them would be one.
    if (name.includes('\ufffd')) {
      throw new ReportError(
        `The name "${oneLine(name, 60)}" is not written in UTF-8. Have the load test write its file in UTF-8.`,
      )
    }
    // Two that only differ by a secret are one.
    const shown = kept(name)
    const made = named.get(shown) ?? new Sampled(shown)
    named.set(kept(name, Infinity), made).set(shown, made)
    return made
  }

  /** Something was measured from one time to another, in milliseconds. */
  span(from: number, to: number): void {
    if (from < this.#start) this.#start = from
    if (to > this.#end) this.#end = to
  }

  users(count: number): void {
    if (count > this.#users) this.#users = count
  }

  error(message: string, place: string): void {
    this.#errors.add(message, 1, place)
  }

  /** @param code 0 = no response */
  response(code: number, text: string): void {
    const known = this.#responses.get(code)
    if (known) known.count++
    else if (this.#responses.size < mostResponses)
      this.#responses.set(code, { text: kept(text.trim(), 200), count: 1 })
  }

  /**
   * What the samples come to. They are gone then.
   *
   * @throws ReportError if they are of several runs, one long after the other
   */
  report(): Report {
    const between = this.steps.between()
    if (between > 0) {
      throw severalRuns(
        `for ${formatDuration(between)} of ${formatDuration(this.#end - this.#start)}, it has no samples`,
      )
    }
    const report = reportBy(this.engine)
    if (this.#end >= this.#start) setPeriod(report, this.#start, this.#end, this.isDated)
    if (this.#users >= 0) report.general.users = this.#users
    for (const [kind, named] of this.#names) fill(report, kind, named, this.asked)
    report.errors = this.#errors.sorted()
    const timeline = this.steps.timeline()
    if (timeline) report.timeline = timeline
    report.responseCodes = [...this.#responses].map(([code, row]) => ({ code, ...row }))
    return report
  }
}

/** Each name and all of them together are sorted in one column, so there is never more than one copy of the times. */
function fill(
  report: Report,
  kind: TimerKind,
  named: ReadonlyMap<string, Sampled>,
  asked: readonly Percentile[],
): void {
  const { duration } = report.general
  const each = [...new Set(named.values())]
  const length = each.reduce((sum, { times }) => sum + times.length, 0)
  const isWhole = each.every(({ times }) => times.isWhole)
  const all = timesOf(length, isWhole)
  const whole = new Sampled('')
  let from = 0
  for (const sampled of each) {
    const times = all.subarray(from, (from += sampled.times.length))
    sampled.times.moveTo(times)
    whole.join(sampled)
    // Samples without a name count among all.
    if (sampled.name !== '')
      addTimer(report, kind, timerOf(sampled.name, sampled.figures(times.sort(), asked), duration))
  }
  if (whole.count > 0) report.timers[kind].summary = timerOf('', whole.figures(all.sort(), asked), duration)
}

/** What was measured under one name. */
export class Sampled {
  count = 0
  readonly times = new Column()
  #judged = 0
  #errors = 0
  readonly #parts = new Map<keyof RequestParts, { sum: number; count: number }>()

  constructor(readonly name: string) {}

  /** @param time in milliseconds; undefined if it was not measured */
  add(time: number | undefined): void {
    this.count++
    if (time !== undefined) this.times.push(time)
  }

  judge(isError: boolean): void {
    this.#judged++
    if (isError) this.#errors++
  }

  part(name: keyof RequestParts, value: number, count = 1): void {
    const part = this.#parts.get(name)
    if (part) {
      part.sum += value
      part.count += count
    } else this.#parts.set(name, { sum: value, count })
  }

  join(other: Sampled): void {
    this.count += other.count
    this.#judged += other.#judged
    this.#errors += other.#errors
    for (const [name, { sum, count }] of other.#parts) this.part(name, sum, count)
  }

  /** @param times sorted */
  figures(times: Times, asked: readonly Percentile[]): Partial<Timer> {
    // How some of them ended may not be known: of all that is no number.
    const errors = this.#judged < Math.max(1, this.count) ? {} : { errors: this.#errors }
    const parts: RequestParts = {}
    for (const [name, { sum, count }] of this.#parts) if (count > 0) parts[name] = sum / count
    const withParts = this.#parts.size > 0 ? { parts } : {}
    return { count: this.count, ...errors, ...spread(times, asked), ...withParts }
  }
}

/**
 * The figures of sorted samples; none of none. A percentile is the least sample that so many percent are not above
 * (nearest rank).
 */
export function spread(times: Times, asked: readonly Percentile[] = []): Partial<Timer> {
  const { length } = times
  if (length === 0) return {}
  const rank = (percent: number) => times[Math.max(0, Math.ceil((percent * length) / 100 - 1e-9) - 1)] ?? 0
  let sum = 0
  for (const time of times) sum += time
  const mean = sum / length
  let squares = 0
  for (const time of times) squares += (time - mean) ** 2
  return {
    min: rank(0),
    max: rank(100),
    mean,
    median: rank(50),
    deviation: Math.sqrt(squares / length),
    percentiles: Object.fromEntries(
      [...percentiles, ...asked].map((name) => [name, rank(Number(name.slice(1)))]),
    ),
  }
}

type Times = Uint32Array | Float64Array

/** Most tools write whole milliseconds, which take half the room. */
function timesOf(length: number, isWhole: boolean): Times {
  return isWhole ? new Uint32Array(length) : new Float64Array(length)
}

/** Numbers, in chunks that are never copied while it grows. */
class Column {
  length = 0
  isWhole = true
  #full: Times[] = []
  #last = timesOf(16, true)
  #used = 0

  push(value: number): void {
    const isOther = this.isWhole && value >>> 0 !== value
    if (isOther || this.#used === this.#last.length) {
      if (isOther) this.isWhole = false
      this.#full.push(this.#last.subarray(0, this.#used))
      this.#last = timesOf(Math.min(largestChunk, Math.max(16, this.length)), this.isWhole)
      this.#used = 0
    }
    this.#last[this.#used++] = value
    this.length++
  }

  /** @param target of the same length */
  moveTo(target: Times): void {
    let at = 0
    for (const chunk of [...this.#full, this.#last.subarray(0, this.#used)]) {
      target.set(chunk, at)
      at += chunk.length
    }
    this.#full = []
    this.#last = timesOf(0, true)
    this.#used = 0
  }
}
