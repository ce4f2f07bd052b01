import type { Unfit } from '../../src/noise/baseline.js'
import { Noise, type Finding } from '../../src/noise/noise.js'
import type { Metric } from '../../src/figures/metrics.js'
import { ReportFigures, type Place } from '../../src/figures/figures.js'
import type { Report, Timer } from '../../src/report/report.js'
import { report, timer } from '../gates/example-report.js'
import { baselineOf } from '../gates/judged.js'
import {
  countTail,
  highestChance,
  digamma,
  ratioTail,
  studentTail,
  trigamma,
  trigammaInverse,
} from '../../src/noise/distributions.js'
import {
  clippedMean,
  excessVariance,
  median,
  medianOfSquares,
  weightedMedian,
} from '../../src/figures/numbers.js'
import { TimerVariances, type Varied } from '../../src/noise/model.js'

import figures from './noise-figures.json' with { type: 'json' }

/*
 * What noise is said to be for fixed runs, to the figure: the percentages and bounds that readers see. They were
 * written with `UPDATE_NOISE_FIGURES=1` when the noise bench had measured the model; a change of the model shows here,
 * and wants the bench again.
 */

/** Deterministic, uneven and different for each run and timer. */
const wave = (run: number, at: number) => Math.sin(7 * run + 3 * at + run * at)

interface History {
  runs: number
  timers: number
  /** How much timers and whole runs vary, as a share. */
  own: number
  whole: number
  /** Of a timer in a run, the judged one being 50; undefined if the run did not have it. */
  samples?: (run: number, at: number) => number | undefined
  /** The judged run beside the others, for each timer. */
  now: (at: number) => number
  /** By which factor runs were slower that a green one followed, and how many timers each had. */
  reds?: [factor: number, timers: number][]
  /** Of the judged run, as a share of the mean. */
  deviation?: number
  /** What each of the runs knew of how much whole runs differ, in percent. */
  recalled?: number
}

/** The number of the judged run. */
const judged = 50

function reportOf(history: History, run: number, factor: (at: number) => number): Report {
  const { timers, own, whole, samples: samplesAt = () => 1000, deviation = 0.5 } = history
  const of = (name: string, at: number): Timer => {
    const level = 200 + 100 * at
    const samples = samplesAt(run, at) ?? 0
    const mean = level * (1 + own * wave(run, at)) * (1 + whole * Math.cos(5 * run)) * factor(at)
    const errors = Math.round(samples * 0.02 * (1 + at / 4) * (1 + 4 * own * wave(run, at + 2)) * factor(at))
    return timer(name, {
      count: Math.round(samples * (1 + own * wave(run, at + 1))),
      errors,
      mean,
      max: Math.round(mean * 9),
      deviation: mean * (run === judged ? deviation : 0.5),
      median: mean * 0.9,
      percentiles: { p50: mean * 0.9, p95: mean * 2, p99: mean * 3 },
      apdex: 0.9 - 0.1 * own * wave(run, at),
    })
  }
  const present = Array.from({ length: timers }, (_, at) => at).filter(
    (at) => samplesAt(run, at) !== undefined,
  )
  const all = present.map((at) => of(`T${at}`, at))
  return report(
    {
      general: { startTime: 1000 * run, duration: 600 },
      agents: [{ name: 'a', totalMean: 40 * (1 + own * wave(run, 5)) * factor(0) }],
      webVitals: all.map(({ name, mean = 0, count: samples = 0 }) => ({
        name,
        vitals: {
          lcp: { score: mean * 3, goodCount: samples, poorCount: 0 },
          cls: { score: mean / 9000, goodCount: samples },
        },
      })),
    },
    { requests: { summary: of('All', 2), timers: all }, actions: { timers: all.slice(0, 4) } },
  )
}

const three = { runs: 3, timers: 3, own: 0.05, whole: 0.03 }
const apart = { ...three, own: 0.6, whole: 0.1 }
const fourTimers = { runs: 3, timers: 4, own: 0.03, whole: 0.02, now: () => 1.2 }

const histories: Record<string, History> = {
  'one run': { runs: 1, timers: 6, own: 0.05, whole: 0.03, now: () => 1.1 },
  'one run, one timer': { runs: 1, timers: 1, own: 0.05, whole: 0.03, now: () => 1.1 },
  'two runs, two timers': { runs: 2, timers: 2, own: 0.05, whole: 0.03, now: () => 1 },
  'three calm runs': { runs: 3, timers: 8, own: 0.01, whole: 0.005, now: (at) => (at === 3 ? 1.4 : 1) },
  'three runs, one timer': { runs: 3, timers: 1, own: 0.03, whole: 0.02, now: () => 0.8 },
  'five runs': { runs: 5, timers: 12, own: 0.06, whole: 0.05, now: (at) => (at % 3 === 0 ? 1.3 : 1) },
  'five runs with few samples': {
    ...{ runs: 5, timers: 6, own: 0.06, whole: 0.02 },
    samples: () => 60,
    now: () => 1.2,
  },
  'eight noisy runs, and a slow one': { runs: 8, timers: 5, own: 0.2, whole: 0.1, now: () => 1.6 },
  'four runs, and a fast one': { runs: 4, timers: 7, own: 0.04, whole: 0.08, now: () => 0.6 },
  'runs that differ too much': { ...apart, now: () => 1 },
  'runs that differ too much, and a far slower one': { ...apart, now: () => 9 },
  'runs that differ too much, and a far faster one': { ...apart, now: () => 0.1 },
  'too few samples in some earlier runs, and timers that not all of them had': {
    ...{ runs: 5, timers: 6, own: 0.05, whole: 0.03 },
    samples: (run, at) =>
      at === 3 ? (run < 2 ? undefined : 900) : at === 0 ? [900, 10, 900, 12, 900][run] : 900,
    now: () => 1.2,
  },
  'timers that a single earlier run had, or none': {
    ...{ runs: 4, timers: 5, own: 0.05, whole: 0.03 },
    samples: (run, at) => (run < 50 && (at === 3 || (at === 1 && run > 0)) ? undefined : 900),
    now: () => 1.2,
  },
  'too few samples': { ...three, samples: (run) => (run === judged ? 4 : 900), now: () => 1 },
  'a single sample': { ...three, timers: 2, samples: (run) => (run === judged ? 1 : 900), now: () => 1 },
  'too few samples before': {
    ...three,
    samples: (run) => (run === judged ? 900 : [4, 17, 11][run]),
    now: () => 1,
  },
  'five runs that recall how much runs differ': {
    ...{ runs: 5, timers: 6, own: 0.03, whole: 0.02, recalled: 9 },
    now: (at) => (at === 3 ? 1.4 : 1.1),
  },
  // The last one has too few timers.
  'three runs, and three red ones': {
    ...{ runs: 3, timers: 6, own: 0.03, whole: 0.02 },
    reds: [
      [1.15, 6],
      [1.12, 3],
      [2, 2],
    ],
    now: (at) => (at === 3 ? 1.4 : 1.1),
  },
  'a few answers that hang': { ...fourTimers, deviation: 3 },
  'as many samples as are needed, and one less': {
    ...{ ...fourTimers, own: 0 },
    samples: (run, at) => (at === 0 ? 20 : at === 3 ? (run === 1 ? 19 : 20) : 19),
  },
  'a run whose times are below the step of the report': { ...fourTimers, now: () => 0.00001 },
  'just enough samples': { runs: 3, timers: 2, own: 0.01, whole: 0.01, samples: () => 21, now: () => 1 },
}

const named = (timers: 'requests' | 'actions', name?: string): Place =>
  name === undefined ? { kind: timers } : { kind: timers, name }
const asked: [string, Place, Metric][] = [
  ['request "T0" p95', named('requests', 'T0'), 'p95'],
  ['request "T3" p95', named('requests', 'T3'), 'p95'],
  ['request "T3" mean', named('requests', 'T3'), 'mean'],
  ['request "T1" max', named('requests', 'T1'), 'max'],
  ['request "T1" count', named('requests', 'T1'), 'count'],
  ['request "T1" errors', named('requests', 'T1'), 'errors'],
  ['request "T3" error-rate', named('requests', 'T3'), 'error-rate'],
  ['requests p95', named('requests'), 'p95'],
  ['requests mean', named('requests'), 'mean'],
  ['requests errors', named('requests'), 'errors'],
  ['action "T2" median', named('actions', 'T2'), 'median'],
  ['action "T2" apdex', named('actions', 'T2'), 'apdex'],
  ['action "T2" errors', named('actions', 'T2'), 'errors'],
  ['web-vitals "T1" lcp', { kind: 'web-vitals', name: 'T1' }, 'lcp'],
  ['web-vitals "T1" cls', { kind: 'web-vitals', name: 'T1' }, 'cls'],
  ['agents cpu', { kind: 'agents' }, 'cpu'],
]

/** Seven digits. */
const short = (value: number) => Number(value.toPrecision(7))

function shown(found: Finding | Unfit | undefined) {
  if (!found) return 'unknown'
  if ('unfit' in found) return found
  const { percent, isAssumed, samples, run, variation, unsure } = found
  return {
    percent: short(percent),
    samples: samples ?? 'unknown',
    isAssumed,
    above: short(found.reach(true) ?? -1),
    below: short(found.reach(false) ?? -1),
    isBeyond: [found.isBeyond(true), found.isBeyond(false)],
    exceeded: short(found.exceededWith(0.01)),
    ...(unsure ? { unsure: unsure.reason } : {}),
    ...(variation ? { variation: Object.values(variation).map(short) } : {}),
    run: run ? [run.shift, run.deviation, run.reach, run.timers].map(short) : 'unknown',
  }
}

function figuresOf(history: History) {
  const run = new ReportFigures(reportOf(history, judged, history.now))
  const { recalled, reds = [] } = history
  const runNoise = { 'requests p95': recalled ?? 0, 'requests mean': recalled ?? 0 }
  const baseline = baselineOf(
    Array.from({ length: history.runs }, (_, at) => reportOf(history, at, () => 1)),
    Array.from({ length: history.runs }, () => (recalled === undefined ? {} : { runNoise })),
    reds.map(([factor, timers], at) => reportOf({ ...history, timers }, 20 + at, () => factor)),
  )
  const noise = new Noise(run, baseline)
  const whole = noise.wholeRun()
  const { places } = noise.lineUp('requests')
  const beyond = noise.judgeOf('requests', 'p95')
  const sides = places.map((_, at) => [beyond(at, true), beyond(at, false)].map(String).join(' '))
  return {
    'whole run': whole ? { ...whole, percent: short(whole.percent), noise: short(whole.noise) } : 'unknown',
    'requests beyond': sides.join(', '),
    ...Object.fromEntries(asked.map(([name, place, metric]) => [name, shown(noise.find(place, metric))])),
  }
}

const kept: Record<string, unknown> = figures

test.each(Object.entries(histories))('%s', (name, history) => {
  expect(figuresOf(history)).toEqual(kept[name])
})

if (process.env['UPDATE_NOISE_FIGURES']) {
  afterAll(async () => {
    const { writeFile } = await import('node:fs/promises')
    const all = Object.fromEntries(Object.entries(histories).map(([name, one]) => [name, figuresOf(one)]))
    // A line for each figure.
    const lines = JSON.stringify(all)
      .replace(/:\{"whole run"/g, ':{\n"whole run"')
      .replace(/([}"]),"(?=request|action|web-vitals|agents)/g, '$1,\n"')
    await writeFile('__tests__/noise/noise-figures.json', `${lines}\n`)
  })
}

test.each([
  [[7], 7],
  [[9, 1], 5],
  [[100, 9, 10], 10],
  [[4, 1, 1000, 2], 3],
  [[-3, -20, 5], -3],
])('the median of %j is %d', (values, middle) => {
  expect(median(values)).toBe(middle)
})

test.each([16, 17, 18, 500, 501])('the median of %d values in any order', (count) => {
  const sorted = Array.from({ length: count }, (_, at) => Math.floor(at / 3))
  const middle = ((sorted[Math.ceil(count / 2) - 1] ?? 0) + (sorted[Math.floor(count / 2)] ?? 0)) / 2
  // 7919 is prime: every value occurs.
  const mixed = sorted.map((_, at) => sorted[(at * 7919) % count] ?? 0)
  for (const values of [sorted, sorted.toReversed(), mixed]) expect(median(values)).toBe(middle)
})

const weighed = (...pairs: [number, number][]) => pairs.map(([value, weight]) => ({ value, weight }))

test.each([
  ['of equal weights the middle one', weighed([30, 1], [10, 1], [20, 1]), 20],
  ['of an even number the mean of the middle two', weighed([40, 1], [10, 1], [30, 1], [20, 1]), 25],
  ['a heavy one decides', weighed([10, 1], [20, 1], [90, 5]), 90],
  ['a light one does not', weighed([10, 5], [20, 1], [90, 1]), 10],
  ['just more than half', weighed([10, 1.001], [20, 1]), 10],
  ['half and half, as far as fractions tell', weighed([10, 0.1 + 0.2], [20, 0.3]), 15],
  ['a single one', weighed([10, 3]), 10],
])('the weighted median: %s', (_, values, middle) => {
  expect(weightedMedian(values)).toBe(middle)
})

test('no value has no median', () => {
  expect(median([])).toBeNaN()
  expect(weightedMedian([])).toBeNaN()
})

test.each([
  [[9, 10, 11], 10],
  [[9, 10, 1000], (9 + 10 + 15) / 3],
  [[-1000, 10, 11], (5 + 10 + 11) / 3],
  [[5, 10, 15], 10],
])('the mean of %j, with values further than 5 from 10 pulled in, is %d', (values, mean) => {
  expect(clippedMean(values, 10, 5)).toBeCloseTo(mean, 12)
})

describe('the variance beyond what is known', () => {
  const squares = (...all: [square: number, known: number][]) => all

  test.each([
    ['none, if the squares are smaller', squares([0.01, 1], [0.02, 1], [0.03, 1]), 0],
    ['none of nothing', [], 0],
    // The middle square is that of a normal figure with the variance 2, of which 0.5 is known.
    ['the rest', squares([0.1, 0.5], [2 * medianOfSquares, 0.5], [50, 0.5]), 1.5],
    ['all, if nothing is known', squares([0.1, 0], [2 * medianOfSquares, 0], [50, 0]), 2],
    [
      'of those with different known ones',
      squares([0.3 * medianOfSquares, 0.1], [1 * medianOfSquares, 0.3], [medianOfSquares, 0]),
      0.7,
    ],
    ['of two, that of the smaller', squares([medianOfSquares, 0], [3 * medianOfSquares, 0]), 1],
  ])('%s', (_, deviations, variance) => {
    const beyond = deviations.map(([square, known]) => square / medianOfSquares - known)
    expect(excessVariance(new Float64Array(beyond))).toBeCloseTo(variance, 7)
  })
})

describe('the highest chance that counts as a change', () => {
  test.each([
    ['a single figure', [0.5], 0.07],
    ['no figure', [], 0.07],
    ['none of ten is unlikely', Array.from({ length: 10 }, () => 0.5), 0.007],
    ['one of ten', [0.006, ...Array.from({ length: 9 }, () => 0.5)], 0.007],
    ['two of ten, in any order', [0.5, 0.014, ...Array.from({ length: 7 }, () => 0.5), 0.001], 0.014],
    ['the second makes the first count', [0.0139, 0.0139, ...Array.from({ length: 8 }, () => 0.5)], 0.014],
    ['one more than the second may be', [0.001, 0.0141, ...Array.from({ length: 8 }, () => 0.5)], 0.007],
    ['all', Array.from({ length: 10 }, () => 0.001), 0.07],
  ])('%s', (_, chances, highest) => {
    expect(highestChance(chances, 0.07)).toBeCloseTo(highest, 12)
  })
})

const requests = (timers: Timer[]) => report({}, { requests: { timers } })
const failing = (count: number, errors: number, name = 'Pay') => timer(name, { count, errors })
const place = { kind: 'requests', name: 'Pay', anyStatus: true } as const

function finding(now: Report, earlier: Report[]) {
  const found = new Noise(new ReportFigures(now), baselineOf(earlier)).find(place, 'errors')
  if (!found || 'unfit' in found) throw new Error('not found')
  return found
}

test.each([
  // Three errors, and a quarter of all answers more than in the baseline, are beyond any noise.
  [4, 2, 4, 0, false],
  [4, 3, 4, 0, true],
  [100, 26, 100, 0, true],
  [4, 4, 4, 2, true],
  [4, 3, 4, 2, false],
])(
  'of %d answers %d failed, and of %d before %d: beyond noise %j',
  (count, errors, countBefore, before, beyond) => {
    const found = finding(requests([failing(count, errors)]), [requests([failing(countBefore, before)])])
    expect(found.isBeyond(true)).toBe(beyond)
    expect((found.reach(true) ?? 0) < errors).toBe(beyond)
  },
)

test('a failed request that has another name counts as the same request', () => {
  const names = ['Pay', 'Search', 'Login', 'Order', 'Cart']
  const one = (errors: number) => requests(names.map((name) => failing(1000, errors, name)))
  const two = (errors: number) =>
    requests(
      names.flatMap((name) => [failing(1000 - errors, 0, name), failing(errors, errors, `${name} [500]`)]),
    )
  for (const runs of [1, 4]) {
    const before = Array.from({ length: runs }, (_, at) => at + 4)
    const [whole, split] = [finding(one(9), before.map(one)), finding(two(9), before.map(two))]
    expect([split.percent, split.reach(true), split.isBeyond(true)]).toEqual([
      whole.percent,
      whole.reach(true),
      whole.isBeyond(true),
    ])
  }
})

test('what no earlier run had has failed in none of them; what was there without a count is unknown', () => {
  const now = requests([failing(1000, 9)])
  const other = requests([failing(1000, 0, 'Search')])
  expect(finding(now, [other]).isBeyond(true)).toBe(true)
  expect(finding(requests([failing(1000, 1)]), [other]).isBeyond(true)).toBe(false)
  const { count: _, ...uncounted } = failing(1000, 0)
  expect(() => finding(requests([uncounted]), [other])).toThrow('not found')
})

test('a run of which nobody knows how many errors it had says nothing', () => {
  const now = requests([failing(1000, 9)])
  const { errors: _, errorPercentage: __, ...unknown } = failing(1000, 0)
  const known = requests([failing(1000, 8)])
  expect(finding(now, [known, requests([unknown]), requests([failing(0, 0)])]).reach(true)).toBe(
    finding(now, [known, requests([]), requests([])]).reach(true),
  )
})

test('digamma and trigamma are what tables say', () => {
  expect(digamma(1)).toBeCloseTo(-0.5772156649, 9)
  expect(digamma(0.5)).toBeCloseTo(-1.963510026, 9)
  expect(trigamma(1)).toBeCloseTo(Math.PI ** 2 / 6, 8)
  expect(trigamma(0.5)).toBeCloseTo(Math.PI ** 2 / 2, 8)
  expect(trigamma(30)).toBeCloseTo(0.0338949, 6)
})

test.each([0.02, 0.5, 1.6, 9])('the x of which trigamma is %d', (value) => {
  expect(trigamma(trigammaInverse(value))).toBeCloseTo(value, 6)
})

test.each([
  [2.228, 10, 0.025],
  [-2.228, 10, 0.975],
  [0, 10, 0.5],
  [0.129, 10, 0.45],
  [12.706, 1, 0.025],
])("Student's t is above %d, with %d degrees of freedom, in a share of %d", (t, freedom, share) => {
  expect(studentTail(t, freedom)).toBeCloseTo(share, 4)
})

test.each([
  [0, 2, 1],
  [-1, 2, 1],
  [1, 0, 0],
  [3, 2, 1 - 5 * Math.exp(-2)],
])('a count of %d or more, where %d is the mean, has a chance of %d', (count, mean, chance) => {
  expect(countTail(count, mean, 0)).toBeCloseTo(chance, 5)
})

// Of tables of the F distribution: the ratio that 5 and 1 of 100 exceed.
test.each([
  [4, 10, 3.478, 0.05],
  [4, 10, 5.994, 0.01],
  [1, 20, 4.351, 0.05],
])(
  'a ratio of variances with %d and %d degrees of freedom is above %d in a share of %d',
  (above, below, ratio, share) => {
    expect(ratioTail(ratio, above, below)).toBeCloseTo(share, 4)
  },
)

const freedom = 4
/** The measured variances of 20 timers: spread by chi-square, each times its own variance. */
function shares(variance: (index: number) => number): Varied[] {
  const quarters = [0.27, 0.48, 0.7, 0.96, 1.35]
  return Array.from({ length: 20 }, (_, index) => ({
    share: (quarters[index % 5] ?? 1) * variance(index),
    freedom,
  }))
}
const loud: Varied = { share: 4, freedom }

test('if timers differ only by chance, a timer with larger noise than the others counts for little', () => {
  const { factor, freedom: known } = new TimerVariances(shares(() => 1)).of(loud)
  expect(factor).toBeLessThan(2)
  expect(known).toBeGreaterThan(12)
})

test('if timers do differ, each counts for itself, with fewer degrees of freedom', () => {
  const variances = new TimerVariances(shares((index) => (index < 10 ? 0.2 : 3)))
  const { factor, freedom: known } = variances.of(loud)
  expect(factor).toBeGreaterThan(2)
  expect(known).toBeLessThan(12)
  expect(variances.of({ share: 0.2, freedom }).factor).toBeLessThan(factor / 2)
})

test('a timer that is far noisier than all others by more than chance has its own noise', () => {
  const variances = new TimerVariances(shares(() => 1))
  // Also the second one.
  for (const { factor, freedom: known } of [40, 40].map((share) => variances.of({ share, freedom }))) {
    expect(factor).toBeGreaterThan(35)
    expect(known).toBeLessThan(6)
  }
})

test.each<[string, Varied[]]>([
  [
    'one baseline run, which shows nothing about a timer',
    Array.from({ length: 20 }, () => ({ share: 1, freedom: 0 })),
  ],
  ['a single timer', [{ share: 2, freedom }]],
  ['no timer', []],
])('%s: the assumed noise is used', (_, all) => {
  const { factor, freedom: known } = new TimerVariances(all).of({ share: 1, freedom: 0 })
  expect(factor).toBeGreaterThanOrEqual(1)
  expect(factor).toBeLessThan(1.3)
  expect(known).toBeGreaterThan(10)
  expect(Number.isFinite(known)).toBe(true)
})

test('if no timer varies as much as expected, less is expected of all of them, but not nothing', () => {
  const calm = Array.from({ length: 20 }, () => ({ share: 0, freedom }))
  const { factor } = new TimerVariances(calm).of({ share: 0, freedom })
  expect(factor).toBeGreaterThan(0.5)
  expect(factor).toBeLessThan(0.8)
})
