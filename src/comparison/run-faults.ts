import { maxCpu } from '../figures/metrics.js'
import { median, quantity } from '../figures/numbers.js'
import { timersIn, timerKinds, type Report } from '../report/report.js'
import { formatDuration } from '../text/duration.js'
import { listed, nameList, oneLine } from '../text/foreign-text.js'

/**
 * Why a run is not the one that was planned, whatever its gates say, and what to do.
 *
 * @param earlier the runs that it is compared with
 */
export function runFaults(report: Report, earlier: readonly Report[] = []) {
  const time = shortOf(report)
  const sentences = [
    time && !time.isCut ? `The run measured ${shownTime(time)}.` : undefined,
    ...lostGenerators(report),
    lostOnTheWay(report, earlier),
    hasMeasured(report) ? undefined : 'Nothing was measured: no timer of the report was used.',
  ]
  return sentences.flatMap((sentence) => (sentence === undefined ? [] : [{ sentence, advice }]))
}

const advice =
  'Look in the log of the load test for why it ended early, such as a load generator that ran out of memory. Then run it again.'

function hasMeasured(report: Report): boolean {
  return timersIn(report).some(({ count }) => count !== 0)
}

/** A load generator reports on itself after ten seconds. One that was lost before that has the name of its results. */
const ownName = /^Agent-/
const firstReport = 10
/** A load generator with less than this share of what it usually does was lost on the way. */
const leastOwn = 2 / 3
/** With fewer transactions the share of a load generator is chance. */
const fewestTransactions = 50

/** Why a run lacks load generators, as sentences; none if nothing says so. */
function lostGenerators({ agents, partial, general: { duration = 0 } }: Report): string[] {
  const lost = agents.filter(({ name, ownMean = 0 }) => !ownName.test(name) && ownMean === 0)
  const isNone = duration <= firstReport || lost.length === agents.length || lost.length === 0
  const names = nameList(lost.map(({ name }) => name))
  return [
    // The engine says so where it could not fetch the results of a machine.
    ...(partial === undefined
      ? []
      : [`The run has partial results only: ${oneLine(partial, 160).replace(/\.$/, '')}.`]),
    ...(isNone ? [] : [`${lost.length} of ${agents.length} load generators ended early: ${names}.`]),
  ]
}

/**
 * A load generator that made far fewer transactions beside the others than any did in the earlier runs, as a sentence.
 * Machines may differ, so without earlier runs nothing is known.
 */
function lostOnTheWay(report: Report, earlier: readonly Report[]): string | undefined {
  const now = leastBusy(report)
  const usual = earlier.flatMap((one) => {
    const least = one.agents.length === report.agents.length ? leastBusy(one) : undefined
    return least === undefined ? [] : [least.share]
  })
  if (now === undefined || usual.length === 0) return undefined
  const expected = median(usual)
  if (expected * now.total < fewestTransactions || now.share >= expected * leastOwn) return undefined
  return `The load generator ${nameList([now.agent.name])} made ${now.made} of ${now.total} transactions, ${shown(now.share)} instead of its usual ${shown(expected)}: it may have ended early.`
}

function leastBusy({ agents }: Report) {
  const made = agents.flatMap((agent) =>
    agent.transactions === undefined ? [] : [{ agent, made: agent.transactions }],
  )
  const total = made.reduce((sum, one) => sum + one.made, 0)
  if (made.length < agents.length || total === 0) return undefined
  const least = made.reduce((fewest, one) => (one.made < fewest.made ? one : fewest))
  return { ...least, total, share: least.made / total }
}

function shown(share: number): string {
  return `${Math.round(share * 100)}%`
}

/** A run that measured less than this share of its plan is not the run that was planned. */
const leastShare = 0.9
/** The longest pause in a report's records, in seconds: each load generator reports on itself every ten. */
const longestPause = 10
/** Hardly ever is a pause between two records longer than this many mean pauses. */
const usualPauses = 5

/**
 * How long a run measured beside its plan, in seconds, and whether the load test itself ran on to its end, so that
 * somebody cut the report to a part of it. Undefined if the run measured what was planned, or if the report does not say. The engine measures from the moment
 * its first scenario has warmed up until the last one's measurement period is over; ramp-up is a part of that, a
 * shutdown is not. Scenarios that end after a number of iterations may end at any time.
 */
export function shortOf(report: Report) {
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
export function shownTime({ measured, planned }: { measured: number; planned: number }): string {
  return `${formatDuration(measured * 1000)} of the planned ${formatDuration(planned * 1000)}`
}

/** `seconds` from the first scenario's start to the last one's end, and those of the longest scenario. */
function plannedOf(profile: Report['loadProfile']) {
  const periods = profile.map(({ settings }) => {
    const warmUp = secondsOf(settings['warmUpPeriod']) ?? 0
    const start = (secondsOf(settings['initialDelay']) ?? 0) + warmUp
    const period = secondsOf(settings['measurementPeriod'])
    const isTimed = period !== undefined && (secondsOf(settings['numberOfIterations']) ?? 0) === 0
    return { start, timed: isTimed ? [{ end: start + period, length: warmUp + period }] : [] }
  })
  const timed = periods.flatMap((one) => one.timed)
  if (timed.length === 0) return undefined
  const first = Math.min(...periods.map(({ start }) => start))
  return {
    seconds: Math.max(...timed.map(({ end }) => end)) - first,
    longest: Math.max(...timed.map(({ length }) => length)),
  }
}

/** The engine groups digits: `1,021`. */
function secondsOf(setting = ''): number | undefined {
  return /^\d[\d,]{0,12}$/.test(setting) ? Number(setting.replaceAll(',', '')) : undefined
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

/** Overloaded load generators: `of 2 load generators`, and which, the busiest first: `a 95%, b 81%`. */
export function overloadOf(report: Report): { of: string; figures: string } | undefined {
  const hot = report.agents
    .flatMap(({ name, totalMean = 0 }) => (totalMean > maxCpu ? [{ name, totalMean }] : []))
    .sort((a, b) => b.totalMean - a.totalMean)
  if (hot.length > 0)
    return {
      of: hot.length === 1 ? 'of 1 load generator' : `of ${hot.length} load generators`,
      figures: listed(hot.map(({ name, totalMean }) => `${oneLine(name, 60)} ${quantity(totalMean, '%')}`)),
    }
  const mean = report.agents.length === 0 ? report.agentSummary?.totalMean : undefined
  if (mean === undefined || mean <= maxCpu) return undefined
  return { of: 'over all load generators', figures: quantity(mean, '%') }
}

/** Why an earlier run cannot be compared, whatever it measured, as the end of a sentence. */
export function whyOther(report: Report, earlier: Report): string | undefined {
  if (earlier.partial !== undefined) return 'it has partial results only'
  if (!hasMeasured(earlier)) return 'it measured nothing'
  const lost = [...lostGenerators(earlier), lostOnTheWay(earlier, [report])]
  if (lost.some((one) => one !== undefined)) return 'it lost load generators'
  const time = shortOf(earlier)
  if (time && !time.isCut) return `it measured ${shownTime(time)}`
  const overload = overloadOf(earlier)
  if (overload && !overloadOf(report)) return `its load generators were overloaded (${overload.figures})`
  const line = versionLine(report.engineVersion)
  const before = versionLine(earlier.engineVersion)
  if (line !== undefined && before !== undefined && line !== before)
    return `its engine is ${oneLine(earlier.engineVersion ?? '', 60)}, the run's is ${oneLine(report.engineVersion ?? '', 60)}`
  const other = otherProfile(report.loadProfile, earlier.loadProfile)
  return other.length > 0 ? `its load profile differs for ${nameList(other)}` : undefined
}

/** `Name 9.2.1` is a release of the line `Name 9.2`: releases of one line measure in the same way. */
export function versionLine(version: string | undefined): string | undefined {
  if (version === undefined) return undefined
  return /^(?:.*?[\s/_-])?v?\d+(?:\.\d+)?/.exec(version)?.[0] ?? version
}

function otherProfile(now: Report['loadProfile'], before: Report['loadProfile']): string[] {
  if (now.length === 0 || before.length === 0) return []
  const [ours, theirs] = [profileOf(now), profileOf(before)]
  const names = new Set([...ours.keys(), ...theirs.keys()])
  return [...names].filter((name) => ours.get(name) !== theirs.get(name))
}

/** The length of a measurement is not load: rates and times of runs of different lengths can be compared. */
const lengths = new Set(['measurementPeriod', 'shutdownPeriod'])

function profileOf(entries: Report['loadProfile']): Map<string, string> {
  const loadOf = (settings: object) => Object.entries(settings).filter(([name]) => !lengths.has(name))
  return new Map(entries.map(({ name, settings }) => [name, JSON.stringify(loadOf(settings).sort())]))
}
