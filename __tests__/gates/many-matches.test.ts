import { buildBaseline } from '../../src/noise/baseline.js'
import { compareRuns } from '../../src/comparison/comparison.js'
import { parseGates } from '../../src/language/language.js'
import { judge } from '../../src/gates/gates.js'
import { judgedTwice, type GateResult } from '../../src/gates/result.js'
import type { Timer } from '../../src/report/report.js'
import { outputsOf } from '../../src/publish/outputs.js'
import { closingGroups } from '../../src/publish/annotations.js'
import { renderDigest } from '../../src/publish/digest/digest.js'
import { verdictMeaning } from '../../src/publish/words/words.js'
import { requestReport, timer } from './example-report.js'
import { green, without } from '../publish/outcomes.js'

/** Requests R1, R2 and so on. */
const requests = (count: number, figures: (at: number) => Partial<Timer> = () => ({})) =>
  requestReport(Array.from({ length: count }, (_, at) => timer(`R${at + 1}`, figures(at + 1))))

async function judged(text: string, now = requests(1001), before = [requests(1001)]) {
  const { gates, faults } = parseGates(text)
  expect(faults).toEqual([])
  const baseline = buildBaseline(before)
  return judge({ gates, report: now, ...(baseline && { baseline }) })
}

const all = Array.from({ length: 1001 }, (_, at) => ({ kind: 'requests', name: `R${at + 1}` }))
const fixed = 'request "R*" p95 <= 500 ms'
const comparing = 'request "*" p95 <= baseline + 10%'

test('a thousand matches that passed have a result each', async () => {
  const { results } = await judged(fixed, requests(1000))
  expect(results).toHaveLength(1000)
  expect(results[0]).toMatchObject({ subject: 'request "R1"', isMatch: true, value: 400, limit: 500 })
})

test.each([
  [fixed, { subject: 'request "R*"', limit: 500 }],
  [comparing, { subject: 'request "*"' }],
])('more are one result: %s', async (gate, of) => {
  const { verdict, results } = await judged(gate)
  expect(verdict).toBe('passed')
  const about = { metric: 'p95', unit: 'ms', operator: '<=', result: 'passed', matches: all }
  expect(results).toEqual([{ gate, line: 1, ...of, ...about }])
})

test('what failed, or is excused, has a result of its own', async () => {
  const odd = requests(1003, (at) => ({ percentiles: { p95: at === 1 ? 4000 : at === 2 ? 450 : 400 } }))
  const { verdict, results } = await judged(comparing, odd, [requests(1003)])
  expect(verdict).toBe('failed')
  const [failed, excused, others] = results
  expect(failed).toMatchObject({ subject: 'request "R1"', result: 'failed', value: 4000 })
  expect(excused).toMatchObject({ subject: 'request "R2"', result: 'passed', value: 450 })
  expect(excused?.reason).toMatch(/^It is beyond the limit, but/)
  expect(others?.matches).toHaveLength(1001)
  expect(results).toHaveLength(3)
})

test('errors that such a gate has looked at are not found a second time', async () => {
  const broken = requests(1001, () => ({ count: 1000, errors: 300 }))
  expect((await judged('request "*" error-rate <= 60%', broken)).results).toHaveLength(1)
  expect((await judged('request "*" error-rate <= 60%', broken, [])).verdict).toBe('passed')
  expect((await judged('request "*" p95 <= 60 s', broken)).verdict).toBe('failed')
})

test('a second run in which so many passed does not confirm the failure of one of them', async () => {
  const slow = requests(1002, (at) => (at === 7 ? { percentiles: { p95: 4000 } } : {}))
  const [first] = (await judged(comparing, slow, [requests(1002)])).results
  expect(first).toMatchObject({ subject: 'request "R7"', result: 'failed' })
  const { results: second } = await judged(comparing)
  const again = (of: GateResult[]) =>
    judgedTwice(first ? [first] : [], of, { first: 1, second: 2 }).results[0]?.result
  expect(again(second)).toBe('passed')
  expect(again(second.map((one) => ({ ...one, matches: one.matches?.slice(10) ?? [] })))).toBe('failed')
})

test('the whole run is that of the kind that they are of', async () => {
  const custom = { kind: 'customTimers', name: 'C' } as const
  const timers = requests(3).timers.requests.timers
  const now = requests(3)
  now.timers.customTimers.timers = [...timers, timer('C'), timer('D')]
  const baseline = buildBaseline([now])
  if (!baseline) throw new Error('There is a baseline.')
  const kindOf = (gates: Pick<GateResult, 'result' | 'matches'>[]) =>
    compareRuns(now, baseline, { baseline: { name: 'b', runs: 1 } }, { gates }).noise?.kind
  expect(kindOf([{ result: 'passed', matches: [{ kind: 'requests', name: 'R1' }] }])).toBe('requests')
  expect(kindOf([{ result: 'passed', matches: [custom] }])).toBe('customTimers')
  expect(kindOf([])).toBe('customTimers')
})

test('words, tables and outputs count them', async () => {
  const { results } = await judged(fixed)
  const outcome = { ...without(green(), 'comparison'), gates: results }
  expect(verdictMeaning(outcome)).toMatch(/^All 1,001 gates \(limits\) passed\./)
  expect(closingGroups(outcome)[0]?.lines[0]?.line).toBe(`passed: ${fixed}: 1,001 matches, limit ≤ 500 ms`)
  const digest = renderDigest(outcome)
  expect(digest).toContain('Gates passed: 1,001')
  expect(digest).toContain('1,001 matches')
  const many = { ...outcome, gates: results.map((one) => ({ ...one, matches: Array(5000).fill(all[0]) })) }
  expect(outputsOf(many, undefined)['gates']).toBe('[{"omitted":5000}]')
})
