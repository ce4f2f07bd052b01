import { buildBaseline } from '../../src/gates/baseline/baseline.js'
import { stepOf } from '../../src/gates/baseline/drift.js'
import { parseGates } from '../../src/gates/language/language.js'
import { judge } from '../../src/gates/gates.js'
import { trendOf } from '../../src/gates/baseline/trend.js'
import { trendTable } from '../../src/publish/summary/trend-table.js'
import type { Report } from '../../src/report/report.js'
import { regression } from '../publish/outcomes.js'
import { requestReport, timer } from './example-report.js'

const day = 24 * 60 * 60 * 1000

/** A run this many days after the first, with all times this much slower; `odd` is a timer that is not slower. */
function run(days: number, slower: number, odd = 1): Report {
  const timers = ['A', 'B', 'C'].map((name, index) => {
    const factor = index === 0 ? slower * odd : slower
    return timer(name, { percentiles: { p50: 200 * factor, p95: (index + 1) * 400 * factor } })
  })
  return {
    ...requestReport(timers),
    general: { startTime: Date.UTC(2026, 0, 17) + days * day, duration: 600 },
  }
}

test('the step of a series is where its two sides differ the most', () => {
  const runs = [1, 1.02, 0.99, 1.3, 1.28, 1.31].map((slower, index) => run(index, slower))
  const step = stepOf([...runs].reverse())
  expect(step?.report).toBe(runs[3])
  expect(step?.percent).toBeCloseTo(29.2, 0)
  expect(stepOf([1, 1.04, 0.97, 1.05].map((slower, index) => run(index, slower)))).toBeUndefined()
})

test('the trend marks only the run at which the step came', () => {
  const trend = trendOf([1, 1, 1.25, 1.25].map((slower, index) => run(index, slower)))
  expect(trend?.map(({ step }) => step && Math.round(step))).toEqual([undefined, undefined, 25, undefined])
  const { comparison, ...outcome } = regression()
  if (!comparison || !trend) throw new Error('the example has no comparison')
  const { rows } = trendTable({ ...outcome, comparison: { ...comparison, trend } })
  const marked = rows.map(([first]) => first?.detail ?? '')
  expect(marked.map((detail) => detail.includes('from here on +25%'))).toEqual([
    false,
    false,
    true,
    false,
    false,
  ])
  expect(rows[2]?.[0]?.text).toContain('2026-01-19')
})

test('if no run of the baseline can be compared, the gate says so', async () => {
  const partial = { ...run(0, 1), partial: 'two of three' }
  const baseline = buildBaseline([partial])
  const { gates } = parseGates('request "A" p95 <= baseline + 10 %')
  const judged = await judge({ gates, report: run(1, 1), ...(baseline ? { baseline } : {}) })
  expect(judged.results[0]).toMatchObject({
    result: 'not-measured',
    reason: 'No baseline run can be compared with this one; the notes say why.',
  })
  expect(judged.doubts).toEqual([expect.stringContaining('was left out: it has partial results only')])
  const without = await judge({ gates, report: run(1, 1) })
  expect(without.results[0]?.reason).toBe('There is no baseline to compare with.')
})
