import { isTimerPlace, placeName, type Place, type ReportFigures } from '../figures/figures.js'
import { maxCpu } from '../figures/metrics.js'
import { median, quantity } from '../figures/numbers.js'
import { timerKinds, type Report } from '../report/report.js'
import { formatDuration } from '../text/duration.js'
import { listed, nameList, oneLine } from '../text/foreign-text.js'
import type { Baseline, Unfit } from '../noise/baseline.js'

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
  'Find out in the log of the load test why it ended early, such as a load generator without memory. Then run it again.'

export function hasMeasured({ timers }: Report): boolean {
  return timerKinds.some((kind) =>
    [timers[kind].summary, ...timers[kind].timers].some((timer) => timer !== undefined && timer.count !== 0),
  )
}

/** A load generator reports on itself after ten seconds. One that was lost before that has the name of its results. */
const ownName = /^Agent-/
const firstReport = 10
/** A load generator with less than this share of what it usually does was lost on the way. */
const leastOwn = 2 / 3
/** With fewer transactions the share of a load generator is chance. */
const fewestTransactions = 50

/** Why a run lacks load generators, as sentences; none if nothing says so. */
export function lostGenerators({ agents, partial, general: { duration = 0 } }: Report): string[] {
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
export function lostOnTheWay(report: Report, earlier: readonly Report[]): string | undefined {
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

/** Runs whose load differs by more than this factor cannot be compared. */
const otherLoad = Math.log(1.5)
/** A load that differs by more than this factor may explain a difference. */
const tellingLoad = Math.log(1.1)

/**
 * How the load of a place differs from the baseline's, or that of the run as a whole; undefined if it hardly does. If a
 * slower system lets its users come around less often, that is not another load: a throughput may fall by as much as
 * the times have risen.
 *
 * @param whole what `wholeLoad` found
 */
export function loadAt(
  place: Place,
  run: ReportFigures,
  baseline: Baseline,
  whole: ReturnType<typeof compareLoad>,
) {
  const changes = [whole, compareLoad(place, run, baseline)]
  return changes.find((change) => change?.isOther) ?? changes.find((change) => change !== undefined)
}

/** How the load of the run as a whole differs. */
export function wholeLoad(run: ReportFigures, baseline: Baseline) {
  const whole = timerKinds
    .map((kind): Place => ({ kind }))
    .find((summary) => loadOf(run, summary) && baseline.runs.some((one) => loadOf(one, summary)))
  return compareLoad(whole, run, baseline)
}

/**
 * Whether it is more or less by more than 10 percent, perhaps beyond what can be compared, with a sentence such as `the
 * throughput of requests is 114% of the baseline's.`
 */
function compareLoad(place: Place | undefined, run: ReportFigures, baseline: Baseline) {
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

/** Its throughput is per second. */
function loadOf(figures: ReportFigures, place: Place) {
  const timer = isTimerPlace(place) ? figures.timer(place.kind, place.name) : undefined
  const { count, countPerSecond, mean = 0 } = timer ?? {}
  const seconds = figures.report.general.duration
  const throughput = count && seconds ? count / seconds : countPerSecond
  if (!count || count < 0 || !throughput || throughput < 0) return undefined
  return { throughput, count, mean: mean > 0 ? mean : undefined }
}

/** Above this one they may: then a load generator that is usually less busy is not the same. */
const busyCpu = 60
/** Percentage points by which a load generator is far busier than usual. */
const farBusier = 15

const busiest = { kind: 'agents' } as const

/** Overloaded load generators: `of 2 load generators`, and which, the busiest first: `a 95%, b 81%`. */
export function overloadOf(report: Report): { of: string; figures: string } | undefined {
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
 * Why the load generator may be the slow one: it was overloaded, or far busier than in the baseline.
 * Undefined if nothing says so. A slower product keeps a load generator no busier.
 */
export function busyGenerator(run: ReportFigures, baseline: Baseline): Unfit | undefined {
  const now = run.value(busiest, 'cpu')
  const usual = baseline.figure(busiest, 'cpu')?.median
  if (now === undefined) return undefined
  const use =
    usual === undefined ? percent(now) : `${percent(now)} instead of the baseline's ${percent(usual)}`
  const isFarBusier = usual !== undefined && now > busyCpu && now - usual >= farBusier
  if (now <= maxCpu && !isFarBusier) return undefined
  const what = now > maxCpu ? 'overloaded' : 'far busier than usual'
  return {
    unfit: 'busy-generator',
    reason: `The load generator was ${what}, so it may be the slow one: its CPU use was ${use}.`,
  }
}

function percent(value: number): string {
  return quantity(Math.round(value * 10) / 10, '%')
}
