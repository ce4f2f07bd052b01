import type { Baseline } from './baseline-figures.js'
import { chanceOfErrors, ErrorNoise, errorsBeyond, type ErrorExpectation } from './count-noise.js'
import { studentQuantile, studentTail } from './distributions.js'
import type { Place, RateUnit, ReportFigures } from './figures.js'
import { resolution } from './limit.js'
import { isStepped } from './metrics.js'
import type { RunNoise } from './result.js'
import { NoiseModel, type Expectation, type RunShift } from './noise-model.js'
import { defined } from '../text/fields.js'

/** One result of a gate that compares. */
export interface Compared {
  place: Place
  metric: string
  rate: RateUnit
  value: number
  limit: number
  baseline: number
  /** Whether the gate fails above its limit rather than below it. */
  above: boolean
}

/** What noise says about it. */
export interface NoiseFinding {
  /** Standard deviation of the figure from one unchanged run to the next, in percent of what is expected. */
  percent: number
  /** Samples in this run, where known. */
  samples?: number
  /** The gate fails beyond this value, which is the limit or beyond it. */
  failsBeyond?: number
  /** The value is too far off for noise. */
  isBeyond: boolean
}

export interface NoiseJudgement {
  /** In the order of what was compared; undefined if nothing is known about the noise. */
  findings: (NoiseFinding | 'too few' | undefined)[]
  /** How the whole run differs, by the metric that most gates compare. */
  run?: RunNoise
}

/** At most this share of the results called slower is noise (Benjamini and Hochberg). */
const falseShare = 0.03
/** A whole run is slower if its shift is at least this many standard deviations. */
const runDeviations = 1.96
/** With fewer timers the run's effect cannot be separated from their own. */
const fewestTimers = 3

/** Compares all results of a step that compare with what noise alone would do. */
export function judgeNoise(all: readonly Compared[], run: ReportFigures, baseline: Baseline): NoiseJudgement {
  const models = new Models(run, baseline)
  const suspects = all.map((one) => suspect(one, models))
  const chances = suspects.flatMap((one) => (typeof one === 'object' ? [one.chance] : []))
  const cut = highestChance(chances)
  const reach = reachAt(cut)
  const findings = suspects.map((one) => (typeof one === 'object' ? one.finding(cut, reach) : one))
  const whole = models.wholeRun()
  return { findings, ...(whole ? { run: whole } : {}) }
}

/** The models of a step's metrics, each made when it is first asked for. */
class Models {
  private readonly byMetric = new Map<string, { model: NoiseModel; metric: string; asked: number }>()
  private errorNoise: ErrorNoise | undefined

  constructor(
    private readonly run: ReportFigures,
    private readonly baseline: Baseline,
  ) {}

  of(metric: string, rate: RateUnit): NoiseModel {
    const key = `${metric} ${rate}`
    const known = this.byMetric.get(key) ?? {
      model: new NoiseModel(this.run, this.baseline, metric, rate),
      metric,
      asked: 0,
    }
    known.asked++
    this.byMetric.set(key, known)
    return known.model
  }

  errorsAt(place: Place): ErrorExpectation | undefined {
    this.errorNoise ??= new ErrorNoise(this.run, this.baseline)
    return this.errorNoise.expect(place)
  }

  /** The shift by the metric of times that most gates use. */
  wholeRun(): RunNoise | undefined {
    const times = [...this.byMetric.values()].filter(({ metric }) => isStepped(metric) || metric === 'mean')
    const [most] = times.sort((a, b) => b.asked - a.asked)
    const shift = most?.model.runShift
    if (!most || !shift || shift.timers < fewestTimers) return undefined
    return {
      percent: Math.expm1(shift.shift) * 100,
      noise: Math.expm1(shift.deviation) * 100,
      timers: shift.timers,
      metric: most.metric,
      isSignificant: Math.abs(shift.shift) > runDeviations * shift.deviation,
    }
  }
}

interface Suspect {
  /** The probability of being so far off by noise alone. */
  chance: number
  /** Given the chance below which a result is not noise, and how many deviations away that is. */
  finding(cut: number, reach: Reach): NoiseFinding
}

type Reach = (freedom: number) => number

/** Most timers of a run have the same degrees of freedom. */
function reachAt(cut: number): Reach {
  const known = new Map<number, number>()
  return (freedom) => {
    const reach = known.get(freedom) ?? studentQuantile(cut, freedom)
    known.set(freedom, reach)
    return reach
  }
}

function suspect(one: Compared, models: Models): Suspect | 'too few' | undefined {
  if (one.metric === 'errors' || one.metric === 'error-rate') {
    const expected = models.errorsAt(one.place)
    if (expected) return errorSuspect(one, expected)
  }
  const model = models.of(one.metric, one.rate)
  const expected = model.expect(one.place)
  return typeof expected === 'object' ? figureSuspect(one, expected, model.runShift) : expected
}

function figureSuspect(one: Compared, expected: Expectation, shift: RunShift | undefined): Suspect {
  const { value, limit, baseline, above, metric } = one
  const { centre, deviation, freedom, samples } = expected
  const side = above ? 1 : -1
  const step = isStepped(metric) ? resolution : 0
  const log = Math.log(Math.max(value, step / 2))
  const chance =
    value > 0 || step > 0 ? studentTail((side * (log - centre)) / deviation, freedom) : above ? 1 : 0
  const tolerance = side * Math.log(limit / baseline)
  const isSlowRun =
    shift !== undefined &&
    shift.timers >= fewestTimers &&
    side * shift.shift > Math.max(tolerance, runDeviations * shift.deviation)
  return {
    chance,
    finding(cut, reach) {
      const noise = Math.exp(centre + side * reach(freedom) * deviation)
      const furthest = above ? Math.max : Math.min
      const beyond = isSlowRun ? limit : furthest(limit, noise)
      return {
        percent: Math.expm1(deviation) * 100,
        ...defined({ samples }),
        failsBeyond: step > 0 ? furthest(beyond, baseline + side * step) : beyond,
        isBeyond: isSlowRun || chance <= cut,
      }
    },
  }
}

function errorSuspect(one: Compared, expected: ErrorExpectation): Suspect {
  const { metric, value, limit, above } = one
  const { mean, spread, count } = expected
  const perError = metric === 'error-rate' ? 100 / count : 1
  const chance = chanceOfErrors(Math.round(value / perError), expected, above)
  return {
    chance,
    finding(cut) {
      const first = errorsBeyond(cut, expected, above)
      const last = first === undefined ? undefined : (first + (above ? -1 : 1)) * perError
      const failsBeyond =
        last === undefined ? undefined : above ? Math.max(limit, last) : Math.min(limit, last)
      return {
        percent: 100 * Math.sqrt(1 / mean + spread),
        samples: count,
        ...defined({ failsBeyond }),
        isBeyond: chance <= cut,
      }
    },
  }
}

/**
 * The highest chance at which a result counts as a change, after Benjamini and Hochberg (1995): the i-th smallest of
 * m must be at most i / m of the tolerated share of false ones.
 */
function highestChance(chances: readonly number[]): number {
  const sorted = [...chances].sort((a, b) => a - b)
  const last = sorted.findLastIndex((chance, index) => chance <= ((index + 1) * falseShare) / sorted.length)
  return (Math.max(1, last + 1) * falseShare) / Math.max(1, sorted.length)
}
