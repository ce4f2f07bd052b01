import { oneLine } from '../text/foreign-text.js'
import type { Report } from '../report/report.js'
import { quantity } from './quantity.js'
import { listed } from './name-list.js'

/** Above this mean CPU use in percent, a load generator's own delays distort its figures. */
export const maxCpu = 80

/** Overloaded load generators: `of 2 load generators`, and which, `a 95 %, b 81 %`. */
export interface Overload {
  of: string
  figures: string
}

/** The busiest first. Undefined if none is overloaded. */
export function overloadOf(report: Report): Overload | undefined {
  const hot = report.agents
    .flatMap(({ name, totalMean }) =>
      totalMean !== undefined && totalMean > maxCpu ? [{ name, totalMean }] : [],
    )
    .sort((a, b) => b.totalMean - a.totalMean)
  if (hot.length > 0) {
    return {
      of: hot.length === 1 ? 'of 1 load generator' : `of ${hot.length} load generators`,
      figures: listed(hot.map(({ name, totalMean }) => `${oneLine(name, 60)} ${quantity(totalMean, '%')}`)),
    }
  }
  const mean = report.agents.length === 0 ? report.agentSummary?.totalMean : undefined
  if (mean === undefined || mean <= maxCpu) return undefined
  return { of: 'over all load generators', figures: quantity(mean, '%') }
}
