import { parseGates } from '../../src/gates/language/language.js'
import { changedGatesNotes } from '../../src/judgement/judgement.js'
import type { RunOrigin } from '../../src/gates/noise/baseline.js'
import { requestReport, timer } from '../gates/example-report.js'

/** What is said of these gates where two runs, the latest first, were judged by others. */
async function notes(gates: string, ...origins: RunOrigin[]): Promise<string[]> {
  const reports = [500, 400].slice(0, origins.length).map((p95, age) => {
    const general = { startTime: Date.UTC(2026, 0, 9 - age), duration: 600 }
    return requestReport([timer('Login', { percentiles: { p95 } })], { general })
  })
  return changedGatesNotes(parseGates(gates).gates, { reports, origins }, new AbortController().signal)
}

const by = (...gates: string[]): RunOrigin => ({ gates, verdict: 'passed' })
const two = 'request "Login" p95 <= 1 s\nrequest "Login" p95 <= 450 ms'
const [first = '', second = ''] = two.split('\n')

test('gates that differ are tried on the runs of the baseline', async () => {
  const sentence = "The gates differ from the baseline's: with these, 1 of 2 runs would have failed."
  expect(await notes(two, by(first), by(first))).toEqual([sentence])
  expect(await notes(two, by(), by())).toEqual([sentence])
  expect(await notes(two, by(first, 'actions p95 <= 1 s'), by())).toEqual([sentence])
  expect(await notes(two, by(first, second, 'actions p95 <= 1 s'), by())).toEqual([sentence])
})

test('each run is compared with those before it', async () => {
  expect(await notes('request "Login" p95 <= baseline + 10% strict', by(), by())).toEqual([
    "The gates differ from the baseline's: with these, 1 of 2 runs would have failed.",
  ])
  expect(await notes('request "Login" p95 <= baseline + 30% strict', by(), by())).toEqual([])
})

test('what cannot be judged is said beside what would have failed, and a scorecard is known', async () => {
  expect(await notes('actions p95 <= 1 s', by())).toEqual([])
  const scorecards = [{ verdict: 'failed' as const, rules: [] }, undefined]
  const origins = scorecards.map((scorecard) => ({ ...by(), ...(scorecard && { scorecard }) }))
  expect(await notes('scorecard passes', ...origins)).toEqual([
    "The gates differ from the baseline's: with these, 1 of 2 runs would have failed, and 1 could not have been judged.",
  ])
  const scorecard = { verdict: 'failed' as const, rules: [] }
  expect(await notes('scorecard passes', { ...by(), scorecard })).toEqual([
    "The gates differ from the baseline's: with these, 1 of 1 run would have failed.",
  ])
})

test('there is no note about the same gates in another order, without gates, and if the earlier ones are unknown', async () => {
  expect(await notes(two, by(second, first), by())).toEqual([])
  expect(await notes('', by(first), by(first))).toEqual([])
  expect(await notes(two, {}, {})).toEqual([])
  expect(await notes(two, {}, by(second, first))).toEqual([])
  expect(await notes(two)).toEqual([])
})

test('a run whose gates are not known is not counted, wherever it stands in the list', async () => {
  expect(await notes(two, by(first), {})).toEqual([
    "The gates differ from the baseline's: with these, 1 of 1 run would have failed.",
  ])
  expect(await notes(two, {}, by(first))).toEqual([])
})
