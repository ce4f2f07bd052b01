import { oneLine } from '../text/foreign-text.js'
import type { Report } from '../report/report.js'
import type { Baseline } from './baseline/baseline.js'
import type { ReportFigures } from './figures.js'
import type { Unfit } from './noise/false-alarms.js'
import { quantity } from './quantity.js'
import { listed } from './name-list.js'

/** Above this mean CPU use in percent, a load generator's own delays distort its figures. */
export const maxCpu = 80
/** Above this one they may: then a load generator that is usually less busy is not the same. */
const busyCpu = 60
/** Percentage points by which a load generator is far busier than usual. */
const farBusier = 15

const busiest = { kind: 'agents' } as const

/** Overloaded load generators: `of 2 load generators`, and which, `a 95%, b 81%`. */
interface Overload {
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

/**
 * Why the load generator may be the slow one, as a sentence: it was overloaded, or far busier than in the baseline.
 * Undefined if nothing says so. A slower product keeps a load generator no busier.
 */
export function busyGenerator(run: ReportFigures, baseline: Baseline): Unfit | undefined {
  const reason = whyBusy(run, baseline)
  return reason === undefined ? undefined : { unfit: 'busy-generator', reason }
}

function whyBusy(run: ReportFigures, baseline: Baseline): string | undefined {
  const now = run.value(busiest, 'cpu')
  const usual = baseline.figure(busiest, 'cpu')?.median
  if (now === undefined) return undefined
  const use =
    usual === undefined ? percent(now) : `${percent(now)} instead of the baseline's ${percent(usual)}`
  if (now > maxCpu) {
    return `The load generator was overloaded, so it may be the slow one: its CPU use was ${use}.`
  }
  if (usual === undefined || now <= busyCpu || now - usual < farBusier) return undefined
  return `The load generator was far busier than usual, so it may be the slow one: its CPU use was ${use}.`
}

function percent(value: number): string {
  return quantity(Math.round(value * 10) / 10, '%')
}
