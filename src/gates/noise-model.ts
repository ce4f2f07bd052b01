import type { Baseline } from './baseline-figures.js'
import type { Place, RateUnit, ReportFigures } from './figures.js'
import { placeKey } from './figures.js'
import { clippedMean, excessVariance, median, WeightedMedian } from './robust.js'
import { isStepped } from './metrics.js'
import { TimerVariances, type Varied } from './timer-variances.js'
import { commonSpread, isEnough, samplesOf, samplingVariance, usualNoise } from './sampling.js'
import { defined } from '../text/fields.js'

/** What is expected of one figure if nothing has changed; all values are logarithms. */
export interface Expectation {
  /** The figure that the baseline and the other timers of this run suggest. */
  centre: number
  /** Standard deviation around it, and the degrees of freedom that it is known with. */
  deviation: number
  freedom: number
  /** Samples in this run, where known. */
  samples?: number
}

/** How much slower (above 0) or faster the whole run is, as a logarithm. */
export interface RunShift {
  shift: number
  deviation: number
  /** How many timers show it. */
  timers: number
}

/** How many runs the usual noise counts for, beside those that were measured. */
const usualRuns = 4
const usualTimers = 8
/** The precision of a median as a share of that of the mean; likewise for the median of squares. */
const medianCost = Math.PI / 2
const pairsWorth = 0.37
/** A run's effect beyond this is not noise but an odd run. */
const widestRun = Math.log(1.2)

interface Row {
  place: Place
  now: number
  nowVariance: number
  samples?: number
  /** Of each baseline run; undefined if it has none. */
  before: (number | undefined)[]
  beforeVariance: number[]
}

/** How far a figure is from its level. */
interface Change {
  change: number
  variance: number
  freedom: number
}

/**
 * The noise of one metric, from all timers of the run and its baseline. log(figure) = the timer's level + the run's
 * effect, shared by all timers + the timer's own effect in this run + sampling error. docs/noise.md has the reasons.
 */
export class NoiseModel {
  private readonly rows: Row[]
  private readonly index = new Map<string, number>()
  /** Effects of the baseline's runs. */
  private effects: number[]
  private readonly ownVariance: number
  private readonly runVariance: number
  private readonly variances: TimerVariances
  private readonly freedom: number
  private readonly changes: WeightedMedian
  private readonly rowChanges: readonly Change[]

  constructor(
    private readonly run: ReportFigures,
    private readonly baseline: Baseline,
    private readonly metric: string,
    private readonly rate: RateUnit,
  ) {
    const places = namedPlaces(run, metric)
    this.rows = places.flatMap((place) => {
      const row = this.rowOf(place)
      return typeof row === 'object' ? [row] : []
    })
    this.rows.forEach((row, at) => this.index.set(placeKey(row.place), at))
    const prior = usualNoise(metric)
    this.effects = effectsOf(this.rows, baseline.runs.length)
    const own = this.ownNoise(prior.own)
    this.ownVariance = own.variance
    this.freedom = own.freedom
    this.runVariance = this.runNoise(prior.run)
    const centre = clippedMean(this.effects, median(this.effects), 2 * Math.sqrt(this.runVariance))
    this.effects = this.effects.map((effect) => effect - centre)
    const varied = this.rows.map((row) => this.varied(row))
    this.variances = new TimerVariances(varied)
    const changes = this.rows.map((row, at) => this.changeOf(row, varied[at]))
    this.rowChanges = changes
    this.changes = new WeightedMedian(
      changes.map(({ change }) => change),
      changes.map(({ variance }) => 1 / variance),
    )
  }

  /** Undefined if the timers do not show it. */
  get runShift(): RunShift | undefined {
    const shift = this.changes.without()
    if (shift === undefined) return undefined
    const variance = this.runChangeVariance + medianCost / this.changes.total
    return { shift, deviation: Math.sqrt(variance), timers: this.rows.length }
  }

  /** Undefined if the figure is missing on one side, or has too few samples. */
  expect(place: Place): Expectation | 'too few' | undefined {
    const at = this.index.get(placeKey(place))
    const row = at === undefined ? this.rowOf(place) : this.rows[at]
    if (typeof row !== 'object') return row
    const known = at === undefined ? undefined : this.rowChanges[at]
    const { change, variance, freedom } = known ?? this.changeOf(row)
    // What the other timers say about the whole run: the less they can say, the more it is pulled towards no change.
    const others = this.changes.without(at)
    const weight = this.changes.total - (known ? 1 / known.variance : 0)
    const told = others === undefined ? Infinity : medianCost / weight
    const run = this.runChangeVariance
    const shift = others === undefined ? 0 : (others * run) / (run + told)
    const left = told === Infinity ? run : (run * told) / (run + told)
    return {
      centre: row.now - change + shift,
      deviation: Math.sqrt(variance + left),
      freedom: Math.min(this.freedom, freedom),
      ...defined({ samples: row.samples }),
    }
  }

  /** Of this run's effect against the middle of the baseline's. */
  private get runChangeVariance(): number {
    return this.runVariance * (1 + 1 / this.effects.length)
  }

  /** Undefined if this run has no figure. */
  private rowOf(place: Place): Row | 'too few' | undefined {
    const { metric, rate, run, baseline } = this
    const value = logOf(run, place, metric, rate)
    if (value === undefined) return undefined
    const timers = place.kind === 'timers' ? { kind: place.timers, name: place.name } : undefined
    const timerOf = (figures: ReportFigures) => timers && figures.timer(timers.kind, timers.name)
    const samples = samplesOf(run.report, place, timerOf(run), metric)
    if (!isEnough(metric, samples)) return 'too few'
    const before = baseline.runs.map((one) => {
      const log = logOf(one, place, metric, rate)
      return log !== undefined && isEnough(metric, samplesOf(one.report, place, timerOf(one), metric))
        ? log
        : undefined
    })
    if (before.every((log) => log === undefined)) return 'too few'
    const spread = commonSpread(
      baseline.runs.flatMap((one) => timerOf(one) ?? []),
      metric,
    )
    const varianceOf = (figures: ReportFigures, log: number): number =>
      samplingVariance(
        metric,
        Math.exp(log),
        samplesOf(figures.report, place, timerOf(figures), metric),
        spread,
      )
    return {
      place,
      now: value,
      nowVariance: varianceOf(run, value),
      ...defined({ samples }),
      before,
      beforeVariance: baseline.runs.map((one, at) => varianceOf(one, before[at] ?? value)),
    }
  }

  /** How far this run is from the timer's level, and the variance of that, without the run's effect. */
  private changeOf(row: Row, varied = this.varied(row)): Change {
    const { factor, freedom } = this.variances.of(varied)
    const known = this.knownBefore(row)
    const own = this.ownVariance
    const logs = this.levelsOf(row)
    const level = clippedMean(logs, median(logs), 2 * Math.sqrt(factor * (own + known)))
    const variance = factor * (own + row.nowVariance + (own + known) / logs.length)
    return { change: row.now - level, variance, freedom }
  }

  /** How much a timer varied in the baseline's runs. One odd run counts for no more than three deviations. */
  private varied(row: Row): Varied {
    const logs = this.levelsOf(row)
    const freedom = logs.length - 1
    if (freedom < 1) return { share: 1, freedom: 0 }
    const expected = this.ownVariance + this.knownBefore(row)
    const middle = clippedMean(logs, median(logs), 3 * Math.sqrt(expected))
    const squares = logs.map((log) => Math.min((log - middle) * (log - middle), 9 * expected))
    return { share: squares.reduce((sum, square) => sum + square, 0) / freedom / expected, freedom }
  }

  /** The figures of the baseline's runs without their effects. */
  private levelsOf({ before }: Row): number[] {
    return before.flatMap((log, at) => (log === undefined ? [] : [log - (this.effects[at] ?? 0)]))
  }

  /** The sampling variance of a figure of the baseline. */
  private knownBefore({ before, beforeVariance }: Row): number {
    const known = before.flatMap((log, at) => (log === undefined ? [] : [beforeVariance[at] ?? 0]))
    return known.reduce((sum, one) => sum + one, 0) / known.length
  }

  /**
   * The variance of a timer's own effect, from how the runs differ from one to the next, this run among them: all
   * runs in a circle. The usual noise counts for some timers more.
   */
  private ownNoise(usual: number): { variance: number; freedom: number } {
    const runs = this.baseline.runs.length
    const circle =
      runs === 1 ? [[-1, 0] as const] : [...this.effects.keys()].map((at) => [at, at + 1] as const)
    const steps = runs === 1 ? circle : [...circle.slice(0, -1), [runs - 1, -1] as const, [-1, 0] as const]
    const pairs: { difference: number; known: number }[] = []
    let worth = 0
    for (const [one, other] of steps) {
      const found = this.rows.flatMap((row) => {
        const a = at(row, one)
        const b = at(row, other)
        return a && b ? [{ difference: a.log - b.log, known: a.variance + b.variance }] : []
      })
      if (found.length < 2) continue
      const middle = median(found.map(({ difference }) => difference))
      pairs.push(...found.map(({ difference, known }) => ({ difference: difference - middle, known })))
      worth += (found.length - 1) * pairsWorth
    }
    const measured = excessVariance(pairs)
    return {
      variance: (usualTimers * usual * usual + worth * measured) / (usualTimers + worth),
      freedom: usualTimers + worth,
    }
  }

  private runNoise(usual: number): number {
    const known = usualRuns * usual * usual
    const runs = this.effects.length
    if (runs < 2 || this.rows.length === 0) return known / usualRuns
    const middle = median(this.effects)
    const squares = this.effects.map((effect) => {
      const apart = Math.max(-widestRun, Math.min(widestRun, effect - middle))
      return apart * apart
    })
    const sampling =
      this.rows.reduce((sum, { beforeVariance }) => sum + median(beforeVariance), 0) / this.rows.length
    const told =
      ((this.ownVariance + sampling) * (this.rows.length === 1 ? 1 : medianCost)) / this.rows.length
    const measured = Math.max(0, squares.reduce((sum, square) => sum + square, 0) / (runs - 1) - told)
    return (known + (runs - 1) * measured) / (usualRuns + runs - 1)
  }
}

/** The figure of a row in one run, -1 being the run that is judged. */
function at(row: Row, run: number): { log: number; variance: number } | undefined {
  if (run === -1) return { log: row.now, variance: row.nowVariance }
  const log = row.before[run]
  return log === undefined ? undefined : { log, variance: row.beforeVariance[run] ?? 0 }
}

/** The effect of each run on all timers: the median of their distances from their own medians, done twice. */
function effectsOf(rows: readonly Row[], runs: number): number[] {
  let effects = Array.from({ length: runs }, () => 0)
  for (let round = 0; round < 2; round++) {
    const apart: number[][] = effects.map(() => [])
    for (const row of rows) {
      const levels = row.before.map((log, at) => (log === undefined ? undefined : log - (effects[at] ?? 0)))
      const level = median(levels.filter((log) => log !== undefined))
      levels.forEach((log, at) => {
        if (log !== undefined) apart[at]?.push(log - level)
      })
    }
    effects = effects.map((effect, at) => effect + (apart[at]?.length ? median(apart[at]) : 0))
  }
  return effects
}

/** All named places that have the metric, of whatever kind. */
function namedPlaces(run: ReportFigures, metric: string): Place[] {
  return run.namedPlaces().filter((place) => 'value' in run.figure(place, metric))
}

/** Half a step: what a figure below the report's resolution counts as. */
const smallest = 5

function logOf(figures: ReportFigures, place: Place, metric: string, rate: RateUnit): number | undefined {
  const figure = figures.figure(place, metric, rate)
  if ('missing' in figure) return undefined
  const value = isStepped(metric) ? Math.max(figure.value, smallest) : figure.value
  return value > 0 ? Math.log(value) : undefined
}
