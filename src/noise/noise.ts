import { LineUp, fewestRuns, type Baseline, type Unfit } from './baseline.js'
import { falseShares, countTail, highestChance } from './distributions.js'
import { figureReader, isTimerPlace, withoutStatus, nameOf } from '../figures/figures.js'
import type { ReportFigures, Place } from '../figures/figures.js'
import { isMetric, ruleOf, standingMetric, unitOf, type Metric, type RateUnit } from '../figures/metrics.js'
import { NoiseModel } from './model.js'
import { timerKinds, type TimerKind, type Timer } from '../report/report.js'
import { clippedMean, median, medianOfSquares } from '../figures/numbers.js'
import { heldIn } from '../text/fields.js'

/**
 * A run beside its baseline, and what noise alone does to its figures: one model for each metric and kind, made when it is
 * first needed.
 */
export class Noise {
  private readonly models = new Map<string, NoiseModel>()
  private readonly lineUps = new Map<Place['kind'], LineUp>()
  private readonly errors = new Map<TimerKind, ErrorNoise>()

  constructor(
    readonly run: ReportFigures,
    readonly baseline: Baseline,
    private readonly shares = falseShares,
  ) {}

  /** Undefined if the figure, or the baseline's, is missing. */
  find(place: Place, metric: Metric, rate: RateUnit = '/s'): Finding | Unfit | undefined {
    if (isTimerPlace(place) && ruleOf(metric).about === 'errors') {
      return this.errorsOf(place.kind).find(place, metric)
    }
    return this.model(place.kind, metric, rate).find(place)
  }

  /**
   * Says of a kind's places, by their index in its line-up, whether noise is an unlikely cause of a figure's difference;
   * undefined if that cannot be said.
   */
  judgeOf(kind: TimerKind, metric: Metric): (at: number, above: boolean) => boolean | undefined {
    if (ruleOf(metric).about !== 'errors') {
      // A comparison asks for one metric after the other: to keep them all takes a hundred megabytes.
      const model = this.models.get(`${kind} ${metric} /s`) ?? this.newModel(kind, metric, '/s')
      return (at, above) => model.isBeyond(at, above)
    }
    const { places } = this.lineUp(kind)
    const errors = this.errorsOf(kind)
    return (at, above) => {
      const place = places[at]
      return place && errors.find(place, metric)?.isBeyond(above)
    }
  }

  /** The places of a kind: found once for all metrics. */
  lineUp(kind: Place['kind']): LineUp {
    return heldIn(this.lineUps, kind, () => new LineUp(kind, this.run, this.baseline))
  }

  /**
   * By the kind that has most timers in both runs, of those that gates look at if they do, and by the time that these
   * look at. Undefined if none has enough.
   */
  wholeRun(judged: readonly GateAim[] = []): RunNoise | undefined {
    const isJudged = ({ kind }: { kind: TimerKind }) => Number(judged.some((one) => kindOf(one) === kind))
    const [most] = timerKinds
      .flatMap((kind) => {
        const metric = this.metricOf(kind, judged)
        const model = this.model(kind, metric, '/s')
        const { runShift } = model
        return runShift ? [{ kind, metric, model, runShift }] : []
      })
      .sort((a, b) => isJudged(b) - isJudged(a) || b.runShift.timers - a.runShift.timers)
    if (!most) return undefined
    const { shift, deviation, reach, timers, shown } = most.runShift
    return {
      kind: most.kind,
      percent: Math.expm1(shift) * 100,
      noise: Math.expm1(deviation) * 100,
      timers,
      shown,
      metric: most.metric,
      isSignificant: Math.abs(shift) > reach,
      ...(most.model.isAssumed ? { isAssumed: true as const } : {}),
    }
  }

  /** How much whole runs differ without a change, where runs have shown it: percent, by kind and metric. */
  ofRuns(): Record<string, number> {
    const shown = [...this.models.values()].filter(({ isAssumed, noise }) => !isAssumed && noise.run > 0)
    return Object.fromEntries(shown.map(({ key, noise }) => [key, Math.expm1(Math.sqrt(noise.run)) * 100]))
  }

  private model(kind: Place['kind'], metric: Metric, rate: RateUnit): NoiseModel {
    return heldIn(this.models, `${kind} ${metric} ${rate}`, () => this.newModel(kind, metric, rate))
  }

  private newModel(kind: Place['kind'], metric: Metric, rate: RateUnit): NoiseModel {
    return new NoiseModel(this.lineUp(kind), this.shares, metric, rate)
  }

  private errorsOf(kind: TimerKind): ErrorNoise {
    return heldIn(this.errors, kind, () => new ErrorNoise(this.lineUp(kind), kind, this.shares))
  }

  /** The usual one, unless gates look at others only: of these, the first that compares. */
  private metricOf(kind: TimerKind, judged: readonly GateAim[]): Metric {
    const usual = standingMetric((name) => this.has(kind, name))
    // Later runs recall its noise, whatever gates look at.
    this.model(kind, usual, '/s')
    const looked = judged
      .filter((one) => kindOf(one) === kind)
      .toSorted((a, b) => Number(compares(b)) - Number(compares(a)))
    const times = [...new Set(looked.map(({ metric = '' }) => metric))]
      .filter(isMetric)
      .filter((metric) => unitOf(metric) === 'ms' && this.has(kind, metric))
    return times.includes(usual) ? usual : (times[0] ?? usual)
  }

  private has(kind: TimerKind, metric: Metric): boolean {
    const read = figureReader(metric, '/s')
    return [...this.run.timers(kind).values()].some((timer) => read(timer) !== undefined)
  }
}

/** What a gate is about, the noise only of one that compares; where that is many places, it has no limit of all. */
export interface GateAim {
  place?: Place
  matches?: readonly Place[]
  metric?: string
  noise?: unknown
  limit?: number
}

function kindOf({ matches, place = matches?.[0] }: GateAim): Place['kind'] | undefined {
  return place?.kind
}

function compares({ matches, noise, limit }: GateAim): boolean {
  return noise !== undefined || (matches !== undefined && limit === undefined)
}

/** What noise says about one figure of a run. */
export interface Finding {
  /** Standard deviation of the figure from one unchanged run to the next, in percent of what is expected. */
  percent: number
  /** Too few earlier runs show it: it is assumed. */
  isAssumed: boolean
  /** Samples in this run, where known. */
  samples?: number
  /** Whether the figure is too far above, or below, what is expected for noise to be a likely cause. */
  isBeyond(above: boolean): boolean
  /** The last value above, or below, that noise excuses; undefined if it excuses all of them. */
  reach(above: boolean): number | undefined
  /** The value that an unchanged run exceeds with this chance, from 1e-12 to 0.5. */
  exceededWith(chance: number): number
  /** Absent for errors, which are counted. */
  variation?: Variation
  /** The earlier runs differ so much that such a figure is a change, but not one that is known to be small enough. */
  unsure?: Unfit
  /**
   * How all timers of the kind changed together, if there are enough of them: how much slower (above 0) or faster the
   * whole run is; logarithms.
   */
  readonly run?:
    | {
        shift: number
        /** The standard deviation of the shift if nothing has changed. */
        deviation: number
        /** Noise alone hardly moves a run further than this. */
        reach: number
        /** By how many timers, of which so many changed by at least half of it. */
        timers: number
        shown: number
      }
    | undefined
}

/** What a figure varies by from one unchanged run to the next: variances of its logarithm. */
export interface Variation {
  /** From run to run, however long they are. */
  steady: number
  /** From the number of samples: half as much in runs twice as long. */
  sampling: number
  /** Degrees of freedom that these are known with. */
  freedom: number
  /** The chance at which the figure counts as a change, if no other timer changed. */
  cut: number
}

/** How the whole run differs from its baseline, over all timers of a kind. */
export interface RunNoise {
  kind: TimerKind
  /** Percent; above 0 is slower. */
  percent: number
  /** Standard deviation of that from one unchanged run to the next, in percent. */
  noise: number
  /** Over how many timers. */
  timers: number
  /** How many of them changed by at least half of it. */
  shown: number
  /** The metric that they show it by. */
  metric: string
  /** Whether it is more than noise. */
  isSignificant: boolean
  /** Fewer than three earlier runs show no noise: it is assumed. */
  isAssumed?: true
}

/** The number of errors to be expected if nothing has changed. */
interface ErrorExpectation {
  mean: number
  /** The variance is mean + mean² · spread. */
  spread: number
  /** Requests, transactions and so on of this run. */
  count: number
}

/** How much an error rate varies from run to run where a few runs cannot show it: 20 percent. */
const usualBursts = 0.04
const usualBurstRuns = 4
/** A baseline without errors counts as this many: of n runs without one, the next may have some (Jeffreys). */
const unseen = 0.5
/** An earlier run's rate counts as at most this many deviations from the middle one. */
const oddFrom = 2
/** Whatever the noise: three errors or more, and a quarter of all answers more than in the baseline, are a change. */
const fewestErrors = 3
const mostExcused = 0.25

/**
 * Errors as a rate: each run's errors are divided by its count. They vary as a Poisson process does, and beyond
 * that from run to run: errors come in bursts. How much is learned from all timers of the kind in the earlier runs.
 */
class ErrorNoise {
  private readonly burst: number
  private readonly cuts = new Map<boolean, number>()
  private all: readonly { errors: number; expected: ErrorExpectation }[] | undefined

  constructor(
    private readonly lineUp: LineUp,
    private readonly kind: TimerKind,
    private readonly shares: typeof falseShares,
  ) {
    this.burst = this.lineUp.baseline.runs.length < fewestRuns ? usualBursts : burstsOf(lineUp)
  }

  /** Undefined if errors or counts are missing on one side. */
  find(place: Place, metric: Metric): Finding | undefined {
    const now = countedOf(this.lineUp.run.timerAt(place))
    const expected = now && this.expect(place, now)
    if (!now || !expected) return undefined
    const { mean, spread, count } = expected
    const last = Math.max(fewestErrors - 1, mean + mostExcused * count)
    const perError = ruleOf(metric).measure === '%' ? 100 / count : 1
    const isOne = nameOf(place) === undefined
    return {
      percent: 100 * Math.sqrt(1 / mean + spread),
      isAssumed: this.lineUp.baseline.runs.length < fewestRuns,
      samples: count,
      isBeyond: (above) =>
        (above && now.errors > last) || chanceOfErrors(now.errors, expected, above) <= this.cut(above, isOne),
      reach: (above) => {
        const first = errorsBeyond(this.cut(above, isOne), expected, above)
        if (!above) return first === undefined ? undefined : (first + 1) * perError
        return (Math.min(first ?? Infinity, Math.floor(last) + 1) - 1) * perError
      },
      exceededWith: (chance) => ((errorsBeyond(chance, expected, true) ?? 1) - 1) * perError,
    }
  }

  private expect(place: Place, now: { count: number }): ErrorExpectation | undefined {
    const { runs } = this.lineUp.baseline
    const counted = runs.flatMap((one) => countedOf(one.timerAt(place)) ?? [])
    // What the earlier runs did not have failed in none of them.
    if (counted.length === 0 && !this.lineUp.baseline.has(place))
      counted.push({ errors: 0, count: now.count * runs.length })
    if (counted.length === 0) return undefined
    const rates = counted.map(({ errors, count }) => errors / count)
    const counts = counted.reduce((sum, { count }) => sum + count, 0)
    const usual = counts / rates.length
    const middle = median(rates)
    // The median of rare errors is often 0: a mean, but a burst in a single run makes hardly any difference.
    const far = oddFrom * Math.sqrt(Math.max(1, middle * usual) / usual ** 2 + this.burst * middle ** 2)
    const seen = clippedMean(rates, middle, far) * counts + unseen
    const spread = 1 / seen + this.burst * (1 + 1 / rates.length)
    return { mean: (seen * now.count) / counts, spread, count: now.count }
  }

  private cut(above: boolean, isOne: boolean): number {
    if (isOne) return this.shares.alone
    return heldIn(this.cuts, above, () => {
      const chances = this.judged().map(({ errors, expected }) => chanceOfErrors(errors, expected, above))
      return highestChance(chances, this.shares.timers)
    })
  }

  /** What failed of all that can, beside what is expected; for both cuts. */
  private judged() {
    return (this.all ??= failingPlaces(this.lineUp.run, this.kind).flatMap((place) => {
      const now = countedOf(this.lineUp.run.timerAt(place))
      const expected = now && this.expect(place, now)
      return expected ? [{ errors: now.errors, expected }] : []
    }))
  }
}

/** What can fail on its own: all timers of a kind, and requests whatever status their names end with. */
function failingPlaces(run: ReportFigures, kind: TimerKind): Place[] {
  if (kind !== 'requests') return run.namedPlaces(kind)
  const names = new Set([...run.timers(kind).keys()].map(withoutStatus))
  return [...names].map((name) => ({ kind, name, anyStatus: true }))
}

/** The probability of this many errors or more, or of this few or fewer, if nothing has changed. */
function chanceOfErrors(errors: number, { mean, spread }: ErrorExpectation, more: boolean): number {
  return more ? countTail(errors, mean, spread) : 1 - countTail(errors + 1, mean, spread)
}

/**
 * The first number of errors, going up or down, whose chance is at most `chance`; undefined if there is none, going
 * down.
 */
function errorsBeyond(chance: number, expected: ErrorExpectation, more: boolean): number | undefined {
  const isRare = (errors: number) => chanceOfErrors(errors, expected, more) <= chance
  if (!more && !isRare(0)) return undefined
  let low = 0
  let high = more ? 1 : Math.ceil(expected.mean) + 1
  while (more && !isRare(high) && high < 1e15) high *= 2
  // On one side of the first they are rare, on the other side not.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isRare(middle) === more) high = middle
    else low = middle
  }
  return more ? high : low
}

const errorsIn = figureReader('errors', '/s')
const countIn = figureReader('count', '/s')

function countedOf(timer: Timer | undefined) {
  const errors = timer && errorsIn(timer)
  const count = timer && countIn(timer)
  return errors === undefined || !count ? undefined : { errors, count }
}

/**
 * The variance beyond Poisson's, as a share of the mean squared. It comes from the median of the squares, so it is
 * robust.
 */
function burstsOf(lineUp: LineUp): number {
  const squares: number[] = []
  const means: number[] = []
  for (let at = 0; at < lineUp.named; at++) {
    const row = lineUp.runs.flatMap((_, run) => (run > 0 && countedOf(lineUp.timerAt(at, run))) || [])
    const rate = median(row.map(({ errors, count }) => errors / count))
    if (row.length < 2 || rate <= 0) continue
    for (const { errors, count } of row) {
      const mean = rate * count
      if (mean < 1) continue
      squares.push((((errors - mean) * (errors - mean)) / mean) * (row.length / (row.length - 1)))
      means.push(mean)
    }
  }
  if (squares.length === 0) return usualBursts
  const measured = Math.max(0, median(squares) / medianOfSquares - 1) / median(means)
  const runs = lineUp.runs.length - 2
  return (usualBurstRuns * usualBursts + runs * measured) / (usualBurstRuns + runs)
}
