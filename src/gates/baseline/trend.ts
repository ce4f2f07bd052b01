import { timerKinds, type Report } from '../../report/report.js'
import type { EarlierRun } from './comparison.js'
import { ReportFigures } from '../figures.js'
import { metricsOf } from './compare.js'

/** The page of an earlier run. */
export interface EarlierPage {
  url: string
  commit: string
}

/**
 * The earlier runs one by one, the oldest first; undefined for fewer than two.
 *
 * @param pages of each run, in the same order
 */
export function trendOf(
  reports: readonly Report[],
  pages: readonly (EarlierPage | undefined)[] = [],
): EarlierRun[] | undefined {
  if (reports.length < 2) return undefined
  const runs = reports.map((report, index) => ({ report, page: pages[index] }))
  runs.sort((a, b) => (a.report.general.startTime ?? 0) - (b.report.general.startTime ?? 0))
  return runs.map(({ report, page }) => {
    const { startTime } = report.general
    return {
      ...page,
      ...(startTime === undefined ? {} : { startTime: new Date(startTime).toISOString() }),
      figures: summaryFigures(report),
    }
  })
}

function summaryFigures(report: Report): EarlierRun['figures'] {
  const run = new ReportFigures(report)
  const kinds = timerKinds.flatMap((timers) => {
    const summary = run.timer(timers, undefined)
    if (!summary) return []
    const figures = metricsOf(timers, [summary]).flatMap((metric) => {
      const figure = run.figure({ kind: timers }, metric)
      return 'value' in figure ? [[metric, figure.value] as const] : []
    })
    return [[timers, Object.fromEntries(figures)] as const]
  })
  return Object.fromEntries(kinds)
}
