import { buildBaseline } from '../../src/gates/baseline-figures.js'
import type { Gate } from '../../src/gates/gate.js'
import { parseGates } from '../../src/gates/grammar.js'
import { judge } from '../../src/gates/judge.js'
import { makeSystem, simulateRun, type Shape } from './load.js'
import { Random } from './random.js'

/** What is asked of many simulated runs. */
export interface Trial {
  shape: Shape
  gates: string
  /** Runs of the baseline. */
  runs: number
  /** Factor for the times of one timer, or of all. */
  slower: { factor: number; of: 'one' | 'all' }
  /** Red only where a second run is red by the same gates, too. */
  confirm?: boolean
}

/** The share of repetitions, from 0 to 1, in which any gate failed. */
export async function redShare(trial: Trial, repetitions: number, seed: number): Promise<number> {
  const { gates, faults } = parseGates(trial.gates)
  if (faults[0]) throw new Error(faults[0].sentence)
  let red = 0
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const random = new Random(seed * 1_000_003 + repetition)
    const system = makeSystem(trial.shape, random)
    const baselines = Array.from({ length: trial.runs }, () => simulateRun(system, random))
    const { factor, of } = trial.slower
    const slower = (index: number) => (of === 'all' || index === 0 ? factor : 1)
    const failed = await failedIn(gates, simulateRun(system, random, slower), baselines)
    if (failed.size === 0) continue
    if (!trial.confirm) red++
    else {
      const again = await failedIn(gates, simulateRun(system, random, slower), baselines)
      if ([...failed].some((gate) => again.has(gate))) red++
    }
  }
  return red / repetitions
}

async function failedIn(
  gates: readonly Gate[],
  report: ReturnType<typeof simulateRun>,
  baselines: ReturnType<typeof simulateRun>[],
): Promise<Set<string>> {
  const baseline = buildBaseline(baselines)
  const { results } = await judge({ gates, report, ...(baseline ? { baseline } : {}) })
  return new Set(
    results.flatMap(({ result, line, subject }) => (result === 'failed' ? [`${line} ${subject}`] : [])),
  )
}
