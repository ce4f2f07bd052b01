import { validityNotes } from '../../src/gates/gates.js'
import { parseTestReport } from '../../src/report/formats/xlt-report.js'
import type { Report, Timer } from '../../src/report/report.js'
import { report, requestReport, timer, unused } from './example-report.js'
import { judgedBy } from './judged.js'
import { worded } from '../told.js'

// Verdicts that were wrongly green or red.

const judged = async (...given: Parameters<typeof judgedBy>) => worded(await judgedBy(...given))
const verdictOf = async (...given: Parameters<typeof judgedBy>) => (await judgedBy(...given)).verdict

const login = (figures: Partial<Timer> = {}, others: Timer[] = []): Report =>
  requestReport([timer('Login', figures), ...others])
const p95 = (value: number): Report => login({ percentiles: { p50: 200, p95: value } })

describe('noise never excuses a value if the limit is stricter than the baseline', () => {
  it.each([
    'requests p95 <= baseline - 50 %',
    'requests p95 <= baseline - 1 ms',
    'requests p95 < baseline',
    'requests p95 = baseline + 10 %',
    'requests throughput >= baseline + 20 %',
    'requests throughput > baseline',
  ])('%s, of what the baseline has', async (gate) => {
    expect(await verdictOf(gate, login(), [login()])).toBe('failed')
    expect(await verdictOf(gate, login(), [login(), login(), login()])).toBe('failed')
  })
})

describe('the steps of 10 ms apply to medians and percentiles', () => {
  it.each([
    ['mean', 11.21, 21.2],
    ['min', 1, 10],
  ])('%s from %d to %d ms', async (metric, before, now) => {
    const gate = `request "Login" ${metric} <= baseline + 10 %`
    expect(await verdictOf(gate, login({ [metric]: now }), [login({ [metric]: before })])).toBe('failed')
  })

  it('INP from 8 to 18 ms', async () => {
    const inp = (score: number) =>
      report({ webVitals: [{ name: 'Home', vitals: { inp: { score } } }] }, login().timers)
    expect(await verdictOf('web-vitals "Home" inp <= baseline + 10 %', inp(18), [inp(8)])).toBe('failed')
  })
})

describe('a wildcard covers the names of the baseline', () => {
  it.each([
    ['transaction', 'transactions'],
    ['action', 'actions'],
    ['request', 'requests'],
    ['page-load', 'pageLoads'],
    ['custom-timer', 'customTimers'],
  ])('%s: a timer that vanished is not measured', async (word, kind) => {
    const before = report({}, { [kind]: { timers: [timer('A'), timer('B')] } })
    const now = report({}, { [kind]: { timers: [timer('A')] } })
    const { verdict, results } = await judged(`${word} "*" p95 <= baseline + 10 %`, now, [before])
    expect(verdict).toBe('invalid')
    expect(results.map(({ subject, result }) => [subject, result])).toEqual([
      [`${word} "A"`, 'passed'],
      [`${word} "B"`, 'not-measured'],
    ])
  })

  it('web vitals, and two of three rows with a prefix', async () => {
    const rows = (...names: string[]) =>
      report({ webVitals: names.map((name) => ({ name, vitals: { lcp: { score: 900 } } })) }, login().timers)
    expect(await verdictOf('web-vitals "*" lcp <= baseline + 10 %', rows('A'), [rows('A', 'B')])).toBe(
      'invalid',
    )
    const orders = (...names: string[]) => requestReport(names.map((name) => timer(`PlaceOrder${name}`)))
    const gate = 'request "PlaceOrder*" p95 <= baseline + 10 %'
    expect(await verdictOf(gate, orders('.1'), [orders('.1', '.2', '.3')])).toBe('invalid')
  })

  it('a timer that is there, but was not used, has one result', async () => {
    const before = [login({}, [timer('B')])]
    const { results } = await judged('request "*" p95 <= baseline + 10 %', login({}, [unused('B')]), before)
    expect(results.map(({ subject, result }) => [subject, result])).toEqual([
      ['request "Login"', 'passed'],
      ['request "B"', 'not-measured'],
    ])
  })

  it('a name that few runs of the baseline have may be missing', async () => {
    const before = [login({}, [timer('Rare [503]')]), login(), login()]
    expect(await verdictOf('request "*" p95 <= baseline + 10 %', login(), before)).toBe('passed')
  })

  it('a new row is a note', async () => {
    const now = login({}, [timer('SelectCategory [503]')])
    const { verdict, results, baseline } = await judged('request "*" p95 <= baseline + 10 %', now, [login()])
    expect(verdict).toBe('passed')
    expect(results).toHaveLength(1)
    expect(validityNotes(now, baseline ? { baseline } : {})).toEqual([
      '1 request is new since the baseline: "SelectCategory [503]".',
    ])
  })
})

test.each([
  ['more requests', 114_000, '114%'],
  ['fewer', 80_000, undefined],
])('%s at once may explain why they are slower', async (_what, count, share) => {
  const loaded = (requests: number, p95: number): Report => {
    const summary = timer('All Requests', { count: requests, percentiles: { p50: 200, p95 } })
    return report({ general: { duration: 600 } }, { requests: { summary, timers: [] } })
  }
  const { verdict, results } = await judged('requests p95 <= baseline + 10 %', loaded(count, 800), [
    loaded(100_000, 400),
  ])
  expect(verdict).toBe('failed')
  expect(results[0]?.reason).toBe(
    share && `The load may explain it: the throughput of requests is ${share} of the baseline's.`,
  )
})

test('a gate for the load itself is compared, however much the load differs', async () => {
  const loaded = (count: number) =>
    report({ general: { duration: 600 } }, { requests: { summary: timer('All', { count }), timers: [] } })
  const gate = 'requests count <= baseline + 10 %'
  expect(await verdictOf(gate, loaded(50_000), [loaded(100_000)])).toBe('passed')
  expect(await verdictOf(gate, loaded(200_000), [loaded(100_000)])).toBe('failed')
})

describe('invalid figures', () => {
  const read = (row: string) =>
    parseTestReport(
      Buffer.from(`<testreport><summary><requests><name>All</name>${row}</requests></summary></testreport>`),
    )

  it.each([
    ['p95', '<count>9</count><percentiles><p95>-1</p95></percentiles>', 'The report has -1 for the p95'],
    ['errors', '<count>9</count><errors>-1</errors>', 'The report has -1 for the errors'],
    [
      'error-rate',
      '<count>9</count><errors>0</errors><errorPercentage>-1</errorPercentage>',
      '-1 for the error-rate',
    ],
    ['p95', '<percentiles><p95>0</p95></percentiles>', 'The report has a 0 and no count'],
    ['p95', '<count> </count><percentiles><p95>0</p95></percentiles>', 'The report has a 0 and no count'],
    ['mean', '<count>NaN</count><mean>0</mean>', 'The report has a 0 and no count'],
  ])('%s of %s', async (metric, row, reason) => {
    const limit = metric === 'errors' ? '9' : metric === 'error-rate' ? '9%' : '1 s'
    const { verdict, results } = await judged(`requests ${metric} <= ${limit}`, await read(row))
    expect(verdict).toBe('invalid')
    expect(results[0]?.reason).toContain(reason)
  })

  it('two rows of one page in the web vitals', async () => {
    const row = { name: 'Home', vitals: { lcp: { score: 900 } } }
    const twice = report({ webVitals: [row, row] })
    const { verdict, results } = await judged('web-vitals "Home" lcp <= 1 s', twice)
    expect(verdict).toBe('invalid')
    expect(results[0]?.reason).toBe('The report has two rows of web-vitals "Home".')
  })

  it('load generators without their CPU use', async () => {
    const { verdict, results } = await judged('agents cpu <= 80 %', report({ agents: [{ name: 'a' }] }))
    expect(verdict).toBe('invalid')
    expect(results[0]?.reason).toBe('The report has no CPU use of load generators.')
  })

  it.each<[string, Partial<Timer>, string]>([
    ['sound', { errors: 5 }, 'passed'],
    ['below zero', { errors: -5 }, 'invalid'],
    ['of a count below zero', { errors: 5, count: -50 }, 'invalid'],
  ])('errors of a request with several statuses, one of which is %s', async (_, figures, verdict) => {
    const pay = (more: Partial<Timer>) => requestReport([timer('Pay [200]'), timer('Pay [500]', more)])
    expect(await verdictOf('request "Pay" errors <= baseline + 10 %', pay(figures), [pay({})])).toBe(verdict)
  })

  it('4 errors of 1,000,000 are not 0%', async () => {
    const of = await read('<count>1000000</count><errors>4</errors><errorPercentage>0.000</errorPercentage>')
    expect(await verdictOf('requests error-rate = 0 %', of)).toBe('failed')
    expect(await verdictOf('requests error-rate <= 0.0004 %', of)).toBe('passed')
    const third = await read('<count>3</count><errors>1</errors>')
    expect(await verdictOf('requests error-rate <= 33.33333333333333333333 %', third)).toBe('failed')
    expect(await verdictOf('requests error-rate <= 33.33333333333333333334 %', third)).toBe('passed')
  })

  it('a report with the results of two of three load generators', async () => {
    const partial = { ...login(), partial: 'Download from 1 of 3 agent controllers failed.' }
    for (const gates of ['', 'requests p95 <= 1 s']) {
      const { verdict, reasons } = await judged(gates, partial)
      expect(verdict).toBe('invalid')
      expect(reasons).toEqual([
        'The run has partial results only: Download from 1 of 3 agent controllers failed.',
      ])
    }
    expect(await verdictOf('requests p95 <= 1 ms', partial)).toBe('failed')
  })
})

describe('counts and errors of runs of other lengths', () => {
  const run = (count: number, errors: number, duration: number): Report =>
    report({ general: { duration } }, { requests: { timers: [timer('Login', { count, errors })] } })

  it('are converted to the length of the judged run', async () => {
    const twice = run(2000, 26, 1200)
    for (const gate of ['errors <= baseline', 'count >= baseline', 'error-rate <= baseline']) {
      expect(await verdictOf(`request "Login" ${gate}`, twice, [run(1000, 13, 600)])).toBe('passed')
    }
    const errors = await judged('request "Login" errors <= baseline strict', twice, [run(1000, 13, 600)])
    expect(errors.results).toMatchObject([{ baseline: 13, result: 'failed' }])
  })

  it('only where a gate compares: a fixed limit is for the run as it is', async () => {
    const half = run(450, 0, 300)
    const gates = 'request "Login" count >= baseline - 20 %\nrequest "Login" count >= 500'
    const [one, other] = (await judged(gates, half, [run(1000, 13, 600)])).results
    expect(one).toMatchObject({ baseline: 500, limit: 400, result: 'passed' })
    expect(other).toMatchObject({ baseline: 1000, limit: 500, result: 'failed' })
  })
})

describe('errors that are compared', () => {
  it('what an earlier run has counts, though nobody counted its answers', async () => {
    const { count: _, ...uncounted } = timer('Login', { errors: 30 })
    const before = [requestReport([uncounted])]
    const gate = 'request "Login" errors <= baseline + 5 strict'
    const { results } = await judged(gate, login({ errors: 31 }), before)
    expect(results[0]).toMatchObject({ baseline: 30, result: 'passed' })
  })

  it('one of three is as much as one of three', async () => {
    const third = login({ count: 3, errors: 1, errorPercentage: 33.3 })
    expect(await verdictOf('request "Login" error-rate = baseline strict', third, [third])).toBe('passed')
  })

  it('what no earlier run has did not fail there, but a missing summary says nothing', async () => {
    const before = [report({}, { transactions: { timers: [timer('T')] } })]
    const gates = 'request "Login" errors <= baseline\nrequests errors <= baseline'
    const { results } = await judged(gates, login({ errors: 0 }), before)
    expect(results[0]).toMatchObject({ baseline: 0, result: 'passed' })
    expect(results[1]).toMatchObject({
      result: 'not-measured',
      reason: 'The baseline has no errors of requests.',
    })
  })

  it('a status is part of the names of requests only', async () => {
    const timers = [timer('Pay [500]')]
    const of = report({}, { transactions: { timers }, requests: { timers } })
    const gates = 'transaction "*" errors <= baseline\nrequest "*" errors <= baseline'
    const { results } = await judged(gates, of, [of])
    expect(results.map(({ subject }) => subject)).toEqual(['transaction "Pay [500]"', 'request "Pay"'])
  })
})

describe('the value beyond which a gate fails', () => {
  it.each([
    ['is at least a step of the report above', 'p95 <= baseline + 10 %', p95(40), 50],
    ['or below', 'p95 >= baseline - 10 %', p95(40), 30],
    ['is unknown if chance explains all', 'errors >= baseline - 10 %', login({ errors: 1 }), undefined],
  ])('%s', async (_, gate, of, failsBeyond) => {
    const { results } = await judged(`request "Login" ${gate}`, of, [of])
    expect(results[0]?.noise?.failsBeyond).toBe(failsBeyond)
    expect(results[0]?.result).toBe('passed')
  })
})
