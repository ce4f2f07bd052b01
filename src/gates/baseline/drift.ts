import type { Report } from '../../report/report.js'
import { ReportFigures } from '../figures.js'
import { runFactors } from '../noise/run-factors.js'

/** A step of the series is larger than this: 10 percent. */
const drifted = Math.log(1.1)

/** Where the times of a series of runs have their largest step. */
interface TrendStep {
  /** The first run after it. */
  report: Report
  /** Percent; above 0 is slower. */
  percent: number
}

/**
 * The split of a series that leaves the two sides furthest apart, as change point detection by E-divisive means weighs
 * it: the difference of the means, squared, times n m / (n + m). Undefined if the step is 10 percent or less.
 */
export function stepOf(reports: readonly Report[]): TrendStep | undefined {
  const runs = byAge(reports)
  const factors = runFactors(runs.map((report) => new ReportFigures(report)))
  let best: TrendStep | undefined
  let most = 0
  for (const [split, report] of runs.entries()) {
    if (split === 0) continue
    const step = mean(factors.slice(split)) - mean(factors.slice(0, split))
    const weight = (step * step * split * (factors.length - split)) / factors.length
    if (weight <= most || Math.abs(step) <= drifted) continue
    most = weight
    best = { report, percent: Math.expm1(step) * 100 }
  }
  return best
}

/** The oldest first. */
function byAge(reports: readonly Report[]): Report[] {
  return [...reports].sort((a, b) => (a.general.startTime ?? 0) - (b.general.startTime ?? 0))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
