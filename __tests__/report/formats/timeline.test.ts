import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readReport, reportFiles } from '../../../src/report/reading/report-reader.js'
import { TimelineSteps } from '../../../src/report/timeline-steps.js'

const start = 1_795_582_510_000

/** Requests one after the other, the times in milliseconds. */
function stepsOf(
  times: readonly number[],
  apart: number,
  order = (all: readonly number[]) => all,
): TimelineSteps {
  const steps = new TimelineSteps()
  for (const at of order(times.map((_, index) => index)))
    steps.sample(start + at * apart + (times[at] ?? 0), times[at], at % 10 === 0)
  return steps
}

const ends = (values: readonly (number | null)[] | undefined) => [values?.[1], values?.at(-2), values?.length]

test.each<[string, (all: readonly number[]) => readonly number[]]>([
  ['in their order', (all) => all],
  ['backwards', (all) => all.toReversed()],
  ['one file after another', (all) => [1, 0].flatMap((odd) => all.filter((at) => at % 2 === odd))],
])('an hour of samples, %s, is at most 120 steps with what was measured in each', (_, order) => {
  const times = Array.from(
    { length: 36_000 },
    (_, at) => (at < 18_000 ? 100 : 200) + (at % 20 === 0 ? 400 : 0),
  )
  const { step, figures } = stepsOf(times, 100, order).timeline() ?? {}
  expect(step).toBe(32)
  const [first, last, length = 0] = ends(figures?.p50)
  expect(length).toBeLessThanOrEqual(120)
  expect(first).toBeCloseTo(100, -0.5)
  expect(last).toBeCloseTo(200, -0.7)
  expect(figures?.throughput?.[50]).toBe(10)
  expect(figures?.['error-rate']?.slice(1, 4)).toEqual([10, 10, 10])
})

test.each([0.05, 0.4, 1, 7, 99, 1234, 60_000])('a time of %d ms is known to 2%', (time) => {
  const { figures } = stepsOf([time, time, time, time], 1500).timeline() ?? {}
  for (const value of figures?.p95 ?? []) {
    if (value !== null) expect(Math.abs(value / time - 1)).toBeLessThan(0.02)
  }
  expect(figures?.p95?.some((value) => value !== null)).toBe(true)
})

test('a step without a sample has a rate of 0 and no time, and one that the run left early has nothing', () => {
  const steps = stepsOf([10, 10, 10, 10], 1000)
  steps.sample(start + 6300, 10, undefined)
  steps.other(start + 2000, 'users', 3)
  steps.other(start + 2500, 'users', 5)
  const ten: unknown = expect.closeTo(10, 0)
  const times = [ten, ten, ten, ten, null, null, null]
  expect(steps.timeline()).toEqual({
    step: 1,
    figures: {
      throughput: [1, 1, 1, 1, 0, 0, null],
      p50: times,
      p95: times,
      'error-rate': [100, 0, 0, 0, null, null, null],
      users: [null, null, 4, null, null, null, null],
    },
  })
})

test.each<[string, (second: number) => number, number, number, boolean]>([
  ['some of 50 a second, for half a step', () => 50, 30, 400, false],
  ['three of 50 a second', () => 50, 3, 950, false],
  ['three of three a second', () => 3, 3, 950, true],
  ['a quarter of what others have', () => 12, 3, 950, true],
  ['less than a quarter', () => 13, 3, 950, false],
  ['20, however many others have', () => 1000, 20, 950, true],
  ['19', () => 1000, 19, 950, false],
  ['three, of three each other second', (second) => (second % 2) * 3, 3, 950, true],
])('slow errors in the last step, %s, are drawn if they are not few', (_, perSecond, count, end, isDrawn) => {
  const steps = new TimelineSteps()
  steps.sample(start, 0, false)
  for (let second = 0; second < 9; second++)
    for (let at = 0; at < perSecond(second); at++) steps.sample(start + second * 1000 + 500, 10, false)
  for (let at = 0; at < count; at++) steps.sample(start + 9000 + end, 5000, true)
  const { p50, p95, 'error-rate': errorRate } = steps.timeline()?.figures ?? {}
  const five: unknown = expect.closeTo(5000, -3)
  const drawn = isDrawn ? [five, five, 100] : [null, null, null]
  expect([p50, p95, errorRate].map((values) => values?.at(9))).toEqual(drawn)
})

/** Times with samples, in minutes: one each second. */
const minute = 60_000
const phases: [string, begins: number[], length: number, hours: number][] = [
  ['two runs, a day apart', [0, 1440], 5, 23.9],
  ['five runs in a day', [0, 240, 500, 900, 1200], 10, 19],
  ['two runs of ten samples', [0, 600], 1 / 6, 9.8],
  ['two runs of four samples', [0, 600], 1 / 15, 0],
  ['two runs, half an hour apart', [0, 32], 2, 0],
  ['a run that rests for a third of its time', [0, 200], 100, 0],
  ['a run of five hours', [0], 300, 0],
  ['bursts of ten minutes, an hour apart', [0, 60, 120, 180, 240], 10, 0],
  ['the same, 80 minutes apart', [0, 80, 160, 240, 320], 10, 4.6],
]
test.each(phases)('%s', (_, begins, length, hours) => {
  const steps = new TimelineSteps()
  for (const from of begins)
    for (let at = 0; at < length * minute; at += 1000)
      steps.sample(start + from * minute + at + 100, 100, false)
  const between = steps.between() / 60 / minute
  expect(between).toBeGreaterThan(hours * 0.95 - 1e-9)
  expect(between).toBeLessThan(hours * 1.05 + 1e-9)
})

test('a request each hour, and one that hangs for two hours, are of one run', () => {
  const hourly = stepsOf(
    Array.from({ length: 24 }, () => 100),
    60 * minute,
  )
  const hanging = stepsOf(
    Array.from({ length: 300 }, () => 100),
    1000,
  )
  hanging.sample(start + 125 * minute, 120 * minute, true)
  expect([hourly.between(), hanging.between()]).toEqual([0, 0])
})

test('times that are none, or far apart, only make steps longer; two seconds have nothing to show', () => {
  const steps = stepsOf([10, 10], 1000)
  steps.sample(Number.NaN, 10, true)
  steps.sample(Infinity, 10, true)
  expect(steps.timeline()).toBeUndefined()
  steps.sample(0, 10, true)
  steps.sample(8.64e15, 1e300, true)
  expect(steps.timeline()?.figures.p50?.length).toBeLessThanOrEqual(120)
})

describe('a report has the timeline of its requests', () => {
  let folder: string
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'timeline-'))))
  afterEach(() => rm(folder, { recursive: true }))

  async function read(content: Record<string, string>) {
    for (const [name, text] of Object.entries(content)) await writeFile(join(folder, name), text)
    return (await readReport(await reportFiles([folder], join(folder, 'scratch')))).report
  }

  // The ninth ends where the run does, in a step that it does not fill.
  const seconds = Array.from({ length: 9 }, (_, at) => at)
  const of = <T>(row: (at: number) => T) => seconds.map(row)
  const jtl = [
    'timeStamp,elapsed,label,responseCode,responseMessage,success,allThreads',
    ...of((at) => `${start + at * 1000},${120 * (at + 1)},Home,200,OK,${at !== 5},${at + 1}`),
  ]
  const k6 = [
    'metric_name,timestamp,metric_value,expected_response,name',
    ...of((at) => `http_req_duration,${start / 1000 + at},${120 * (at + 1)},${at !== 5},Home`),
    ...of((at) => `vus,${start / 1000 + at},${at + 1},,`),
  ]
  const point = (metric: string, at: number, value: number, tags: object) =>
    JSON.stringify({
      ...{ type: 'Point', metric },
      data: { time: new Date(start + at * 1000).toISOString(), value, tags },
    })
  const json = of((at) => [
    point('http_req_duration', at, 120 * (at + 1), { name: 'Home', expected_response: String(at !== 5) }),
    point('vus', at, at + 1, {}),
  ]).flat()
  const stats =
    'Type,Name,Request Count,Failure Count,Average Response Time\nGET,Home,8,1,450\n,Aggregated,8,1,450'
  const history = [
    'Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,95%',
    ...of(
      (at) =>
        `${start / 1000 + at},${at + 1},,Aggregated,1,${at === 5 ? 1 : 0},${120 * (at + 1)},${120 * (at + 1)}`,
    ),
    ...of((at) => `${start / 1000 + at},${at + 1},GET,Home,9,9,9,9`),
  ]

  test.each<[string, Record<string, string>]>([
    ['JMeter', { 'a.jtl': jtl.join('\n') }],
    ['k6 as CSV', { 'a.csv': k6.join('\n') }],
    ['k6 as JSON', { 'a.json': json.join('\n') }],
    ['Locust', { 'a_stats.csv': stats, 'a_stats_history.csv': history.join('\n') }],
  ])('%s', async (_, content) => {
    const { step, figures } = (await read(content)).timeline ?? {}
    expect(step).toBe(1)
    const known = (values: readonly (number | null)[] = []) =>
      values.filter((value) => value !== null).slice(0, 8)
    for (const times of [known(figures?.p50), known(figures?.p95)]) {
      expect(times.map((time) => Math.round(time / 120))).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    }
    expect(known(figures?.['error-rate'])).toEqual([0, 0, 0, 0, 0, 100, 0, 0])
    expect(known(figures?.users)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(figures?.throughput?.slice(1, 6)).toEqual([1, 1, 1, 1, 1])
  })

  test('a history of Locust without failures has no error rate', async () => {
    const without = history.join('\n').replace('Failures/s', 'Other')
    const report = await read({ 'a_stats.csv': stats, 'a_stats_history.csv': without })
    const { throughput, 'error-rate': errorRate } = report.timeline?.figures ?? {}
    expect([throughput?.[1], errorRate?.[1]]).toEqual([1, undefined])
  })

  test("Locust's row of all is not that of all requests where it counts other events", async () => {
    const others = stats.replace('\n,', '\ncustom,Job,3,0,9\n,')
    const report = await read({ 'a_stats.csv': others, 'a_stats_history.csv': history.join('\n') })
    expect([report.timers.requests.timers.length, report.timeline]).toEqual([1, undefined])
  })
})
