import type { Timer } from '../../report/report.js'
import { cell, type LineUp } from '../baseline/line-up.js'
import { isStepped, resolution, ruleOf, type Metric, type RateUnit } from '../metrics.js'
import type { Unfit } from './false-alarms.js'
import { median } from './robust.js'
import { commonSpread, samplingVarianceOf, tailOf } from './sampling.js'

/** Half a step: what a figure below the report's resolution counts as. */
const smallest = resolution / 2

/**
 * The figures of one metric at the places of a line-up, as logarithms, with the variance that each has from its
 * samples. They are columns: some ten thousand timers, and a dozen metrics of each, are too many for objects.
 */
export class Rows {
  /** By place; NaN where the figure is missing on one side, or has too few samples. */
  readonly now: Float64Array
  /** By place, and for each place by earlier run; NaN where the run has no figure, or too few samples of it. */
  private readonly logs: Float64Array
  readonly nowVariance: Float64Array
  /** Of one of the earlier runs. */
  readonly beforeVariance: Float64Array
  /** How many earlier runs there are. */
  readonly runs: number
  /** The samples of a figure that has too few; else NaN. */
  private readonly few: Float64Array
  private readonly needed: number
  private readonly least: number
  private readonly counts: Float64Array
  private readonly variance: ReturnType<typeof samplingVarianceOf>
  private readonly levels: number[] = []

  constructor(
    private readonly lineUp: LineUp,
    private readonly metric: Metric,
    rate: RateUnit,
  ) {
    const { length } = lineUp.places
    this.runs = lineUp.runs.length - 1
    this.needed = ruleOf(metric).samplesNeeded
    this.least = isStepped(metric) ? smallest : 0
    this.counts = lineUp.samples(metric)
    this.variance = samplingVarianceOf(metric)
    this.now = new Float64Array(length).fill(Number.NaN)
    this.few = new Float64Array(length).fill(Number.NaN)
    this.nowVariance = new Float64Array(length)
    this.beforeVariance = new Float64Array(length)
    this.logs = new Float64Array(length * this.runs).fill(Number.NaN)
    const figures = lineUp.figures(metric, rate)
    for (let at = 0; at < length; at++) this.read(at, figures)
  }

  has(at: number): boolean {
    return !Number.isNaN(cell(this.now, at))
  }

  /** Why a figure that is there on both sides cannot be compared. */
  unfit(at: number): Unfit | undefined {
    const few = cell(this.few, at)
    if (Number.isNaN(few)) return undefined
    const what = few === 1 ? '1 sample' : `${few} samples`
    return {
      unfit: 'few-samples',
      reason: `There are too few samples: ${what}, and ${this.metric} needs ${this.needed}.`,
    }
  }

  /** How often the figure was measured in the judged run, where known. */
  samples(at: number): number | undefined {
    const count = cell(this.counts, at * (this.runs + 1))
    return Number.isNaN(count) ? undefined : count
  }

  /** A place's logarithms without the effects of the runs; good until the next are asked for. */
  levelsOf(at: number, effects: readonly number[]): readonly number[] {
    const { levels, runs } = this
    let count = 0
    for (let run = 0; run < runs; run++) {
      const level = this.levelIn(at, run, effects)
      if (!Number.isNaN(level)) levels[count++] = level
    }
    if (levels.length > count) levels.length = count
    return levels
  }

  /** NaN where the run has no figure. */
  levelIn(at: number, run: number, effects: readonly number[]): number {
    return cell(this.logs, at * this.runs + run) - (effects[run] ?? 0)
  }

  private read(at: number, figures: Float64Array): void {
    const { needed, runs, counts } = this
    const first = at * (runs + 1)
    const now = this.logOf(cell(figures, first))
    if (Number.isNaN(now)) return
    if (cell(counts, first) < needed) {
      this.few[at] = cell(counts, first)
      return
    }
    const compared: number[] = []
    let most = Number.NaN
    for (let run = 1; run <= runs; run++) {
      const log = this.logOf(cell(figures, first + run))
      const count = cell(counts, first + run)
      if (Number.isNaN(log)) continue
      if (count < needed) most = most > count ? most : Math.max(0, count)
      else {
        this.logs[at * runs + run - 1] = log
        compared.push(run)
      }
    }
    if (compared.length === 0) this.few[at] = most
    else {
      this.now[at] = now
      this.vary(at, compared)
    }
  }

  /** What the samples of a place let its figures vary by. */
  private vary(at: number, compared: readonly number[]): void {
    const { lineUp, metric, counts, variance } = this
    const first = at * (this.runs + 1)
    const usual = Math.exp(median(this.levelsOf(at, [])))
    const timers: Timer[] = []
    for (const run of compared) {
      const timer = lineUp.timerAt(at, run)
      if (timer) timers.push(timer)
    }
    const spread = commonSpread(timers, metric)
    let sum = 0
    for (const run of compared) sum += variance(usual, cell(counts, first + run), spread)
    this.beforeVariance[at] = sum / compared.length
    // Of a summary row, different timers differ.
    const tail = at < lineUp.named ? tailOf(lineUp.timerAt(at, 0), metric) : 0
    this.nowVariance[at] = variance(usual, cell(counts, first), Math.hypot(spread, tail))
  }

  private logOf(value: number): number {
    const known = Math.max(value, this.least)
    return known > 0 ? Math.log(known) : Number.NaN
  }
}
