import { type ParsedOutcome, earlierRun, parseOutcome } from '../../src/outcome/outcome-file.js'
import { seriesOf } from '../../src/actions/history/history.js'
import type { Report, Timer } from '../../src/report/report.js'
import { report as reportOf, timer, unused } from '../gates/example-report.js'
import { accepted, gate } from '../publish/outcomes.js'

const read = (
  report: Report,
  limits: ParsedOutcome['limits'] = [],
): Pick<ParsedOutcome, 'report' | 'verdict' | 'limits'> => ({
  report,
  verdict: 'passed',
  limits,
})
/** A report without their summary. */
const requests = (timers: Timer[]) => reportOf({}, { requests: { timers } })
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

test('an outcome file says who accepted, and only gates with fixed limits show a limit', () => {
  const gates = [
    gate(1, 'requests p95 <= 800 ms', {
      subject: 'requests',
      metric: 'p95',
      unit: 'ms',
      limit: 800,
      baseline: 300,
    }),
    gate(2, 'requests p95 <= baseline + 10 %', {
      subject: 'requests',
      metric: 'p95',
      unit: 'ms',
      limit: 330,
      baseline: 300,
    }),
    gate(3, 'request "baseline" p95 <= 1 s', {
      subject: 'request "baseline"',
      metric: 'p95',
      unit: 'ms',
      limit: 1000,
    }),
    gate(4, 'requests throughput >= 60 /min', {
      subject: 'requests',
      metric: 'throughput',
      unit: '/min',
      limit: 60,
    }),
  ]
  expect(earlierRun(parseOutcome(JSON.stringify({ ...accepted(), gates })))).toMatchObject({
    verdict: 'accepted',
    acceptedBy: 'octocat',
    limits: [
      { place: { kind: 'requests' }, metric: 'p95', limit: 800 },
      { place: { kind: 'requests', name: 'baseline' }, metric: 'p95', limit: 1000 },
    ],
  })
})
