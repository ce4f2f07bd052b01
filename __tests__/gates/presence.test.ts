import { buildBaseline } from '../../src/gates/noise/baseline.js'
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
  const suites = [20, 18, 20, 18].map((others, at) => ({
    ...run(50, others),
    general: { duration: 600, startTime: 1e6 - at },
  }))
  expect(vanished(run(0), suites)).toEqual([])
  const fewer = suites.map((suite, at) => (at % 2 === 0 ? suite : { ...run(50, 19), general: suite.general }))
  expect(vanished(run(0), fewer)).toEqual(['A'])
})

test.each([
  ['a name that is new beside it', 1, 50, []],
  ['beside two earlier runs', 2, 50, []],
  ['three would have shown it', 3, 50, ['A']],
  ['a new name that may have been missing by chance', 1, 10, ['A']],
  ['one that cannot', 1, 11, []],
])('a missing name means nothing where names come and go: %s', (_, earlier, count, expected) => {
  const now = { ...requestReport([...run(0).timers.requests.timers, timer('New', { count })]) }
  const before = Array.from({ length: earlier }, (_, at) => ({
    ...run(50),
    general: { duration: 600, startTime: 1e6 - at },
  }))
  const baseline = buildBaseline(before)
  const figures = new ReportFigures({ ...now, general: { duration: 600 } })
  expect(baseline && presenceOf('requests', figures, baseline)).toEqual({
    vanished: expected,
    added: ['New'],
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
