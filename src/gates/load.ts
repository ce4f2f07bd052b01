import { timerKinds, type Timer } from '../report/report.js'
import type { Baseline } from './baseline/baseline.js'
import type { ReportFigures } from './figures.js'
import { isTimerPlace, placeName, type Place } from './place.js'
import { median } from './noise/robust.js'

/** Runs whose load differs by more than this factor cannot be compared. */
const otherLoad = Math.log(1.5)
/** A load that differs by more than this factor may explain a difference. */
const tellingLoad = Math.log(1.1)

/** A load that differs from the baseline's by more than 10 percent. */
export interface LoadChange {
  less: boolean
  /** Beyond what can be compared. */
  isOther: boolean
  /** Such as `the throughput of requests is 114% of the baseline's.` */
  sentence: string
}

/**
 * How the load of a place differs from the baseline's, or that of the run as a whole; undefined if it hardly does. If a slower system lets its
 * users come around less often, that is not another load: a throughput may fall by as much as the times have risen.
 */
export function loadAt(place: Place, run: ReportFigures, baseline: Baseline): LoadChange | undefined {
  const changes = [wholeLoad(run, baseline), compareLoad(place, run, baseline)]
  return changes.find((change) => change?.isOther) ?? changes.find((change) => change !== undefined)
}

/** How the load of the run as a whole differs. */
function wholeLoad(run: ReportFigures, baseline: Baseline): LoadChange | undefined {
  const whole = timerKinds
    .map((kind): Place => ({ kind }))
    .find((summary) => loadOf(run, summary) && baseline.runs.some((one) => loadOf(one, summary)))
  return compareLoad(whole, run, baseline)
}

function compareLoad(
  place: Place | undefined,
  run: ReportFigures,
  baseline: Baseline,
): LoadChange | undefined {
  const now = place && loadOf(run, place)
  if (!now) return undefined
  const before = baseline.runs.flatMap((one) => loadOf(one, place) ?? [])
  if (before.length === 0) return undefined
  const usual = median(before.map(({ throughput }) => throughput))
  const change = Math.log(now.throughput / usual)
  const means = before.flatMap(({ mean }) => mean ?? [])
  const slower = now.mean && means.length > 0 ? Math.log(now.mean / median(means)) : 0
  const chance = 2 * Math.sqrt(1 / now.count + 1 / median(before.map(({ count }) => count)))
  const less = change + chance + Math.max(0, slower)
  const more = change - chance - Math.max(0, -slower)
  if (less >= -tellingLoad && more <= tellingLoad) return undefined
  const percent = Math.round((now.throughput / usual) * 1000) / 10
  return {
    less: less < -tellingLoad,
    isOther: less < -otherLoad || more > otherLoad,
    sentence: `the throughput of ${placeName(place)} is ${percent}% of the baseline's.`,
  }
}

interface Load {
  /** Per second. */
  throughput: number
  count: number
  mean?: number
}

function loadOf(figures: ReportFigures, place: Place): Load | undefined {
  if (!isTimerPlace(place)) return undefined
  const timer = figures.timer(place.kind, place.name)
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
