import { LineUp, type Baseline, type Unfit } from './baseline.js'
import { ErrorNoise } from './error-noise.js'
import { falseShares } from './distributions.js'
import { figureReader, type ReportFigures, isTimerPlace, type Place } from '../figures/figures.js'
import { isMetric, ruleOf, standingMetric, unitOf, type Metric, type RateUnit } from '../figures/metrics.js'
import { NoiseModel } from './model.js'
import { timerKinds, type TimerKind } from '../report/report.js'

/** What noise alone does to the figures of a run: one model for each metric and kind, made when it is first needed. */
export class Noise {
  private readonly models = new Map<string, NoiseModel>()
  private readonly lineUps = new Map<Place['kind'], LineUp>()
  private readonly errors = new Map<TimerKind, ErrorNoise>()

  constructor(
    private readonly run: ReportFigures,
    private readonly baseline: Baseline,
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
    const known = this.lineUps.get(kind) ?? new LineUp(kind, this.run, this.baseline)
    this.lineUps.set(kind, known)
    return known
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
    const key = `${kind} ${metric} ${rate}`
    const known = this.models.get(key) ?? this.newModel(kind, metric, rate)
    this.models.set(key, known)
    return known
  }

  private newModel(kind: Place['kind'], metric: Metric, rate: RateUnit): NoiseModel {
    return new NoiseModel(this.lineUp(kind), this.shares, metric, rate)
  }

  private errorsOf(kind: TimerKind): ErrorNoise {
    const known = this.errors.get(kind) ?? new ErrorNoise(this.lineUp(kind), kind, this.shares)
    this.errors.set(kind, known)
    return known
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
