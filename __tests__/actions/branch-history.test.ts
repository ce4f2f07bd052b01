import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { EarlierOutcome } from '../../src/baseline/baseline.js'
import { historyOfBranch, seriesOf } from '../../src/actions/history/history.js'
import type { HistoryOutcome, Part } from '../../src/outcome/outcome.js'
import type { Timer, Report } from '../../src/report/report.js'
import { report, timer, unused } from '../gates/example-report.js'
import { regression } from '../publish/outcomes.js'
import { daily, thorough } from '../daily.js'
import { keptLog } from '../kept-log.js'
import { ownFolder } from '../own-folder.js'
import type { ParsedOutcome } from '../../src/outcome/outcome-file.js'
import { pastReports, type Past } from '../../bench/corpora/past.js'
import { changePointsIn, type ChangePoint } from '../../src/comparison/change-points.js'

const folder = ownFolder()

/** A fetched outcome file on disk. */
function fetched(name: string, text: string): EarlierOutcome {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  const url = `https://github.com/o/r/actions/runs/${name}`
  return { path: file, url, branch: 'main', commit }
}

const empty = report()
const commit = 'c'.repeat(40)
const onMain = { event: 'push', ref: 'refs/heads/main', sha: commit, head: commit }
const outcome = { ...regression(), step: { ...regression().step, ...onMain } }

function withTimers(timers: Pick<Timer, 'name' | 'percentiles'>[]): string {
  return JSON.stringify({
    ...outcome,
    figures: { ...empty, timers: { ...empty.timers, requests: { timers } } },
  })
}

/** One name and one figure for all of them: only their number matters. */
const small = { name: 'Login', percentiles: { p95: 400 } }

/** @param outcomes the latest first */
async function history(outcomes: EarlierOutcome[], unread: string[] = []): Promise<Part<HistoryOutcome>> {
  const world = {
    branchOutcomes: async (_: number, read: (outcome: EarlierOutcome) => string | undefined) => {
      outcomes.forEach(read)
      return { branch: 'main', unread }
    },
    ...keptLog(),
    signal: new AbortController().signal,
  }
  return historyOfBranch({ runs: 100, gates: [], name: 'load-test' }, world)
}

thorough('up to 200,000 timers are shown; older runs are left out and counted', async () => {
  const half = withTimers(Array<typeof small>(100_000).fill(small))
  const one = withTimers([timer('Login')])
  const [latest, second, third, oldest] = [half, half, one, one].map((text, at) => fetched(`${at}`, text))
  if (!latest || !second || !third || !oldest) throw new Error('Four outcomes were written.')
  const fit = await history([latest, second])
  expect([fit.history?.runs.length, fit.notes]).toEqual([2, []])
  const cut = await history([latest, second, third, oldest])
  expect(cut.history?.runs.map(({ url }) => url)).toEqual([second.url, latest.url])
  expect(cut.notes).toEqual([
    'The oldest runs are left out, since all runs together have more than 200,000 timers: 2.',
  ])
})

thorough('an outcome with more timers than half of all leaves the place to the others', async () => {
  const huge = fetched('huge', withTimers(Array<typeof small>(100_001).fill(small)))
  const one = fetched('one', withTimers([timer('Login')]))
  const { history: found, notes } = await history([huge, one])
  expect(found?.runs.map(({ url }) => url)).toEqual([one.url])
  expect(notes).toEqual([`The outcome of ${huge.url} has more than 100,000 timers and is left out.`])
})

test('a run leads to its own digest, and nowhere else', async () => {
  const of = (url: string) => JSON.stringify({ ...outcome, digest: { url, name: 'digest.html', id: 7 } })
  const own = 'https://github.com/o/r/actions/runs/own/artifacts/7'
  const { history: found } = await history([
    fetched('own', of(own)),
    fetched('other', of(own)),
    fetched('none', of('javascript:x')),
  ])
  expect(found?.runs.map(({ digest }) => digest)).toEqual([undefined, undefined, own])
})

daily('ten outcomes that cannot be read are named, the rest are counted', async () => {
  const unread = Array.from({ length: 7 }, (_, at) => `The outcome of run ${at} could not be fetched.`)
  const broken = Array.from({ length: 5 }, (_, at) => fetched(`broken-${at}`, '{'))
  const { notes, history: found } = await history(
    [...broken, fetched('good', withTimers([timer('A')]))],
    unread,
  )
  expect(found?.runs).toHaveLength(1)
  expect(notes?.slice(0, 7)).toEqual(unread)
  expect(notes?.slice(7)).toEqual([
    ...broken.slice(0, 3).map(({ url }) => `The outcome of ${url} is not JSON and is left out.`),
    '2 more outcomes could not be read and are left out.',
  ])
})

daily('exactly ten are all named', async () => {
  const broken = Array.from({ length: 10 }, (_, at) => fetched(`ten-${at}`, '{'))
  const { notes } = await history(broken)
  expect(notes).toHaveLength(10)
  expect(notes?.at(-1)).toContain('actions/runs/ten-9 is not JSON')
})

const read = (report: Report, limits: ParsedOutcome['limits'] = []) =>
  ({ report, verdict: 'passed', limits }) satisfies Partial<ParsedOutcome>
/** A report without their summary. */
const requests = (timers: Timer[]) => report({}, { requests: { timers } })
const p95 = (name: string, value: number) => timer(name, { percentiles: { p95: value } })

test('a value for each run; what was not measured is a gap, but a zero is not', () => {
  const runs = [
    read(requests([p95('Login', 400), p95('Search', 0)])),
    read(requests([unused('Login')])),
    read(requests([p95('Login', 420), p95('New', 100)])),
  ]
  expect(seriesOf(runs)).toEqual([
    { kind: 'requests', name: 'Login', metric: 'p95', values: [400, null, 420] },
    { kind: 'requests', name: 'Search', metric: 'p95', values: [0, null, null] },
    { kind: 'requests', name: 'New', metric: 'p95', values: [null, null, 100] },
  ])
})

test('the key figures come first, and each limit is shown with its figure and its run', () => {
  const report = requests([p95('Login', 400)])
  report.timers.requests.summary = p95('All', 500)
  const limits = [
    { place: { kind: 'requests' as const }, metric: 'p95', limit: 800 },
    { place: { kind: 'requests' as const, name: 'Login' }, metric: 'p95', limit: 450 },
    { place: { kind: 'requests' as const }, metric: 'p99', limit: 2000 },
  ]
  expect(seriesOf([read(report), read(report, limits)])).toEqual([
    { kind: 'requests', metric: 'p95', values: [500, 500], limits: [null, 800] },
    { kind: 'requests', metric: 'error-rate', values: [0.5, 0.5] },
    { kind: 'requests', metric: 'throughput', values: [10, 10] },
    { kind: 'requests', name: 'Login', metric: 'p95', values: [400, 400], limits: [null, 450] },
  ])
})

test('reports without p95 are shown by another percentile, or else by the mean', () => {
  const metrics = (...timers: Timer[]) => seriesOf([read(requests(timers))]).map(({ metric }) => metric)
  expect(metrics(timer('A', { percentiles: { p90: 1, p99: 2 } }))).toEqual(['p90'])
  expect(metrics(timer('A', { percentiles: {} }))).toEqual(['mean'])
})

const timers = { requests: 12, actions: 4, transactions: 4 }

const changesOf = (reports: readonly Report[]) =>
  changePointsIn(reports, seriesOf(reports.map((one) => read(one))))

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

test('where half of the later runs have no errors, no change is from 0 to 0', () => {
  const rates = Array.from('0000000000000000000020012200122020000100', Number)
  const reports = rates.map((rate, run) => {
    const some = timer('Login', { count: 10_000, errors: rate * 100, percentiles: { p95: 200 } })
    const general = { startTime: Date.UTC(2026, 0, 1 + run), duration: 600 }
    return report({ general }, { requests: { summary: some, timers: [some] } })
  })
  const found = changePointsIn(reports, [{ kind: 'requests', metric: 'error-rate', values: rates }])
  expect(found).toEqual([{ kind: 'requests', metric: 'error-rate', run: 23, before: 0, after: 1 }])
})
