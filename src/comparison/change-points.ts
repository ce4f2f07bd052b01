import { buildBaseline, type Baseline } from '../noise/baseline.js'
import { overloadOf, whyOther } from './run-faults.js'
import { ReportFigures, placeKey, type TimerPlace } from '../figures/figures.js'
import { resolutionOf, ruleOf, type Metric } from '../figures/metrics.js'
import { Noise } from '../noise/noise.js'
import { median } from '../figures/numbers.js'
import { ofKinds, timerKinds, type Report } from '../report/report.js'
import { groupsBy } from '../text/fields.js'
import { least, stepsIn, type Track } from './steps.js'

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
    const baseline = usualBefore(reports, at, changes)
    const next = reports.slice(at + 1).find((later) => whyOther(report, later) === undefined)
    if (!baseline || !next) continue
    const beyond = sidesBeyond(report, baseline, series)
    if (beyond.size === 0) continue
    const again = sidesBeyond(next, baseline, series)
    changes.add(
      at,
      [...beyond].flatMap(([one, side]) => (again.get(one) === side ? [one] : [])),
    )
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
  return {
    values: figures.map((figure) => (isErrors ? Math.sqrt(figure) : Math.log(Math.max(smallest, figure)))),
    least: least + (resolution > 0 ? (resolution / usual) ** 2 / 12 : 0),
    isWhole: isErrors,
  }
}

/** Undefined if no run can be compared. */
function usualBefore(
  reports: readonly Report[],
  at: number,
  changes: ChangePointsSoFar,
): Baseline | undefined {
  const report = reports[at]
  if (!report) return undefined
  const before = reports
    .map((one, run) => ({ one, run }))
    .slice(changes.since, at)
    .filter(({ one }) => whyOther(report, one) === undefined)
    .slice(-mostBefore)
  return buildBaseline(before.map(({ one, run }) => changes.without(one, run)))
}

/** The figures of a run that differ from the runs before by more than noise and 10 percent, and on which side. */
function sidesBeyond(
  report: Report,
  baseline: Baseline,
  series: readonly Series[],
): Map<Series, 'above' | 'below'> {
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
