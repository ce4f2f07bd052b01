import { readFileSync } from 'node:fs'
import { buildBaseline } from '../../src/noise/baseline.js'
import { parseGates } from '../../src/language/language.js'
import { judge } from '../../src/gates/gates.js'
import type { Report, Timer } from '../../src/report/report.js'
import { defined } from '../../src/text/fields.js'
import { emptyReport } from './load.js'
import { percents } from './trial.js'

/** A run of the example with the real engine, as runs.json keeps it. */
interface EngineRun extends Pick<Report, 'general'> {
  /** When it started. */
  time: string
  slowdown: number
  timers: Partial<Report['timers']>
}

const sizes = [1, 3, 5]

const asked = [
  ...['p95', 'median', 'mean'].map((metric) => `request "*" ${metric} <= baseline + 10%`),
  'requests p95 <= baseline + 10% + 20 ms',
  'requests mean <= baseline + 10%',
]

/** The most frequent request of the example, and one of the fastest. */
const frequent = 'Homepage'

/**
 * The judge, tried on real runs: each run with windows of this many other unchanged runs, adjacent in time. None of
 * the noise is simulated.
 */
export const engine = {
  columns: ['gate', 'shop', '1 baseline run', '3', '5'],
  rows: asked.length,
  linesOf: judgeEngineRuns,
}

/** For each shop, the percentage of red judgements by one gate. */
async function judgeEngineRuns(at: number): Promise<string[][]> {
  const gates = asked[at] ?? ''
  const runs = keptRuns()
  const unchanged = runs.filter(({ slowdown }) => slowdown === 1)
  const slowdowns = [...new Set(runs.map(({ slowdown }) => slowdown))].sort((a, b) => a - b)
  const shops: [string, EngineRun[]][] = slowdowns.map((slowdown) => [
    slowdown === 1 ? 'unchanged' : `${Math.round((slowdown - 1) * 100)}% slower`,
    runs.filter((run) => run.slowdown === slowdown),
  ])
  // What the whole row would be cannot be computed from its parts.
  if (gates.startsWith('request '))
    shops.push([`only ${frequent} 20% slower`, unchanged.map((run) => withSlower(run, frequent, 1.2))])
  const lines: string[][] = []
  for (const [shop, judged] of shops) {
    const red = await Promise.all(sizes.map((size) => redOf(gates, judged, unchanged, size)))
    lines.push([lines.length === 0 ? `\`${gates}\`` : '', shop, ...percents(red)])
  }
  return lines
}

/** The run as it would be if each of a request's times were longer; percentiles are in the report's steps of 10 ms. */
function withSlower(run: EngineRun, name: string, factor: number): EngineRun {
  const { requests } = run.timers
  const slower = (timer: Timer): Timer => {
    const percentiles: Record<string, number> = {}
    for (const [at, time] of Object.entries(timer.percentiles)) {
      percentiles[at] = Math.round((time * factor) / 10) * 10
    }
    const { mean, median, deviation } = timer
    return {
      ...timer,
      percentiles,
      ...defined({
        mean: mean && mean * factor,
        median: median && Math.round((median * factor) / 10) * 10,
        deviation: deviation && deviation * factor,
      }),
    }
  }
  const timers = requests?.timers.map((timer) => (timer.name === name ? slower(timer) : timer))
  return { ...run, timers: { ...run.timers, ...(timers ? { requests: { ...requests, timers } } : {}) } }
}

async function redOf(
  lines: string,
  judged: EngineRun[],
  unchanged: EngineRun[],
  size: number,
): Promise<number> {
  const { gates } = parseGates(lines)
  let red = 0
  let held = 0
  for (const run of judged) {
    const others = unchanged.filter(({ time }) => time !== run.time).map(reportOf)
    for (const start of others.keys()) {
      const baseline = buildBaseline([...others, ...others].slice(start, start + size))
      if (!baseline) continue
      held++
      if ((await judge({ gates, report: reportOf(run), baseline })).verdict === 'failed') red++
    }
  }
  return (100 * red) / held
}

function keptRuns(): EngineRun[] {
  const { runs } = JSON.parse(readFileSync('bench/noise/runs.json', 'utf8')) as { runs: EngineRun[] }
  return runs
}

function reportOf({ general, timers }: EngineRun): Report {
  const empty = emptyReport(0)
  return { ...empty, general, timers: { ...empty.timers, ...timers } }
}
