import type { Place } from './place.js'

/** The result of one gate for one subject. A gate whose name has `*` or `?` gives one result for each match. */
export interface GateResult {
  /** The gate as it was written, comments and surrounding blanks removed. */
  gate: string
  /** Its name, where gates-file gives one. */
  name?: string
  /** Where it was written: the gates-file, or absent for the input `gates`; lines count from 1. */
  file?: string
  line: number
  /** Nobody wrote it: it holds where no gate looks at errors. Its line is 0. */
  builtIn?: true
  /** What was judged, for people, who need no more of a long name: `request "Login"`, `requests`, `scorecard`. */
  subject: string
  /** What the figure is of; absent for scorecard and xpath, and for all that wildcards may match. */
  place?: Place
  /** The place is one of those that wildcards match. */
  isMatch?: true
  /** The metric's word of the gate language, absent for scorecard and xpath. */
  metric?: string
  unit: Unit
  /** Absent for `scorecard passes`. */
  operator?: Operator
  /** The run's figure; absent = not measured. */
  value?: number
  /** The limit that it was compared with, with a baseline's amounts already added. */
  limit?: number
  baseline?: number
  /** value - baseline. */
  difference?: number
  /** Percent; absent if the baseline is 0 and the value is not. */
  relativeDifference?: number
  result: GateOutcome
  /** A sentence: why it is not measured, or why a difference above the limit was excused. */
  reason?: string
  /** Why the figure cannot be compared, where samples, the load generator or the earlier runs do not allow it. */
  unfit?: 'few-samples' | 'noisy' | 'busy-generator' | 'first-run' | 'new-baseline'
  /** What counted as noise, for a gate that compares. */
  noise?: GateNoise
  /** What a second run showed, if the gate failed in the first. It fails only if it failed in both. */
  again?: Pick<GateResult, 'result' | 'value' | 'limit'>
}

/** The same for the results of one gate only; nothing to read. Two gates may stand in one line of a gates-file. */
export function gateKey({ file, line, gate }: Pick<GateResult, 'gate' | 'file' | 'line'>): string {
  return JSON.stringify([file, line, gate])
}

/** The noise of one figure from one run to the next, as docs/internals/noise.md describes it. */
export interface GateNoise {
  /** Standard deviation, in percent. */
  percent: number
  /** Fewer than three earlier runs show no noise: it is assumed. */
  assumed?: true
  /** It is that of the whole run, whose timers together decided. */
  run?: true
  /** Samples of the run, where known. */
  samples?: number
  /** The gate fails beyond this value only, in the result's unit. Absent if no value does. */
  failsBeyond?: number
}

/** How the whole run differs from its baseline, over all timers. */
export interface RunNoise {
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

/**
 * `left-out`: a match of a wildcard that cannot be compared, while others can. `not-compared`: the gate compares, and in
 * a first run there is nothing to compare with; it counts as passed.
 */
export const gateOutcomes = [
  'failed',
  'not-measured',
  'warned',
  'left-out',
  'not-compared',
  'passed',
] as const
export type GateOutcome = (typeof gateOutcomes)[number]

export const operators = ['<=', '<', '>=', '>', '='] as const
export type Operator = (typeof operators)[number]

/** How a figure is to be shown. `number` is a bare count, score or ratio. */
export type Unit = 'ms' | '%' | '/s' | '/min' | '/h' | 'number'

/** The verdict over all gates: failed if one failed; else invalid if one is not measured; else passed. */
export type GatesVerdict = 'passed' | 'failed' | 'invalid'
