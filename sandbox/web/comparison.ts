import { buildBaseline } from '../../src/gates/noise/baseline.js'
import { compareRuns, type Comparison } from '../../src/gates/comparison.js'
import type { Report } from '../../src/report/report.js'
import { parseTestReport } from '../../src/report/formats/xlt-report.js'
import type { Platform } from '../service/platform.js'
import type { ReportStore } from '../service/report-store.js'
import type { Project } from '../service/world.js'
import type { StartedLoadTest } from './place.js'
import { ProjectReports } from './project-reports.js'

/** Two reports compared with each other. */
export interface ComparisonReport {
  /** Unique in its project. */
  number: number
  name: string
  /** Milliseconds since 1970. */
  createdAt: number
  baseline: SourceReport
  measurement: SourceReport
  /** What the measurement run measured. */
  figures: Report
  comparison: Comparison
}

/** A report as it was when the comparison was made. */
export interface SourceReport {
  /** The number of its load test. */
  number: number
  name: string
  createdAt: number
  /** Its label, if somebody gave it one. */
  label?: string
}

/** The comparison reports of each project. */
export class Comparisons {
  readonly reports = new ProjectReports<ComparisonReport>('comparison report')

  constructor(
    private readonly platform: Platform,
    private readonly store: ReportStore,
  ) {}

  /** The report of the older load test is the baseline, or, `reversed`, the other one. */
  async create(
    project: Project,
    pair: readonly [StartedLoadTest, StartedLoadTest],
    { name, reversed }: { name: string; reversed: boolean },
  ): Promise<ComparisonReport> {
    const [older, younger] = [...pair].sort(
      (one, other) => one.run.createdAt - other.run.createdAt || one.number - other.number,
    )
    const [first, second] = reversed ? [younger, older] : [older, younger]
    if (!first || !second) throw new Error('A comparison takes two reports.')
    const [baseline, measurement] = [sourceReport(first), sourceReport(second)]
    const earlier = buildBaseline([await this.#figures(project, first)])
    if (!earlier) throw new Error('A comparison takes a baseline.')
    const figures = await this.#figures(project, second)
    const comparison = compareRuns(figures, earlier, { baseline: { name: baseline.name, runs: 1 } })
    const shown = name || `Load test ${second.number} against baseline load test ${first.number}`
    const createdAt = this.platform.now()
    return this.reports.add(project, (number) => ({
      ...{ number, name: shown, createdAt, baseline, measurement, figures, comparison },
    }))
  }

  async #figures(project: Project, loadTest: StartedLoadTest): ReturnType<typeof parseTestReport> {
    return parseTestReport(Buffer.from(await this.store.testReport(project, loadTest)))
  }
}

/** A report in its current state. */
export function sourceReport({ number, name, run }: StartedLoadTest): SourceReport {
  const { createdAt, reportLabel: label } = run
  return { number, name, createdAt, ...(label === undefined ? {} : { label }) }
}
