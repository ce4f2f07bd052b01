import { pastReports, type Past } from '../../bench/corpora/past.js'
import type { ParsedOutcome } from '../../src/outcome/outcome-file.js'
import { type ChangePoint, changePointsIn } from '../../src/comparison/change-points.js'
import { seriesOf } from '../../src/actions/history/history.js'
import type { Report } from '../../src/report/report.js'

const timers = { requests: 12, actions: 4, transactions: 4 }

function changesOf(reports: readonly Report[]): ChangePoint[] {
  const runs = reports.map((report): Pick<ParsedOutcome, 'report' | 'verdict' | 'limits'> => ({
    report,
    verdict: 'passed',
    limits: [],
  }))
  return changePointsIn(reports, seriesOf(runs))
}

const past = (runs: number, slower?: Past['slower']) =>
  pastReports({ runs, timers, seed: 7, ...(slower ? { slower } : {}) })

/** `request p95 12` for each, with the run from which on it differs. */
const shown = (changes: readonly ChangePoint[]) =>
  changes.map(({ name = 'all', kind, metric, run }) => `${name} ${kind} ${metric} ${run}`)

test('runs of the same code have no change', () => {
  expect(shown(changesOf(past(60)))).toEqual([])
})

test('a timer that becomes slower for good has one change, at that run and by that much', () => {
  const changes = changesOf(past(24, (run, timer) => (run >= 12 && timer === 11 ? 1.6 : 1)))
  expect(shown(changes)).toEqual(['Category.12 requests p95 12'])
  const [change] = changes
  expect((change?.after ?? 0) / (change?.before ?? 1)).toBeCloseTo(1.6, 0)
})

test.each([2, 3, 4, 5, 6])(
  'of the latest %d runs, slower than those before, the first is the guilty one',
  (latest) => {
    const changes = changesOf(past(30, (run, timer) => (run >= 30 - latest && timer === 11 ? 1.6 : 1)))
    expect(shown(changes)).toEqual([`Category.12 requests p95 ${30 - latest}`])
  },
)

test('if all timers become slower, and then faster again, each summary has exactly two changes', () => {
  const changes = changesOf(past(30, (run) => (run >= 10 && run < 20 ? 1.5 : 1)))
  const all = changes.filter(
    ({ name, kind, metric }) => name === undefined && kind === 'requests' && metric === 'p95',
  )
  expect(all.map(({ run, before, after }) => [run, after > before])).toEqual([
    [10, true],
    [20, false],
  ])
  expect(new Set(changes.map(({ run }) => run))).toEqual(new Set([10, 20]))
})

test.each<[string, Report[]]>([
  ['a single odd run', past(20, (run) => (run === 12 ? 1.8 : 1))],
  ['the latest run, which no other confirms yet', past(13, (run) => (run === 12 ? 1.8 : 1))],
  ['two runs before it', past(4, (run) => (run >= 2 ? 1.8 : 1))],
  [
    'another load from there on',
    past(20, (run) => (run >= 12 ? 1.8 : 1)).map((report, run) => ({
      ...report,
      loadProfile: [{ name: 'TSearch', settings: { users: run >= 12 ? '50' : '5' } }],
    })),
  ],
])('no change: %s', (_, reports) => {
  expect(shown(changesOf(reports))).toEqual([])
})

test('odd and partial runs are left out, and the change is found all the same', () => {
  const reports = past(20, (run) => (run >= 12 ? 1.5 : run === 9 ? 2 : 1)).map((report, run) =>
    run === 13 ? { ...report, partial: 'one of two' } : report,
  )
  const runs = new Set(changesOf(reports).map(({ run }) => run))
  expect(runs).toEqual(new Set([12]))
})

test.each<[string, Partial<Report>]>([
  ['broke off', { loadProfile: [{ name: 'TSearch', settings: { measurementPeriod: '36000' } }] }],
  ['was overloaded', { agents: [{ name: 'Agent-1', totalMean: 99 }] }],
])('a run that %s does not part those before it from those after it', (_, odd) => {
  const slower = past(24, (run) => (run >= 12 ? 1.5 : 1))
  const found = changesOf(slower.map((report, run) => (run === 12 ? { ...report, ...odd } : report)))
  expect([...new Set(found.map(({ run }) => run))]).toEqual([13])
})

test('two slow days at the end are no change where there were such days before, but not among the latest five', () => {
  const slow = (days: readonly number[]) => past(30, (run) => (days.includes(run) ? 1.3 : 1))
  expect(shown(changesOf(slow([26, 27])))).not.toEqual([])
  expect(shown(changesOf(slow([7, 9, 12, 15, 18, 26, 27])))).toEqual([])
})

test('of the row of all, too, what all timers have in common in a run is taken away', () => {
  // Days that differ by more than what changed.
  const day = (run: number) => 1 + 0.02 * (((run * 7) % 11) - 5)
  const reports = past(30, day).map((report, run): Report => {
    const { summary, timers: all } = report.timers.requests
    const p95 = (summary?.percentiles['p95'] ?? 0) * (run < 15 ? 1 : 1.1)
    const changed = summary && { summary: { ...summary, percentiles: { ...summary.percentiles, p95 } } }
    return { ...report, timers: { ...report.timers, requests: { timers: all, ...changed } } }
  })
  expect(shown(changesOf(reports))).toEqual(['all requests p95 15'])
})
