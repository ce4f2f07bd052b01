import fc from 'fast-check'
import { parseGates } from '../../src/language/language.js'
import { besideAccepted, judge } from '../../src/gates/gates.js'
import type { GateResult } from '../../src/gates/result.js'
import type { Report, Scorecard, Timer } from '../../src/report/report.js'
import { report, requestReport, timer, unused } from './example-report.js'
import { judgedBy } from './judged.js'
import { worded } from '../told.js'

const login = (figures: Partial<Timer> = {}): Timer => timer('Login', figures)

const run = report(
  {
    agents: [
      { name: 'a1', totalMean: 40, ownMean: 30 },
      { name: 'a2', totalMean: 85.5, ownMean: 30 },
    ],
    agentSummary: { totalMean: 62.75 },
    webVitals: [{ name: 'Home', vitals: { cls: { score: 0.05 }, lcp: { score: 2400 } } }],
  },
  {
    transactions: { summary: timer('All Transactions', { count: 100, errors: 0 }), timers: [] },
    actions: {
      summary: timer('All Actions', { apdex: 0.9 }),
      timers: [timer('Home', { apdex: 0.8 }), timer('NoScore')],
    },
    requests: {
      summary: timer('All Requests'),
      timers: [login(), timer('Login.POST', { percentiles: { p95: 600 } }), timer('Search'), unused('Never')],
    },
    pageLoads: { timers: [timer('Page')] },
  },
)

interface Sides {
  baselines?: Report[]
  scorecard?: Scorecard
  of?: Report
}

const judged = async (lines: string, { baselines = [], of = run, ...more }: Sides = {}) =>
  worded(await judgedBy(lines, of, baselines, more))

test('what the format of a report lacks is told once, before the comparison; what it has is judged', async () => {
  const lack = (kind: string, metric: string) =>
    ['p95', 'p93', 'fcp'].includes(metric) ? `No ${metric} of ${kind}. Take the samples.` : undefined
  const { gates } = parseGates(
    'request "*" p93 <= baseline + 10%\ntransaction "Buy" p93 <= 1 s\nweb-vitals "Home" fcp <= 1 s\nrequest "*" p95 <= 1 s',
  )
  const { results } = await judge({ gates, report: run, lack })
  expect(
    results.filter(({ gate }) => !gate.includes('p95')).map(({ result, reason }) => [result, reason]),
  ).toEqual([
    ['not-measured', 'No p93 of requests. Take the samples.'],
    ['not-measured', 'The report has no transaction "Buy". No p93 of transactions. Take the samples.'],
    ['not-measured', 'No fcp of web-vitals. Take the samples.'],
  ])
  expect(results.filter(({ result }) => result === 'passed').length).toBeGreaterThan(1)
})

async function one(line: string, sides: Sides = {}): Promise<GateResult> {
  const { results } = await judged(line, sides)
  expect(results).toHaveLength(1)
  const [result] = results
  if (!result) throw new Error('no result')
  return result
}

function withoutSteps({ timeStep: _, ...report }: Report): Report {
  return report
}

describe('figures and operators', () => {
  it.each([
    // gate, value, limit, result; every figure with every operator: oracle.test.ts
    ['requests p95 <= 400 ms', 400, 400, 'passed'],
    ['requests p95 <= 0.4 s', 400, 400, 'passed'],
    ['requests p99.9 <= 1.4999 s', 1500, 1499.9, 'failed'],
    ['requests median <= 199.9 ms', 200, 199.9, 'failed'],
    ['requests mean <= 210.5 ms', 210.5, 210.5, 'passed'],
    ['requests errors <= 4', 5, 4, 'failed'],
    ['requests error-rate <= 0.5 %', 0.5, 0.5, 'passed'],
    ['requests throughput > 600 /min', 600, 600, 'failed'],
    ['requests throughput >= 36000 /h', 36000, 36000, 'passed'],
    ['action "Home" apdex >= 0.85', 0.8, 0.85, 'failed'],
    ['agents cpu <= 80 %', 85.5, 80, 'failed'],
    ['web-vitals "Home" cls <= 0.1', 0.05, 0.1, 'passed'],
    ['web-vitals "Home" lcp <= 2.3 s', 2400, 2300, 'failed'],
    ['warn: requests max < 2 s', 2000, 2000, 'warned'],
    ['warn: requests max <= 2 s', 2000, 2000, 'passed'],
  ])('%s', async (line, value, limit, result) => {
    expect(await one(line)).toMatchObject({ value, limit, result, gate: line, line: 1 })
  })

  it('the mean CPU use of all load generators counts if they are not listed one by one', async () => {
    expect(await one('agents cpu <= 80 %', { of: { ...run, agents: [] } })).toMatchObject({ value: 62.75 })
  })
})

describe('names', () => {
  it.each([
    ['request "Login" p95 <= 1 s', ['request "Login"']],
    ['request "Login*" p95 <= 1 s', ['request "Login"', 'request "Login.POST"']],
    [
      'request "*" count >= 0',
      ['request "Login"', 'request "Login.POST"', 'request "Search"', 'request "Never"'],
    ],
    ['request "?????" p95 <= 1 s', ['request "Login"', 'request "Never"']],
    ['request "*o*n" p95 <= 1 s', ['request "Login"']],
    ['requests p95 <= 1 s', ['requests']],
    ['agents cpu <= 100 %', ['agents']],
    ['web-vitals "H*" lcp <= 3 s', ['web-vitals "Home"']],
  ])('%s', async (line, subjects) => {
    expect((await judged(line)).results.map(({ subject }) => subject)).toEqual(subjects)
  })

  it('a pattern of many stars on a long name ends', async () => {
    const of = requestReport([timer('a'.repeat(5000))])
    expect(await one(`request "${'*a'.repeat(500)}b" p95 <= 1 s`, { of })).toMatchObject({
      result: 'not-measured',
    })
  })

  it('foreign names become one bounded line', async () => {
    const of = requestReport([timer(`x\n::error::y\u202e${'z'.repeat(5000)}`)])
    const { subject, reason } = await one('request "*" p42 <= 1 s', { of })
    expect(subject + (reason ?? '')).not.toMatch(/[\n\u202e]/)
    expect(subject.length).toBeLessThan(250)
  })
})

describe('not measured', () => {
  it.each([
    ['request "Logn" p95 <= 1 s', 'The report has no request "Logn". Did you mean "Login"?'],
    ['request "Zzz*" p95 <= 1 s', 'The report has no request whose name matches "Zzz*".'],
    ['web-vitals "Hom" lcp <= 1 s', 'The report has no web-vitals entry "Hom". Did you mean "Home"?'],
    ['custom-timers p95 <= 1 s', 'The report has no custom-timers.'],
    ['page-loads p95 <= 1 s', 'The report has no summary of all page-loads.'],
    ['requests p97 <= 1 s', 'The report has no p97 of requests. It has p50, p95, p99, p99.9.'],
    ['web-vitals "Home" inp <= 1 s', 'The report has no inp of web-vitals "Home".'],
    ['action "NoScore" apdex >= 0', 'The report has no apdex of action "NoScore".'],
    ['request "Never" p95 <= 1 s', 'Nothing was measured: the count of request "Never" is 0.'],
    ['request "Never" errors = 0', 'Nothing was measured: the count of request "Never" is 0.'],
    ['request "Never" error-rate <= 1 %', 'Nothing was measured: the count of request "Never" is 0.'],
    ['request "Never" throughput >= 0 /s', 'Nothing was measured: the count of request "Never" is 0.'],
    ['requests p95 <= baseline + 10 %', 'There is no baseline to compare with.'],
    ['scorecard passes', 'The report has no scorecard.'],
    ['xpath(1) = 1', 'The report is no XML that could be evaluated.'],
  ])('%s', async (line, reason) => {
    const found = await one(line)
    expect(found).toMatchObject({ result: 'not-measured', reason })
    expect(found.hint).toBe(/Did you mean .*/.exec(reason)?.[0])
    expect((await judged(line)).verdict).toBe('invalid')
    // A gate that warns never changes a verdict.
    expect(await one(`warn: ${line}`)).toMatchObject({ result: 'warned', reason })
    expect((await judged(`warn: ${line}`)).verdict).toBe('passed')
  })

  const [nothing, unknown] = [
    'Nothing was measured: the count of request "Never" is 0.',
    'The report has no p95',
  ]
  it.each([
    ['request "Never"', nothing, undefined],
    ['request "Neve?"', `${nothing} Earlier runs have it.`, 'gone'],
    ['request "Old"', `${unknown} of request "Old".`, undefined],
    ['request "Ol?"', `${unknown} of request "Old".`, undefined],
    ['request "Odd?"', 'Nothing was measured: the count of request "Odd1" is 0.', undefined],
  ])('only a match that earlier runs have measured is gone: %s', async (subject, reason, unfit) => {
    const [old, odd] = [timer('Old', { percentiles: {} }), timer('Odd1', { percentiles: {} })]
    const of = requestReport([unused('Never'), old, unused('Odd1')])
    const baselines = [requestReport([timer('Never'), timer('Old'), odd])]
    const found = await one(`${subject} p95 <= baseline`, { of, baselines })
    expect([found.result, found.reason, found.unfit]).toEqual(['not-measured', reason, unfit])
  })

  it('a count of 0 counts as a figure', async () => {
    expect(await one('request "Never" count >= 1')).toMatchObject({ value: 0, result: 'failed' })
  })

  it('the baseline lacks the figure', async () => {
    const baselines = [requestReport([unused('Login')])]
    for (const name of ['Login', 'Search']) {
      expect(await one(`request "${name}" p95 <= baseline`, { baselines })).toMatchObject({
        result: 'not-measured',
        reason: `The baseline has no p95 of request "${name}".`,
        value: 400,
      })
    }
  })
})

describe('baseline', () => {
  const of = (p95: number): Report => requestReport([login({ percentiles: { p95 } })])
  const base = (...values: number[]): Report[] => values.map(of)

  it.each([
    // gate, baseline, value, limit, result
    ['<= baseline + 10 % + 20 ms', 400, 460, 460, 'passed'],
    ['<= baseline + 10 % + 20 ms', 400, 460.1, 460, 'failed'],
    ['<= baseline + 0.05 s', 400, 451, 450, 'failed'],
    ['<= baseline', 400, 411, 400, 'failed'],
    ['< baseline - 10 %', 400, 300, 360, 'passed'],
    ['<= baseline + 10 % - 15 ms', 400, 426, 425, 'failed'],
    ['<= baseline + 1.1 % + 2.2 %', 700.1, 723.2033, 723.2033, 'passed'],
    ['>= baseline - 10 %', 400, 350, 360, 'failed'],
    ['= baseline', 400, 380, 400, 'failed'],
  ])('p95 %s of %d ms with %d ms', async (limitText, before, value, limit, result) => {
    const line = `request "Login" p95 ${limitText} strict`
    const outcome = await one(line, { of: of(value), baselines: base(before) })
    expect(outcome).toMatchObject({ baseline: before, value, limit, result })
    expect(outcome).not.toHaveProperty('noise')
  })

  it.each([
    ['requests error-rate <= baseline + 10 %', 0.5, 0.55],
    ['requests error-rate <= baseline + 0.5 pp', 0.5, 1],
    ['requests throughput >= baseline - 10 % - 1 /s', 10, 8],
    ['requests throughput >= baseline - 30 /min', 600, 570],
    ['requests throughput >= baseline', 10, 10],
    ['requests count >= baseline - 5 % - 10', 1000, 940],
  ])('%s', async (line, baseline, limit) => {
    expect(await one(line, { baselines: [run] })).toMatchObject({ baseline, limit, result: 'passed' })
  })

  it.each([
    [10, 10, 30, 'passed', "The difference of 10 ms is within the report's resolution of 10 ms."],
    [10, 10, 31, 'failed', undefined],
    [10, 1, 30, 'passed', "The difference of 10 ms is within the report's resolution of 10 ms."],
    [1, 10, 30, 'passed', "The difference of 10 ms is within the report's resolution of 10 ms."],
    [1, 1, 21, 'passed', "The difference of 1 ms is within the report's resolution of 1 ms."],
    [1, 1, 30, 'failed', undefined],
    [undefined, undefined, 30, 'failed', undefined],
  ])('in steps of %s ms, after %s, 20 to %d ms: %s', async (step, before, value, result, reason) => {
    const stepped = (report: Report, timeStep: number | undefined): Report =>
      timeStep === undefined ? withoutSteps(report) : { ...report, timeStep }
    const outcome = await one('request "Login" p95 <= baseline', {
      of: stepped(of(value), step),
      baselines: base(20).map((report) => stepped(report, before)),
    })
    expect(outcome).toMatchObject({ limit: 20, result })
    expect(outcome.reason).toBe(reason)
  })

  it('a fixed limit is not rounded, and still shows the baseline', async () => {
    const outcome = await one('request "Login" p95 <= 400 ms', { of: of(401), baselines: base(400) })
    const apart = { baseline: 400, difference: 1, relativeDifference: 0.25 }
    expect(outcome).toMatchObject({ result: 'failed', ...apart })
  })
})

describe('scorecard', () => {
  const card = (verdict: Scorecard['verdict'], parts: Partial<Scorecard> = {}): Scorecard => ({
    verdict,
    rules: [],
    ...parts,
  })
  const failedRule = {
    ...{ name: 'Errors', group: 'g', message: 'Too many', values: ['75'] },
    ...{ result: 'not-passed' as const, failsTest: true, failedTest: true },
  }
  const failed = card('failed', { rules: [failedRule] })

  it.each([
    ['passed', card('passed'), 'passed', 'passed', undefined],
    ['failed', failed, 'failed', 'failed', 'The scorecard failed: Errors (Too many).'],
    [
      'an error',
      card('error', { error: 'No such\nselector.' }),
      'not-measured',
      'invalid',
      'The scorecard could not be evaluated: No such selector.',
    ],
  ])('%s, with a gate and with none', async (_what, scorecard, result, verdict, reason) => {
    const reasons = reason ? [reason] : []
    const found = await one('scorecard passes', { scorecard })
    expect([found.result, found.reason]).toEqual([result, reason])
    expect(await judged('scorecard passes', { scorecard })).toMatchObject({ verdict, reasons })
    expect(await judged('', { scorecard })).toMatchObject({ verdict, results: [], reasons })
  })

  it('without gates and without a scorecard, a finished run passes', async () => {
    expect(await judged('')).toMatchObject({ verdict: 'passed', results: [], reasons: [] })
  })

  it('counts only if a gate is about it', async () => {
    expect((await judged('requests p95 <= 1 s', { scorecard: card('failed') })).verdict).toBe('passed')
    expect(await one('warn: scorecard passes', { scorecard: card('failed') })).toMatchObject({
      result: 'warned',
    })
  })
})

describe('the verdict beside the gates that failed, which somebody accepts', () => {
  const pass = 'requests p95 <= 1 s'
  const fail = 'requests p95 <= 1 ms'
  const partial = { ...run, partial: 'Download from 1 of 2 agent controllers failed.' }

  it.each([
    ['only they', `${pass}\n${fail}`, run, 'passed'],
    ['something was not measured', `${fail}\nrequest "Gone" p95 <= 1 s`, run, 'invalid'],
    ['results are missing', fail, partial, 'invalid'],
  ])('%s', async (_, lines, of, verdict) => {
    const { results, verdict: before } = await judged(lines, { of })
    expect(before).toBe('failed')
    expect(besideAccepted(results, of).verdict).toBe(verdict)
  })
})

test('whoever reads a result sees what the gate is about', async () => {
  expect(await one('scorecard passes')).toEqual({
    gate: 'scorecard passes',
    line: 1,
    subject: 'scorecard',
    unit: 'number',
    result: 'not-measured',
    reason: 'The report has no scorecard.',
  })
  expect(await one('xpath(1) >= 2.5')).toEqual({
    gate: 'xpath(1) >= 2.5',
    line: 1,
    subject: 'xpath',
    unit: 'number',
    operator: '>=',
    limit: 2.5,
    result: 'not-measured',
    reason: 'The report is no XML that could be evaluated.',
  })
})

test('without a baseline nobody doubts it; without a comparable one, the gates say so', async () => {
  const gate = 'request "Login" p95 <= baseline'
  expect((await judged(gate)).doubts).toEqual([])
  const baselines = [{ ...run, partial: 'Some are missing.' }]
  expect(await judged(gate, { baselines })).toMatchObject({
    reasons: ['No baseline run can be compared with this one; the notes say why.'],
    doubts: ['The baseline run of 2026-01-17 00:00 UTC was left out: it has partial results only.'],
  })
})

test('where one failure is enough, no match after it is judged', async () => {
  const { gates } = parseGates('request "*" p95 <= 500 ms\nrequest "*" p95 <= 1 s')
  const subjects = async (more: { isFailureEnough?: true }) => {
    const { results } = await judge({ gates, report: run, ...more })
    return results.map(({ subject, result }) => `${subject} ${result}`)
  }
  const second = ['passed', 'passed', 'passed', 'not-measured']
  const names = ['Login', 'Login.POST', 'Search', 'Never'].map((name) => `request "${name}"`)
  const last = names.map((name, at) => `${name} ${second[at]}`)
  expect(await subjects({ isFailureEnough: true })).toEqual([
    ...['request "Login" passed', 'request "Login.POST" failed'],
    ...last,
  ])
  expect(await subjects({})).toHaveLength(8)
  const errors = parseGates('request "*" errors <= 4').gates
  expect((await judge({ gates: errors, report: run, isFailureEnough: true })).results).toHaveLength(4)
})

describe('properties', () => {
  const value = fc.integer({ min: 1, max: 100_000 }).map((n) => n / 10)

  it('between earlier runs that differ too much, nothing near their middle passes', async () => {
    const baselines = [0.1, 4000].map((p95) => requestReport([login({ percentiles: { p95 } })]))
    const resultAt = async (p95: number) => {
      const of = requestReport([login({ percentiles: { p95 } })])
      return (await one('request "Login" p95 <= baseline', { of, baselines })).result
    }
    await expect(Promise.all([1, 100, 1000, 2001, 2020, 5000].map(resultAt))).resolves.toEqual([
      ...['passed', 'not-measured', 'not-measured', 'not-measured', 'not-measured', 'failed'],
    ])
  })

  it('a run compared with itself never fails', async () => {
    await fc.assert(
      fc.asyncProperty(value, fc.integer({ min: 1, max: 6 }), async (p95, runs) => {
        const of = requestReport([login({ percentiles: { p95 } })])
        const baselines = Array.from({ length: runs }, () => of)
        for (const operator of ['<=', '>=', '=']) {
          const line = `request "Login" p95 ${operator} baseline`
          expect((await one(line, { of, baselines })).result).toBe('passed')
        }
      }),
    )
  })
})
