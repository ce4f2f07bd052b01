import type { Report, Timer } from '../../src/report/report.js'
import { requestReport, timer } from './example-report.js'
import { judgedBy } from './judged.js'
import { worded } from '../told.js'

/* The load generator was the slow one. */

/** A run with load generators that are as busy as this, in percent. */
function run(cpu: (number | undefined)[], figures: Partial<Timer> = {}): Report {
  const agents = cpu.map((totalMean, index) => ({
    name: `Agent-${index + 1}`,
    ...(totalMean === undefined ? {} : { totalMean }),
  }))
  return { ...requestReport([timer('Order', figures)]), agents }
}
const slow = { mean: 800, median: 800, percentiles: { p50: 800, p95: 1600, p99: 3200 } }

const gates = 'request "Order" p95 <= baseline + 10 %'

const judged = async (...given: Parameters<typeof judgedBy>) => worded(await judgedBy(...given))

test.each<[string, (number | undefined)[], (number | undefined)[][], boolean]>([
  // As measured in 14 unchanged runs of a public suite: four were busier, and slower by a factor of two to four.
  ['97% instead of 20%', [97], [[20]], true],
  ['73% instead of 56%', [73], [[56]], true],
  ['79% instead of 41%', [79], [[41]], true],
  ['56% instead of 20%', [56], [[20]], false],
  // The bounds.
  ['overloaded: 80.1% instead of 80%', [80.1], [[80]], true],
  ['80% instead of 79%', [80], [[79]], false],
  ['above 60%: 60.1% instead of 20%', [60.1], [[20]], true],
  ['60% instead of 20%', [60], [[20]], false],
  ['15 points: 75% instead of 60%', [75], [[60]], true],
  ['74.9% instead of 60%', [74.9], [[60]], false],
  // The usual is the median, of the busiest load generator in each run.
  ['the median of three', [79], [[41], [79], [41]], true],
  ['the median of three, busy', [79], [[41], [79], [79]], false],
  ['the busiest of two', [20, 79], [[41, 20]], true],
  ['the busiest of two, usually', [20, 79], [[20, 79]], false],
  // What is not known excuses nothing.
  ['unknown in this run', [undefined], [[41]], false],
  ['unknown before, not overloaded', [79], [[undefined]], false],
  ['unknown before, overloaded', [81], [[undefined]], true],
])('%s', async (_, now, before, isBusy) => {
  const earlier = before.map((cpu, startTime) => ({ ...run(cpu), general: { startTime, duration: 600 } }))
  const { verdict, results, advice } = await judged(gates, run(now, slow), earlier)
  expect([verdict, results[0]?.result]).toEqual(isBusy ? ['invalid', 'not-measured'] : ['failed', 'failed'])
  expect(advice).toEqual(
    isBusy ? [expect.stringMatching(/^Give the load test more or larger load generators/)] : [],
  )
  expect(results[0]?.value).toBe(1600)
  // Without a slower request, a busy load generator is nobody's concern.
  const fast = await judged(gates, run(now), earlier)
  expect([fast.verdict, fast.advice]).toEqual(['passed', []])
})

test.each([
  [
    [79],
    [41],
    "The load generator was far busier than usual, so it may be the slow one: its CPU use was 79% instead of the baseline's 41%.",
  ],
  [
    [92.345],
    [90.06],
    "The load generator was overloaded, so it may be the slow one: its CPU use was 92.3% instead of the baseline's 90.1%.",
  ],
  [
    [80],
    [41],
    "The load generator was far busier than usual, so it may be the slow one: its CPU use was 80% instead of the baseline's 41%.",
  ],
  [[92], [undefined], 'The load generator was overloaded, so it may be the slow one: its CPU use was 92%.'],
])('%j beside %j: %s', async (now, before, sentence) => {
  const { results, reasons } = await judged(gates, run(now, slow), [run(before)])
  expect(results[0]?.reason).toBe(sentence)
  expect(reasons[0]).toContain(sentence)
})

test.each<[string, Partial<Timer>, string]>([
  ['request "Order" mean <= baseline + 10 %', slow, 'not-measured'],
  ['request "Order" throughput >= baseline - 10 %', { countPerSecond: 5 }, 'not-measured'],
  ['warn: request "Order" p95 <= baseline + 10 %', slow, 'warned'],
  // Nothing that a busy load generator explains.
  ['request "Order" error-rate <= baseline + 1 %', { errors: 500, errorPercentage: 50 }, 'failed'],
  ['request "Order" errors <= baseline + 1 %', { errors: 500, errorPercentage: 50 }, 'failed'],
  ['agents cpu <= baseline + 10 %', {}, 'failed'],
  // The figures decide.
  ['request "Order" p95 <= baseline + 10 % strict', slow, 'failed'],
  ['request "Order" p95 <= 1 s', slow, 'failed'],
])('%s is %3$s', async (text, figures, result) => {
  const { results } = await judged(text, run([79], figures), [run([41])])
  expect(results[0]?.result).toBe(result)
})

test.each([
  ['request "Order" p95 <= baseline', { percentiles: {} }, 'The report has no p95 of request "Order".'],
  [
    'request "Order" p93 <= baseline',
    { percentiles: { p93: 9 } },
    'The baseline has no p93 of request "Order".',
  ],
])('a warning stays what it is about: %s', async (gate, figures, reason) => {
  const { results } = await judged(`warn: ${gate}`, run([79], figures), [run([41])])
  expect(results).toMatchObject([{ result: 'warned', reason }])
})

test('a gate with a fixed limit decides beside it', async () => {
  const { verdict } = await judged(`${gates}\nrequest "Order" p95 <= 1 s`, run([79], slow), [run([41])])
  expect(verdict).toBe('failed')
})
