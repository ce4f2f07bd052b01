import type { RunOrigin } from '../../src/noise/baseline.js'
import { comparableRuns } from '../../src/gates/comparable.js'
import { versionLine, whyOther } from '../../src/comparison/run-faults.js'
import type { LoadProfileEntry, Report } from '../../src/report/report.js'
import { requestReport, timer } from './example-report.js'
import { baselineOf, judgedBy } from './judged.js'

/* Which earlier runs a run is compared with. */

const scenario = (settings: Record<string, string>, name = 'TOrder'): LoadProfileEntry => ({ name, settings })
const times = (values: number[], parts: Partial<Report> = {}) =>
  requestReport(
    values.map((p95, at) => timer(`R${at}`, { percentiles: { p50: p95 / 2, p95 } })),
    parts,
  )
const at = (minute: number) => ({ general: { startTime: Date.UTC(2026, 0, 17, 8, minute), duration: 600 } })
const agents = (...transactions: number[]) => ({
  agents: transactions.map((made, index) => ({ name: `Agent-${index}`, transactions: made })),
})
const run = times([400, 500, 600])
const profile = (settings: Record<string, string>) => ({ loadProfile: [scenario(settings)] })
const overloaded = { agents: [{ name: 'Agent-1', totalMean: 95 }] }

test.each<[string, Partial<Report>, Partial<Report>, string | undefined]>([
  ['nothing is known', {}, {}, undefined],
  ['partial results', {}, { partial: 'Some are missing.' }, 'it has partial results only'],
  ['this run has them', { partial: 'Some are missing.' }, {}, undefined],
  ['a lost generator', {}, { agents: [...agents(500).agents, { name: 'b' }] }, 'it lost load generators'],
  ['a generator that made less than here', agents(500, 500), agents(100, 900), 'it lost load generators'],
  ['generators that made the same', agents(500, 500), agents(500, 500), undefined],
  [
    'an early end',
    {},
    { general: { duration: 14 }, ...profile({ measurementPeriod: '600' }) },
    'it measured 14 s of the planned 10 min',
  ],
  [
    'other engine',
    { engineVersion: 'XLT 9.2.1' },
    { engineVersion: 'XLT 9.1.0' },
    "its engine is XLT 9.1.0, the run's is XLT 9.2.1",
  ],
  ['another release of the line', { engineVersion: 'XLT 9.2.1' }, { engineVersion: 'XLT 9.2.7' }, undefined],
  ['other users', profile({ users: '5' }), profile({ users: '6' }), 'its load profile differs for "TOrder"'],
  [
    'another scenario',
    profile({ users: '5' }),
    { loadProfile: [scenario({ users: '5' }), scenario({}, 'TPay')] },
    'its load profile differs for "TPay"',
  ],
  ['settings in another order', profile({ a: '1', b: '2' }), profile({ b: '2', a: '1' }), undefined],
  [
    'another length',
    profile({ measurementPeriod: '600', shutdownPeriod: '9' }),
    profile({ measurementPeriod: '300', shutdownPeriod: '5' }),
    undefined,
  ],
  ['a profile that only one has', profile({ users: '5' }), {}, undefined],
  ['a profile that only the other has', {}, profile({ users: '5' }), undefined],
  ['an overloaded generator', {}, overloaded, 'its load generators were overloaded (CPU 95 %)'],
  ['overloaded as here', overloaded, overloaded, undefined],
])('an earlier run with %s', (_, now, before, why) => {
  const found = whyOther({ ...run, ...now }, { ...run, general: { duration: 600 }, ...before })
  expect(found?.replace(/\(.*\)/, '')).toBe(why?.replace(/\(.*\)/, ''))
})

test('a version that only one of two runs knows does not part them', () => {
  const { engineVersion: _, ...unknown } = run
  expect(whyOther(run, unknown)).toBeUndefined()
  expect(whyOther(unknown, run)).toBeUndefined()
})

test.each([
  ['XLT 9.2.1', 'XLT 9.2'],
  ['XLT 10.0.0-beta-1', 'XLT 10.0'],
  ['XLT 10.12.3', 'XLT 10.12'],
  ['XLT 11', 'XLT 11'],
  ['XLT 11-beta', 'XLT 11'],
  ['k6 2.0.1', 'k6 2.0'],
  ['k6 v1.0', 'k6 v1.0'],
  ['Gatling-3.10.5', 'Gatling-3.10'],
  ['nightly', 'nightly'],
  [undefined, undefined],
])('%s is of the line %s', (version, line) => {
  expect(versionLine(version)).toBe(line)
})

function compared(earlier: [Report, RunOrigin?][], now: Report = run) {
  const baseline = baselineOf(
    earlier.map(([one]) => one),
    earlier.map(([, origin]) => origin ?? {}),
  )
  const { baseline: kept, doubts } = comparableRuns(now, baseline)
  return { kept: kept?.origins.map(({ name }) => name) ?? [], doubts }
}
const left = (name: string, why: string) => `The baseline run ${name} was left out: ${why}.`

const partial = { partial: 'Some are missing.' }

describe('a run that failed its own gates', () => {
  const passed = times([400, 500, 600], at(1))
  const failed = { name: 'load test 2', verdict: 'failed' }
  const beside = (other: Report) =>
    compared([
      [other, { name: 'load test 1', verdict: 'passed' }],
      [times([1, 2, 3], at(2)), failed],
    ])

  test('is left out, if another passed', () => {
    expect(beside(passed)).toEqual({
      kept: ['load test 1'],
      doubts: [left('load test 2 of 2026-01-17 08:02 UTC', 'its verdict is failed')],
    })
  })

  test('is left out for whatever else is wrong with it', () => {
    expect(compared([[passed], [times([1, 2, 3], { ...at(2), ...partial }), failed]]).doubts).toEqual([
      left('load test 2 of 2026-01-17 08:02 UTC', 'it has partial results only'),
    ])
  })

  test('counts with a doubt, if it is the only one that can be compared', () => {
    expect(beside({ ...passed, ...partial })).toEqual({
      kept: ['load test 2'],
      doubts: [
        'The baseline run load test 2 of 2026-01-17 08:02 UTC failed its own gates; there is no other run to compare with.',
        left('load test 1 of 2026-01-17 08:01 UTC', 'it has partial results only'),
      ],
    })
  })
})

test('a run of which far more failed than usual is left out, even the only one', () => {
  expect(compared([[run, { name: 'one', tooManyErrors: true }]])).toEqual({
    kept: [],
    doubts: [left('one of 2026-01-17 00:00 UTC', 'far more of it failed than usual')],
  })
})

describe('a run that is given twice', () => {
  const one = times([400, 500, 600], at(1))
  const [here, there] = [{ page: 'a' }, { page: 'b' }]

  test.each<[string, [Report, RunOrigin?][], number]>([
    ['from one place', [here, here].map((origin) => [one, origin]), 1],
    ['without a place', [[one], [one]], 1],
    ['from two workflow runs, one of which collected it', [here, there].map((origin) => [one, origin]), 1],
    ['at two times', [[one], [times([400, 500, 600], at(2))]], 2],
    ['with other figures', [[one], [times([400, 500, 601], at(1))]], 2],
    ['with one request more', [[times([400, 500], at(1))], [one]], 2],
  ])('%s', (_, earlier, count) => {
    const { kept, doubts } = compared(earlier)
    expect(kept).toHaveLength(count)
    expect(doubts).toEqual(count === 2 ? [] : [left('of 2026-01-17 08:01 UTC', 'it was given twice')])
  })

  test('the run itself, as another workflow run has left it, also if other percentiles were asked for', () => {
    const itself = 'it is this run itself'
    const rows = one.timers.requests.timers.map((timer) => ({ ...timer, percentiles: { p85: 1 } }))
    const asked = { ...one, timers: { ...one.timers, requests: { ...one.timers.requests, timers: rows } } }
    expect(compared([[asked, { page: 'a' }]], one).doubts).toEqual([left('of 2026-01-17 08:01 UTC', itself)])
    expect(compared([[one, { page: 'a' }]], one).doubts).toEqual([left('of 2026-01-17 08:01 UTC', itself)])
    const other = times([400, 500, 600], at(2))
    expect(compared([[other, { page: 'a' }]], one).doubts).toEqual([])
    // Whoever names a file knows what is in it.
    expect(compared([[one]], one).doubts).toEqual([])
  })
})

describe('a run that is slower or faster as a whole', () => {
  test.each([
    [[1, 1, 1.19], undefined],
    [[1, 1, 1.5], '08:02 UTC was left out: all its timers together are 50% slower than in the other runs.'],
    [[0.5, 1, 1], '08:00 UTC was left out: all its timers together are 50% faster than in the other runs.'],
    // Of two, nobody knows which one is odd; nor of four, if two are.
    [[1, 2], undefined],
    [[1, 1, 2, 2], undefined],
    [[0.5, 1, 1, 2], undefined],
  ])('%j times as long: %s', (factors, doubt) => {
    const runs = factors.map((factor, minute): [Report] => {
      const slower = [400, 500, 600].map((value) => value * factor)
      return [times(slower, at(minute))]
    })
    expect(compared(runs).doubts).toEqual(doubt ? [`The baseline run of 2026-01-17 ${doubt}`] : [])
  })
})

test('a run that is left out does not make another one odd', () => {
  const slow = times([600, 750, 900], at(2))
  expect(compared([[run], [slow], [times([400, 500, 600], { ...at(1), ...partial })]]).kept).toHaveLength(2)
})

test.each([
  ['not used', { count: 0 }],
  ['of 0 ms', { percentiles: { p95: 0 } }],
])('requests that are %s say nothing about the whole run', (_, figures) => {
  const idle = Array.from({ length: 4 }, (__, index) => timer(`I${index}`, figures))
  const runs = [1, 1, 1.5].map((factor, minute): [Report] => {
    const { requests } = times([400, 500, 600].map((value) => value * factor)).timers
    return [requestReport([...requests.timers, ...idle], at(minute))]
  })
  expect(compared(runs).kept).toHaveLength(2)
})

test('an accepted change is the new level: runs before it are left out, whatever their verdict', () => {
  expect(
    compared([
      [times([480, 600, 720], at(3)), { name: 'three', verdict: 'passed' }],
      [times([480, 600, 720], at(2)), { name: 'two', verdict: 'accepted', isNewLevel: true }],
      [run, { name: 'one', verdict: 'passed', page: 'a' }],
    ]),
  ).toEqual({
    kept: ['three', 'two'],
    doubts: [left('one of 2026-01-17 00:00 UTC', 'a change of the level was accepted after it')],
  })
})

test('a load test or a file that is named stays beside an accepted change', () => {
  const accepted = { name: 'two', verdict: 'accepted', isNewLevel: true, page: 'a' } as const
  const runs: [Report, RunOrigin][] = [
    [times([480, 600, 720], at(2)), accepted],
    [run, { name: 'load test 17' }],
  ]
  expect(compared(runs).kept).toEqual(['two', 'load test 17'])
})

test.each([
  ['the same commit', 'three', ['three', 'three']],
  ['another', 'two', ['three']],
])('a level that was accepted twice, for %s', (_, name, kept) => {
  const origin = { verdict: 'accepted', isNewLevel: true, page: 'a' } as const
  const runs: [Report, RunOrigin][] = [
    [times([480, 600, 720], at(3)), { ...origin, name: 'three' }],
    [times([480, 600, 720], at(2)), { ...origin, name }],
  ]
  expect(compared(runs).kept).toEqual(kept)
})

describe('lengths', () => {
  const long = (seconds: number) => times([400, 500, 600], { general: { duration: seconds } })

  test.each([
    [600, 1199, undefined],
    [600, 1200, 'it measured 20 min'],
    [600, 301, undefined],
    [600, 300, 'it measured 5 min'],
  ])('of %d s and %d s are those of one load test, or not: %s', (now, before, why) => {
    const { kept, doubts } = compared(
      [
        [long(now), { name: 'same' }],
        [long(before), { name: 'other' }],
      ],
      long(now),
    )
    expect(kept).toEqual(why ? ['same'] : ['same', 'other'])
    expect(doubts).toEqual(why ? [left('other', why)] : [])
  })

  test('that are not known do not part runs', () => {
    const unknown = times([400, 500, 600], { general: {} })
    expect(compared([[long(600)], [unknown]], long(600)).kept).toHaveLength(2)
  })

  test('of another load test count where no other run is left', () => {
    expect(compared([[long(600), { name: 'other' }]], long(60))).toEqual({ kept: ['other'], doubts: [] })
  })
})

describe('red runs that a green one followed', () => {
  const red = (parts: Partial<Report> = {}) => times([480, 600, 720], { ...at(5), ...parts })
  const counted = (reds: readonly Report[], origin: RunOrigin = {}, now = run) => {
    const baseline = baselineOf([times([400, 500, 600], at(4)), run], [origin], reds)
    return comparableRuns(now, baseline).baseline?.reds.map(({ report: one }) => reds.indexOf(one))
  }

  test.each<[string, Report[], number[]]>([
    ['of another load', [red({ partial: 'Some are missing.' }), red()], [1]],
    ['of another length', [red({ general: { duration: 60 } }), red()], [1]],
  ])('%s', (_, reds, kept) => {
    expect(counted(reds)).toEqual(kept)
    expect(counted(reds, {}, { ...run, general: {} })).toContain(1)
  })

  test('do not count from before a level that was accepted', () => {
    expect(counted([red(at(3)), red(at(4))], { isNewLevel: true })).toEqual([1])
  })
})

/* Gates that compare in a run that has nothing to compare with, on the branch that later runs are compared with. */

const first = {
  unfit: 'first-run',
  reason: 'First run: if it is green, it is the baseline of later runs.',
} as const
const none = 'There is no baseline to compare with.'
const of = requestReport([timer('Order'), timer('Pay'), timer('Old', { percentiles: {} })])

const judged = (text: string, { baseline, ...more }: { first?: typeof first; baseline?: Report } = {}) =>
  judgedBy(text, of, baseline && [baseline], more)

const rows: [gate: string, verdict: string, result: string, elsewhere: string][] = [
  ['request "Order" p95 <= baseline + 10 %', 'passed', 'not-compared', 'not-measured'],
  ['request "Order" p95 <= baseline + 10 % strict', 'passed', 'not-compared', 'not-measured'],
  ['request "Order" p95 <= baseline - 10 %', 'passed', 'not-compared', 'not-measured'],
  ['warn: request "Order" p95 <= baseline + 10 %', 'passed', 'not-compared', 'warned'],
  ['request "Order" errors <= baseline', 'passed', 'not-compared', 'not-measured'],
  // What the run itself does not have is missing in any case.
  ['request "Nowhere" p95 <= baseline + 10 %', 'invalid', 'not-measured', 'not-measured'],
  ['request "Old" p95 <= baseline + 10 %', 'invalid', 'not-measured', 'not-measured'],
  ['agents cpu <= baseline + 10 %', 'invalid', 'not-measured', 'not-measured'],
  // Fixed limits decide as ever.
  ['request "Order" p95 <= 1 s', 'passed', 'passed', 'passed'],
  ['request "Order" p95 <= 1 ms', 'failed', 'failed', 'failed'],
  ['warn: request "Order" p95 <= 1 ms', 'passed', 'warned', 'warned'],
]

test.each(rows)('%s: %s, %s, elsewhere %s', async (gate, verdict, result, elsewhere) => {
  const judgement = await judged(gate, { first })
  expect([judgement.verdict, judgement.results.map((one) => one.result)]).toEqual([verdict, [result]])
  if (result === 'not-compared') {
    expect(judgement.results[0]).toMatchObject({ gate, line: 1, subject: 'request "Order"', ...first })
    expect(judgement.results[0]?.value).toBeGreaterThan(0)
    expect(judgement.reasons).toEqual([])
  }
  expect((await judged(gate)).results[0]?.result).toBe(elsewhere)
})

test('a gate with a wildcard has one result, and one for each name that lacks the figure', async () => {
  const { results, verdict } = await judged('request "*" p95 <= baseline + 10 %', { first })
  expect(results.map(({ subject, result, value }) => [subject, result, value])).toEqual([
    ['request "*"', 'not-compared', undefined],
    ['request "Old"', 'not-measured', undefined],
  ])
  expect(results[0]).toMatchObject({ metric: 'p95', unit: 'ms', operator: '<=', ...first })
  expect(verdict).toBe('invalid')
  const mean = await judged('request "*" mean <= baseline + 10 %', { first })
  expect(mean.results).toHaveLength(1)
  expect(mean.verdict).toBe('passed')
})

test('the load generators have a result as well', async () => {
  const report = requestReport([], { agents: [{ name: 'a', totalMean: 40 }] })
  const { results } = await judgedBy('agents cpu <= baseline + 10 %', report, [], { first })
  expect(results).toMatchObject([{ subject: 'agents', result: 'not-compared', value: 40 }])
})

test('a failed gate stays failed, and one that is not measured invalid', async () => {
  const compares = 'request "Order" p95 <= baseline + 10 %'
  expect((await judged(`${compares}\nrequest "Pay" p95 <= 1 ms`, { first })).verdict).toBe('failed')
  expect((await judged(`${compares}\nrequest "Gone" p95 <= 1 s`, { first })).verdict).toBe('invalid')
})

test('nothing of that if there is a baseline, and all of it if none of its runs can be compared', async () => {
  const gate = 'request "Order" p95 <= baseline + 10 %'
  const compared = await judged(gate, { first, baseline: of })
  expect(compared.results[0]).toMatchObject({ result: 'passed', baseline: 400 })
  const baseline = { ...of, ...profile({ users: '5' }) }
  const now = { ...of, ...profile({ users: '6' }) }
  expect(await judgedBy(gate, now, [baseline], { first })).toMatchObject({
    verdict: 'passed',
    results: [{ result: 'not-compared', ...first }],
    doubts: [expect.stringContaining('its load profile differs')],
  })
  expect(await judgedBy(gate, now, [baseline])).toMatchObject({
    verdict: 'invalid',
    results: [{ result: 'not-measured', reason: expect.stringContaining('the notes say why') as string }],
  })
})

test.each(['', 'warn: '])(
  '%swhat the baseline has no figure of is left out, so that later runs have one',
  async (warn) => {
    const gate = `${warn}request "Pay" p95 <= baseline + 10 %`
    const baseline = requestReport([timer('Order'), timer('Old')])
    expect(await judged(gate, { first, baseline })).toMatchObject({
      verdict: 'passed',
      results: [{ result: 'left-out', unfit: 'new', reason: 'The baseline has no p95 of request "Pay".' }],
    })
    // Of a pull request nobody would compare it later.
    expect((await judged(gate, { baseline })).results[0]?.result).toBe(warn ? 'warned' : 'not-measured')
    // A name that the run itself does not have is misspelt.
    const misspelt = await judged('request "Pai" p95 <= baseline + 10 %', { first, baseline })
    expect(misspelt.results[0]?.result).toBe('not-measured')
  },
)

test('without a sentence, there is no baseline', async () => {
  expect((await judged('request "Order" p95 <= baseline + 10 %')).results[0]?.reason).toBe(none)
})
