import fc from 'fast-check'
import type { Judged } from '../../src/gates/gates.js'
import { ReportFigures } from '../../src/figures/figures.js'
import { Noise } from '../../src/noise/noise.js'
import type { GateResult } from '../../src/gates/result.js'
import type { Report, Timer } from '../../src/report/report.js'
import { report, requestReport, timer } from './example-report.js'
import { baselineOf, judgedBy as judged } from './judged.js'

/** A run with the p95 of some requests, `R0`, `R1` and so on. */
const run = (p95: readonly number[], startTime = 0, samples = 1000): Report =>
  requestReport(
    p95.map((value, index) =>
      timer(`R${index}`, {
        count: samples,
        percentiles: { p50: value / 2, p95: value, p99: value * 1.5 },
        mean: value / 1.8,
        deviation: value / 3,
      }),
    ),
    { general: { startTime, duration: 600 } },
  )
const times = (count: number, value = 400) => Array.from({ length: count }, () => value)
/** Earlier runs of 20 requests that vary by some 3 percent. */
const earlier = (runs: number, count = 20): Report[] =>
  Array.from({ length: runs }, (_, at) =>
    run(
      times(count).map((value, index) => value * (1 + 0.03 * Math.sin(7 * at + 3 * index))),
      at,
    ),
  )
const wildcard = 'request "*" p95 <= baseline + 10 %'

const isRed = (verdict: Judged['verdict']) => verdict !== 'passed'
const redSubjects = ({ results }: Judged) =>
  results
    .filter(({ result }) => result === 'failed' || result === 'not-measured')
    .map(({ subject }) => subject)

test.each([
  ['one answer of 1,000 that hangs moves the mean by a fifth, and its deviation says so', 1000, 1, []],
  ['twenty that hang, by a third', 1000, 20, ['request "R3"']],
  ['no answer hangs, all are slower by a fifth', 1000, 0, ['request "R3"']],
])('%s', async (_, count, hanging, red) => {
  // Log-normal times of 100 ms, and some of 30 s, or so many more that the mean is the same.
  const hung = hanging === 0 ? 0 : hanging === 1 ? 20_000 : 33_000 / 20
  const mean = 100 + (hanging === 0 ? 20 : (hanging * hung) / count)
  const deviation = Math.sqrt(50 ** 2 + (hanging * hung ** 2) / count)
  const of = (startTime: number, change: object) =>
    requestReport(
      Array.from({ length: 20 }, (__, index) =>
        timer(`R${index}`, {
          ...{ count, mean: 100 + 2 * Math.sin(7 * startTime + 3 * index), deviation: 50 },
          ...(index === 3 ? change : {}),
        }),
      ),
      { general: { startTime, duration: 600 } },
    )
  const before = Array.from({ length: 5 }, (__, at) => of(at, {}))
  const verdict = await judged('request "*" mean <= baseline + 10%', of(9, { mean, deviation }), before)
  expect(redSubjects(verdict)).toEqual(red)
})

describe('red runs say how much whole runs differ', () => {
  const now = run(times(20), 9)
  const percent = (reds: readonly Report[]) => {
    const baseline = baselineOf(earlier(5), [], reds)
    return new Noise(new ReportFigures(now), baseline).wholeRun()?.noise ?? NaN
  }

  it.each<[string, readonly Report[], boolean]>([
    ['8% slower', [run(times(20, 432), 6)], true],
    ['8% faster', [run(times(20, 368), 6)], true],
    ['the same', [run(times(20), 6)], false],
    ['two timers alone in common', [run(times(2, 432), 6)], false],
    ['figures of 0', [run(times(20, 0), 6)], false],
  ])('two of them, %s', (_, reds, isMore) => {
    expect(percent([...reds, ...reds]) > percent([])).toBe(isMore)
    // It may be a regression that was mended at once.
    expect(percent(reds)).toBe(percent([]))
  })
})

describe('what earlier runs knew of how much whole runs differ is recalled', () => {
  const now = run(times(20), 9)
  const ofRuns = (all: number, recalled: readonly (Record<string, number> | undefined)[] = []) => {
    const origins = recalled.map((runNoise) => (runNoise ? { runNoise } : {}))
    const noise = new Noise(new ReportFigures(now), baselineOf(earlier(all), origins))
    noise.find({ kind: 'requests', name: 'R0' }, 'p95')
    return noise.ofRuns()['requests p95'] ?? NaN
  }
  const square = (percent: number) => Math.log1p(percent / 100) ** 2

  test('each counts like seven runs, and 8% more', () => {
    // Five runs, and the assumed two more, of which one degree of freedom goes to their middle.
    const expected = (known: number) =>
      Math.expm1(Math.sqrt((6 * square(ofRuns(5)) + 7 * 1.08 * known) / (6 + 14))) * 100
    const recalled = [{ 'requests p95': 12 }, { 'requests p95': 3 }]
    expect(ofRuns(5, recalled)).toBeCloseTo(expected(square(12) + square(3)), 9)
  })

  test.each<[string, Record<string, number> | undefined]>([
    ['none', undefined],
    ['of another metric', { 'requests mean': 12 }],
    ['of another kind', { 'actions p95': 12 }],
  ])('%s', (_, recalled) => {
    expect(ofRuns(5, [recalled])).toBe(ofRuns(5))
  })

  test('an outcome that says more than runs can show is cut to that', () => {
    const most = ofRuns(5, [{ 'requests p95': 20 }])
    expect(ofRuns(5, [{ 'requests p95': 1e300 }])).toBeCloseTo(most, 9)
    expect(ofRuns(5, [{ 'requests p95': 19 }])).toBeLessThan(most)
  })

  test('two runs know nothing', () => {
    expect(ofRuns(2, [{ 'requests p95': 12 }])).toBeNaN()
  })
})

describe('a change is red, whatever share of the timers it has', () => {
  it.each([1, 2, 5])('twice as slow, with %d earlier runs', async (runs) => {
    for (const slow of [1, 2, 7, 10, 13, 19, 20]) {
      const now = times(20).map((value, index) => (index < slow ? 2 * value : value))
      const verdict = await judged(wildcard, run(now, 9), earlier(runs))
      expect(redSubjects(verdict)).toEqual(Array.from({ length: slow }, (_, index) => `request "R${index}"`))
    }
  })

  it.each([1, 2, 5])(
    'ten of 20 take 20 times as long, the others are the same, with %d earlier runs',
    async (runs) => {
      const before = Array.from({ length: runs }, (_, at) => run(times(20), at))
      const now = times(20).map((value, index) => (index < 10 ? 20 * value : value))
      expect(redSubjects(await judged(wildcard, run(now, 9), before))).toHaveLength(10)
    },
  )
})

describe('properties of the whole judge', () => {
  const value = fc.integer({ min: 200, max: 60_000 }).map((n) => n / 10)
  const factor = fc.constantFrom(0.5, 0.8, 0.95, 1, 1.02, 1.06, 1.1, 1.15, 1.2, 1.3, 1.5, 2, 3, 20)
  const count = 6
  const factors = fc.array(factor, { minLength: count, maxLength: count })
  const history = fc
    .tuple(
      fc.array(value, { minLength: count, maxLength: count }),
      fc.array(fc.array(fc.constantFrom(0.9, 0.96, 1, 1.03, 1.1), { minLength: count, maxLength: count }), {
        minLength: 1,
        maxLength: 6,
      }),
    )
    .map(([levels, varied]) => varied.map((row, at) => run(times6(levels, row), at)))
  const times6 = (levels: readonly number[], by: readonly number[]) =>
    levels.map((level, index) => level * (by[index] ?? 1))
  const lines = fc.constantFrom(
    wildcard,
    'request "R0" p95 <= baseline + 10 %',
    'request "*" p95 <= baseline\nrequests p95 <= baseline + 20 %',
    'request "*" mean <= baseline + 5 %\nrequest "R1" p95 <= baseline + 10 %',
  )
  const rank: Record<GateResult['result'], number> = {
    passed: 0,
    warned: 1,
    'left-out': 1,
    'not-compared': 0,
    'not-measured': 2,
    failed: 2,
  }
  const named = ({ results }: Judged) =>
    new Map(results.map((one) => [`${one.line} ${one.subject}`, one] as const))
  const first = (reports: readonly Report[]) =>
    reports[0]?.timers.requests.timers.map(({ percentiles }) => percentiles['p95'] ?? 0) ?? []

  it('worse figures never turn a red gate or step green, and better ones never a green one red', async () => {
    await fc.assert(
      fc.asyncProperty(history, factors, factors, lines, async (before, by, worse, gates) => {
        const now = times6(first(before), by)
        const later = now.map((one, index) => one * Math.max(1, worse[index] ?? 1))
        const [better, slower] = await Promise.all([
          judged(gates, run(now, 9), before),
          judged(gates, run(later, 9), before),
        ])
        const after = named(slower)
        for (const [name, one] of named(better)) {
          expect(rank[after.get(name)?.result ?? 'passed']).toBeGreaterThanOrEqual(rank[one.result])
        }
        if (isRed(better.verdict)) expect(isRed(slower.verdict)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('one request that is slower, and fails more often, makes no other result better, built in or not', async () => {
    const failed = fc.constantFrom(0, 3, 90, 129, 131, 180, 400, 1000)
    const errors = fc.array(failed, { minLength: count, maxLength: count })
    const failing = (one: Report, by: readonly number[]): Report =>
      requestReport(
        one.timers.requests.timers.map((of, at) => ({ ...of, count: 1000, errors: by[at] ?? 0 })),
        { general: one.general },
      )
    await fc.assert(
      fc.asyncProperty(history, factors, errors, failed, factor, async (before, by, own, more, slower) => {
        const past = before.map((one) => failing(one, []))
        const now = times6(first(before), by)
        const worse = now.map((one, index) => (index === 0 ? one * Math.max(1, slower) : one))
        const [one, other] = await Promise.all([
          judged(wildcard, failing(run(now, 9), own), past),
          judged(wildcard, failing(run(worse, 9), [Math.max(own[0] ?? 0, more), ...own.slice(1)]), past),
        ])
        const after = named(other)
        for (const [name, { result }] of named(one)) {
          expect(rank[after.get(name)?.result ?? 'passed']).toBeGreaterThanOrEqual(rank[result])
        }
      }),
      { numRuns: 20 },
    )
  })

  it('other timers, faster or slower, change no other timer but by slowing the whole run', async () => {
    await fc.assert(
      fc.asyncProperty(history, factors, factors, async (before, by, others) => {
        const now = times6(first(before), by)
        const changed = now.map((one, index) => (index === 0 ? one : one * (others[index] ?? 1)))
        const gate = 'request "R0" p95 <= baseline + 10 %'
        const [one, other] = await Promise.all([
          judged(gate, run(now, 9), before),
          judged(gate, run(changed, 9), before),
        ])
        const isFaster = others.every((change) => change <= 1)
        if (isFaster && !isRed(one.verdict)) expect(isRed(other.verdict)).toBe(false)
      }),
      { numRuns: 20 },
    )
  })

  it('the order, the unit and the number of copies of the earlier runs make no difference', async () => {
    const at = (reports: readonly Report[], startTime: (index: number) => number) =>
      reports.map((one, index) => ({ ...one, general: { ...one.general, startTime: startTime(index) } }))
    const scaled = (one: Report, by: number): Report =>
      requestReport(
        one.timers.requests.timers.map((of): Timer => ({
          ...of,
          mean: (of.mean ?? 0) * by,
          deviation: (of.deviation ?? 0) * by,
        })),
        { general: one.general },
      )
    // No figure is exactly at this limit, where another unit would round it to the other side.
    const gates = 'request "*" mean <= baseline + 10.37 %'
    await fc.assert(
      fc.asyncProperty(history, factors, async (before, by) => {
        const now = run(times6(first(before), by), 99)
        const plain = await judged(gates, now, before)
        const shown = ({ results }: Judged) => results.map(({ subject, result }) => [subject, result])
        const others = [
          [now, [...before].reverse()],
          [now, at(before, (index) => before.length - index)],
          [now, [...before, ...before]],
          [scaled(now, 1024), before.map((one) => scaled(one, 1024))],
        ] as const
        for (const [of, runs] of others) expect(shown(await judged(gates, of, runs))).toEqual(shown(plain))
      }),
      { numRuns: 20 },
    )
  })

  it('more lines of gates change no line', async () => {
    const alone = 'request "R0" p95 <= baseline + 10 %'
    const more = `${alone}\n${wildcard}\nrequest "R*" mean <= baseline\nrequest "*" p95 <= baseline + 80 %\nrequests p95 <= baseline`
    await fc.assert(
      fc.asyncProperty(history, factors, async (before, by) => {
        const now = run(times6(first(before), by), 9)
        const [one] = (await judged(alone, now, before)).results
        const [among, sameTimer] = (await judged(more, now, before)).results
        expect(among).toEqual(one)
        expect(sameTimer?.result).toEqual(one?.result)
      }),
      { numRuns: 15 },
    )
  })

  it('noise excuses at most three times the baseline, and says how much it excuses', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 20, max: 5000 }), async (before, samples) => {
        const now = first(before).map((one, index) => (index === 0 ? 4 * one : one))
        const sampled = before.map((_, at) => run(first(before.slice(at)), at, samples))
        const [result] = (await judged('request "R0" p95 <= baseline + 10 %', run(now, 9, samples), sampled))
          .results
        expect(result?.result).toBe('failed')
        const { failsBeyond = 0 } = result?.noise ?? {}
        expect(failsBeyond).toBeGreaterThanOrEqual(result?.limit ?? Infinity)
        expect(failsBeyond).toBeLessThanOrEqual(3.5 * (result?.baseline ?? 0))
      }),
      { numRuns: 15 },
    )
  })
})

test.each([
  [1, 1.3, 20, 'The whole run is 30% above its baseline, over 20 timers.'],
  [1, 0.8, 20, 'The whole run is 20% below its baseline, over 20 timers.'],
  [5, 1.15, 20, 'The whole run is 15% above its baseline, over 20 timers.'],
  [5, 1.15, 17, 'The whole run is 15% above its baseline, over 20 timers, of which 17 show it.'],
])(
  'timers that are slower or faster together fail, though none would alone: %d runs, %d times, %d timers',
  async (runs, factor, changed, reason) => {
    const now = times(20, 4000).map((value, at) => (at < changed ? value * factor : value))
    const before = Array.from({ length: runs }, (_, at) =>
      run(
        times(20, 4000).map((value, index) => value * (1 + 0.03 * Math.sin(7 * at + 3 * index))),
        at,
      ),
    )
    const gate = factor > 1 ? wildcard : 'request "*" p95 >= baseline - 10 %'
    const { results } = await judged(gate, run(now, 9), before)
    expect(results[0]).toMatchObject({ result: 'failed', reason })
    const percent = expect.closeTo(runs === 1 ? 8.6 : 4.2, 1) as number
    expect(results[0]?.noise).toEqual({ percent, run: true, ...(runs === 1 && { assumed: true }) })
    expect(results.filter((one) => one.reason === reason)).toHaveLength(changed)
  },
)

test.each([
  ['what a shorter run lacks by chance is noise', [600], 400, 0.88, 'passed'],
  ['a longer run that lacks a quarter has lost it', [400, 410, 420, 430, 440], 580, 0.75, 'failed'],
  ['earlier runs of other lengths do not differ', [400, 700, 450, 650, 780], 600, 1, 'passed'],
])('a count is that of a run as long: %s', async (_, lengths, seconds, share, result) => {
  const of = (duration: number, factor: number, startTime: number) =>
    requestReport([timer('A', { count: (duration * factor) / 2 })], { general: { startTime, duration } })
  const before = lengths.map((length, at) => of(length, 1, at))
  const { results } = await judged('request "A" count >= baseline - 10%', of(seconds, share, 9), before)
  expect(results[0]).toHaveProperty('result', result)
})

describe('where the noise comes from', () => {
  const noiseOf = async (before: readonly Report[], now = run(times(20), 9)) =>
    (await judged('request "R0" p95 <= baseline + 10 %', now, before)).results[0]?.noise

  it('the judged run does not count', async () => {
    const wild = run(
      times(20).map((value, index) => value * (index % 2 === 0 ? 1.4 : 0.6)),
      9,
    )
    for (const runs of [1, 2, 5]) {
      expect((await noiseOf(earlier(runs), wild))?.percent).toBe((await noiseOf(earlier(runs)))?.percent)
    }
  })

  it('the noise of one kind is not that of another', async () => {
    const kinds = (now: boolean, at: number) =>
      report(
        { general: { startTime: at, duration: 600 } },
        {
          requests: { timers: (now ? run(times(20)) : (earlier(5)[at] ?? run([]))).timers.requests.timers },
          transactions: {
            timers: times(20, 4000).map((value, index) =>
              timer(`T${index}`, { percentiles: { p95: value * (1 + 0.2 * Math.sin(5 * at + index)) } }),
            ),
          },
        },
      )
    const before = Array.from({ length: 5 }, (_, at) => kinds(false, at))
    expect((await noiseOf(before, kinds(true, 9)))?.percent).toBeCloseTo(
      (await noiseOf(earlier(5)))?.percent ?? 0,
      6,
    )
  })

  it('calmer runs find smaller changes', async () => {
    const calm = Array.from({ length: 5 }, (_, at) => run(times(20, 400 + at), at))
    const slower = run([480, ...times(19, 402)], 9)
    expect((await judged(wildcard, slower, calm)).verdict).toBe('failed')
    expect((await judged(wildcard, slower, calm.slice(0, 1))).verdict).toBe('passed')
  })
})

describe('earlier runs that differ from each other', () => {
  const before = (values: readonly number[]) => values.map((value, at) => run([value, ...times(9)], at))
  const exact = 'request "R0" p95 <= baseline + 10 %'

  it.each([
    [[300, 520, 280, 610, 400], 40],
    [[300, 600], 63],
  ])(
    '%j: a gate that names it is not measured, a match of a wildcard is left out',
    async (values, percent) => {
      const reason = `The earlier runs themselves differ by ±${percent}%.`
      for (const value of [200, 420, 700]) {
        const now = run([value, ...times(9)], 9)
        const one = await judged(exact, now, before(values))
        expect(one).toMatchObject({
          verdict: 'invalid',
          results: [{ result: 'not-measured', unfit: 'noisy', reason }],
        })
        const all = await judged(wildcard, now, before(values))
        expect(all.verdict).toBe('passed')
        expect(all.results[0]).toMatchObject({ result: 'left-out', unfit: 'noisy', reason })
        expect(all.results.slice(1).every(({ result }) => result === 'passed')).toBe(true)
      }
    },
  )

  it.each([
    ['is red all the same', [300, 520, 280, 610, 400], 'failed'],
    ['is open if an earlier run was as slow', [300, 310, 290, 1400, 305], 'invalid'],
  ])('what is more than three times slower %s', async (_, values, verdict) => {
    const now = run([3 * 440, ...times(9)], 9)
    expect((await judged(exact, now, before(values))).verdict).toBe(verdict)
  })

  it.each([[[380, 400, 420, 390, 410]], [[330, 400, 470, 360, 440]]])(
    '%j: can be compared',
    async (values) => {
      expect((await judged(exact, run([400, ...times(9)], 9), before(values))).verdict).toBe('passed')
    },
  )
})

describe('few samples', () => {
  const of = (samples: number, value: number, at = 0): Report =>
    requestReport(
      [
        timer('Rare', {
          count: samples,
          errors: 0,
          ...{
            median: value / 2,
            mean: value / 1.8,
            percentiles: { p50: value / 2, p95: value, p99: value * 1.5 },
          },
        }),
        timer('Often'),
      ],
      { general: { startTime: at, duration: 600 } },
    )

  it.each([
    ['p95', 19, 20],
    ['p99', 99, 100],
    ['median', 1, 2],
    ['mean', 4, 5],
  ])('%s of %d samples cannot be compared, of %d it can', async (metric, few, enough) => {
    const gate = `request "Rare" ${metric} <= baseline + 10 %`
    const what = few === 1 ? '1 sample' : `${few} samples`
    const reason = `There are too few samples: ${what}, and ${metric} needs ${enough}.`
    const rare = await judged(gate, of(few, 4000, 9), [of(enough, 400)])
    expect(rare).toMatchObject({ verdict: 'invalid', results: [{ unfit: 'few-samples', reason }] })
    const before = await judged(gate, of(enough, 4000, 9), [of(few, 400)])
    expect(before.results).toMatchObject([{ result: 'not-measured', reason }])
    expect((await judged(gate, of(enough, 4000, 9), [of(enough, 400)])).verdict).toBe('failed')
    expect((await judged(gate, of(enough, 400, 9), [of(enough, 400)])).verdict).toBe('passed')
  })

  it('a match of a wildcard is left out, and a wildcard whose matches all are is not measured', async () => {
    const both = await judged('request "*" p95 <= baseline + 10 %', of(5, 4000, 9), [of(5, 400)])
    expect(both.verdict).toBe('passed')
    expect(both.results.map(({ subject, result }) => [subject, result])).toEqual([
      ['request "Rare"', 'left-out'],
      ['request "Often"', 'passed'],
    ])
    const one = await judged('request "R*" p95 <= baseline + 10 %', of(5, 4000, 9), [of(5, 400)])
    expect(one.verdict).toBe('invalid')
    expect(one.results).toMatchObject([
      { result: 'not-measured', reason: 'There are too few samples: 5 samples, and p95 needs 20.' },
    ])
    const two = (now: number) =>
      requestReport([timer('A', { count: now }), timer('B', { count: now })], {
        general: { startTime: now, duration: 600 },
      })
    expect((await judged('request "*" p95 <= baseline + 10 %', two(5), [two(6)])).results).toMatchObject([
      {
        subject: 'request "*"',
        result: 'not-measured',
        unfit: 'few-samples',
        reason:
          'None of the 2 matches can be compared. request "A": There are too few samples: 5 samples, and p95 needs 20.',
      },
    ])
    const warning = await judged('warn: request "R*" p95 <= baseline + 10 %', of(5, 4000, 9), [of(5, 400)])
    expect(warning.results).toMatchObject([{ result: 'warned' }])
  })
})

describe('a request that fails has the status of its answer in its name', () => {
  const answers = (at: number, ...of: [name: string, count: number, errors: number][]): Report =>
    requestReport(
      of.map(([name, count, errors]) => timer(name, { count, errors })),
      { general: { startTime: at, duration: 600 } },
    )
  const good = (at: number) => answers(at, ['Pay [200]', 390, 0], ['Home', 1000, 0])
  const rate = (name: string) => `request "${name}" error-rate <= baseline + 1 pp`

  it.each([
    [
      'Pay [200] and Pay [500]',
      answers(9, ['Pay [200]', 260, 0], ['Pay [500]', 130, 130], ['Home', 1000, 0]),
    ],
    ['Pay and Pay [0]', answers(9, ['Pay', 260, 0], ['Pay [0]', 130, 130], ['Home', 1000, 0])],
    ['Pay [503] alone', answers(9, ['Pay [503]', 390, 390], ['Home', 1000, 0])],
  ])('a third of all answers or more fails: %s', async (_, now) => {
    for (const gate of ['request "*" errors <= baseline', ...['*', 'Pay', 'Pay*', 'Pay [200]'].map(rate)]) {
      for (const runs of [1, 2, 5]) {
        const before = Array.from({ length: runs }, (_, at) => good(at))
        const { verdict, results } = await judged(gate, now, before)
        expect(verdict).toBe('failed')
        expect(results.filter(({ result }) => result === 'failed').map(({ subject }) => subject)).toEqual([
          'request "Pay"',
        ])
      }
    }
  })

  it('a third of three answers proves nothing, a third of twelve does', async () => {
    const some = (count: number) =>
      answers(9, ['Pay [200]', count - count / 3, 0], ['Pay [500]', count / 3, count / 3], ['Home', 1000, 0])
    const as = (count: number) => answers(0, ['Pay [200]', count, 0], ['Home', 1000, 0])
    expect((await judged(rate('*'), some(3), [as(3)])).verdict).toBe('passed')
    expect((await judged(rate('*'), some(12), [as(12)])).verdict).toBe('failed')
  })

  it('failures that were there before are no change', async () => {
    const failing = (at: number) => answers(at, ['Pay [200]', 300, 0], ['Pay [500]', 90, 90])
    expect((await judged(rate('*'), failing(9), [failing(0)])).verdict).toBe('passed')
    const renamed = answers(9, ['Pay [200]', 300, 0], ['Pay [503]', 90, 90])
    expect((await judged(rate('*'), renamed, [failing(0)])).verdict).toBe('passed')
    const healed = answers(9, ['Pay [200]', 390, 0])
    expect((await judged(rate('*'), healed, [failing(0), failing(1), failing(2)])).verdict).toBe('passed')
  })

  it.each([
    ['one now and then, in less than half of the runs', [0, 1, 0, 0, 2, 0, 1, 0, 0, 1], 2, 'passed'],
    ['a single burst', [0, 0, 0, 0, 0, 0, 0, 0, 0, 40], 3, 'failed'],
  ])('rare errors before: %s', async (_, errors, now, verdict) => {
    const pay = (at: number, failed: number) => answers(at, ['Pay', 500, failed], ['Home', 500, 0])
    const before = errors.map((failed, at) => pay(at, failed))
    expect((await judged('request "*" errors <= baseline', pay(99, now), before)).verdict).toBe(verdict)
  })

  it.each(['transaction', 'action', 'request', 'page-load', 'custom-timer'])(
    'a new %s is compared with no errors',
    async (word) => {
      const kind = ({ 'page-load': 'pageLoads', 'custom-timer': 'customTimers' } as const)[word] ?? `${word}s`
      const made = (at: number, ...timers: Timer[]) =>
        report({ general: { startTime: at, duration: 600 } }, { [kind]: { timers } })
      const before = made(0, timer('Old', { errors: 0 }))
      const now = (errors: number) =>
        made(9, timer('Old', { errors: 0 }), timer('New', { count: 100, errors }))
      for (const [name, strict] of ['*', 'New'].flatMap((one) => [
        [one, ''] as const,
        [one, ' strict'] as const,
      ])) {
        const gate = `${word} "${name}" error-rate <= baseline + 1 pp${strict}`
        expect((await judged(gate, now(0), [before])).verdict).toBe('passed')
        expect((await judged(gate, now(40), [before])).verdict).toBe('failed')
      }
    },
  )
})
