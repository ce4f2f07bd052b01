import { changePointsIn, type Series } from '../../src/comparison/change-points.js'
import type { Report, Timer } from '../../src/report/report.js'
import { report, timer } from '../gates/example-report.js'

interface Others {
  /** Of B, which stays the same otherwise. */
  b?: readonly number[]
  /** What changes is the row of all, not A. */
  isSummary?: boolean
  metric?: 'mean' | 'p95'
  partial?: readonly number[]
  figures?: Partial<Timer>
}

const still = (runs: number, mean = 100) => Array.from({ length: runs }, () => mean)

/** `A mean 22: 100 -> 112`, of a history with these figures of A; null in a run without it. */
function changes(means: readonly (number | null)[], ...[others = {}]: Others[]): string[] {
  const { isSummary, metric = 'mean', partial = [], figures = {}, b = means.map(() => 100) } = others
  const reports = means.map((mean, run): Report => {
    const general = { startTime: Date.UTC(2026, 0, 1 + run), duration: 600 }
    const of = (name: string, value: number) =>
      timer(name, {
        mean: value,
        countPerSecond: value,
        deviation: 10,
        percentiles: { p95: value },
        ...figures,
      })
    const changed = mean === null ? [] : [of('A', mean)]
    const calm = Array.from({ length: 8 }, (_, at) => of(`R${at}`, 100))
    const timers = [...(isSummary ? [] : changed), of('B', b[run] ?? 100), ...calm]
    const [summary] = isSummary ? changed : []
    const one = report({ general }, { requests: { timers, ...(summary && { summary }) } })
    return partial.includes(run) ? { ...one, partial: '1 of 2' } : one
  })
  const of: Series = { kind: 'requests', metric, values: [...means] }
  const series: Series[] = [
    isSummary ? of : { ...of, name: 'A' },
    { ...of, name: 'B', values: [...b] },
    { ...of, metric: 'throughput' },
  ]
  return changePointsIn(reports, series).map(
    ({ name = 'all', metric, run, before, after }) => `${name} ${metric} ${run}: ${before} -> ${after}`,
  )
}

test.each<[string, (number | null)[], string[], ...Others[]]>([
  ['beyond 10%', [100, 100, 112, 112, 112], ['A mean 22: 100 -> 112']],
  ['within 10%', [100, 100, 109, 109, 109], []],
  ['below, beyond 10%', [100, 100, 89, 89, 89], ['A mean 22: 100 -> 89']],
  ['below, within 10%', [100, 100, 92, 92, 92], []],
  ['that does not stay', [100, 100, 130, 100, 130], []],
  ['to one side, and then to the other', [100, 100, 130, 70, 70], ['A mean 23: 100 -> 70']],
  ['of the latest run', [100, 100, 100, 100, 130], []],
  ['of too few samples', [100, 100, 130, 130, 130], [], { figures: { count: 4 } }],
  ['by one step of the report', [100, 100, 110, 110, 110], [], { metric: 'p95', isSummary: true }],
  ['by one step, below', [100, 100, 90, 90, 90], [], { metric: 'p95', isSummary: true }],
  ['of a request that is new', [null, null, 130, 130, 130], []],
  // Each is shown beside the level of its own.
  [
    'after another, three runs later',
    [130, 134, 138, 200, 200],
    ['A mean 20: 100 -> 134', 'A mean 23: 134 -> 200'],
  ],
  ['after another, two runs later', [100, 130, 130, 170, 170], ['A mean 21: 100 -> 150']],
  [
    'after one of another request',
    [100, 104, 104, 130, 130],
    ['B mean 21: 100 -> 130', 'A mean 23: 100 -> 130'],
    { b: [...still(21), ...still(4, 130)] },
  ],
  [
    'that the next run, of half the results, does not show',
    [100, 100, 130, 100, 130],
    ['A mean 22: 100 -> 130'],
    { partial: [23] },
  ],
  ['of a run of half the results', [100, 100, 130, 130, 130], ['A mean 23: 100 -> 130'], { partial: [22] }],
])('among the latest runs, a change %s', (_, latest, found, ...others) => {
  const before = latest[0] === null ? Array.from({ length: 20 }, () => null) : still(20)
  expect(changes([...before, ...latest], ...others)).toEqual(found)
})

test.each<[string, (number | null)[], string[], ...Others[]]>([
  ['with ten runs after it', [...still(20), ...still(10, 130)], ['A mean 20: 100 -> 130']],
  ['of 3%, with very many', [...still(30), ...still(30, 103)], []],
  ['of 5%', [...still(30), ...still(30, 105)], ['A mean 30: 100 -> 105']],
  [
    'before a run without the request',
    [...still(20), 130, 130, null, 134, 134, ...still(6, 132)],
    ['A mean 20: 100 -> 132'],
  ],
  ['by one step of the report', [...still(20, 20), ...still(6, 30)], [], { metric: 'p95' }],
  [
    'by one step, with very many',
    [...still(30, 10), ...still(30, 20)],
    ['A p95 30: 10 -> 20'],
    { metric: 'p95' },
  ],
  ['by one step, with ten runs', [...still(24, 30), ...still(10, 40)], [], { metric: 'p95' }],
  ['of all after three runs', [...still(3), ...still(5, 200)], ['A mean 3: 100 -> 200']],
  ['after two', [...still(2), ...still(5, 200)], []],
  [
    'after another, smaller one',
    [...still(20), ...still(20, 110), ...still(11, 200)],
    ['A mean 20: 100 -> 110', 'A mean 40: 110 -> 200'],
  ],
  [
    'of the row of all, after another',
    [...still(20), ...still(12, 200), ...still(3, 235)],
    ['all mean 20: 100 -> 200', 'all mean 32: 200 -> 235'],
    { isSummary: true },
  ],
  [
    'after twenty calm runs, and wild ones before those',
    [...Array.from({ length: 20 }, (_, at) => (at % 2 ? 60 : 140)), ...still(22), ...still(3, 115)],
    ['A mean 42: 100 -> 115'],
  ],
])('a change %s', (_, means, found, ...others) => {
  expect(changes(means, ...others)).toEqual(found)
})
