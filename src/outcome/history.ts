import type { ChangePoint, Series } from '../gates/change-points.js'
import type { GateOutcome, GateResult, GatesVerdict } from '../gates/result.js'

/** The figures of a branch's runs, the oldest run first. */
export interface History {
  branch: string
  runs: HistoryRun[]
  /** The key figures, then each timer by the metric that represents it. */
  series: Series[]
  /** In the order of the runs. */
  changePoints: ChangePoint[]
  /** What the gates would have come to, where there are any. */
  trial?: Trial
}

export interface HistoryRun {
  /** Its workflow run. */
  url: string
  /** The page of its digest, an artifact of that workflow run. */
  digest?: string
  commit: string
  verdict: string
  /** ISO 8601. */
  startTime?: string
  /** The login of who accepted the failed gates. */
  acceptedBy?: string
}

/** What gates would have come to in past runs, the oldest run first. */
export interface Trial {
  /** By all gates that fail a step, but for xpath gates. */
  verdicts: GatesVerdict[]
  /** In the order that they were written. */
  gates: TriedGate[]
}

export interface TriedGate extends Pick<GateResult, 'gate' | 'name' | 'file' | 'line'> {
  /** In each run. */
  results: TrialResult[]
  /** Absent for a gate that is not about times. */
  slowdowns?: Slowdown[]
}

/** The worst of a gate's results in a run. A gate that warns is `not-measured`, too, where it has no figure. */
export interface TrialResult {
  result: GateOutcome
  /** A sentence where it failed, warned or was not measured. */
  reason?: string
}

/** How often a gate that passed fails once all response times of the run are raised. */
export interface Slowdown {
  percent: number
  found: number
  /** Those in which the gate passed. */
  runs: number
}
