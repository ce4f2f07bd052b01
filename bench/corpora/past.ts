import { createHash } from 'node:crypto'
import { buildBaseline } from '../../src/noise/baseline.js'
import { compareRuns } from '../../src/comparison/comparison.js'
import type { Report, Timer } from '../../src/report/report.js'
import { makeSystem, simulateRun, studied, type System } from '../noise/load.js'
import { Random } from '../noise/random.js'

/** The history of a product that is load-tested once a day. */
export interface Past {
  runs: number
  /** Timers of each kind. */
  timers: { requests: number; actions: number; transactions: number }
  seed: number
  /** The factor of a timer's times in a run, both counted from 0. */
  slower?: (run: number, timer: number) => number
}

const day = 24 * 60 * 60 * 1000
const limit = 800

/** Reports of simulated runs, the oldest first. */
export function pastReports({ runs, timers, seed, slower = () => 1 }: Past): Report[] {
  const random = new Random(seed)
  const kinds = (['requests', 'actions', 'transactions'] as const).map((kind) => ({
    kind,
    system: makeSystem({ ...studied, timers: timers[kind], errors: kind === 'transactions' ? 2 : 0 }, random),
  }))
  return Array.from({ length: runs }, (_, run) => {
    const simulated = kinds.map(({ kind, system }) => {
      const report = simulateRun(named(system, kind), random, { slower: (timer) => slower(run, timer) })
      return { kind, report, timers: report.timers.requests.timers }
    })
    const [first] = simulated
    if (!first) throw new Error('There are no kinds of timers.')
    const { report } = first
    for (const one of simulated) {
      report.timers[one.kind] = {
        summary: asWritten(summaryOf(one.timers)),
        timers: one.timers.map(asWritten),
      }
    }
    report.general = { startTime: Date.UTC(2026, 8, 1, 2, 17) + run * day, duration: 600 }
    return report
  })
}

/** As the engine writes them, times have at most three decimals. */
function asWritten(timer: Timer): Timer {
  const { mean = 0, median = 0, deviation = 0 } = timer
  const written = (time: number) => Math.round(time * 1000) / 1000
  const percentiles = Object.entries(timer.percentiles).map(([name, time]) => [name, written(time)])
  return {
    ...timer,
    ...{ mean: written(mean), median: written(median), deviation: written(deviation) },
    percentiles: Object.fromEntries(percentiles) as Timer['percentiles'],
  }
}

function named(system: System, kind: string): System {
  const prefix = kind === 'transactions' ? 'T' : ''
  return {
    ...system,
    parts: system.parts.map((part, index) => ({
      ...part,
      name: `${prefix}${names[index % names.length]}.${index + 1}`,
    })),
  }
}

const names = ['Homepage', 'Search', 'Category', 'Product', 'Cart', 'Checkout', 'Login', 'Order', 'Account']

/** Close to the figures of all samples together: the means, weighted by the counts. */
function summaryOf(timers: readonly Timer[]): Timer {
  const count = timers.reduce((sum, timer) => sum + (timer.count ?? 0), 0)
  const errors = timers.reduce((sum, timer) => sum + (timer.errors ?? 0), 0)
  const mean = (figure: (timer: Timer) => number | undefined) =>
    timers.reduce((sum, timer) => sum + (figure(timer) ?? 0) * (timer.count ?? 0), 0) / Math.max(1, count)
  const percentiles = Object.keys(timers[0]?.percentiles ?? {})
  return {
    name: 'All',
    count,
    errors,
    errorPercentage: (errors * 100) / Math.max(1, count),
    countPerSecond: count / 600,
    mean: mean((timer) => timer.mean),
    median: mean((timer) => timer.median),
    deviation: mean((timer) => timer.deviation),
    percentiles: Object.fromEntries(percentiles.map((name) => [name, mean((one) => one.percentiles[name])])),
  }
}

/** The outcome files of such runs, the oldest first, with the parts that later runs read. */
export function* pastOutcomes(past: Past): Generator<string> {
  const reports = pastReports(past)
  for (const [run, report] of reports.entries()) {
    const before = buildBaseline(reports.slice(Math.max(0, run - 1), run))
    const value = report.timers.requests.summary?.percentiles['p95'] ?? 0
    const isOver = value > limit
    const gate = `requests p95 <= ${limit} ms`
    yield JSON.stringify(
      {
        ...{ format: 1, kind: 'load-test', mode: 'run' },
        verdict: isOver ? 'failed' : 'passed',
        reasons: [],
        advice: [],
        notes: [],
        step: {
          ...{ actionVersion: '1.0.0', repository: 'shop/webshop', commit: commitOf(run) },
          ...{ event: 'push', ref: 'refs/heads/main', sha: commitOf(run), head: commitOf(run) },
          ...{ startedAt: '2026-09-01T02:17:00Z', seconds: 700 },
        },
        gates: [
          {
            ...{ gate, line: 1, subject: 'requests', metric: 'p95', unit: 'ms', operator: '<=' },
            ...{ value, limit, result: isOver ? 'failed' : 'passed' },
          },
        ],
        figures: report,
        ...(before
          ? { comparison: compareRuns(report, before, { baseline: { name: 'main', runs: 1 } }) }
          : {}),
      },
      null,
      2,
    )
  }
}

/** The commit of a run, always the same. */
export function commitOf(run: number): string {
  return createHash('sha1').update(`run ${run}`).digest('hex')
}
