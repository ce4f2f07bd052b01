import { isDeepStrictEqual } from 'node:util'
import { isoTime } from '../clock.js'
import { formatDuration } from '../text/duration.js'
import { oneLine } from '../text/foreign-text.js'
import { timersIn, type Report, type Timer, timerKinds } from '../report/report.js'
import { buildBaseline, type Baseline, type RunOrigin, type Unfit } from '../noise/baseline.js'
import { whyOther } from '../comparison/run-faults.js'
import { effectsOf, median, plainNumber, quantity } from '../figures/numbers.js'
import { isTimerPlace, placeName, type Place, type ReportFigures } from '../figures/figures.js'
import { maxCpu } from '../figures/metrics.js'

/** A baseline run is odd if all its timers together are this much faster or slower than in the others. */
const oddFactor = Math.log(1.2)
/** With fewer runs it is unclear which one is odd. */
const fewestForOdd = 3

/**
 * The runs of a baseline that can be compared with a run, if there are any, and a sentence for each that was left out, or
 * that is used although its verdict is failed. A run that measured something else, or measured badly, is left out. So is a run that
 * failed its own gates, unless no other is left: then it is the new level of main.
 */
export function comparableRuns(
  report: Report,
  baseline: Baseline | undefined,
): { baseline?: Baseline; doubts: string[] } {
  if (!baseline) return { doubts: [] }
  const accepted = baseline.origins.find(({ isNewLevel }) => isNewLevel === true)
  // Its commit may have been measured again.
  const newLevel = baseline.origins.findLastIndex(
    ({ isNewLevel, name }) => isNewLevel === true && name === accepted?.name,
  )
  const isOfLength = (run: ReportFigures) => lengthsAgree(report, run.report)
  const anyOfLength = baseline.runs.some(isOfLength)
  const whyNot = (run: ReportFigures, index: number) => {
    // What names no workflow run was chosen by its own name.
    const isOfBranch = baseline.origins[index]?.page !== undefined
    if (newLevel !== -1 && index > newLevel && isOfBranch)
      return 'a change of the level was accepted after it'
    if (anyOfLength && !isOfLength(run))
      return `it measured ${formatDuration((run.report.general.duration ?? 0) * 1000)}`
    return whyOther(report, run.report)
  }
  const all = baseline.runs.map((run, index) => {
    const origin = baseline.origins[index] ?? {}
    // Who judges or collects a run again does not measure it again.
    const isTwice = baseline.reports.slice(0, index).some((other) => isSameRun(other, run.report))
    const isThis = origin.page !== undefined && isSameRun(report, run.report)
    const again = isThis ? 'it is this run itself' : isTwice ? 'it was given twice' : undefined
    const own = origin.tooManyErrors ? 'far more of it failed than usual' : whyNot(run, index)
    return { run, origin, why: own ?? again }
  })
  const anyPassed = all.some(({ why, origin }) => why === undefined && origin.verdict !== 'failed')
  const sound = all.map((one) =>
    one.why === undefined && anyPassed && one.origin.verdict === 'failed'
      ? { ...one, why: 'its verdict is failed' }
      : one,
  )
  const odd = oddRuns(sound.flatMap(({ run, why }) => (why === undefined ? [run] : [])))
  const judged = sound.map((one) => ({ ...one, why: one.why ?? odd.get(one.run) }))
  const kept = judged.filter(({ why }) => why === undefined)
  const doubts = judged.flatMap(({ run, origin, why }) => {
    const name = `The baseline run ${runName(run.report, origin)}`
    if (why !== undefined) return [`${name} was left out: ${why}.`]
    return origin.verdict === 'failed'
      ? [`${name} failed its own gates; there is no other run to compare with.`]
      : []
  })
  const reds = baseline.reds.filter(
    ({ report: red }) =>
      whyOther(report, red) === undefined &&
      lengthsAgree(report, red) &&
      (red.general.startTime ?? Infinity) >= (baseline.reports[newLevel]?.general.startTime ?? -Infinity),
  )
  if (kept.length === all.length && reds.length === baseline.reds.length) return { baseline, doubts }
  const rest = buildBaseline(
    kept.map(({ run }) => run.report),
    kept.map(({ origin }) => origin),
    reds.map((red) => red.report),
  )
  return { ...(rest ? { baseline: rest } : {}), doubts }
}

function isSameRun(one: Report, other: Report): boolean {
  if (one.general.startTime !== other.general.startTime) return false
  const [ours, theirs] = [timersIn(one), timersIn(other)]
  return (
    isDeepStrictEqual({ ...one, timers: undefined }, { ...other, timers: undefined }) &&
    ours.length === theirs.length &&
    ours.every((timer, at) => isSameTimer(timer, theirs[at]))
  )
}

/** Of samples, a report has those percentiles that gates asked for when it was read. */
function isSameTimer(
  { percentiles, ...one }: Timer,
  { percentiles: theirs = {}, ...other }: Partial<Timer> = {},
) {
  const known = Object.entries(percentiles).filter(([name]) => Object.hasOwn(theirs, name))
  return isDeepStrictEqual(one, other) && known.every(([name, value]) => theirs[name] === value)
}

/** Runs that are slower or faster as a whole; none if they are not a minority. */
function oddRuns(runs: readonly ReportFigures[]): Map<ReportFigures, string> {
  if (runs.length < fewestForOdd) return new Map()
  const factors = runFactors(runs)
  const odd = runs.flatMap((run, index) => {
    const factor = factors[index] ?? 0
    if (Math.abs(factor) <= oddFactor) return []
    const percent = Math.round((Math.exp(Math.abs(factor)) - 1) * 100)
    const less = Math.round((1 - Math.exp(-Math.abs(factor))) * 100)
    const what = factor > 0 ? `${percent}% slower` : `${less}% faster`
    return [[run, `all its timers together are ${what} than in the other runs`] as const]
  })
  return new Map(odd.length * 2 < runs.length ? odd : [])
}

/** A run of half the length or twice as long is of another load test. */
function lengthsAgree({ general: now }: Report, { general: before }: Report): boolean {
  if (now.duration === undefined || before.duration === undefined) return true
  return now.duration < before.duration * 2 && before.duration < now.duration * 2
}

/** `load test 17`, or else when it began; safe to print. */
function runName({ general: { startTime } }: Report, { name = '' }: RunOrigin): string {
  const minute = isoTime(startTime)?.slice(0, 16).replace('T', ' ')
  return [oneLine(name, 80), minute && `of ${minute} UTC`].filter(Boolean).join(' ') || 'without a date'
}

/**
 * How much slower each run is than the middle of all, over all timers: the logarithm of the factor. By the p95, or else
 * the median or mean.
 */
function runFactors(runs: readonly ReportFigures[]): number[] {
  const levels: number[] = []
  for (const kind of timerKinds) {
    const rows = new Map<string, number>()
    for (const [run, { report }] of runs.entries()) {
      for (const timer of report.timers[kind].timers) {
        const time = timer.percentiles['p95'] ?? timer.median ?? timer.mean
        if (timer.count === 0 || time === undefined || time <= 0) continue
        const row = rows.get(timer.name) ?? levels.length
        if (row === levels.length) {
          rows.set(timer.name, row)
          for (let one = 0; one < runs.length; one++) levels.push(Number.NaN)
        }
        levels[row + run] = Math.log(Math.max(5, time))
      }
    }
  }
  return effectsOf(new Float64Array(levels), runs.length)
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
  const part = (now.throughput * 100) / usual
  return {
    less: less < -tellingLoad,
    isOther: less < -otherLoad || more > otherLoad,
    sentence: `the throughput of ${placeName(place)} is ${plainNumber(part, part < 10 ? 1 : 0)}% of the baseline's.`,
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

/** Above this CPU use a load generator may be the slow one, where it is usually less busy. */
const busyCpu = 60
/** Percentage points by which a load generator is far busier than usual. */
const farBusier = 15

const busiest = { kind: 'agents' } as const

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
