import Big from 'big.js'
import type { Report, Scorecard } from '../../report/report.js'
import { ReportFigures } from '../figures.js'
import type { Place } from '../place.js'
import { ruleOf, type Metric, type RateUnit } from '../metrics.js'
import { ofRank } from '../noise/robust.js'

/** One or several earlier runs that a run is compared with, the latest first. */
export interface Baseline {
  reports: readonly Report[]
  /** The reports, searchable. */
  runs: readonly ReportFigures[]
  /** What is known about each besides its report. */
  origins: readonly RunOrigin[]
  /** Red runs that later turned out to be noise: they say how much whole runs differ, and set no level. */
  reds: readonly ReportFigures[]
  /**
   * @param seconds the length of the run that is judged, which counts and errors are converted to
   */
  figure(place: Place, metric: Metric, rate?: RateUnit, seconds?: number): BaselineFigure | undefined
  /** Whether any of the runs used it. */
  has(place: Place): boolean
}

/** Where an earlier run comes from. */
export interface RunOrigin {
  /** As readers know it: `load test 17`, a path. */
  name?: string
  /** The verdict that its own step came to. */
  verdict?: string
  /** Far more failed than usual, whatever its verdict. */
  tooManyErrors?: boolean
  /** The workflow run that measured it. */
  page?: string
  /** Its change was accepted: it is the new level, and runs before it are no longer compared with. */
  isNewLevel?: true
  scorecard?: Scorecard
  /** Those that its own step judged it by, as they were written. */
  gates?: readonly string[]
}

/** A figure over the baseline's runs: those that measured it. */
export interface BaselineFigure {
  /** The middle one; of an even number the mean of the middle two, exact. */
  median: number
  /** The lowest and the highest that a run showed: the spread. */
  low: number
  high: number
  /** How many runs measured it, at least 1. */
  n: number
}

/**
 * Undefined if no report is given.
 *
 * @param origins of the reports, in their order
 * @param reds that a green run followed
 */
export function buildBaseline(
  reports: readonly Report[],
  origins: readonly RunOrigin[] = [],
  reds: readonly Report[] = [],
): Baseline | undefined {
  if (reports.length === 0) return undefined
  const byAge = reports
    .map((report, index) => ({ report, origin: origins[index] ?? {} }))
    .sort((a, b) => (b.report.general.startTime ?? 0) - (a.report.general.startTime ?? 0))
  const runs = byAge.map(({ report }) => new ReportFigures(report))
  return {
    reports: byAge.map(({ report }) => report),
    runs,
    origins: byAge.map(({ origin }) => origin),
    reds: reds.map((report) => new ReportFigures(report)),
    figure(place, metric, rate, seconds) {
      const values = runs.flatMap((run) => {
        const figure = run.figure(place, metric, rate)
        if (!('value' in figure)) return []
        return [figure.value * lengthRatio(metric, seconds, run.report.general.duration)]
      })
      return spreadOf(values)
    },
    has(place) {
      return runs.some((run) => (run.value(place, 'count') ?? 0) > 0)
    },
  }
}

/** Runs whose lengths differ by more than this many percent have no comparable counts. */
export const sameLength = 1

/** The factor by which a count of an earlier run is multiplied, to compare it with a run of another length. */
function lengthRatio(metric: Metric, seconds: number | undefined, before: number | undefined): number {
  if (ruleOf(metric).rate === undefined || !seconds || !before) return 1
  return Math.abs(seconds - before) * 100 <= before * sameLength ? 1 : seconds / before
}

/** Undefined for no values. */
export function spreadOf(values: readonly number[]): BaselineFigure | undefined {
  const median = exactMedian(values)
  if (median === undefined) return undefined
  return { median, low: Math.min(...values), high: Math.max(...values), n: values.length }
}

/** The middle one; of an even number the mean of the middle two, as of decimals. Undefined for none. */
export function exactMedian(values: readonly number[]): number | undefined {
  const lower = ofRank(values, Math.ceil(values.length / 2) - 1)
  const upper = values.length % 2 === 1 ? lower : ofRank(values, values.length / 2)
  if (lower === undefined || upper === undefined || lower === upper) return lower
  return new Big(lower).plus(upper).times('0.5').toNumber()
}
