import { isTimerPlace, placeName, type Place, type ReportFigures } from '../figures/figures.js'
import { maxCpu } from '../figures/metrics.js'
import { median, quantity } from '../figures/numbers.js'
import type { Baseline, Unfit } from '../noise/baseline.js'
import { timerKinds } from '../report/report.js'

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
