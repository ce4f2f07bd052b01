import { buildBaseline } from '../../src/noise/baseline.js'
import { ReportFigures } from '../../src/figures/figures.js'
import { presenceOf } from '../../src/gates/gate-places.js'
import type { Report } from '../../src/report/report.js'
import { report, requestReport, timer } from './example-report.js'

/** A run with twenty requests, and A with these counts, where it was used. */
const run = (count: number, others = 20, duration = 600): Report => ({
  ...requestReport([
    ...Array.from({ length: others }, (_, at) => timer(`R${at}`)),
    ...(count > 0 ? [timer('A', { count })] : []),
  ]),
  general: { duration },
})

function vanished(now: Report, earlier: readonly Report[]): string[] {
  const baseline = buildBaseline(earlier)
  return baseline ? presenceOf('requests', new ReportFigures(now), baseline).vanished : []
}

test.each<[string, number[], boolean]>([
  // Of 21 names, one may be missing by chance in one run of 2,100.
  ['30 answers', [30], true],
  ['11 answers, once', [11], true],
  ['10 answers, once', [10], false],
  ['8 answers in each of five runs', [9, 8, 8, 8, 9], true],
  ['7 answers', [7, 8, 8, 8, 9], false],
  ['rare', [2, 3, 1, 2, 2], false],
  ['in most of the runs, since it came', [50, 50, 50, 0, 0], true],
  ['in half of them', [50, 50, 0, 0], false],
  ['now and then', [50, 0, 50, 50, 50], false],
])('a request that is missing: %s', (_, counts, isMissing) => {
  const earlier = counts.map((count, at) => ({
    ...run(count),
    general: { duration: 600, startTime: 1e6 - at },
  }))
  expect(vanished(run(0), earlier)).toEqual(isMissing ? ['A'] : [])
})

test('a run of a tenth of the length has a tenth of the answers', () => {
  expect(vanished(run(0, 20, 60), [run(30)])).toEqual([])
  expect(vanished(run(0, 20, 60), [run(300)])).toEqual(['A'])
})

test('where names come and go, a missing one means nothing', () => {
  expect(vanished(run(0), suitesOf([20, 18, 20, 18]))).toEqual([])
  expect(vanished(run(0), suitesOf([20, 19, 20, 19]))).toEqual(['A'])
})

/** The newest first; each has A and this many of the twenty others. */
const suitesOf = (others: readonly number[]): Report[] =>
  others.map((count, at) => ({ ...run(50, count), general: { duration: 600, startTime: 1e6 - at } }))

test.each<[string, number, number[], number]>([
  ['two of 21, one earlier run', 19, [20], 2],
  ['three: one run does not show which names stay', 18, [20], 0],
  ['two of ten, one of which is more than one in twenty', 8, [9], 0],
  ['nine of 20', 11, [19], 0],
  ['ten, which is no small part', 10, [19], 10],
  ['three, two runs', 18, [20, 20], 3],
  ['beside one that only the latest of three runs has', 20, [20, 19, 19], 1],
  ['beside two such', 20, [20, 18, 18], 0],
  ['beside two such, of four runs', 20, [20, 20, 18, 18], 1],
])('names that are missing together: %s', (_, others, earlier, expected) => {
  expect(vanished(run(0, others), suitesOf(earlier))).toHaveLength(expected)
})

test.each<[string, number, number[], string[]]>([
  ['one new name beside 21', 1, [50], ['A']],
  ['two, which are more than one in twenty', 1, [50, 50], []],
  ['beside two earlier runs', 2, [50, 50], []],
  ['three would have shown it', 3, [50, 50], ['A']],
  ['one of them may have been missing by chance', 1, [50, 10], ['A']],
  ['none may', 1, [11, 11], []],
])('a missing name means nothing where names come and go: %s', (_, earlier, counts, expected) => {
  const fresh = counts.map((count, at) => timer(`New ${at}`, { count }))
  const now = { ...requestReport([...run(0).timers.requests.timers, ...fresh]) }
  const before = Array.from({ length: earlier }, (_, at) => ({
    ...run(50),
    general: { duration: 600, startTime: 1e6 - at },
  }))
  const baseline = buildBaseline(before)
  const figures = new ReportFigures({ ...now, general: { duration: 600 } })
  expect(baseline && presenceOf('requests', figures, baseline)).toEqual({
    vanished: expected,
    added: fresh.map(({ name }) => name),
    absent: expected.length > 0 ? [] : ['A'],
  })
})

test('rows of web vitals are as rare as their samples', () => {
  const vitals = (...counts: (number | undefined)[]) =>
    report({
      webVitals: counts.map((goodCount, at) => ({
        name: `Page ${at}`,
        vitals: { lcp: { score: 900, ...(goodCount !== undefined && { goodCount, improveCount: 1 }) } },
      })),
    })
  const baseline = buildBaseline([vitals(2, 100, undefined)])
  if (!baseline) throw new Error('no baseline')
  expect(presenceOf('web-vitals', new ReportFigures(vitals()), baseline).vanished).toEqual([
    'Page 1',
    'Page 2',
  ])
})
