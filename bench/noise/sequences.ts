import { fewestForReds, useOfRuns, type BranchRun } from '../../src/baseline/source.js'
import { buildBaseline, type Baseline, type RunOrigin } from '../../src/noise/baseline.js'
import { defined } from '../../src/text/fields.js'
import { judge } from '../../src/gates/gates.js'
import type { Gate } from '../../src/language/gate.js'
import { parseGates } from '../../src/language/language.js'
import type { Report } from '../../src/report/report.js'
import { plural } from '../../src/text/plural.js'
import { Random } from './random.js'
import { RawSystem, reference, type RawShape } from './raw-runs.js'
import { isRed, percents } from './trial.js'

/** What may make whole runs of main differ. */
const days: readonly (readonly [string, RawShape])[] = [
  ['noise of 5%', reference],
  ['noise of 8%', { ...reference, noise: 0.08 }],
  ['noise of 12%', { ...reference, noise: 0.12 }],
  ['8%, days like the one before', { ...reference, noise: 0.08, alike: 0.8 }],
  ['30% of days 1.2 times slower', { ...reference, slowDays: [0.3, 1.2] }],
]
/** Unchanged runs of main, one after the other, and what may make them differ. */
const shapes: typeof days = [
  ...days,
  ['heavy tails (t, 3 degrees)', { ...reference, freedom: 3 }],
  ['waves of 30 s within a run', { ...reference, waves: 0.3 }],
  ['1% of answers stall', { ...reference, stalls: 0.01 }],
  ['p95 at the edge of a cache in 3 of 20', { ...reference, edges: 3 }],
  ['each run 1% slower than the last', { ...reference, drift: 1.01 }],
]

const metrics = ['mean', 'p95']
const baselineRuns = [1, 2, 3, 5]
/** The runs of a sequence that are judged. */
const judgedRuns = 60

/** For how many merges a regression stands before it is mended. */
const standing = [1, 3, 5]

/** What is measured of main over time: a line for each shape. */
export const sequences = {
  columns: [
    'unchanged runs',
    ...metrics.flatMap((metric) =>
      baselineRuns.map((runs, at) => (at === 0 ? `${metric}, ${runs} earlier run` : String(runs))),
    ),
  ],
  rows: shapes.length,
  linesOf: judgeSequences,
}
export const comebacks = {
  columns: [
    'all requests 20% slower',
    'at first',
    ...standing.map((merges) => `again, after ${plural(merges, 'merge')}`),
  ],
  rows: days.length,
  linesOf: judgeComebacks,
}

/** Red runs of a shape: for each metric, with each number of earlier runs. */
async function judgeSequences(at: number, repetitions: number): Promise<string[][]> {
  const [title, shape] = shapes[at] ?? ['', reference]
  const asked = metrics.flatMap((metric) => {
    const { gates } = parseGates(`request "*" ${metric} <= baseline + 10%`)
    return baselineRuns.map((runs) => ({ gates, runs }))
  })
  const reds = asked.map(() => 0)
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const system = new RawSystem(shape, new Random(61 * 1_000_003 + repetition))
    const reports = Array.from({ length: Math.max(...baselineRuns) + judgedRuns }, () => system.run())
    for (const [index, { gates, runs }] of asked.entries()) {
      reds[index] = (reds[index] ?? 0) + (await redRuns(reports.slice(-judgedRuns - runs), runs, gates))
    }
  }
  return [[title, ...percents(reds.map((red) => (100 * red) / repetitions / judgedRuns))]]
}

/** Unchanged runs before a regression, and between its end and the next. */
const [before, mended] = [20, 2]

/** How often all requests 20% slower are red: at first, and again after they stood for so many merges. */
async function judgeComebacks(at: number, repetitions: number): Promise<string[][]> {
  const [title, shape] = days[at] ?? ['', reference]
  const { gates } = parseGates('request "*" mean <= baseline + 10%')
  const runs = Math.max(...baselineRuns)
  const reds = [0, ...standing.map(() => 0)]
  for (let repetition = 0; repetition < repetitions * standing.length; repetition++) {
    const system = new RawSystem(shape, new Random(67 * 1_000_003 + repetition))
    const past = Array.from({ length: runs }, (): PastRun => ({ report: system.run(), isRed: false }))
    const merge = async (factor: number, times = 1): Promise<number> => {
      for (let time = 0; time < times; time++) {
        const report = system.run(() => factor)
        past.push(await judgedAfter(past, report, gates))
      }
      return past.slice(past.length - times).filter((run) => run.isRed).length
    }
    await merge(1, before)
    const which = repetition % standing.length
    reds[0] = (reds[0] ?? 0) + (await merge(1.2)) / standing.length
    await merge(1.2, (standing[which] ?? 1) - 1)
    await merge(1, mended)
    reds[which + 1] = (reds[which + 1] ?? 0) + (await merge(1.2))
  }
  return [[title, ...percents(reds.map((red) => (100 * red) / repetitions))]]
}

/** A run of main. */
export type PastRun = BranchRun & Pick<RunOrigin, 'runNoise'> & { report: Report }

/** What the next run is compared with: runs that set the level, and those that say how much runs differ. */
export function comparedWith(past: readonly PastRun[], most: number): Baseline | undefined {
  const latest = [...past].reverse()
  const isLearning = most >= fewestForReds
  const use = useOfRuns(isLearning ? latest : latest.map(({ isRed }) => ({ isRed })))
  const of = (indexes: readonly number[]) => indexes.flatMap((at) => latest[at] ?? [])
  const levels = of(use.level).slice(0, most)
  const spread = use.spread.filter((at) => latest[at]?.isRed || at < (use.level[most - 1] ?? Infinity))
  return buildBaseline(
    levels.map(({ report }) => report),
    levels.map(({ runNoise }, at) => ({ verdict: 'passed', page: String(at), ...defined({ runNoise }) })),
    isLearning ? of(spread).map(({ report }) => report) : [],
  )
}

/** The run of main that this report is, after those before. */
export async function judgedAfter(
  past: readonly PastRun[],
  report: Report,
  gates: readonly Gate[],
  most = Math.max(...baselineRuns),
): Promise<PastRun> {
  const baseline = comparedWith(past, most)
  const judged = await judge({ gates, report, isFailureEnough: true, ...(baseline ? { baseline } : {}) })
  const { noise, results } = judged
  const slowerBy = noise?.wholeRun(results)?.percent
  return { report, isRed: isRed(results), ...defined({ slowerBy, runNoise: noise?.ofRuns() }) }
}

/** How many of the runs are red, after the first ones. */
async function redRuns(reports: readonly Report[], first: number, gates: readonly Gate[]): Promise<number> {
  const past = reports.slice(0, first).map((report): PastRun => ({ report, isRed: false }))
  for (const report of reports.slice(first)) past.push(await judgedAfter(past, report, gates, first))
  return past.filter((run) => run.isRed).length
}
