import { pastReports, type Past } from '../../bench/corpora/past.js'
import type { EarlierFigures } from '../../src/outcome/outcome-file.js'
import type { HistoryStep } from '../../src/outcome/history.js'
import { seriesOf } from '../../src/actions/history/series.js'
import { stepsIn } from '../../src/actions/history/steps.js'
import type { Report } from '../../src/report/report.js'

const timers = { requests: 12, actions: 4, transactions: 4 }

function stepsOf(reports: readonly Report[]): HistoryStep[] {
  const runs = reports.map((report): EarlierFigures => ({ report, verdict: 'passed', limits: [] }))
  return stepsIn(reports, seriesOf(runs))
}

const past = (runs: number, slower?: Past['slower']) =>
  pastReports({ runs, timers, seed: 7, ...(slower ? { slower } : {}) })

/** `request p95 12` for each, with the run from which on it differs. */
const shown = (steps: readonly HistoryStep[]) =>
  steps.map(({ name = 'all', kind, metric, run }) => `${name} ${kind} ${metric} ${run}`)

test('runs of the same code have no step', () => {
  expect(shown(stepsOf(past(60)))).toEqual([])
})

test('a timer that becomes slower for good has one step, at that run and by that much', () => {
  const steps = stepsOf(past(24, (run, timer) => (run >= 12 && timer === 11 ? 1.6 : 1)))
  expect(shown(steps)).toEqual(['Category.12 requests p95 12'])
  const [step] = steps
  expect((step?.after ?? 0) / (step?.before ?? 1)).toBeCloseTo(1.6, 0)
})

test('if all timers become slower, and then faster again, each summary has exactly two steps', () => {
  const steps = stepsOf(past(30, (run) => (run >= 10 && run < 20 ? 1.5 : 1)))
  const all = steps.filter(
    ({ name, kind, metric }) => name === undefined && kind === 'requests' && metric === 'p95',
  )
  expect(all.map(({ run, before, after }) => [run, after > before])).toEqual([
    [10, true],
    [20, false],
  ])
  expect(new Set(steps.map(({ run }) => run))).toEqual(new Set([10, 20]))
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
])('no step: %s', (_, reports) => {
  expect(shown(stepsOf(reports))).toEqual([])
})

test('odd and partial runs are left out, and the step is found all the same', () => {
  const reports = past(20, (run) => (run >= 12 ? 1.5 : run === 9 ? 2 : 1)).map((report, run) =>
    run === 13 ? { ...report, partial: 'one of two' } : report,
  )
  const runs = new Set(stepsOf(reports).map(({ run }) => run))
  expect(runs).toEqual(new Set([12]))
})
