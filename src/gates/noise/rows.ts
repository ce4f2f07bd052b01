import type { Baseline } from '../baseline/baseline.js'
import { measured, type Place, type ReportFigures } from '../figures.js'
import { isStepped, resolution, ruleOf, type Metric, type RateUnit } from '../metrics.js'
import type { Timer } from '../../report/report.js'
import type { Unfit } from './false-alarms.js'
import { mean, median } from './robust.js'
import { commonSpread, samplesOf, samplingVarianceOf } from './sampling.js'

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

/** A place's figures by one metric, as logarithms, with the variance that each has from its samples. */
export interface Row {
  now: number
  nowVariance: number
  samples: number | undefined
  /** Those of the baseline's runs that have the figure, and the places of these runs in it. */
  logs: readonly number[]
  runs: readonly number[]
  /** Of one of them. */
  beforeVariance: number
}

/** Reads the figures of one metric. */
export class RowReader {
  private readonly needed: number
  private readonly isStepped: boolean
  private readonly variance: ReturnType<typeof samplingVarianceOf>

  constructor(
    private readonly run: ReportFigures,
    private readonly baseline: Baseline,
    private readonly metric: Metric,
    private readonly rate: RateUnit,
  ) {
    this.needed = ruleOf(metric).samplesNeeded
    this.isStepped = isStepped(metric)
    this.variance = samplingVarianceOf(metric)
  }

  rowAt(place: Place): Row | Unfit | undefined {
    return this.row(placed(place, this.run, this.baseline))
  }

  /** Undefined if the figure is missing on one side. */
  row({ place, now: timer, before }: Placed): Row | Unfit | undefined {
    const { metric, needed, variance } = this
    const now = this.logOf(place, timer, this.run)
    if (now === undefined) return undefined
    const samples = samplesOf(this.run.report, place, timer, metric)
    if (samples !== undefined && samples < needed) return tooFew(metric, needed, samples)
    const { logs, runs, timers, counts, most } = this.earlier(place, before)
    if (logs.length === 0) return most === undefined ? undefined : tooFew(metric, needed, most)
    const usual = Math.exp(median(logs))
    const spread = commonSpread(timers, metric)
    return {
      now,
      nowVariance: variance(usual, samples, spread),
      samples,
      logs,
      runs,
      beforeVariance: mean(counts.map((count) => variance(usual, count, spread))),
    }
  }

  /** What the baseline's runs have, but for those with too few samples, and the most samples of these. */
  private earlier(place: Place, before: Placed['before']) {
    const logs: number[] = []
    const runs: number[] = []
    const timers: Timer[] = []
    const counts: (number | undefined)[] = []
    let most: number | undefined
    for (const [run, figures] of this.baseline.runs.entries()) {
      const timer = before[run]
      const log = this.logOf(place, timer, figures)
      if (log === undefined) continue
      const count = samplesOf(figures.report, place, timer, this.metric)
      if (count !== undefined && count < this.needed) {
        most = Math.max(most ?? 0, count)
        continue
      }
      logs.push(log)
      runs.push(run)
      counts.push(count)
      if (timer) timers.push(timer)
    }
    return { logs, runs, timers, counts, most }
  }

  private logOf(place: Place, timer: Timer | undefined, figures: ReportFigures): number | undefined {
    const { metric, rate } = this
    const value = timer ? measured(timer, metric, rate) : valueAt(figures, place, metric, rate)
    if (value === undefined) return undefined
    const known = this.isStepped ? Math.max(value, smallest) : value
    return known > 0 ? Math.log(known) : undefined
  }
}

/** Half a step: what a figure below the report's resolution counts as. */
const smallest = resolution / 2

function valueAt(figures: ReportFigures, place: Place, metric: Metric, rate: RateUnit): number | undefined {
  if (place.kind === 'timers') return undefined
  const figure = figures.figure(place, metric, rate)
  return 'value' in figure ? figure.value : undefined
}

function tooFew(metric: Metric, needed: number, samples: number): Unfit {
  const what = samples === 1 ? '1 sample' : `${samples} samples`
  return {
    unfit: 'too few samples',
    reason: `There are too few samples: ${what}, and ${metric} needs ${needed}.`,
  }
}
