import { timerKinds, type Report, type Timeline, type Timer, type TimerKind } from '../report/report.js'
import { type GateAim, type RunNoise, Noise } from '../noise/noise.js'
import { exactMedian, differenceOf, plainNumber, quantity } from '../figures/numbers.js'
import { oneLine } from '../text/foreign-text.js'
import { formatBytes } from '../text/size.js'
import { areAsLong, type Baseline, cell } from '../noise/baseline.js'
import { ReportFigures, measured, nameOf, placeKey, type Place } from '../figures/figures.js'
import { metricRule, resolutionOf, ruleOf, type Metric } from '../figures/metrics.js'
import { defined, groupsBy } from '../text/fields.js'

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
  /** How much whole runs differ without a change, by kind and metric: standard deviations, percent. Later runs recall it. */
  runNoise?: Record<string, number>
  /** The earlier runs one by one, those that were left out too, the oldest first, where there are several. */
  trend?: (Pick<BaselineInfo, 'url' | 'commit' | 'startTime'> & {
    /** The summary row of each kind, by metric word of the gate language. */
    figures: Partial<Record<TimerKind, Record<string, number>>>
  })[]
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
  changes?: Record<string, 'better' | 'worse'>
  /** Those that got worse, in each run of the trend; null in a run that did not measure one. */
  earlier?: Record<string, (number | null)[]>
}

/** A figure of the run, beside that of its baseline. */
export interface ComparedFigure extends Partial<ReturnType<typeof differenceOf>> {
  baseline?: number
  value?: number
  /** Absent if the difference may be noise. */
  change?: 'better' | 'worse'
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
  info: Pick<Comparison, 'baseline' | 'label'>,
  judged: { noise?: Noise; gates?: readonly (GateAim & { result: string })[] } = {},
): Comparison {
  const run = new ReportFigures(report)
  const { noise = new Noise(run, baseline), gates = [] } = judged
  const runs = [run, ...baseline.runs]
  const failures = gates.filter(({ result }) => result === 'failed')
  const failed = groupsBy(failures, ({ metric }) => metric)
  const sameDuration = durationsAgree(report, baseline)
  const rows = timerKinds.flatMap((kind) => {
    const all = compareTimers(kind, noise, failed)
    return sameDuration ? all : all.map(judgedByRate)
  })
  const isUsed = ({ kind }: ComparisonRow) => runs.some((one) => one.timer(kind, undefined))
  const summaries = rows.filter((row) => row.name === undefined && isUsed(row))
  const named = rows.filter(({ name }) => name !== undefined)
  const known = new Set(baseline.reports.flatMap((earlier) => earlier.errors.map((error) => error.message)))
  const newErrors = report.errors.map((error) => error.message).filter((message) => !known.has(message))
  const spent = addedTime(run, baseline, named)
  return {
    ...info,
    rows: [...summaries, ...named],
    ...defined({ cpu: baseline.figure({ kind: 'agents' }, 'cpu')?.median }),
    newErrors: [...new Set(newErrors)],
    ...(spent.length > 0 ? { addedTime: spent } : {}),
    ...defined({ noise: noise.wholeRun(gates) }),
    runNoise: noise.ofRuns(),
  }
}

/** Whether the figure of the place with an index changed: by the noise model that judges the gates, or a gate that failed. */
function changesBy(noise: Noise, kind: TimerKind, metric: Metric, failed: readonly GateAim[]) {
  const { places, runs } = noise.lineUp(kind)
  const resolution = resolutionOf(metric, runs)
  const isBeyond = noise.judgeOf(kind, metric)
  const { higherIsBetter } = ruleOf(metric)
  const isFar = (value: number, before: number) =>
    Math.abs(differenceOf(value, before).difference) > resolution
  const keys = new Set(failed.flatMap(({ place, matches = place ? [place] : [] }) => matches.map(placeKey)))
  const isFailed = (place?: Place) => keys.size > 0 && place !== undefined && keys.has(placeKey(place))
  return (at: number, value: number, before: number) => {
    if (value === before) return undefined
    const isChange = isFailed(places[at]) || (isBeyond(at, value > before) === true && isFar(value, before))
    if (!isChange) return undefined
    return value > before === higherIsBetter ? 'better' : 'worse'
  }
}

/** The rows of a kind, metric by metric: a noise model is about one metric of all of them. */
function compareTimers(
  kind: TimerKind,
  noise: Noise,
  failed: ReadonlyMap<string | undefined, readonly GateAim[]>,
): ComparisonRow[] {
  const lineUp = noise.lineUp(kind)
  const wide = lineUp.runs.length
  const rows = lineUp.places.map((place, at): ComparisonRow => {
    const timers = lineUp.timersAt(at)
    const name = nameOf(place)
    const isNow = lineUp.timerAt(at, 0) !== undefined
    const presence = !isNow ? 'removed' : timers.length > 1 ? 'both' : 'added'
    return { kind, ...(name === undefined ? {} : { name }), presence, baseline: {} }
  })
  for (const metric of lineUp.metrics) {
    const figures = lineUp.figures(metric, '/s')
    const change = changesBy(noise, kind, metric, failed.get(metric) ?? [])
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

/** One figure of two runs; empty if neither has it. */
export function compareFigure(
  value: number | undefined,
  baseline: number | undefined,
  change?: ComparedFigure['change'],
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
  const isAlike = ({ general: { duration } }: Report) =>
    now !== undefined && duration !== undefined && areAsLong(now, duration)
  return baseline.reports.every(isAlike)
}

const mostSentences = 3

/** A part of a request is named if it has at least this share of the added time. */
const plainShare = 0.5

/** An answer is named if it is larger by this factor, and by these bytes. */
const larger = { factor: 1.5, bytes: 10_000 }

/** Where a request's mean time is spent, as far as the engine measured it. */
const parts: readonly { how: string; time: (timer: Timer) => number | undefined }[] = [
  { how: 'connecting', time: (timer) => timer.parts?.connectTime },
  { how: 'waiting for the server', time: (timer) => timer.parts?.serverBusyTime },
  { how: 'receiving the answer', time: (timer) => timer.parts?.receiveTime },
  {
    how: 'on the load generator',
    time: ({ mean, parts: { timeToLastBytes: network } = {} }) =>
      mean === undefined || network === undefined ? undefined : mean - network,
  },
]

/**
 * Where the added time was spent, of requests whose mean is worse by more than noise: at most three sentences, costliest
 * first. There is none about a request whose added time is in no single part.
 *
 * @param rows of the timers that have a name
 */
export function addedTime(run: ReportFigures, baseline: Baseline, rows: readonly ComparisonRow[]): string[] {
  const found = rows.flatMap(({ kind, name = '', changes, baseline: before }) => {
    const now = kind === 'requests' && changes?.['mean'] === 'worse' ? run.timer(kind, name) : undefined
    if (!now) return []
    const earlier = baseline.runs.flatMap((one) => one.timer(kind, name) ?? [])
    const cost = ((measured(now, 'mean') ?? 0) - (before['mean'] ?? 0)) * (now.count ?? 0)
    const text = whereSpent(now, earlier)
    return text === '' ? [] : [{ text: `"${oneLine(name, 80)}" ${text}`, cost }]
  })
  const costliest = found.sort((a, b) => b.cost - a.cost)
  return costliest.slice(0, mostSentences).map(({ text }) => text)
}

/** Empty if the figures of the parts say nothing plain. */
function whereSpent(now: Timer, before: readonly Timer[]): string {
  // Earlier runs may be known without their parts.
  const earlier = before.filter((timer) => timer.parts !== undefined)
  const time = difference((timer) => measured(timer, 'mean'), now, earlier)
  if (time === undefined || time <= 0) return ''
  const [most] = parts
    .map((part) => ({ how: part.how, time: difference(part.time, now, earlier) ?? 0 }))
    .sort((a, b) => b.time - a.time)
  const where = most && most.time >= time * plainShare ? shareText(most.time, time, most.how) : ''
  const bytes = bytesText(now, earlier)
  if (where === '' && bytes === '') return ''
  return `takes ${quantity(time, 'ms')} longer on average${where}${bytes === '' ? '' : `${where === '' ? '' : ','} and ${bytes}`}.`
}

/** `, 150 ms of it waiting for the server` */
function shareText(part: number, time: number, how: string): string {
  const share = quantity(part, 'ms', time)
  return part >= time || share === quantity(time, 'ms') ? `, all of it ${how}` : `, ${share} of it ${how}`
}

function bytesText(now: Timer, earlier: readonly Timer[]): string {
  const bytes = now.parts?.bytesReceived
  const before = medianOf((timer) => timer.parts?.bytesReceived, earlier)
  if (bytes === undefined || before === undefined || before <= 0) return ''
  if (bytes < before * larger.factor || bytes - before < larger.bytes) return ''
  const [size, sizeBefore] = [bytes, before].map((value) => formatBytes(Math.round(value)))
  return `receives ${plainNumber(bytes / before, 1)} times as many bytes: ${size}, before ${sizeBefore}`
}

function difference(figure: (typeof parts)[number]['time'], now: Timer, earlier: readonly Timer[]) {
  const value = figure(now)
  const before = medianOf(figure, earlier)
  return value === undefined || before === undefined ? undefined : value - before
}

function medianOf(figure: (typeof parts)[number]['time'], timers: readonly Timer[]): number | undefined {
  return exactMedian(timers.map(figure).filter((value) => value !== undefined))
}
