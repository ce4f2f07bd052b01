import { timerKinds, type LoadProfileEntry, type Report } from '../report/report.js'
import { formatDuration } from '../text/duration.js'

/** A run that measured less than this share of its plan is not the run that was planned. */
const leastShare = 0.9
/** The longest pause in a report's records, in seconds: each load generator reports on itself every ten. */
const longestPause = 10
/** Hardly ever is a pause between two records longer than this many mean pauses. */
const usualPauses = 5

/** How long a run measured beside its plan, in seconds. */
interface MeasuredTime {
  measured: number
  planned: number
  /** The load test itself ran on to its end: somebody cut the report to a part of it. */
  isCut: boolean
}

/**
 * Undefined if the run measured what was planned, or if the report does not say. The engine measures from the moment
 * its first scenario has warmed up until the last one's measurement period is over; ramp-up is a part of that, a
 * shutdown is not. Scenarios that end after a number of iterations may end at any time.
 */
export function shortOf(report: Report): MeasuredTime | undefined {
  const { duration, elapsed, startTime, endTime } = report.general
  const planned = plannedOf(report.loadProfile)
  if (duration === undefined || planned === undefined) return undefined
  const isShort = (seconds: number, of: number) => seconds < of * leastShare
  if (!isShort(duration, planned.seconds) || planned.seconds - duration <= pausesOf(report)) return undefined
  const hasRunOn = elapsed !== undefined && !isShort(elapsed, planned.longest)
  const isPart =
    startTime !== undefined && endTime !== undefined && isShort((endTime - startTime) / 1000, planned.seconds)
  return { measured: duration, planned: planned.seconds, isCut: hasRunOn && isPart }
}

/** `14 s of the planned 10 min` */
export function shownTime({ measured, planned }: MeasuredTime): string {
  return `${formatDuration(measured * 1000)} of the planned ${formatDuration(planned * 1000)}`
}

/** `seconds` from the first scenario's start to the last one's end, and those of the longest scenario. */
function plannedOf(profile: readonly LoadProfileEntry[]): { seconds: number; longest: number } | undefined {
  const periods = profile.map(({ settings }) => {
    const start = (secondsOf(settings['initialDelay']) ?? 0) + (secondsOf(settings['warmUpPeriod']) ?? 0)
    const period = secondsOf(settings['measurementPeriod'])
    const isTimed = (secondsOf(settings['numberOfIterations']) ?? 0) === 0
    return { start, period: isTimed ? period : undefined, warmUp: secondsOf(settings['warmUpPeriod']) ?? 0 }
  })
  const timed = periods.flatMap(({ start, period, warmUp }) =>
    period === undefined ? [] : [{ end: start + period, length: warmUp + period }],
  )
  if (timed.length === 0) return undefined
  const first = Math.min(...periods.map(({ start }) => start))
  return {
    seconds: Math.max(...timed.map(({ end }) => end)) - first,
    longest: Math.max(...timed.map(({ length }) => length)),
  }
}

/** The engine groups digits: `1,021`. */
function secondsOf(setting: string | undefined): number | undefined {
  return setting !== undefined && /^\d[\d,]{0,12}$/.test(setting)
    ? Number(setting.replaceAll(',', ''))
    : undefined
}

/** Seconds that may pass at both ends without a record, where users come by rarely. */
function pausesOf({ general: { duration = 0 }, timers }: Report): number {
  const counts = timerKinds.flatMap((kind) => {
    const { summary, timers: all } = timers[kind]
    const count = summary?.count ?? all.reduce((sum, timer) => sum + (timer.count ?? 0), 0)
    return count > 0 ? [count] : []
  })
  const mean = counts.length === 0 ? Infinity : duration / Math.min(...counts)
  return Math.min(2 * longestPause, Math.max(1, usualPauses * mean))
}
