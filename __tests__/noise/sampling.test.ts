import { Sampling } from '../../src/noise/rows.js'
import { LineUp, samplesOf } from '../../src/noise/baseline.js'
import { ReportFigures } from '../../src/figures/figures.js'
import { ruleOf, type Metric } from '../../src/figures/metrics.js'
import type { Timer } from '../../src/report/report.js'
import { report, timer } from '../gates/example-report.js'
import { baselineOf } from '../gates/judged.js'

test.each<[Metric, number | undefined, number]>([
  ['median', 0.5, 2],
  ['p50', 0.5, 2],
  ['p95', 0.95, 20],
  ['p5', 0.05, 20],
  ['p99.9', 0.999, 1000],
  // Web vitals are 75th percentiles, but of few samples.
  ['lcp', 0.75, 5],
  ['cls', 0.75, 5],
  ['mean', undefined, 5],
  ['count', undefined, 5],
])('%s is the quantile %d, and needs %d samples', (metric, q, samples) => {
  const { quantile, samplesNeeded } = ruleOf(metric)
  if (q === undefined) expect(quantile).toBeUndefined()
  else expect(quantile).toBeCloseTo(q, 12)
  expect(samplesNeeded).toBe(samples)
})

test.each<[Metric, number, number]>([
  ['p95', 0.05, 0.05],
  ['mean', 0.05, 0.05],
  ['throughput', 0.02, 0.03],
  ['max', 0.05, 0.3],
  ['cpu', 0.05, 0.08],
])('before runs have shown it, %s varies by %d for a whole run and %d for one timer', (metric, run, own) => {
  expect(ruleOf(metric).usualNoise).toEqual({ run, own })
})

describe('how often a figure was measured', () => {
  const vitals = (lcp: object) =>
    report({
      webVitals: [
        { name: 'Other', vitals: { lcp: { score: 1, goodCount: 9 } } },
        { name: 'Home', vitals: { cls: { score: 0.1, goodCount: 4 }, lcp: { score: 900, ...lcp } } },
      ],
    })
  const home = { kind: 'web-vitals', name: 'Home' } as const

  test.each([
    [{ goodCount: 10, improveCount: 20, poorCount: 30 }, 60],
    [{ goodCount: 10, poorCount: 0 }, 10],
    [{ goodCount: 0 }, 0],
    [{}, undefined],
  ])('web vitals with %j', (lcp, samples) => {
    expect(samplesOf(vitals(lcp), home, 'lcp')).toBe(samples)
    expect(samplesOf(vitals(lcp), home, 'fcp')).toBeUndefined()
    expect(samplesOf(vitals(lcp), { ...home, name: 'Gone' }, 'lcp')).toBeUndefined()
  })

  test('a timer says so, a load generator does not', () => {
    const now = report({}, { requests: { timers: [timer('A', { count: 7 })] } })
    const earlier = report({}, { requests: { timers: [timer('B', { count: 9 })] } })
    const baseline = baselineOf([earlier])
    const columnOf = (kind: 'requests' | 'agents') =>
      new LineUp(kind, new ReportFigures(now), baseline).samples('count')
    // A and B in both runs, then the row of all, which neither has.
    expect([...columnOf('requests')]).toEqual([7, NaN, NaN, 9, NaN, NaN])
    expect([...columnOf('agents')]).toEqual([NaN, NaN])
  })

  test('a report of thousands of percentiles does not fill the memory with them', () => {
    const timers = Array.from({ length: 5000 }, (_, at) =>
      timer(`R${at}`, { percentiles: { p95: 9, [`p${90 + at / 1000}`]: 7 } }),
    )
    const now = new ReportFigures(report({}, { requests: { timers } }))
    const lineUp = new LineUp('requests', now, baselineOf([now.report]))
    expect(lineUp.metrics.length).toBeLessThanOrEqual(100)
    expect(lineUp.figures('p95', '/s')[0]).toBe(9)
  })
})

/** Sees these timers as those that the runs, the judged one first, have under one name. */
function samplingOf(metric: Metric, timers: readonly (Timer | undefined)[] = []): Sampling {
  const [now = report(), ...earlier] = timers.map((one) =>
    report({}, { requests: { timers: one ? [{ ...one, name: 'A' }] : [] } }),
  )
  const baseline = baselineOf([...earlier, report()])
  return new Sampling(metric, 10, new LineUp('requests', new ReportFigures(now), baseline))
}

describe('how the times of a timer are spread', () => {
  const { deviation: _, ...undeviated } = timer('A')
  const times = (percentiles: Record<string, number>, more = {}) =>
    timer('A', { median: 100, mean: 100, deviation: 80, percentiles, ...more })
  // The normal quantiles of 0.95, 0.99 and 0.25.
  const [z95, z99, z75] = [1.6448536, 2.3263479, 0.6744898]
  const byDeviation = Math.sqrt(Math.log1p(0.64))
  const toMedian = Math.log(2) / z95
  const toBoth = (toMedian + Math.log(2) / (z99 - z95)) / 2

  test.each<[string, Timer | undefined, Metric, number]>([
    ['a mean: by the deviation', times({}), 'mean', 0.8],
    ['a mean of a few extreme times', times({}, { deviation: 900 }), 'mean', 3],
    ['a mean without a deviation: by the percentiles', undeviated, 'mean', 0.8231221031],
    ['a mean without either', { name: 'A', count: 100, mean: 100, percentiles: {} }, 'mean', 0.6],
    ['a mean of 0', times({}, { mean: 0 }), 'mean', 0.6],
    ['no timer', undefined, 'p95', 0.6],
    ['p95 between two others', times({ p95: 200, p99: 400 }), 'p95', toBoth],
    ['p95, the highest one', times({ p95: 200 }), 'p95', toMedian],
    ['p95 next to the median, whatever is further away', times({ p95: 200, p25: 1 }), 'p95', toMedian],
    ['p95 next to p99, not p99.9', times({ 'p99.9': 9000, p99: 400, p95: 200 }), 'p95', toBoth],
    ['the median', times({ p75: 200 }), 'median', Math.log(2) / z75],
    ['p25, the lowest one', times({ p25: 50 }), 'p25', Math.log(2) / z75],
    ['p95 without others', times({ p95: 200 }, { median: undefined }), 'p95', byDeviation],
    ['p95 of 0', times({ p95: 0 }), 'p95', byDeviation],
    ['a percentile that is not there', times({ p99: 400 }), 'p95', byDeviation],
    ['p0, which has no quantile', times({ p0: 10, p95: 200 }, { median: undefined }), 'p95', byDeviation],
    [
      'p99 of 0, beside p99.9',
      times({ p95: 200, p99: 0, 'p99.9': 800 }),
      'p95',
      (toMedian + Math.log(4) / (3.0902323 - z95)) / 2,
    ],
    ['others of 0', times({ p95: 200, p99: 0 }), 'p95', toMedian],
    ['p100, of which nobody knows where it is', times({ p95: 200, p100: 9000 }), 'p95', toMedian],
  ])('%s', (_what, of, metric, spread) => {
    expect(samplingOf(metric, [of]).commonSpread([0])).toBeCloseTo(spread, 6)
  })

  test.each<[string, Timer | undefined, Metric, number]>([
    ['a deviation below the mean', times({}), 'mean', 0],
    ['one just as large', times({}, { deviation: 100 }), 'mean', 0],
    ['five times the mean: what is beyond it', times({}, { deviation: 500 }), 'mean', Math.sqrt(24)],
    ['no deviation', undeviated, 'mean', 0],
    ['a mean of 0', times({}, { mean: 0 }), 'mean', 0],
    ['no timer', undefined, 'mean', 0],
    ['a percentile, which a few extreme times do not move', times({}, { deviation: 500 }), 'p95', 0],
  ])('the tail of the judged run: %s', (_what, of, metric, tail) => {
    expect(samplingOf(metric, [of]).tail(0)).toBeCloseTo(tail, 12)
  })

  test('several runs: the median, but never next to nothing', () => {
    const spreads = [20, 80, 50].map((deviation) => times({}, { deviation }))
    expect(samplingOf('mean', spreads).commonSpread([0, 1, 2])).toBeCloseTo(0.5, 12)
    expect(samplingOf('mean', spreads).commonSpread([0, 1])).toBeCloseTo(0.5, 12)
    expect(samplingOf('p95', spreads).commonSpread([0, 1, 2])).toBeCloseTo(Math.sqrt(Math.log1p(0.25)), 12)
    expect(samplingOf('mean', [times({}, { deviation: 1 })]).commonSpread([0])).toBe(0.05)
  })
})

describe('the variance that comes from few samples, and from steps', () => {
  const step = (size: number, value: number) => (size * size) / 12 / (value * value)
  // The density of the normal distribution at its quantile 0.95, and in its middle.
  const density = { p95: 0.10313564, median: 0.39894228 }

  test.each<[Metric, number, number | undefined, number]>([
    ['mean', 200, 1000, 1.3 * (1 + 4 / 1000) * (0.25 / 1000)],
    ['count', 200, 1000, 1 / 1000],
    ['throughput', 200, 1000, 1 / 1000],
    ['apdex', 0.8, 1000, 0.2 / (0.8 * 1000)],
    ['apdex', 1, 1000, 0],
    ['max', 200, 1000, step(1, 200)],
    ['min', 20, 1000, step(1, 20)],
    ['deviation', 200, 1000, 0],
    ['mean', 200, undefined, 0],
    ['mean', 200, 0, 0],
    ['p95', 400, undefined, step(10, 400)],
    ['p95', 400, 1000, step(10, 400) + (1.3 * (1 + 2 / 50) * 0.25 * 0.95 * 0.05) / (1000 * density.p95 ** 2)],
    ['p5', 400, 1000, step(10, 400) + (1.3 * (1 + 2 / 50) * 0.25 * 0.95 * 0.05) / (1000 * density.p95 ** 2)],
    ['median', 400, 100, step(10, 400) + (1.3 * (1 + 2 / 50) * 0.25 * 0.25) / (100 * density.median ** 2)],
  ])('%s of %d with %d samples', (metric, value, samples, variance) => {
    expect(samplingOf(metric).variance(value, samples, 0.5)).toBeCloseTo(variance, 9)
  })
})
