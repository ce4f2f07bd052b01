import { readFileSync } from 'node:fs'
import { buildBaseline } from '../../src/gates/baseline-figures.js'
import { parseGates } from '../../src/gates/grammar.js'
import { judge } from '../../src/gates/judge.js'
import { timerKinds, type Report } from '../../src/report/report.js'

/** A run of the example with the real engine, as `npm run noise-runs` keeps it. */
interface EngineRun extends Pick<Report, 'general'> {
  slowdown: number
  timers: Partial<Report['timers']>
}

export interface EngineShare {
  gates: string
  /** Percent of the judgements that are red, by the number of baseline runs. */
  red: { slowdown: number; shares: number[] }[]
}

const sizes = [1, 3, 5]

/**
 * The judge, tried on real runs: each run with windows of this many other unchanged runs, adjacent in time. None of
 * the noise is simulated.
 */
export async function judgeEngineRuns(): Promise<EngineShare[]> {
  const { runs } = JSON.parse(readFileSync('bench/noise/runs.json', 'utf8')) as { runs: EngineRun[] }
  const slowdowns = [...new Set(runs.map(({ slowdown }) => slowdown))].sort((a, b) => a - b)
  const shares: EngineShare[] = []
  for (const metric of ['p95', 'median', 'mean']) {
    const gates = `request "*" ${metric} <= baseline + 10 %`
    const red = []
    for (const slowdown of slowdowns) {
      const of = runs.filter((run) => run.slowdown === slowdown)
      red.push({ slowdown, shares: await Promise.all(sizes.map((size) => redOf(gates, of, runs, size))) })
    }
    shares.push({ gates, red })
  }
  return shares
}

async function redOf(lines: string, judged: EngineRun[], all: EngineRun[], size: number): Promise<number> {
  const { gates } = parseGates(lines)
  let red = 0
  let held = 0
  for (const run of judged) {
    const others = all.filter((one) => one.slowdown === 1 && one !== run).map(reportOf)
    for (const start of others.keys()) {
      const baseline = buildBaseline([...others, ...others].slice(start, start + size))
      if (!baseline) continue
      held++
      if ((await judge({ gates, report: reportOf(run), baseline })).verdict === 'failed') red++
    }
  }
  return (100 * red) / held
}

function reportOf({ general, timers }: EngineRun): Report {
  const sections = timerKinds.map((kind) => [kind, timers[kind] ?? { timers: [] }] as const)
  return {
    comments: [],
    general,
    timers: { ...emptyTimers(), ...Object.fromEntries(sections) },
    webVitals: [],
    agents: [],
    errors: [],
    responseCodes: [],
    loadProfile: [],
  }
}

function emptyTimers(): Report['timers'] {
  return {
    transactions: { timers: [] },
    actions: { timers: [] },
    requests: { timers: [] },
    pageLoads: { timers: [] },
    customTimers: { timers: [] },
  }
}
