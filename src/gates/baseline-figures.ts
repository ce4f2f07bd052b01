import Big from 'big.js'
import type { Report } from '../report/report.js'
import { ReportFigures, type Place, type RateUnit } from './figures.js'

/** One or several earlier runs that a run is held against. */
export interface Baseline {
  /** The latest first. */
  reports: readonly Report[]
  /** The same runs, searchable. */
  runs: readonly ReportFigures[]
  figure(place: Place, metric: string, rate?: RateUnit): BaselineFigure | undefined
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

/** Undefined where no report is given. */
export function buildBaseline(reports: readonly Report[]): Baseline | undefined {
  if (reports.length === 0) return undefined
  const byAge = [...reports].sort((a, b) => (b.general.startTime ?? 0) - (a.general.startTime ?? 0))
  const runs = byAge.map((report) => new ReportFigures(report))
  return {
    reports: byAge,
    runs,
    figure(place, metric, rate) {
      const values = runs.flatMap((run) => {
        const figure = run.figure(place, metric, rate)
        return 'value' in figure ? [figure.value] : []
      })
      return spreadOf(values)
    },
  }
}

/** Undefined for no values. */
export function spreadOf(values: readonly number[]): BaselineFigure | undefined {
  const sorted = [...values].sort((a, b) => a - b)
  const low = sorted[0]
  const high = sorted.at(-1)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  if (low === undefined || high === undefined || upper === undefined || lower === undefined) return undefined
  const median = lower === upper ? lower : new Big(lower).plus(upper).times('0.5').toNumber()
  return { median, low, high, n: sorted.length }
}
