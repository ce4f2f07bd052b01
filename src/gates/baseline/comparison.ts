import type { TimerKind } from '../../report/report.js'
import type { RunNoise } from '../result.js'

/** The run (the measurement run) compared with its baseline, matched by name as in the engine's own comparison. */
export interface Comparison {
  baseline: BaselineInfo
  /** Custom report label of the measurement run, where it has one. */
  label?: string
  /** One row for each timer of either run; summaries first. */
  rows: ComparisonRow[]
  /** Mean CPU use of the baseline's busiest load generator, percent. */
  cpu?: number
  /** Error messages that the baseline did not have. */
  newErrors: string[]
  /** Where the added time of what got slower was spent, as sentences, if the reports say so; costliest first. */
  addedTime?: string[]
  /** The load or the length is not that of the baseline; the notes say how. */
  otherLoad?: true
  /** How the whole run differs, if enough timers show it. */
  noise?: RunNoise
  /** The runs of the baseline one by one, the oldest first, where there are several. */
  trend?: EarlierRun[]
}

/** One run of a baseline of several. */
export interface EarlierRun {
  /** Its workflow run. */
  url?: string
  commit?: string
  /** ISO 8601. */
  startTime?: string
  /** The summary row of each kind, by metric word of the gate language. */
  figures: Partial<Record<TimerKind, Record<string, number>>>
}

export interface BaselineInfo {
  /** As a reader knows it: `load test 17`, `3 runs of main`, `baseline/testreport.xml`. */
  name: string
  /** Custom report label, where the baseline has one. */
  label?: string
  /** How many it is made of. */
  runs: number
  /** How many more were found and left out, where any were. */
  leftOut?: number
  url?: string
  commit?: string
  /** ISO 8601. */
  startTime?: string
}

export interface ComparisonRow {
  kind: TimerKind
  /** Absent for the kind's summary row. */
  name?: string
  presence: 'both' | 'added' | 'removed'
  /** What the baseline has, by metric word of the gate language; what the run has is in its report. */
  baseline: Record<string, number>
  /** The figures that differ by more than noise, or by which a gate failed. */
  changes?: Record<string, Direction>
}

export type Direction = 'better' | 'worse'

/** A figure of the run, beside that of its baseline. */
export interface ComparedFigure {
  baseline?: number
  value?: number
  difference?: number
  /** Percent; absent if the baseline is 0 and the value is not. */
  relativeDifference?: number
  /** Absent if the difference may be noise. */
  change?: Direction
}
