import { timerKinds, type Timer } from '../report/report.js'
import type { Baseline } from './baseline-figures.js'
import { placeName, type Place, type ReportFigures } from './figures.js'
import { median } from './robust.js'

/** Runs whose load differs by more than this factor cannot be compared. */
const otherLoad = Math.log(1.5)

export interface OtherLoad {
  less: boolean
  sentence: string
}

/**
 * Whether a place was under another load than in the baseline, or the run as a whole. If a slower system lets its
 * users come around less often, that is not another load: a throughput may fall by as much as the times have risen.
 */
export function otherLoadAt(place: Place, run: ReportFigures, baseline: Baseline): OtherLoad | undefined {
  const whole = timerKinds
    .map((timers): Place => ({ kind: 'timers', timers }))
    .find((summary) => loadAt(run, summary) && baseline.runs.some((one) => loadAt(one, summary)))
  return compareLoad(whole, run, baseline) ?? compareLoad(place, run, baseline)
}

function compareLoad(
  place: Place | undefined,
  run: ReportFigures,
  baseline: Baseline,
): OtherLoad | undefined {
  const now = place && loadAt(run, place)
  if (!now) return undefined
  const before = baseline.runs.flatMap((one) => loadAt(one, place) ?? [])
  if (before.length === 0) return undefined
  const usual = median(before.map(({ throughput }) => throughput))
  const change = Math.log(now.throughput / usual)
  const means = before.flatMap(({ mean }) => mean ?? [])
  const slower = now.mean && means.length > 0 ? Math.log(now.mean / median(means)) : 0
  const chance = 2 * Math.sqrt(1 / now.count + 1 / median(before.map(({ count }) => count)))
  const less = change + chance < -otherLoad - Math.max(0, slower)
  const more = change - chance > otherLoad + Math.max(0, -slower)
  if (!less && !more) return undefined
  const percent = Math.round((now.throughput / usual) * 1000) / 10
  return {
    less,
    sentence: `The comparison is not valid: the throughput of ${placeName(place)} is ${percent} % of the baseline's.`,
  }
}

interface Load {
  /** Per second. */
  throughput: number
  count: number
  mean?: number
}

function loadAt(figures: ReportFigures, place: Place): Load | undefined {
  if (place.kind !== 'timers') return undefined
  const timer = figures.timer(place.timers, place.name)
  const throughput = timer && throughputOf(timer, figures.report.general.duration)
  if (!timer?.count || timer.count < 0 || !throughput) return undefined
  return {
    throughput,
    count: timer.count,
    ...(timer.mean === undefined || timer.mean <= 0 ? {} : { mean: timer.mean }),
  }
}

function throughputOf(timer: Timer, seconds: number | undefined): number | undefined {
  const { count, countPerSecond } = timer
  const throughput = count && seconds ? count / seconds : countPerSecond
  return throughput !== undefined && throughput > 0 ? throughput : undefined
}
