import type { TimerKind } from '../report/report.js'

/** The figures of a branch's runs, the oldest run first. */
export interface History {
  branch: string
  runs: HistoryRun[]
  /** The key figures, then each timer by the metric that stands for it. */
  series: Series[]
  /** In the order of the runs. */
  steps: HistoryStep[]
}

export interface HistoryRun {
  /** Its workflow run. */
  url: string
  commit: string
  verdict: string
  /** ISO 8601. */
  startTime?: string
  /** The login of who accepted it that gates failed. */
  acceptedBy?: string
}

/** Which figure of a report: of a timer, or without a name of all of a kind. */
export interface Watched {
  kind: TimerKind
  name?: string
  /** Metric word of the gate language. */
  metric: string
}

/** One figure over the runs, in its metric's unit (throughput: for each second); null in a run that did not measure it. */
export interface Series extends Watched {
  values: (number | null)[]
  /** What fixed gates allowed in each run; absent where no run had such a gate. */
  limits?: (number | null)[]
}

/** From this run on a figure is another, beyond noise. */
export interface HistoryStep extends Watched {
  /** Index of the first run after it. */
  run: number
  /** The middle of the runs before, up to the step before, and of those after, up to the next one; five at most. */
  before: number
  after: number
}
