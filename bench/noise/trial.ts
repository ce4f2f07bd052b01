import { buildBaseline } from '../../src/noise/baseline.js'
import type { Gate } from '../../src/language/gate.js'
import { parseGates } from '../../src/language/language.js'
import { judge } from '../../src/gates/gates.js'
import { judgedTwice, type GateResult } from '../../src/gates/result.js'
import type { Report } from '../../src/report/report.js'
import { makeSystem, simulateRun, studied, type Shape } from './load.js'
import { Random } from './random.js'

/** The settings of a trial over many simulated runs. */
export interface Trial {
  shape: Shape
  gates: string
  /** Runs of the baseline. */
  runs: number
  /** Factor for the times of this many timers. */
  slower: { factor: number; timers: number }
  /** With `confirm: true`: a gate fails only if it also fails in a second run. */
  confirm?: boolean
}

export const usual: Trial = {
  shape: studied,
  gates: 'request "*" p95 <= baseline + 10%',
  runs: 5,
  slower: { factor: 1, timers: 0 },
}

/** The share of repetitions, from 0 to 1, in which any gate failed or could not be measured. */
export async function redShare(trial: Trial, repetitions: number, seed: number): Promise<number> {
  const { gates, faults } = parseGates(trial.gates)
  if (faults[0]) throw new Error(faults[0].sentence)
  let red = 0
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const random = new Random(seed * 1_000_003 + repetition)
    const system = makeSystem(trial.shape, random)
    const baselines = Array.from({ length: trial.runs }, (_, at) => simulateRun(system, random, { at }))
    const { factor, timers } = trial.slower
    const changed = { slower: (index: number) => (index < timers ? factor : 1), at: trial.runs }
    const results = await judged(gates, simulateRun(system, random, changed), baselines)
    if (!isRed(results)) continue
    const again = trial.confirm
      ? await judged(gates, simulateRun(system, random, changed), baselines)
      : results
    if (isRed(judgedTwice(results, again, { first: 1, second: 2 }).results)) red++
  }
  return red / repetitions
}

async function judged(
  gates: readonly Gate[],
  report: Report,
  baselines: readonly Report[],
): Promise<GateResult[]> {
  const baseline = buildBaseline(baselines)
  return (await judge({ gates, report, ...(baseline ? { baseline } : {}) })).results
}

export function isRed(results: readonly GateResult[]): boolean {
  return results.some(({ result }) => result === 'failed' || result === 'not-measured')
}

export function percents(figures: readonly number[]): string[] {
  return figures.map((figure) => figure.toFixed(1))
}
