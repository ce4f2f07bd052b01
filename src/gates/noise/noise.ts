import type { Baseline } from '../baseline/baseline.js'
import { LineUp } from '../baseline/line-up.js'
import { ErrorNoise } from './error-noise.js'
import { falseShares, type Finding, type Unfit } from './false-alarms.js'
import type { ReportFigures } from '../figures.js'
import { isTimerPlace, type Place } from '../place.js'
import { ruleOf, standingMetric, type Metric, type RateUnit } from '../metrics.js'
import { NoiseModel } from './model.js'
import type { RunNoise } from '../result.js'
import { timerKinds, type TimerKind } from '../../report/report.js'

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
      const model = this.model(kind, metric, '/s')
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

  /** By the kind that has most timers in both runs. Undefined if none has enough. */
  wholeRun(): RunNoise | undefined {
    const [most] = timerKinds
      .flatMap((kind) => {
        const metric = standingMetric((name) => this.has(kind, name))
        const model = this.model(kind, metric, '/s')
        const { runShift } = model
        return runShift ? [{ metric, model, runShift }] : []
      })
      .sort((a, b) => b.runShift.timers - a.runShift.timers)
    if (!most) return undefined
    const { shift, deviation, reach, timers, shown } = most.runShift
    return {
      percent: Math.expm1(shift) * 100,
      noise: Math.expm1(deviation) * 100,
      timers,
      shown,
      metric: most.metric,
      isSignificant: Math.abs(shift) > reach,
      ...(most.model.isAssumed ? { isAssumed: true as const } : {}),
    }
  }

  private model(kind: Place['kind'], metric: Metric, rate: RateUnit): NoiseModel {
    const key = `${kind} ${metric} ${rate}`
    const known = this.models.get(key) ?? new NoiseModel(this.lineUp(kind), this.shares, metric, rate)
    this.models.set(key, known)
    return known
  }

  private errorsOf(kind: TimerKind): ErrorNoise {
    const known = this.errors.get(kind) ?? new ErrorNoise(this.lineUp(kind), kind, this.shares)
    this.errors.set(kind, known)
    return known
  }

  private has(kind: TimerKind, metric: Metric): boolean {
    return this.run.namedPlaces(kind).some((place) => this.run.value(place, metric) !== undefined)
  }
}
