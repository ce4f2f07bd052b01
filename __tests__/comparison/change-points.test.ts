import { changePointsIn, type ChangePoint } from '../../src/comparison/change-points.js'
import type { Report } from '../../src/report/report.js'
import { report, timer } from '../gates/example-report.js'

/** Twenty usual runs, then the latest five with these means of A in percent of that; B stays as it is. */
function changes(latest: readonly number[], partial: readonly number[] = []): ChangePoint[] {
  const means = [...Array.from({ length: 20 }, () => 100), ...latest]
  const reports = means.map((mean, run): Report => {
    const general = { startTime: Date.UTC(2026, 0, 1 + run), duration: 600 }
    const timers = [timer('A', { mean, countPerSecond: mean }), timer('B', { mean: 100 })]
    const one = report({ general }, { requests: { timers } })
    return partial.includes(run) ? { ...one, partial: '1 of 2' } : one
  })
  const of = (name: string, values: number[]) => ({ kind: 'requests', metric: 'mean', name, values }) as const
  return changePointsIn(reports, [
    of('A', means),
    of(
      'B',
      means.map(() => 100),
    ),
    { ...of('A', means), metric: 'throughput' },
  ])
}

/** `22: 100 -> 112` */
const told = (all: readonly ChangePoint[]) =>
  all.map(({ name, metric, run, before, after }) => `${name} ${metric} ${run}: ${before} -> ${after}`)

test.each<[string, number[], string[]]>([
  ['beyond 10%', [100, 100, 112, 112, 112], ['A mean 22: 100 -> 112']],
  ['within 10%', [100, 100, 109, 109, 109], []],
  ['below, beyond 10%', [100, 100, 89, 89, 89], ['A mean 22: 100 -> 89']],
  ['below, within 10%', [100, 100, 92, 92, 92], []],
  ['that does not stay', [100, 100, 130, 100, 100], []],
  ['to one side, and then to the other', [100, 100, 130, 70, 100], []],
  ['of the latest run', [100, 100, 100, 100, 130], []],
  [
    'after another, three runs later',
    [130, 130, 130, 170, 170],
    ['A mean 20: 100 -> 130', 'A mean 23: 130 -> 170'],
  ],
  ['after another, two runs later', [100, 130, 130, 170, 170], ['A mean 21: 100 -> 150']],
])('among the latest runs, a change %s', (_, latest, found) => {
  expect(told(changes(latest))).toEqual(found)
})

test('a partial run is no guilty one', () => {
  expect(told(changes([100, 100, 130, 130, 130], [22]))).toEqual(['A mean 23: 100 -> 130'])
})
