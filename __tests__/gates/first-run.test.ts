import { buildBaseline } from '../../src/noise/baseline.js'
import { parseGates } from '../../src/language/language.js'
import { judge } from '../../src/gates/gates.js'
import type { Report } from '../../src/report/report.js'
import { requestReport, timer } from './example-report.js'

/* Gates that compare in a run that has nothing to compare with, on the branch that later runs are compared with. */

const first = { unfit: 'first-run', reason: 'First run: from now on the baseline of later runs.' } as const
const none = 'There is no baseline to compare with.'
const of = requestReport([timer('Order'), timer('Pay'), timer('Old', { percentiles: {} })])

async function judged(text: string, more: { first?: typeof first; baseline?: Report } = {}) {
  const { gates, faults } = parseGates(text)
  expect(faults).toEqual([])
  const baseline = more.baseline && buildBaseline([more.baseline])
  return judge({ gates, report: of, ...(more.first && { first: more.first }), ...(baseline && { baseline }) })
}

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
  const { gates } = parseGates('agents cpu <= baseline + 10 %')
  const report = requestReport([], { agents: [{ name: 'a', totalMean: 40 }] })
  expect((await judge({ gates, report, first })).results).toMatchObject([
    { subject: 'agents', result: 'not-compared', value: 40 },
  ])
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
  const profile = (users: string) => [{ name: 'TOrder', settings: { numberOfUsers: users } }]
  const baseline = { ...of, loadProfile: profile('5') }
  const { gates } = parseGates(gate)
  const built = buildBaseline([baseline])
  const input = { gates, report: { ...of, loadProfile: profile('6') }, ...(built && { baseline: built }) }
  expect(await judge({ ...input, first })).toMatchObject({
    verdict: 'passed',
    results: [{ result: 'not-compared', ...first }],
    doubts: [expect.stringContaining('its load profile differs')],
  })
  expect(await judge(input)).toMatchObject({
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
