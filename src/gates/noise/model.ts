import type { Baseline } from '../baseline/baseline.js'
import { studentQuantile, studentTail } from './distributions.js'
import { placeKey, type Place, type ReportFigures } from '../figures.js'
import { isStepped, ruleOf, type Metric, type RateUnit } from '../metrics.js'
import { highestChance, type FalseShares, type Finding, type RunShift, type Unfit } from './false-alarms.js'
import type { NamedKind } from '../presence.js'
import { clippedMean, excessVariance, median, weightedMedian } from './robust.js'
import { commonSpread, samplesOf, samplingVariance } from './sampling.js'
import { TimerVariances, type Varied } from './timer-variances.js'
import { defined } from '../../text/fields.js'

/** With fewer earlier runs nothing can be learned from them: noise is assumed. */
const fewestRuns = 3
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

interface Row {
  place: Place
  now: number
  nowVariance: number
  samples?: number
  /** The baseline runs that have the figure, by their place in the baseline. */
  before: { run: number; log: number }[]
  /** The sampling variance of one of them. */
  beforeVariance: number
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
  freedom: number
  samples?: number
}

/**
 * The noise of one metric, learned from the earlier runs alone, and from all timers of one kind. log(figure) = the
 * timer's level + the run's effect, shared by all timers + the timer's own effect in a run + sampling error.
 * docs/noise.md has the reasons.
 */
export class NoiseModel {
  readonly isAssumed: boolean
  private readonly rows = new Map<string, Row>()
  /** Effects of the baseline's runs. */
  private readonly effects: readonly number[]
  private readonly ownVariance: number
  private readonly ownFreedom: number
  private readonly runVariance: number
  private readonly runFreedom: number
  private readonly variances: TimerVariances
  /** Of all timers, each made when it is first asked for. */
  private judgedRows: Map<string, Judged> | undefined
  private shift: RunShift | undefined
  private readonly cuts = new Map<boolean, number>()
  private readonly quantiles = new Map<string, number>()

  private readonly run: ReportFigures
  private readonly baseline: Baseline
  private readonly shares: FalseShares

  constructor(
    { run, baseline, shares }: NoiseSetting,
    kind: NamedKind | 'agents',
    private readonly metric: Metric,
    private readonly rate: RateUnit,
  ) {
    this.run = run
    this.baseline = baseline
    this.shares = shares
    const runs = baseline.runs.length
    this.isAssumed = runs < fewestRuns
    for (const place of run.namedPlaces(kind)) {
      const row = this.rowOf(place)
      if (row && 'now' in row) this.rows.set(placeKey(place), row)
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
    const key = placeKey(place)
    const isOne = !this.rows.has(key)
    const row = this.rows.get(key) ?? this.rowOf(place)
    if (!row || 'unfit' in row) return row
    const judged = this.judgedAll().get(key) ?? this.judgedRow(row)
    const apart = this.apart(row)
    if (apart > mostApart && Math.abs(judged.now - judged.centre) <= furthest) {
      const percent = Math.round(Math.expm1(apart) * 100)
      return { unfit: 'too noisy', reason: `The earlier runs themselves differ by ±${percent}%.` }
    }
    return {
      percent: Math.expm1(judged.deviation) * 100,
      isAssumed: this.isAssumed,
      ...defined({ samples: judged.samples }),
      ...defined({ run: this.runShift }),
      isBeyond: (above) => this.isBeyond(judged, above, isOne),
      reach: (above) => {
        const side = above ? 1 : -1
        const noise = this.quantile(this.cut(above, isOne), judged.freedom) * judged.deviation
        return Math.exp(judged.centre + side * Math.min(noise, furthest))
      },
    }
  }

  /** Undefined if there are too few timers to tell the run's effect from their own. */
  get runShift(): RunShift | undefined {
    if (this.shift) return this.shift
    const all = [...this.judgedAll().values()]
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
    const chances = [...this.judgedAll().values()].map((judged) => chanceOf(judged, above))
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

  private judgedAll(): Map<string, Judged> {
    this.judgedRows ??= new Map([...this.rows].map(([key, row]) => [key, this.judgedRow(row)]))
    return this.judgedRows
  }

  private rowOf(place: Place): Row | Unfit | undefined {
    const { metric, rate, run, baseline } = this
    const now = logOf(run, place, metric, rate)
    if (now === undefined) return undefined
    const timerOf = (figures: ReportFigures) =>
      place.kind === 'timers' ? figures.timer(place.timers, place.name) : undefined
    const countOf = (figures: ReportFigures) => samplesOf(figures.report, place, timerOf(figures), metric)
    const needed = ruleOf(metric).samplesNeeded
    const samples = countOf(run)
    if (samples !== undefined && samples < needed) return tooFew(metric, needed, samples)
    const found = baseline.runs.flatMap((one, at) => {
      const log = logOf(one, place, metric, rate)
      return log === undefined ? [] : [{ run: at, log, samples: countOf(one) }]
    })
    if (found.length === 0) return undefined
    const before = found.filter((one) => one.samples === undefined || one.samples >= needed)
    if (before.length === 0) return tooFew(metric, needed, Math.max(...found.map((one) => one.samples ?? 0)))
    const usual = Math.exp(median(before.map(({ log }) => log)))
    const spread = commonSpread(
      before.flatMap((one) => timerOfRun(baseline, one.run, timerOf)),
      metric,
    )
    const varianceOf = (count: number | undefined) => samplingVariance(metric, usual, count, spread)
    return {
      place,
      now,
      nowVariance: varianceOf(samples),
      ...defined({ samples }),
      before,
      beforeVariance: mean(before.map((one) => varianceOf(one.samples))),
    }
  }

  private judgedRow(row: Row): Judged {
    const { ownVariance: own, runVariance: shared } = this
    const { factor, freedom } = this.variances.of(this.varied(row))
    const logs = this.levelsOf(row)
    const deviation = Math.sqrt(factor * (own + row.beforeVariance))
    const alone = factor * (own + row.nowVariance + (own + row.beforeVariance) / logs.length)
    const run = this.runChange(logs.length)
    // Welch and Satterthwaite: two variances, each known in its own way.
    const ownFreedom = Math.min(freedom, this.ownFreedom)
    const together = ((alone + run) * (alone + run)) / (alone ** 2 / ownFreedom + run ** 2 / this.runFreedom)
    return {
      centre: clippedMean(logs, median(logs), 2 * deviation),
      now: row.now,
      deviation: Math.sqrt(alone + run),
      alone,
      freedom: Math.max(1, Math.floor(shared > 0 ? together : ownFreedom)),
      ...defined({ samples: row.samples }),
    }
  }

  /** The variance of this run's effect against the middle of some earlier ones. */
  private runChange(runs: number): number {
    return this.runVariance * (1 + 1 / runs)
  }

  /** The figures of the baseline's runs without their effects. */
  private levelsOf({ before }: Row): number[] {
    return before.map(({ run, log }) => log - (this.effects[run] ?? 0))
  }

  /** The standard deviation of the earlier runs, less what comes from their few samples. */
  private apart({ before, beforeVariance }: Row): number {
    if (before.length < 2) return 0
    const logs = before.map(({ log }) => log)
    const middle = mean(logs)
    const squares = logs.reduce((sum, log) => sum + (log - middle) * (log - middle), 0)
    return Math.sqrt(Math.max(0, squares / (logs.length - 1) - beforeVariance))
  }

  /** How much a timer varied in the baseline's runs, beside them as a whole. */
  private varied(row: Row): Varied {
    const logs = this.levelsOf(row)
    // The runs' effects were taken from the timers themselves.
    const timers = Math.max(1, this.rows.size)
    const left = this.rows.has(placeKey(row.place)) ? 1 - 1 / timers : 1
    const freedom = (logs.length - 1) * left
    if (this.isAssumed || freedom <= 0) return { share: 1, freedom: 0 }
    const middle = mean(logs)
    const squares = logs.reduce((sum, log) => sum + (log - middle) * (log - middle), 0)
    return { share: squares / freedom / (this.ownVariance + row.beforeVariance), freedom }
  }

  /** The variance of a timer's own effect, from how far its figures are from its level. */
  private measuredOwn(rows: readonly Row[], effects: readonly number[]): { variance: number; worth: number } {
    const deviations = rows.flatMap(({ before, beforeVariance }) => {
      if (before.length < 2) return []
      const logs = before.map(({ run, log }) => log - (effects[run] ?? 0))
      const middle = mean(logs)
      const told = logs.length / (logs.length - 1)
      return logs.map((log) => ({ square: (log - middle) * (log - middle) * told, known: beforeVariance }))
    })
    const worth = Math.max(0, rows.length - 1) * (effects.length - 1) * squaresWorth
    return { variance: excessVariance(deviations), worth }
  }

  /** The variance of the effects of whole runs, less what comes from the timers' own noise. */
  private measuredRun(rows: readonly Row[], effects: readonly number[]): number {
    if (rows.length === 0) return 0
    const middle = median(effects)
    const clipped = effects.map((effect) => Math.max(-widestRun, Math.min(widestRun, effect - middle)))
    const centre = mean(clipped)
    const squares = clipped.reduce((sum, effect) => sum + (effect - centre) * (effect - centre), 0)
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

function timerOfRun<T>(
  baseline: Baseline,
  run: number,
  timerOf: (figures: ReportFigures) => T | undefined,
): T[] {
  const figures = baseline.runs[run]
  const timer = figures && timerOf(figures)
  return timer === undefined ? [] : [timer]
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
    for (const { before } of rows) {
      const levels = before.map(({ run, log }) => ({ run, level: log - (effects[run] ?? 0) }))
      const middle = median(levels.map(({ level }) => level))
      for (const { run, level } of levels) apart[run]?.push(level - middle)
    }
    effects = effects.map((effect, at) => effect + (apart[at]?.length ? median(apart[at]) : 0))
  }
  return effects
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Half a step: what a figure below the report's resolution counts as. */
const smallest = 5

function logOf(figures: ReportFigures, place: Place, metric: Metric, rate: RateUnit): number | undefined {
  const figure = figures.figure(place, metric, rate)
  if ('missing' in figure) return undefined
  const value = isStepped(metric) ? Math.max(figure.value, smallest) : figure.value
  return value > 0 ? Math.log(value) : undefined
}
