import { timerKinds, type Report, type Timer, type TimerKind } from '../report/report.js'
import { sameLength, type Baseline, type BaselineFigure } from './baseline-figures.js'
import type { BaselineInfo, ComparedFigure, Comparison, ComparisonRow } from './comparison.js'
import { ReportFigures, type Figure, type Place } from './figures.js'
import { differenceOf, resolution, type Difference } from './limit.js'
import { isPercentile, isStepped, metricRule, timerMetrics } from './metrics.js'
import { defined } from '../text/fields.js'

/** The engine's users take 10 percent more or less as normal fluctuation. */
const usualFluctuation = 10

export interface ComparisonInfo {
  baseline: BaselineInfo
  /** Custom report label of the measurement run. */
  label?: string
}

/**
 * Compares the run with its baseline as the engine's comparison does: timers matched by name, absolute and relative
 * differences, rows that were added or removed. A timer belongs to the baseline if any of its runs has it.
 */
export function compareRuns(report: Report, baseline: Baseline, info: ComparisonInfo): Comparison {
  const run = new ReportFigures(report)
  const sameDuration = durationsAgree(report, baseline)
  const row = (place: TimerPlace): ComparisonRow => compareTimer(run, baseline, place, sameDuration)
  const summaries = timerKinds
    .filter((kind) => [run, ...baseline.runs].some((one) => one.timer(kind, undefined)))
    .map((timers) => row({ kind: 'timers', timers }))
  const named = timerKinds.flatMap((timers) => {
    const names = new Set([run, ...baseline.runs].flatMap((one) => [...one.timers(timers).keys()]))
    return [...names].map((name) => row({ kind: 'timers', timers, name }))
  })
  const known = new Set(baseline.reports.flatMap((earlier) => earlier.errors.map((error) => error.message)))
  const newErrors = report.errors.map((error) => error.message).filter((message) => !known.has(message))
  const cpu = compareFigure('cpu', valueOf(run.figure(agents, 'cpu')), baseline.figure(agents, 'cpu'))
  return {
    ...info,
    rows: [...summaries, ...named],
    ...(cpu ? { cpu: { ...cpu, change: 'unknown' as const } } : {}),
    newErrors: [...new Set(newErrors)],
  }
}

const agents = { kind: 'agents' } as const

function valueOf(figure: Figure): number | undefined {
  return 'value' in figure ? figure.value : undefined
}

type TimerPlace = Extract<Place, { kind: 'timers' }>

function compareTimer(
  run: ReportFigures,
  baseline: Baseline,
  place: TimerPlace,
  sameDuration: boolean,
): ComparisonRow {
  const { timers, name } = place
  const now = run.timer(timers, name)
  const before = baseline.runs.flatMap((one) => one.timer(timers, name) ?? [])
  const figures: Record<string, ComparedFigure> = {}
  for (const metric of metricsOf(timers, [...(now ? [now] : []), ...before])) {
    const compared = compareFigure(metric, valueOf(run.figure(place, metric)), baseline.figure(place, metric))
    if (compared) figures[metric] = compared
  }
  if (!sameDuration) judgeCountsByRate(figures)
  return {
    kind: timers,
    ...defined({ name }),
    presence: now && before.length > 0 ? 'both' : now ? 'added' : 'removed',
    figures,
  }
}

/** The metric words for which one of the timers may have a figure. */
export function metricsOf(kind: TimerKind, timers: readonly Timer[]): string[] {
  const percentiles = new Set(timers.flatMap((timer) => Object.keys(timer.percentiles)).filter(isPercentile))
  const sorted = [...percentiles].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
  return [...timerMetrics, ...sorted, ...(kind === 'actions' ? ['apdex'] : [])]
}

/** One figure of two runs; undefined if neither has it. */
export function compareFigure(
  metric: string,
  value: number | undefined,
  earlier: BaselineFigure | undefined,
): ComparedFigure | undefined {
  if (value === undefined && earlier === undefined) return undefined
  if (value === undefined) return { ...(earlier ? { baseline: earlier.median } : {}), change: 'unknown' }
  if (earlier === undefined) return { value, change: 'unknown' }
  const apart = differenceOf(value, earlier.median)
  return { baseline: earlier.median, value, ...apart, change: changeOf(metric, value, earlier, apart) }
}

function changeOf(
  metric: string,
  value: number,
  earlier: BaselineFigure,
  { difference, relativeDifference = Infinity }: Difference,
): ComparedFigure['change'] {
  const rule = metricRule(metric)
  if (!rule || difference === 0) return 'none'
  if (isStepped(metric) && Math.abs(difference) <= resolution) return 'none'
  if (Math.abs(relativeDifference) <= usualFluctuation) return 'none'
  if (earlier.n > 1 && value >= earlier.low && value <= earlier.high) return 'none'
  return difference > 0 === rule.higherIsBetter ? 'better' : 'worse'
}

/** Raw counts of runs of different lengths mislead: their rates say how they changed. */
function judgeCountsByRate(figures: Record<string, ComparedFigure>): void {
  for (const [counted, rate] of [
    ['count', 'throughput'],
    ['errors', 'error-rate'],
  ] as const) {
    const figure = figures[counted]
    if (figure) figures[counted] = { ...figure, change: figures[rate]?.change ?? 'unknown' }
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
