import Big from 'big.js'
import fc from 'fast-check'
import { buildBaseline, spreadOf } from '../../src/gates/baseline-figures.js'
import { compareFigure, compareRuns } from '../../src/gates/compare.js'
import type { Comparison, ComparisonRow } from '../../src/gates/comparison.js'
import { differenceOf } from '../../src/gates/limit.js'
import type { Report } from '../../src/report/report.js'
import { report, requestReport, timer, unused } from './example-report.js'

function compared(now: Report, ...before: Report[]): Comparison {
  const baseline = buildBaseline(before)
  if (!baseline) throw new Error('no baseline')
  return compareRuns(now, baseline, { baseline: { name: 'load test 7', runs: before.length } })
}

function row({ rows }: Comparison, name?: string): ComparisonRow {
  const found = rows.find((one) => one.kind === 'requests' && one.name === name)
  if (!found) throw new Error(`no row ${name ?? ''}`)
  return found
}

it('matches timers by name, summaries first, then those of the run, then the removed', () => {
  const now = requestReport([timer('B'), timer('New'), timer('A')])
  const before = requestReport([timer('A'), timer('Old'), timer('B')])
  before.timers.actions = { summary: timer('All Actions'), timers: [] }
  expect(compared(now, before).rows.map(({ kind, name, presence }) => [kind, name, presence])).toEqual([
    ['actions', undefined, 'removed'],
    ['requests', undefined, 'both'],
    ['requests', 'B', 'both'],
    ['requests', 'New', 'added'],
    ['requests', 'A', 'both'],
    ['requests', 'Old', 'removed'],
  ])
})

it('a timer is in the baseline if any of its runs has it', () => {
  const result = compared(
    requestReport([timer('A')]),
    requestReport([timer('B')]),
    requestReport([timer('A')]),
  )
  expect(row(result, 'A').presence).toBe('both')
  expect(row(result, 'B').presence).toBe('removed')
})

it('gives every figure that any of the runs has', () => {
  const now = requestReport([timer('A', { percentiles: { p99: 5, p50: 1, 'p99.9': 9 } })])
  const before = requestReport([timer('A', { percentiles: { p95: 3 } })])
  expect(Object.keys(row(compared(now, before), 'A').figures)).toEqual([
    ...['count', 'errors', 'error-rate', 'throughput', 'min', 'max', 'mean', 'median', 'deviation'],
    ...['p50', 'p95', 'p99', 'p99.9'],
  ])
})

it('compares the apdex of actions', () => {
  const actions = (apdex: number): Report => report({}, { actions: { timers: [timer('A', { apdex })] } })
  const [first] = compared(actions(0.5), actions(0.9)).rows
  expect(first?.figures.apdex).toMatchObject({ baseline: 0.9, value: 0.5, difference: -0.4, change: 'worse' })
})

it('a timer that was never used has no figures but its count', () => {
  const result = row(compared(requestReport([unused('A')]), requestReport([timer('A')])), 'A')
  expect(result.figures.p95).toEqual({ baseline: 400, change: 'unknown' })
  expect(result.figures.count).toMatchObject({
    baseline: 1000,
    value: 0,
    difference: -1000,
    relativeDifference: -100,
  })
})

it('the busiest load generator has its baseline, and is neither better nor worse', () => {
  const busy = (...means: number[]): Report => ({
    ...requestReport([timer('A')]),
    agents: means.map((totalMean, index) => ({ name: `agent ${index}`, totalMean })),
  })
  const { cpu } = compared(busy(30, 60), busy(30, 20), busy(20, 50))
  expect(cpu).toMatchObject({
    value: 60,
    baseline: 40,
    difference: 20,
    relativeDifference: 50,
    change: 'unknown',
  })
  expect(compared(busy(), busy()).cpu).toBeUndefined()
})

it('lists as new the errors that no baseline run has', () => {
  const errors = (...messages: string[]): Report =>
    requestReport([], { errors: messages.map((message) => ({ message, count: 1, places: [] })) })
  expect(compared(errors('a', 'b', 'c'), errors('a'), errors('c')).newErrors).toEqual(['b'])
})

it('keeps the labels that it is given', () => {
  const baseline = buildBaseline([report()])
  if (!baseline) throw new Error('no baseline')
  const info = { baseline: { name: 'x', runs: 1, label: 'before' }, label: 'after' }
  expect(compareRuns(report(), baseline, info)).toMatchObject(info)
})

describe('raw counts', () => {
  const of = (
    duration: number | undefined,
    count: number,
    perSecond: number,
    errors: number,
    rate: number,
  ): Report => {
    const made = timer('A', { count, countPerSecond: perSecond, errors, errorPercentage: rate })
    const result = requestReport([made])
    result.general = duration === undefined ? {} : { duration }
    return result
  }
  it.each([
    // durations, counts, rates: change of count, change of errors
    [[600, 600], of(600, 500, 5, 10, 2), 'worse', 'none'],
    [[600, 300], of(300, 500, 10, 5, 1), 'none', 'none'],
    [[600, 300], of(300, 500, 8, 8, 1.6), 'worse', 'worse'],
    [[600, undefined], of(undefined, 500, 10, 5, 1), 'none', 'none'],
    [[600, 605], of(605, 500, 10, 5, 1), 'worse', 'better'],
  ])('of runs that took %j s', (_durations, now, count, errors) => {
    const { figures } = row(compared(now, of(600, 1000, 10, 10, 1)), 'A')
    expect(figures.count?.change).toBe(count)
    expect(figures.errors?.change).toBe(errors)
  })
})

describe('change', () => {
  it.each([
    // metric, baseline runs, value, change, difference, relative difference
    ['p95', [100], 110, 'none', 10, 10],
    ['p95', [50], 60, 'none', 10, 20],
    ['p95', [50], 61, 'worse', 11, 22],
    ['p95', [200], 220, 'none', 20, 10],
    ['p95', [200], 221, 'worse', 21, 10.5],
    ['p95', [200], 179, 'better', -21, -10.5],
    ['p95', [100, 200, 300], 290, 'none', 90, 45],
    ['p95', [100, 200, 300], 301, 'worse', 101, 50.5],
    ['p95', [100, 200, 300], 99, 'better', -101, -50.5],
    ['p95', [0], 0, 'none', 0, 0],
    ['p95', [0], 11, 'worse', 11, undefined],
    ['errors', [0], 1, 'worse', 1, undefined],
    ['errors', [10], 11, 'none', 1, 10],
    ['errors', [10], 12, 'worse', 2, 20],
    ['error-rate', [0.5], 0.4, 'better', -0.1, -20],
    ['count', [100], 120, 'better', 20, 20],
    ['count', [100], 80, 'worse', -20, -20],
    ['throughput', [10], 12, 'better', 2, 20],
    ['apdex', [0.5], 0.9, 'better', 0.4, 80],
    ['mean', [300], 300, 'none', 0, 0],
    ['nonsense', [1], 100, 'none', 99, 9900],
  ])('%s from %j to %d is %s', (metric, before, value, change, difference, relativeDifference) => {
    const figure = compareFigure(metric, value, spreadOf(before))
    expect(figure).toEqual({
      baseline: spreadOf(before)?.median,
      value,
      difference,
      ...(relativeDifference === undefined ? {} : { relativeDifference }),
      change,
    })
  })

  it('is unknown if a figure is missing on one side; if it is missing on both, there is no row', () => {
    expect(compareFigure('p95', 5, undefined)).toEqual({ value: 5, change: 'unknown' })
    expect(compareFigure('p95', undefined, spreadOf([5]))).toEqual({ baseline: 5, change: 'unknown' })
    expect(compareFigure('p95', undefined, undefined)).toBeUndefined()
  })

  it('is monotone: a slower run is never better than a faster one', () => {
    const rank = { better: 0, none: 1, unknown: 1, worse: 2 }
    const value = fc.integer({ min: 0, max: 50_000 }).map((n) => n / 10)
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), value, value, (before, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map((one) =>
          compareFigure('p95', one, spreadOf(before)),
        )
        expect(rank[low?.change ?? 'unknown']).toBeLessThanOrEqual(rank[high?.change ?? 'unknown'])
      }),
    )
  })
})

describe('the baseline', () => {
  it.each([
    [[], undefined],
    [[5], { median: 5, low: 5, high: 5, n: 1 }],
    [[9, 5], { median: 7, low: 5, high: 9, n: 2 }],
    [[0.1, 0.2], { median: 0.15, low: 0.1, high: 0.2, n: 2 }],
    [[3, 1, 2], { median: 2, low: 1, high: 3, n: 3 }],
    [[10, 1, 2, 3], { median: 2.5, low: 1, high: 10, n: 4 }],
  ])('of %j', (values, expected) => {
    expect(spreadOf(values)).toEqual(expected)
  })

  it('does not exist without reports', () => {
    expect(buildBaseline([])).toBeUndefined()
  })

  it('begins with its latest run', () => {
    const at = (startTime: number): Report => report({ general: { startTime } })
    const starts = buildBaseline([at(1), at(3), at(2)])?.reports.map(({ general }) => general.startTime)
    expect(starts).toEqual([3, 2, 1])
  })

  it('includes web vitals, load generators and rates', () => {
    const made = requestReport([timer('A')], {
      agents: [{ name: 'a', totalMean: 50 }],
      webVitals: [{ name: 'Home', vitals: { lcp: { score: 2000 } } }],
    })
    const baseline = buildBaseline([made])
    expect(baseline?.figure({ kind: 'agents' }, 'cpu')?.median).toBe(50)
    expect(baseline?.figure({ kind: 'web-vitals', name: 'Home' }, 'lcp')?.median).toBe(2000)
    expect(
      baseline?.figure({ kind: 'timers', timers: 'requests', name: 'A' }, 'throughput', '/h')?.median,
    ).toBe(36000)
  })
})

it('differences are exact decimals, however many places they have', () => {
  expect(differenceOf(0.3, 0.1)).toEqual({ difference: 0.2, relativeDifference: 200 })
  const decimal = fc
    .tuple(fc.nat(2_000_000_000), fc.integer({ min: 0, max: 9 }))
    .map(([digits, places]) => Number(`${digits}e-${places}`))
  fc.assert(
    fc.property(decimal, decimal, (now, before) => {
      const apart = new Big(now).minus(before)
      const { difference, relativeDifference } = differenceOf(now, before)
      expect(difference).toBe(apart.toNumber())
      if (before === 0) {
        expect(relativeDifference).toBe(now === 0 ? 0 : undefined)
        return
      }
      const share = apart.times(100).div(before).toNumber()
      const off = Math.abs((relativeDifference ?? Infinity) - share)
      expect(off).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(share)))
    }),
  )
})
