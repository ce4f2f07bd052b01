import type { Baseline } from '../baseline/baseline.js'
import { studentQuantile, studentTail } from './distributions.js'
import { measured, type Place, type ReportFigures } from '../figures.js'
import { isStepped, ruleOf, type Metric, type RateUnit } from '../metrics.js'
import {
  fewestRuns,
  highestChance,
  type FalseShares,
  type Finding,
  type RunShift,
  type Unfit,
} from './false-alarms.js'
import { clippedMean, excessVariance, median, weightedMedian } from './robust.js'
import { commonSpread, samplesOf, samplingVariance } from './sampling.js'
import { TimerVariances, type Varied } from './timer-variances.js'
import type { Timer } from '../../report/report.js'

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

/** A place, and its timers in the run and in those of the baseline: found once for all metrics. */
export interface Placed {
  place: Place
  now: Timer | undefined
  before: readonly (Timer | undefined)[]
}

export function placed(place: Place, run: ReportFigures, baseline: Baseline): Placed {
  const timerOf = (figures: ReportFigures) =>
    place.kind === 'timers' ? figures.timer(place.timers, place.name) : undefined
  return { place, now: timerOf(run), before: baseline.runs.map(timerOf) }
}

interface Row {
  place: Place
  now: number
  nowVariance: number
  samples: number | undefined
  /** The logarithms of the baseline's runs that have the figure, and the places of these runs in it. */
  logs: readonly number[]
  runs: readonly number[]
  /** The sampling variance of one of them. */
  beforeVariance: number
  /** Made when it is first asked for. */
  judged?: Judged
}

/** A figure of a run. */
interface Measured {
  /** By its place in the baseline. */
  run: number
  log: number
  samples: number | undefined
  timer: Timer | undefined
}

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
  /** The standard deviation of the figure around its centre if nothing has changed. */
  deviation: number
  /** Without the run's effect, which all timers share. */
  alone: number
  /** What of the variance comes from the number of samples. */
  sampling: number
  freedom: number
}

/**
 * The noise of one metric, learned from the earlier runs alone, and from all timers of one kind. log(figure) = the
 * timer's level + the run's effect, shared by all timers + the timer's own effect in a run + sampling error.
 * docs/internals/noise.md has the reasons.
 */
export class NoiseModel {
  readonly isAssumed: boolean
  /** By name. */
  private readonly rows = new Map<string | undefined, Row>()
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

  private readonly run: ReportFigures
  private readonly baseline: Baseline
  private readonly shares: FalseShares

  constructor(
    { run, baseline, shares }: NoiseSetting,
    all: readonly Placed[],
    private readonly metric: Metric,
    private readonly rate: RateUnit,
  ) {
    this.run = run
    this.baseline = baseline
    this.shares = shares
    const runs = baseline.runs.length
    this.isAssumed = runs < fewestRuns
    for (const one of all) {
      const row = this.rowOf(one)
      if (row && 'now' in row) this.rows.set(nameOf(one.place), row)
    }
    const rows = [...this.rows.values()]
    const usual = ruleOf(metric).usualNoise
    const effects = this.isAssumed ? baseline.runs.map(() => 0) : effectsOf(rows, runs)
    const own = this.isAssumed ? undefined : this.measuredOwn(rows, effects)
    this.ownVariance = pulled(usual.own, usualTimers, own?.variance ?? 0, own?.worth ?? 0)
    this.ownFreedom = own ? usualTimers + own.worth : usualFreedom
    this.runVariance = this.isAssumed
      ? usual.run * usual.run
      : pulled(usual.run, usualRuns, this.measuredRun(rows, effects), runs - 1)
    this.runFreedom = this.isAssumed ? usualFreedom : usualRuns + runs - 1
    const centre = clippedMean(effects, median(effects), 2 * Math.sqrt(this.runVariance))
    this.effects = effects.map((effect) => effect - centre)
    this.variances = new TimerVariances(rows.map((row) => this.varied(row)))
  }

  /** Undefined if the figure is missing on one side. */
  find(place: Place): Finding | Unfit | undefined {
    const known = this.rows.get(nameOf(place))
    const isOne = known === undefined
    const row = known ?? this.rowOf(placed(place, this.run, this.baseline))
    if (!row || 'unfit' in row) return row
    const judged = this.judged(row)
    const apart = this.apart(row)
    const unsure = apart > mostApart ? tooNoisy(apart) : undefined
    if (unsure && Math.abs(judged.now - judged.centre) <= furthest) return unsure
    const shift = () => this.runShift
    return {
      percent: Math.expm1(judged.deviation) * 100,
      isAssumed: this.isAssumed,
      ...(unsure ? { unsure } : {}),
      ...(row.samples === undefined ? {} : { samples: row.samples }),
      get run() {
        return shift()
      },
      isBeyond: (above) => this.isBeyond(judged, above, isOne),
      reach: (above) => {
        const side = above ? 1 : -1
        const noise = this.quantile(this.cut(above, isOne), judged.freedom) * judged.deviation
        return Math.exp(judged.centre + side * Math.min(noise, furthest))
      },
      exceededWith: (chance) =>
        Math.exp(judged.centre + this.quantile(chance, judged.freedom) * judged.deviation),
      variation: {
        steady: judged.deviation * judged.deviation - judged.sampling,
        sampling: judged.sampling,
        freedom: judged.freedom,
        cut: isOne ? this.shares.alone : this.shares.timers / this.rows.size,
      },
    }
  }

  /** Undefined if there are too few timers to tell the run's effect from their own. */
  get runShift(): RunShift | undefined {
    if (this.shift) return this.shift
    const all = this.judgedAll()
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

  private isBeyond(judged: Judged, above: boolean, isOne: boolean): boolean {
    const far = (judged.now - judged.centre) * (above ? 1 : -1)
    return far > furthest || chanceOf(judged, above) <= this.cut(above, isOne)
  }

  /** The chance below which a figure is not noise: that of a figure alone, or of one among all timers. */
  private cut(above: boolean, isOne: boolean): number {
    if (isOne) return this.shares.alone
    const known = this.cuts.get(above)
    if (known !== undefined) return known
    const chances = this.judgedAll().map((judged) => chanceOf(judged, above))
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

  private judgedAll(): Judged[] {
    return [...this.rows.values()].map((row) => this.judged(row))
  }

  private judged(row: Row): Judged {
    return (row.judged ??= this.judgedRow(row))
  }

  private rowOf({ place, now: timerNow, before: timersBefore }: Placed): Row | Unfit | undefined {
    const { metric } = this
    const needed = ruleOf(metric).samplesNeeded
    const now = this.measuredAt(place, timerNow, this.run, 0)
    if (now === undefined) return undefined
    const { samples } = now
    if (samples !== undefined && samples < needed) return tooFew(metric, needed, samples)
    const found: Measured[] = []
    for (const [run, figures] of this.baseline.runs.entries()) {
      const one = this.measuredAt(place, timersBefore[run], figures, run)
      if (one) found.push(one)
    }
    if (found.length === 0) return undefined
    const before = found.filter((one) => one.samples === undefined || one.samples >= needed)
    if (before.length === 0) return tooFew(metric, needed, Math.max(...found.map((one) => one.samples ?? 0)))
    const logs = before.map(({ log }) => log)
    const usual = Math.exp(median(logs))
    const timers = before.map(({ timer }) => timer).filter((timer) => timer !== undefined)
    const spread = commonSpread(timers, metric)
    const varianceOf = (count: number | undefined) => samplingVariance(metric, usual, count, spread)
    return {
      place,
      now: now.log,
      nowVariance: varianceOf(samples),
      samples,
      logs,
      runs: before.map(({ run }) => run),
      beforeVariance: mean(before.map((one) => varianceOf(one.samples))),
    }
  }

  /** @param run its place in the baseline */
  private measuredAt(
    place: Place,
    timer: Timer | undefined,
    figures: ReportFigures,
    run: number,
  ): Measured | undefined {
    const { metric, rate } = this
    const value = timer ? measured(timer, metric, rate) : valueAt(figures, place, metric, rate)
    if (value === undefined) return undefined
    const known = isStepped(metric) ? Math.max(value, smallest) : value
    if (known <= 0) return undefined
    return { run, log: Math.log(known), samples: samplesOf(figures.report, place, timer, metric), timer }
  }

  private judgedRow(row: Row): Judged {
    const { ownVariance: own, runVariance: shared } = this
    const { factor, freedom } = this.variances.of(this.varied(row))
    const logs = levelsOf(row, this.effects)
    const deviation = Math.sqrt(factor * (own + row.beforeVariance))
    const alone = factor * (own + row.nowVariance + (own + row.beforeVariance) / logs.length)
    const sampling = factor * (row.nowVariance + row.beforeVariance / logs.length)
    const run = this.runChange(logs.length)
    // Welch and Satterthwaite: two variances, each known in its own way.
    const ownFreedom = Math.min(freedom, this.ownFreedom)
    const together = ((alone + run) * (alone + run)) / (alone ** 2 / ownFreedom + run ** 2 / this.runFreedom)
    return {
      centre: clippedMean(logs, median(logs), 2 * deviation),
      now: row.now,
      deviation: Math.sqrt(alone + run),
      alone,
      sampling,
      freedom: Math.max(1, Math.floor(shared > 0 ? together : ownFreedom)),
    }
  }

  /** The variance of this run's effect against the middle of some earlier ones. */
  private runChange(runs: number): number {
    return this.runVariance * (1 + 1 / runs)
  }

  /** The standard deviation of the earlier runs, less what comes from their few samples. */
  private apart({ logs, beforeVariance }: Row): number {
    if (logs.length < 2) return 0
    return Math.sqrt(Math.max(0, squaresOf(logs) / (logs.length - 1) - beforeVariance))
  }

  /** How much a timer varied in the baseline's runs, beside them as a whole. */
  private varied(row: Row): Varied {
    const logs = levelsOf(row, this.effects)
    // The runs' effects were taken from the timers themselves.
    const timers = Math.max(1, this.rows.size)
    const left = this.rows.has(nameOf(row.place)) ? 1 - 1 / timers : 1
    const freedom = (logs.length - 1) * left
    if (this.isAssumed || freedom <= 0) return { share: 1, freedom: 0 }
    return { share: squaresOf(logs) / freedom / (this.ownVariance + row.beforeVariance), freedom }
  }

  /** The variance of a timer's own effect, from how far its figures are from its level. */
  private measuredOwn(rows: readonly Row[], effects: readonly number[]): { variance: number; worth: number } {
    const deviations: { square: number; known: number }[] = []
    for (const row of rows) {
      if (row.logs.length < 2) continue
      const logs = levelsOf(row, effects)
      const middle = mean(logs)
      const told = logs.length / (logs.length - 1)
      for (const log of logs) {
        deviations.push({ square: (log - middle) * (log - middle) * told, known: row.beforeVariance })
      }
    }
    const worth = Math.max(0, rows.length - 1) * (effects.length - 1) * squaresWorth
    return { variance: excessVariance(deviations), worth }
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

function tooFew(metric: Metric, needed: number, samples: number): Unfit {
  const what = samples === 1 ? '1 sample' : `${samples} samples`
  return {
    unfit: 'too few samples',
    reason: `There are too few samples: ${what}, and ${metric} needs ${needed}.`,
  }
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

/** A timer's logarithms without the effects of the runs. */
function levelsOf({ logs, runs }: Row, effects: readonly number[]): number[] {
  return logs.map((log, at) => log - (effects[runs[at] ?? 0] ?? 0))
}

/** The squares of the distances from the mean. */
function squaresOf(values: readonly number[]): number {
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) * (value - middle), 0)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Half a step: what a figure below the report's resolution counts as. */
const smallest = 5

function tooNoisy(apart: number): Unfit {
  const percent = Math.round(Math.expm1(apart) * 100)
  return { unfit: 'too noisy', reason: `The earlier runs themselves differ by ±${percent}%.` }
}

function valueAt(figures: ReportFigures, place: Place, metric: Metric, rate: RateUnit): number | undefined {
  if (place.kind === 'timers') return undefined
  const figure = figures.figure(place, metric, rate)
  return 'value' in figure ? figure.value : undefined
}

/** Among the places of one kind, only one has no name. */
function nameOf(place: Place): string | undefined {
  return 'name' in place ? place.name : undefined
}
