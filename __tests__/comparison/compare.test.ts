import fc from 'fast-check'
import { buildBaseline } from '../../src/noise/baseline.js'
import {
  compareFigure,
  compareRuns,
  type Comparison,
  type ComparisonRow,
} from '../../src/comparison/comparison.js'
import type { GateResult } from '../../src/gates/result.js'
import type { Metric } from '../../src/figures/metrics.js'
import type { Report, Timer } from '../../src/report/report.js'
import { placed, report, requestReport, timer, unused } from '../gates/example-report.js'

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

it('gives every figure that the baseline has', () => {
  const now = requestReport([timer('A', { percentiles: { p95: 3 } })])
  const before = requestReport([timer('A', { percentiles: { p99: 5, p50: 1, 'p99.9': 9 } })])
  expect(Object.keys(row(compared(now, before), 'A').baseline)).toEqual([
    ...['count', 'errors', 'error-rate', 'throughput', 'min', 'max', 'mean', 'median', 'deviation'],
    ...['p50', 'p99', 'p99.9'],
  ])
})

it('compares the apdex of actions', () => {
  const actions = (apdex: number): Report => report({}, { actions: { timers: [timer('A', { apdex })] } })
  const [first] = compared(actions(0.5), actions(0.9)).rows
  expect(first).toMatchObject({ baseline: { apdex: 0.9 }, changes: { apdex: 'worse' } })
})

it('a timer that was never used has no figures but its count', () => {
  const result = row(compared(requestReport([timer('A')]), requestReport([unused('A')])), 'A')
  expect(result.baseline).toEqual({ count: 0 })
})

it("has the baseline's busiest load generator", () => {
  const busy = (...means: number[]): Report => ({
    ...requestReport([timer('A')]),
    agents: means.map((totalMean, index) => ({ name: `agent ${index}`, totalMean })),
  })
  expect(compared(busy(30, 60), busy(30, 20), busy(20, 50)).cpu).toBe(40)
  expect(compared(busy(), busy()).cpu).toBeUndefined()
})

it('lists as new the errors that no baseline run has', () => {
  const errors = (...messages: string[]): Report =>
    requestReport([], { errors: messages.map((message) => ({ message, count: 1, places: [] })) })
  expect(compared(errors('a', 'b', 'c'), errors('a'), errors('c')).newErrors).toEqual(['b'])
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
    [[600, 600], of(600, 500, 5, 10, 2), 'worse', undefined],
    [[600, 300], of(300, 500, 10, 5, 1), undefined, undefined],
    [[600, 300], of(300, 500, 8, 80, 16), 'worse', 'worse'],
    [[600, undefined], of(undefined, 500, 10, 5, 1), undefined, undefined],
    [[600, 605], of(605, 500, 10, 5, 1), 'worse', undefined],
  ])('of runs that took %j s', (_durations, now, count, errors) => {
    const { changes } = row(compared(now, of(600, 1000, 10, 10, 1)), 'A')
    expect(changes?.['count']).toBe(count)
    expect(changes?.['errors']).toBe(errors)
  })
})

describe('change', () => {
  const steady = Array.from({ length: 9 }, (_, index) => timer(`Steady ${index}`))
  const change = (metric: string, before: Partial<Timer>[], now: Partial<Timer>) => {
    const runs = before.map((figures, at) => ({
      ...requestReport([timer('A', figures), ...steady]),
      general: { startTime: at, duration: 600 },
    }))
    return row(compared(requestReport([timer('A', now), ...steady]), ...runs), 'A').changes?.[metric]
  }
  const p95 = (value: number): Partial<Timer> => ({ percentiles: { p50: 200, p95: value, p99: 800 } })

  it.each([
    // metric, baseline runs, this run, change
    ['p95', [p95(50)], p95(60), undefined],
    ['p95', [p95(400)], p95(480), undefined],
    ['p95', [p95(400)], p95(600), 'worse'],
    ['p95', [p95(600)], p95(400), 'better'],
    ['p95', [p95(400), p95(390), p95(410), p95(400), p95(400)], p95(430), undefined],
    ['p95', [p95(400), p95(390), p95(410), p95(400), p95(400)], p95(480), 'worse'],
    ['p95', [p95(400), p95(390), p95(410), p95(400), p95(400)], p95(330), 'better'],
    ['p95', [p95(200), p95(400), p95(800)], p95(480), undefined],
    ['p95', [p95(0)], p95(0), undefined],
    ['p95', [p95(400)], { count: 5, ...p95(4000) }, undefined],
    ['errors', [{ errors: 0 }], { errors: 1 }, undefined],
    ['errors', [{ errors: 0 }], { errors: 40 }, 'worse'],
    ['error-rate', [{ errors: 400 }], { errors: 20 }, 'better'],
    ['count', [{ count: 1000 }], { count: 400 }, 'worse'],
    ['throughput', [{ countPerSecond: 10 }], { countPerSecond: 20 }, 'better'],
    ['mean', [{ mean: 300 }], { mean: 300 }, undefined],
    ['mean', [{ mean: 300 }], { mean: 600 }, 'worse'],
  ] as const)('%s from %j to %j is %s', (metric, before, now, expected) => {
    expect(change(metric, [...before], now)).toBe(expected)
  })

  it('is worse if a gate on it failed, whatever noise says', () => {
    const [before, now] = [requestReport([timer('A', p95(400))]), requestReport([timer('A', p95(480))])]
    const baseline = buildBaseline([before])
    if (!baseline) throw new Error('no baseline')
    const gate = {
      gate: '',
      line: 1,
      ...placed('request "A"'),
      metric: 'p95',
      unit: 'ms',
      result: 'failed',
    } as const
    const about = { baseline: { name: 'x', runs: 1 } }
    const changeBy = (gates: readonly GateResult[]) =>
      row(compareRuns(now, baseline, about, { gates }), 'A').changes?.['p95']
    expect(changeBy([gate])).toBe('worse')
    expect(changeBy([{ ...gate, result: 'passed' }])).toBeUndefined()
    expect(changeBy([{ ...gate, metric: 'p99' }])).toBeUndefined()
  })

  it('has both differences, and no relative one from 0', () => {
    expect(compareFigure(221, 200)).toEqual({
      ...{ baseline: 200, value: 221, difference: 21, relativeDifference: 10.5 },
    })
    expect(compareFigure(11, 0)).toEqual({
      baseline: 0,
      value: 11,
      difference: 11,
    })
  })

  it('is monotone: a slower run is never better than a faster one', () => {
    const rank = { better: 0, none: 1, worse: 2 }
    const value = fc.integer({ min: 0, max: 50_000 }).map((n) => n / 10)
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), value, value, (before, a, b) => {
        const [low = 'none', high = 'none'] = [Math.min(a, b), Math.max(a, b)].map((one) =>
          change('p95', before.map(p95), p95(one)),
        )
        expect(rank[low]).toBeLessThanOrEqual(rank[high])
      }),
      { numRuns: 10 },
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
    const runs = values.map((mean) => report({}, { requests: { timers: [timer('A', { mean })] } }))
    const baseline = buildBaseline([...runs, report()])
    expect(baseline?.figure({ kind: 'requests', name: 'A' }, 'mean')).toEqual(expected)
  })

  const a = { kind: 'requests', name: 'A' } as const

  it.each<[Metric, number | undefined, number | undefined, number]>([
    // metric, length of the judged run, of the earlier one, what the baseline has
    ['count', 1200, 600, 2000],
    ['count', 300, 600, 500],
    ['count', 606, 600, 1000],
    ['count', 609, 600, 1015],
    ['count', 591, 600, 985],
    ['count', undefined, 600, 1000],
    ['count', 1200, undefined, 1000],
    ['errors', 1200, 600, 10],
    ['error-rate', 1200, 600, 0.5],
    ['p95', 1200, 600, 400],
  ])('has %s of a run of %p s, in one of %p s', (metric, now, duration, figure) => {
    const general = duration === undefined ? {} : { duration }
    const baseline = buildBaseline([requestReport([timer('A')], { general })])
    expect(baseline?.figure(a, metric, '/s', now)?.median).toBeCloseTo(figure, 9)
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
    expect(baseline?.figure({ kind: 'requests', name: 'A' }, 'throughput', '/h')?.median).toBe(36000)
  })
})
