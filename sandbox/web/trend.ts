import { compareFigure, type ComparedFigure } from '../../src/gates/comparison.js'
import { metricRule, type Metric } from '../../src/figures/metrics.js'
import { ReportFigures, type Place } from '../../src/figures/figures.js'
import type { TimerKind } from '../../src/report/report.js'
import { parseTestReport } from '../../src/report/formats/xlt-report.js'
import type { Platform } from '../service/platform.js'
import type { ReportStore } from '../service/report-store.js'
import type { Project } from '../service/world.js'
import { sourceReport, type SourceReport } from './comparison.js'
import type { StartedLoadTest } from './place.js'
import { ProjectReports } from './project-reports.js'

/** Several reports one after the other. */
export interface TrendReport {
  /** Unique in its project. */
  number: number
  name: string
  /** Milliseconds since 1970. */
  createdAt: number
  /** The oldest first, at least two. */
  runs: TrendRun[]
}

export interface TrendRun extends SourceReport {
  figures: ReportFigures
}

/** One timer over all runs of a trend report, by one metric. */
export interface TrendRow {
  /** Absent for the kind's summary row. */
  name?: string
  /** One for each run; absent if the run does not have it. */
  values: (number | undefined)[]
  /** The last run against the first, and against the one before it. */
  sinceFirst: ComparedFigure
  sincePrevious: ComparedFigure
}

/** The trend reports of each project. */
export class Trends {
  readonly reports = new ProjectReports<TrendReport>('trend report')

  constructor(
    private readonly platform: Platform,
    private readonly store: ReportStore,
  ) {}

  async create(project: Project, chosen: readonly StartedLoadTest[], name: string): Promise<TrendReport> {
    const byAge = chosen.toSorted(
      (one, other) => one.run.createdAt - other.run.createdAt || one.number - other.number,
    )
    const runs: TrendRun[] = []
    for (const loadTest of byAge) {
      const report = await parseTestReport(Buffer.from(await this.store.testReport(project, loadTest)))
      runs.push({ ...sourceReport(loadTest), figures: new ReportFigures(report) })
    }
    const shown = name || `Trend from load test ${runs[0]?.number ?? 0} to ${runs.at(-1)?.number ?? 0}`
    const createdAt = this.platform.now()
    return this.reports.add(project, (number) => ({ number, name: shown, createdAt, runs }))
  }
}

/** The kind's summary row, then every timer of any of the runs, sorted by name. */
export function trendRows({ runs }: TrendReport, kind: TimerKind, metric: Metric): TrendRow[] {
  const names = new Set(runs.flatMap(({ figures }) => [...figures.timers(kind).keys()]))
  const summary = runs.some(({ figures }) => figures.timer(kind, undefined) !== undefined)
  const rows = [...(summary ? [undefined] : []), ...[...names].sort()]
  return rows.map((name) => {
    const place: Place = { kind, ...(name === undefined ? {} : { name }) }
    const values = runs.map(({ figures }) => figures.value(place, metric))
    return {
      ...(name === undefined ? {} : { name }),
      values,
      sinceFirst: against(metric, values.at(-1), values[0]),
      sincePrevious: against(metric, values.at(-1), values.at(-2)),
    }
  })
}

/** Marked as the engine's trend reports do: from 10 percent on. */
const marked = 10

function against(metric: string, value: number | undefined, before: number | undefined): ComparedFigure {
  const figure = compareFigure(value, before)
  const { difference, relativeDifference = Infinity } = figure
  const rule = metricRule(metric)
  if (difference === undefined || !rule) return figure
  if (difference === 0 || Math.abs(relativeDifference) <= marked) return figure
  return { ...figure, change: difference > 0 === rule.higherIsBetter ? 'better' : 'worse' }
}
