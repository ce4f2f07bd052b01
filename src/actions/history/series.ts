import type { EarlierFigures } from '../../outcome/outcome-file.js'
import { ReportFigures } from '../../gates/figures.js'
import { placeKey, type Place } from '../../gates/place.js'
import { standingMetric, type Metric } from '../../gates/metrics.js'
import { timerKinds, type TimerKind } from '../../report/report.js'
import type { Series, Watched } from '../../outcome/history.js'

/** What is shown for all timers of a kind; `main` is the metric that represents them. */
const keyMetrics: [TimerKind, (Metric | 'main')[]][] = [
  ['requests', ['main', 'error-rate', 'throughput']],
  ['transactions', ['main', 'error-rate']],
  ['actions', ['main']],
  ['pageLoads', ['main']],
]

/** The figures of runs, in their order: a figure that one of them measured has a value or a gap for each. */
export function seriesOf(runs: readonly EarlierFigures[]): Series[] {
  const figures = runs.map(({ report }) => new ReportFigures(report))
  const limits = runs.map(limitsByFigure)
  return watchedIn(figures).flatMap((watched) => {
    const values = figures.map((run) => run.value(watched, watched.metric) ?? null)
    if (values.every((value) => value === null)) return []
    const key = figureKey(watched, watched.metric)
    const allowed = limits.map((one) => one.get(key) ?? null)
    return [{ ...watched, values, ...(allowed.some((limit) => limit !== null) ? { limits: allowed } : {}) }]
  })
}

function watchedIn(runs: readonly ReportFigures[]): Watched[] {
  const main = new Map(timerKinds.map((kind) => [kind, mainMetricOf(kind, runs)]))
  const ofKind = (kind: TimerKind) => main.get(kind) ?? 'mean'
  const keys = keyMetrics.flatMap(([kind, metrics]) =>
    metrics.map((metric) => ({ kind, metric: metric === 'main' ? ofKind(kind) : metric })),
  )
  const timers = timerKinds.flatMap((kind) => {
    const names = new Set(runs.flatMap((run) => [...run.timers(kind).keys()]))
    return [...names].map((name) => ({ kind, name, metric: ofKind(kind) }))
  })
  return [...keys, ...timers]
}

/** One for all timers of a kind, so that their charts can be compared. */
function mainMetricOf(kind: TimerKind, runs: readonly ReportFigures[]): Metric {
  return standingMetric((metric) =>
    runs.some((run) =>
      [run.timer(kind, undefined), ...run.timers(kind).values()].some(
        (timer) => timer !== undefined && Object.hasOwn(timer.percentiles, metric),
      ),
    ),
  )
}

/** Where gates set several limits on one figure, the last counts. */
function limitsByFigure({ limits }: EarlierFigures): Map<string, number> {
  return new Map(limits.map(({ place, metric, limit }) => [figureKey(place, metric), limit]))
}

function figureKey(place: Place, metric: string): string {
  return `${metric} ${placeKey(place)}`
}
