import { buildBaseline, type Baseline } from '../noise/baseline.js'
import { overloadOf, whyOther } from './run-faults.js'
import { ReportFigures, placeKey, type TimerPlace } from '../figures/figures.js'
import { resolutionOf, ruleOf, type Metric } from '../figures/metrics.js'
import { Noise } from '../noise/noise.js'
import { median, effectsOf, mean, squaresOf } from '../figures/numbers.js'
import { ofKinds, timerKinds, type Report } from '../report/report.js'
import { groupsBy } from '../text/fields.js'
import { highestChance, studentTail } from '../noise/distributions.js'

/** How many earlier runs show what was usual before a run, and its noise: five may have been alike by chance. */
const mostBefore = 20
/** Too few to look back at, and at either side of a change those whose medians are shown. */
const few = 5
/** With fewer earlier runs, a single odd run among them would make normal figures look like a change. */
const fewestBefore = 3
/** A history compares each of its runs: less of them may be a false alarm than of a run that is judged once. */
const falseShares = { timers: 0.015, alone: 0.005, run: 0.001 }
/** Nobody would act on a smaller change. */
const leastChange = 0.1

/** Below that, a step of many runs is as good as none. */
const leastStep = 0.04

/**
 * Where figures changed for good: the steps of all runs that can be compared with each other. In the latest runs, too
 * few of which are after a change for that, the rule of the gates decides: a run has a change if it and the next
 * comparable run are both beyond noise and 10 percent, on the same side of the runs before. Those are the latest 20
 * comparable runs, none from before the figure's last change.
 *
 * @param reports the oldest first
 * @param series the figures of those reports
 */
export function changePointsIn(reports: readonly Report[], series: readonly Series[]): ChangePoint[] {
  const changes = new ChangePointsSoFar(series)
  // Nearer to the end, a step that has too few runs after it would be put at a run before.
  for (const [run, changed] of stepsBack(reports, series))
    if (run < reports.length - few) changes.add(run, changed)
  for (const [at, report] of reports.entries()) {
    if (report.partial !== undefined || at < reports.length - few) continue
    const baseline = usualBefore(report, reports.slice(0, at), changes)
    const next = reports.slice(at + 1).find((later) => whyOther(report, later) === undefined)
    if (!baseline || !next) continue
    const beyond = sidesBeyond(report, baseline, series)
    if (beyond.size === 0) continue
    const again = sidesBeyond(next, baseline, series)
    const lasting = [...beyond.keys()].filter((one) => again.get(one) === beyond.get(one))
    changes.add(at, lasting)
  }
  return changes.all()
}

/** The series that have a step at a run, the oldest run first. */
function stepsBack(reports: readonly Report[], series: readonly Series[]): [number, Series[]][] {
  const looked = series.filter(isLookedAt)
  const all = reports.map((report) => ({ report }))
  const found = comparableSets(reports).flatMap((runs) =>
    timerKinds.flatMap((kind) => {
      const ofKind = looked.filter((one) => one.kind === kind)
      return stepsIn(ofKind.map((one) => trackOf(one, runs, resolutionOf(one.metric, all)))).flatMap(
        ({ track, at }) => {
          const [one, run] = [ofKind[track], runs[at]]
          return one && run !== undefined ? [{ one, run }] : []
        },
      )
    }),
  )
  const byRun = groupsBy(found, ({ run }) => run)
  return [...byRun].sort(([a], [b]) => a - b).map(([run, all]) => [run, all.map(({ one }) => one)])
}

/** The sound runs of the same load, engine and so on, by their indexes. */
function comparableSets(reports: readonly Report[]): number[][] {
  const sets: number[][] = []
  for (const [run, report] of reports.entries()) {
    if (overloadOf(report) || whyOther(report, report) !== undefined) continue
    const fits = (set: readonly number[]) => {
      const latest = reports[set.at(-1) ?? -1]
      return latest !== undefined && whyOther(report, latest) === undefined
    }
    const set = sets.find(fits)
    if (set) set.push(run)
    else sets.push([run])
  }
  return sets
}

/** Errors as the roots of their rates, which vary alike however many there are. */
function trackOf({ metric, values }: Series, runs: readonly number[], resolution: number): Track {
  const isErrors = ruleOf(metric).about === 'errors'
  const figures = runs.map((run) => values[run] ?? NaN)
  const smallest = resolution / 2
  const usual = middle(figures.map((figure) => Math.max(smallest, figure)))
  // A figure between two steps is now the one, now the other: on average with the variance of a sixth of a step squared.
  return {
    values: figures.map((figure) => (isErrors ? Math.sqrt(figure) : Math.log(Math.max(smallest, figure)))),
    least: leastVariance + (resolution > 0 ? (resolution / usual) ** 2 / 6 : 0),
    isWhole: isErrors,
  }
}

/** Undefined if no run can be compared. */
function usualBefore(report: Report, earlier: readonly Report[], changes: ChangePointsSoFar) {
  const before = earlier
    .map((one, run) => ({ one, run }))
    .slice(changes.since)
    .filter(({ one }) => whyOther(report, one) === undefined)
    .slice(-mostBefore)
  return buildBaseline(before.map(({ one, run }) => changes.without(one, run)))
}

/** The figures of a run that differ from the runs before by more than noise and 10 percent, and on which side. */
function sidesBeyond(report: Report, baseline: Baseline, series: readonly Series[]) {
  const run = new ReportFigures(report)
  const noise = new Noise(run, baseline, falseShares)
  const sides = series.filter(isLookedAt).flatMap((one) => {
    const side = sideBeyond(one, run, baseline, noise)
    return side === undefined ? [] : [[one, side] as const]
  })
  return new Map(sides)
}

/** Load follows the times. */
function isLookedAt({ metric }: Series): boolean {
  return ruleOf(metric).about !== 'load'
}

function sideBeyond(one: Series, run: ReportFigures, baseline: Baseline, noise: Noise) {
  const { metric } = one
  const figure = run.figure(one, metric)
  const usual = baseline.figure(one, metric)
  if ('missing' in figure || !usual || usual.n < fewestBefore) return undefined
  const { value } = figure
  const above = value > usual.median
  const least = resolutionOf(metric, [run, ...baseline.runs])
  const isChange = above
    ? value > Math.max(usual.median * (1 + leastChange), usual.median + least)
    : value < Math.min(usual.median / (1 + leastChange), usual.median - least)
  const finding = noise.find(one, metric)
  if (!isChange || !finding || 'unfit' in finding || !finding.isBeyond(above)) return undefined
  return above ? 'above' : 'below'
}

/** The changes found up to a run. */
class ChangePointsSoFar {
  /** The first run of the current level: here more than half of the timers changed. */
  since = 0
  private readonly found: { series: Series; run: number }[] = []
  /** For each timer, the first run after its last change. */
  private readonly last = new Map<string, number>()

  constructor(private readonly series: readonly Series[]) {}

  add(run: number, changed: readonly Series[]): void {
    for (const series of changed) {
      this.found.push({ series, run })
      this.last.set(placeKey(series), run)
    }
    const timers = (all: readonly Series[]) => all.filter(({ name }) => name !== undefined).length
    if (timers(changed) * 2 > timers(this.series)) this.since = run
  }

  /** The report of a run without the timers that changed after it. */
  without(report: Report, run: number): Report {
    if (this.last.size === 0) return report
    const stays = (timer: TimerPlace) => (this.last.get(placeKey(timer)) ?? run) <= run
    const timers = ofKinds((kind) => {
      const { summary, timers } = report.timers[kind]
      const kept = timers.filter(({ name }) => stays({ kind, name }))
      return { timers: kept, ...(summary && stays({ kind }) ? { summary } : {}) }
    })
    return { ...report, timers }
  }

  all(): ChangePoint[] {
    return this.found.flatMap(({ series, run }) => {
      const { kind, name, metric, values } = series
      const others = this.found.filter((one) => one.series === series).map((one) => one.run)
      const from = Math.max(0, ...others.filter((other) => other < run), run - few)
      const to = Math.min(values.length, ...others.filter((other) => other > run), run + few)
      const [before, after] = [middle(values.slice(from, run)), middle(values.slice(run, to))]
      if (Math.max(before, after) <= Math.min(before, after) * (1 + leastStep)) return []
      return { kind, ...(name === undefined ? {} : { name }), metric, run, before, after }
    })
  }
}

function middle(values: readonly (number | null)[]): number {
  return median(values.filter((value): value is number => value !== null && !Number.isNaN(value)))
}

/** Which figure of a report: of a timer, or without a name of all of a kind. */
export interface Watched extends Omit<TimerPlace, 'anyStatus'> {
  metric: Metric
}

/** One figure over the runs, in its metric's unit (throughput: for each second); null in a run that did not measure it. */
export interface Series extends Watched {
  values: (number | null)[]
  /** The limit of fixed gates in each run; absent if no run had such a gate. */
  limits?: (number | null)[]
}

/** From this run on, a figure has another level, beyond noise. */
export interface ChangePoint extends Watched {
  /** Index of the first run of the new level. */
  run: number
  /**
   * The median of at most five runs before, back to the previous change, and of at most five after, up to the next one.
   */
  before: number
  after: number
}

/** Figures over runs, as logarithms; NaN in a run that did not measure one. */
export interface Track {
  values: readonly number[]
  /** What a figure varies by at least: a variance. */
  least: number
  /** Its noise may resemble that of the run before: nothing was taken from it that its runs have in common. */
  isWhole: boolean
}

/** With fewer timers, what they have in common cannot be distinguished from their own. */
const fewestTimers = 5
/** Nothing varies by less than 1 percent: a variance. */
const leastVariance = 0.0001
/** Runs at either side of a step. */
const fewestBeside = 4
/** Times the usual difference from one run to the next. */
const oddFrom = 5
/** The shares of unchanged histories in which something may be found: where runs resemble each other, it is easily more. */
const falseSteps = 0.03
const falseWhole = 0.0005
/** A step this near to a clearer one of another track is the same change. */
const nearSteps = 3

/** Parts of the runs that are looked at by themselves, since a step back can hide a step (seeded binary segmentation). */
const windows = [
  [0, 1],
  [0, 2 / 3],
  [1 / 3, 1],
  [0, 1 / 2],
  [1 / 4, 3 / 4],
  [1 / 2, 1],
] as const

/** Some runs of a track, one after the other. */
interface Part {
  track: number
  from: number
  to: number
}

/**
 * The steps of all tracks: each is split where its two sides differ most, by Student's t; of all splits those count
 * that are not chance (Benjamini and Hochberg), and the parts are split in the same way. What all tracks of a run have
 * in common is taken from each, but for its own steps.
 */
export function stepsIn(tracks: readonly Track[]) {
  const own = tracks.filter(({ isWhole }) => !isWhole)
  const areFew = own.length < fewestTimers
  const common = areFew
    ? []
    : effectsOf(new Float64Array(own.flatMap(({ values }) => values)), own[0]?.values.length ?? 0)
  const steps = splitsOf([{ values: common, least: leastVariance, isWhole: true }])
  const bounds = [0, ...steps.map(({ at }) => at).sort((a, b) => a - b), common.length]
  const shared = bounds.slice(1).flatMap((to, index) => {
    const part = common.slice(bounds[index], to)
    return part.map((value) => value - mean(part))
  })
  const apart = (values: readonly number[]) => values.map((value, run) => value - (shared[run] ?? 0))
  const looked = tracks.map((track) =>
    areFew || track.isWhole ? { ...track, isWhole: true } : { ...track, values: apart(track.values) },
  )
  // If many others changed, what is taken from all is too much for the rest: a figure itself must show half of a step.
  return splitsOf(looked).filter(({ track, from, at, to }) => {
    const [shown = 0, step = 0] = [tracks, looked].map((all) => rise(all[track]?.values ?? [], from, at, to))
    return shown * Math.sign(step) >= Math.abs(step) / 2
  })
}

function rise(values: readonly number[], from: number, at: number, to: number): number {
  return mean(known(values.slice(at, to))) - mean(known(values.slice(from, at)))
}

function splitsOf(given: readonly Track[]) {
  const tracks = given.map((track) => ({ ...track, values: calm(track.values) }))
  // `at` is the first run of the new level.
  const found: (Part & { at: number })[] = []
  let parts = tracks.map(({ values }, track): Part => ({ track, from: 0, to: values.length }))
  while (parts.length > 0) {
    const splits = parts.flatMap((part) => bestSplit(tracks[part.track], part) ?? [])
    const chances = splits.map(({ chance }) => chance)
    const cut = highestChance(chances, falseSteps)
    const clear = splits.filter(({ chance }) => chance <= cut).sort((a, b) => a.chance - b.chance)
    parts = clear.flatMap(({ part: { track, from, to }, at: best }) => {
      const at = found.find((one) => Math.abs(one.at - best) <= nearSteps)?.at ?? best
      found.push({ track, from, at, to })
      return [
        { track, from, to: at },
        { track, from: at, to },
      ]
    })
  }
  return found
}

/** Far from both figures beside it, an odd one gets the middle one of the three. */
function calm(values: readonly number[]): number[] {
  const apart = values.map((value, at) => Math.abs(value - (values[at - 1] ?? NaN)))
  const far = oddFrom * median(known(apart))
  return values.map((value, at) => {
    const middle = median(known([values[at - 1] ?? NaN, value, values[at + 1] ?? NaN]))
    return Math.abs(value - middle) > far ? middle : value
  })
}

function known(values: readonly number[]): number[] {
  return values.filter((value) => !Number.isNaN(value))
}

/** In all runs and in parts of them. */
function bestSplit(track: Track | undefined, part: Part) {
  if (!track) return undefined
  const length = part.to - part.from
  const all = windows.flatMap(([first, last]) => {
    const [from, to] = [part.from + Math.round(length * first), part.from + Math.round(length * last)]
    const runs = Array.from({ length: to - from }, (_, run) => from + run)
    return runs.flatMap((at) => splitAt(track, from, at, to) ?? [])
  })
  const [split] = all.sort((one, other) => one.chance - other.chance)
  if (!split) return undefined
  const rarer = track.isWhole ? falseSteps / falseWhole : 1
  return { part, at: split.at, chance: Math.min(1, split.chance * all.length * rarer) }
}

/** Undefined if there are too few figures at one side. */
function splitAt({ values, least, isWhole }: Track, from: number, at: number, to: number) {
  if (Number.isNaN(values[at] ?? NaN)) return undefined
  const [before, after] = [known(values.slice(from, at)), known(values.slice(at, to))]
  if (Math.min(before.length, after.length) < fewestBeside) return undefined
  const count = before.length + after.length
  const variance = Math.max(least, (squaresOf(before) + squaresOf(after)) / (count - 2))
  const worth = isWhole ? independentShare([before, after], variance) : 1
  const apart = Math.abs(rise(values, from, at, to))
  const t = apart / Math.sqrt((variance / worth) * (1 / before.length + 1 / after.length))
  return { at, chance: 2 * studentTail(t, Math.max(4, (count - 2) * worth)) }
}

/** The share of runs that tell as much as if none resembled the one before: (1 − r) / (1 + r), r after Kendall. */
function independentShare(sides: readonly (readonly number[])[], variance: number): number {
  const count = sides.flat().length
  const products = sides.flatMap((side) => {
    const middle = mean(side)
    return side.slice(1).map((value, at) => (value - middle) * ((side[at] ?? 0) - middle))
  })
  const told = (mean(products) * products.length) / (variance * (count - 2))
  const r = (told + 2 / count) / Math.max(0.5, 1 - 8 / count)
  const kept = Math.max(0, Math.min(0.95, r))
  return (1 - kept) / (1 + kept)
}
