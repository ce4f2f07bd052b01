import type { Baseline } from '../baseline/baseline.js'
import { studentQuantile, studentTail } from './distributions.js'
import type { Place, ReportFigures } from '../figures.js'
import { ruleOf, type Metric, type RateUnit } from '../metrics.js'
import {
  fewestRuns,
  highestChance,
  type FalseShares,
  type Finding,
  type RunShift,
  type Unfit,
} from './false-alarms.js'
import { clippedMean, excessVariance, mean, median, squaresOf, weightedMedian } from './robust.js'
import { RowReader, type Placed, type Row } from './rows.js'
import { TimerVariances, type Varied } from './timer-variances.js'

/** With fewer timers the effect of a whole run cannot be distinguished from theirs. */
const fewestTimers = 3
/** The assumed noise is known as if it had been measured with this many degrees of freedom. */
const usualFreedom = 25
/** From three runs on, the assumed noise counts like this many runs, and like this many timers, beside what they show. */
const usualRuns = 2
const usualTimers = 4
/** The precision of a median as a share of that of the mean; then that of the median of squares. */
const medianCost = Math.PI / 2
const squaresWorth = 0.37
/** A run's effect beyond this is not noise but an odd run. */
const widestRun = Math.log(1.2)
/** Whatever the noise: what is more than three times the baseline, or less than a third of it, is a change. */
const furthest = Math.log(3)
/** Earlier runs that differ by more than this, ±30 percent, are no baseline. */
const mostApart = Math.log(1.3)

/** The two sides of a comparison, and what counts as noise between them. */
interface NoiseSetting {
  run: ReportFigures
  baseline: Baseline
  shares: FalseShares
}

/** A figure of the judged run beside what is expected of it; logarithms. */
interface Judged {
  centre: number
  now: number
  samples: number | undefined
  /** The standard deviation of the figure around its centre if nothing has changed. */
  deviation: number
  /** Without the run's effect, which all timers share. */
  alone: number
  /** What of the variance comes from the number of samples. */
  sampling: number
  freedom: number
  /** The standard deviation of the earlier runs, less what comes from their few samples. */
  apart: number
  /** Not one among the timers of its kind. */
  isOne: boolean
}

/**
 * The noise of one metric, learned from the earlier runs alone, and from all timers of one kind. log(figure) = the
 * timer's level + the run's effect, shared by all timers + the timer's own effect in a run + sampling error.
 * docs/internals/noise.md has the reasons.
 */
export class NoiseModel {
  readonly isAssumed: boolean
  /** By name. */
  private readonly judged = new Map<string | undefined, Judged>()
  private readonly reader: RowReader
  /** Effects of the baseline's runs. */
  private readonly effects: readonly number[]
  private readonly ownVariance: number
  private readonly ownFreedom: number
  private readonly runVariance: number
  private readonly runFreedom: number
  private readonly variances: TimerVariances
  private shift: RunShift | undefined
  private readonly cuts = new Map<boolean, number>()
  private readonly quantiles = new Map<string, number>()
  private readonly shares: FalseShares

  constructor(
    { run, baseline, shares }: NoiseSetting,
    all: readonly Placed[],
    metric: Metric,
    rate: RateUnit,
  ) {
    this.shares = shares
    this.reader = new RowReader(run, baseline, metric, rate)
    const runs = baseline.runs.length
    this.isAssumed = runs < fewestRuns
    const named = new Map<string | undefined, Row>()
    for (const one of all) {
      const row = this.reader.row(one)
      if (row && 'now' in row) named.set(nameOf(one.place), row)
    }
    const rows = [...named.values()]
    const usual = ruleOf(metric).usualNoise
    const effects = this.isAssumed ? baseline.runs.map(() => 0) : effectsOf(rows, runs)
    const own = this.isAssumed ? undefined : measuredOwn(rows, effects)
    this.ownVariance = pulled(usual.own, usualTimers, own?.variance ?? 0, own?.worth ?? 0)
    this.ownFreedom = own ? usualTimers + own.worth : usualFreedom
    this.runVariance = this.isAssumed
      ? usual.run * usual.run
      : pulled(usual.run, usualRuns, this.measuredRun(rows, effects), runs - 1)
    this.runFreedom = this.isAssumed ? usualFreedom : usualRuns + runs - 1
    const centre = clippedMean(effects, median(effects), 2 * Math.sqrt(this.runVariance))
    this.effects = effects.map((effect) => effect - centre)
    // The runs' effects were taken from the timers themselves.
    const left = 1 - 1 / Math.max(1, rows.length)
    this.variances = new TimerVariances(rows.map((row) => this.varied(row, left)))
    for (const [name, row] of named) this.judged.set(name, this.judgedRow(row, left, false))
  }

  /** Undefined if the figure is missing on one side. */
  find(place: Place): Finding | Unfit | undefined {
    const judged = this.at(place)
    if (!judged || 'unfit' in judged) return judged
    const unsure = unsureOf(judged)
    if (unsure && !isFar(judged)) return unsure
    const shift = () => this.runShift
    return {
      percent: Math.expm1(judged.deviation) * 100,
      isAssumed: this.isAssumed,
      ...(unsure ? { unsure } : {}),
      ...(judged.samples === undefined ? {} : { samples: judged.samples }),
      get run() {
        return shift()
      },
      isBeyond: (above) => this.isJudgedBeyond(judged, above),
      reach: (above) => {
        const side = above ? 1 : -1
        const noise = this.quantile(this.cut(above, judged.isOne), judged.freedom) * judged.deviation
        return Math.exp(judged.centre + side * Math.min(noise, furthest))
      },
      exceededWith: (chance) =>
        Math.exp(judged.centre + this.quantile(chance, judged.freedom) * judged.deviation),
      variation: {
        steady: judged.deviation * judged.deviation - judged.sampling,
        sampling: judged.sampling,
        freedom: judged.freedom,
        cut: judged.isOne ? this.shares.alone : this.shares.timers / this.judged.size,
      },
    }
  }

  /** Whether the figure is beyond noise; undefined if that cannot be said. */
  isBeyond(place: Place, above: boolean): boolean | undefined {
    const judged = this.at(place)
    if (!judged || 'unfit' in judged || (isApart(judged) && !isFar(judged))) return undefined
    return this.isJudgedBeyond(judged, above)
  }

  /** Undefined if there are too few timers to tell the run's effect from their own. */
  get runShift(): RunShift | undefined {
    if (this.shift) return this.shift
    const all = [...this.judged.values()]
    if (all.length < fewestTimers) return undefined
    const changes = all.map(({ now, centre, alone }) => ({ value: now - centre, weight: 1 / alone }))
    const weight = changes.reduce((sum, one) => sum + one.weight, 0)
    const deviation = Math.sqrt(this.runChange(this.effects.length) + medianCost / weight)
    return (this.shift = {
      shift: weightedMedian(changes),
      deviation,
      reach: this.quantile(this.shares.run, this.runFreedom) * deviation,
      timers: all.length,
    })
  }

  private at(place: Place): Judged | Unfit | undefined {
    const known = this.judged.get(nameOf(place))
    if (known) return known
    const row = this.reader.rowAt(place)
    return row && 'now' in row ? this.judgedRow(row, 1, true) : row
  }

  private isJudgedBeyond(judged: Judged, above: boolean): boolean {
    const far = (judged.now - judged.centre) * (above ? 1 : -1)
    return far > furthest || chanceOf(judged, above) <= this.cut(above, judged.isOne)
  }

  /** The chance below which a figure is not noise: that of a figure alone, or of one among all timers. */
  private cut(above: boolean, isOne: boolean): number {
    if (isOne) return this.shares.alone
    const known = this.cuts.get(above)
    if (known !== undefined) return known
    const chances = Array.from(this.judged.values(), (judged) => chanceOf(judged, above))
    const cut = highestChance(chances, this.shares.timers)
    this.cuts.set(above, cut)
    return cut
  }

  /** Most timers of a run have the same degrees of freedom. */
  private quantile(chance: number, freedom: number): number {
    const key = `${chance} ${freedom}`
    const known = this.quantiles.get(key) ?? studentQuantile(chance, freedom)
    this.quantiles.set(key, known)
    return known
  }

  /** @param left as `varied` has it */
  private judgedRow(row: Row, left: number, isOne: boolean): Judged {
    const { ownVariance: own, runVariance: shared } = this
    const { factor, freedom } = this.variances.of(this.varied(row, left))
    const levels = levelsOf(row, this.effects)
    const deviation = Math.sqrt(factor * (own + row.beforeVariance))
    const alone = factor * (own + row.nowVariance + (own + row.beforeVariance) / levels.length)
    const run = this.runChange(levels.length)
    // Welch and Satterthwaite: two variances, each known in its own way.
    const ownFreedom = Math.min(freedom, this.ownFreedom)
    const together = ((alone + run) * (alone + run)) / (alone ** 2 / ownFreedom + run ** 2 / this.runFreedom)
    return {
      centre: clippedMean(levels, median(levels), 2 * deviation),
      now: row.now,
      samples: row.samples,
      deviation: Math.sqrt(alone + run),
      alone,
      sampling: factor * (row.nowVariance + row.beforeVariance / levels.length),
      freedom: Math.max(1, Math.floor(shared > 0 ? together : ownFreedom)),
      apart: apartOf(row),
      isOne,
    }
  }

  /** The variance of this run's effect against the middle of some earlier ones. */
  private runChange(runs: number): number {
    return this.runVariance * (1 + 1 / runs)
  }

  /**
   * How much a timer varied in the baseline's runs, beside them as a whole.
   *
   * @param left the share of its degrees of freedom that the runs' effects leave
   */
  private varied(row: Row, left: number): Varied {
    const freedom = (row.logs.length - 1) * left
    if (this.isAssumed || freedom <= 0) return { share: 1, freedom: 0 }
    const squares = squaresOf(levelsOf(row, this.effects))
    return { share: squares / freedom / (this.ownVariance + row.beforeVariance), freedom }
  }

  /** The variance of the effects of whole runs, less what comes from the timers' own noise. */
  private measuredRun(rows: readonly Row[], effects: readonly number[]): number {
    if (rows.length === 0) return 0
    const middle = median(effects)
    const clipped = effects.map((effect) => Math.max(-widestRun, Math.min(widestRun, effect - middle)))
    const squares = squaresOf(clipped)
    const known = this.ownVariance + mean(rows.map(({ beforeVariance }) => beforeVariance))
    const told = (known * (rows.length === 1 ? 1 : medianCost)) / rows.length
    return Math.max(0, squares / (effects.length - 1) - told)
  }
}

/** A measured variance pulled towards an assumed one, each with its weight. */
function pulled(deviation: number, weight: number, measured: number, worth: number): number {
  return (weight * deviation * deviation + worth * measured) / (weight + worth)
}

/** The probability of being so far off by noise alone. Where it is plain that noise suffices, it is not computed. */
function chanceOf({ now, centre, deviation, freedom }: Judged, above: boolean): number {
  const far = ((now - centre) * (above ? 1 : -1)) / deviation
  return far < 1 ? 0.5 : studentTail(far, freedom)
}

/** The effect of each run on all timers: the median of their distances from their own medians, done twice. */
function effectsOf(rows: readonly Row[], runs: number): number[] {
  let effects = Array.from({ length: runs }, () => 0)
  for (let round = 0; round < 2; round++) {
    const apart: number[][] = effects.map(() => [])
    for (const row of rows) {
      const levels = levelsOf(row, effects)
      const middle = median(levels)
      levels.forEach((level, at) => apart[row.runs[at] ?? 0]?.push(level - middle))
    }
    effects = effects.map((effect, at) => effect + (apart[at]?.length ? median(apart[at]) : 0))
  }
  return effects
}

/** The variance of a timer's own effect, from how far its figures are from its level. */
function measuredOwn(rows: readonly Row[], effects: readonly number[]): { variance: number; worth: number } {
  const squares: number[] = []
  const known: number[] = []
  for (const row of rows) {
    if (row.logs.length < 2) continue
    const levels = levelsOf(row, effects)
    const middle = mean(levels)
    const told = levels.length / (levels.length - 1)
    for (const level of levels) {
      squares.push((level - middle) * (level - middle) * told)
      known.push(row.beforeVariance)
    }
  }
  const worth = Math.max(0, rows.length - 1) * (effects.length - 1) * squaresWorth
  return { variance: excessVariance(squares, known), worth }
}

/** A timer's logarithms without the effects of the runs. */
function levelsOf({ logs, runs }: Row, effects: readonly number[]): number[] {
  return logs.map((log, at) => log - (effects[runs[at] ?? 0] ?? 0))
}

function apartOf({ logs, beforeVariance }: Row): number {
  if (logs.length < 2) return 0
  return Math.sqrt(Math.max(0, squaresOf(logs) / (logs.length - 1) - beforeVariance))
}

function isApart({ apart }: Judged): boolean {
  return apart > mostApart
}

function isFar({ now, centre }: Judged): boolean {
  return Math.abs(now - centre) > furthest
}

function unsureOf(judged: Judged): Unfit | undefined {
  if (!isApart(judged)) return undefined
  const percent = Math.round(Math.expm1(judged.apart) * 100)
  return { unfit: 'too noisy', reason: `The earlier runs themselves differ by ±${percent}%.` }
}

/** Among the places of one kind, only one has no name. */
function nameOf(place: Place): string | undefined {
  return 'name' in place ? place.name : undefined
}
