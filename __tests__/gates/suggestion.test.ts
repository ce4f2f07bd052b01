import fc from 'fast-check'
import { ReportFigures } from '../../src/figures/figures.js'
import { Noise } from '../../src/noise/noise.js'
import { suggestionOf, chanceToFind, lengthFor, type Suggestion } from '../../src/gates/suggested-gates.js'
import type { Report, Timer } from '../../src/report/report.js'
import { report, timer, unused } from './example-report.js'
import { baselineOf, judgedBy } from './judged.js'
import { anyText } from '../any-text.js'

/** A request with times around a mean, and a tenth of that as their spread from run to run. */
function request(name: string, mean: number, figures: Partial<Timer> = {}): Timer {
  const percentiles = { p50: mean * 0.9, p95: mean * 2, p99: mean * 3 }
  return timer(name, { mean, median: mean * 0.9, deviation: mean * 0.4, percentiles, errors: 0, ...figures })
}

/** Three requests and their rows of all; 3,000 transactions. */
function run(
  factor: number,
  { errors = 0, names = ['Search', 'Home', 'Pay', 'Static'], at = 0 } = {},
): Report {
  const requests = names.map((name, index) => request(name, factor * 400 * 0.8 ** index))
  return report(
    { general: { duration: 600, startTime: at } },
    {
      requests: { summary: request('All Requests', factor * 300, { count: 4000 }), timers: requests },
      transactions: { summary: timer('All Transactions', { count: 3000, errors }), timers: [] },
    },
  )
}

/** This many runs that are all alike. */
const alike = (runs: number, factor = 1) => Array.from({ length: runs }, (_, at) => run(factor, { at }))

const factors = [1, 1.03, 0.98, 1.01, 0.97]
const five = factors.map((factor, at) => run(factor, { at }))

async function suggested(now: Report, before: readonly Report[] = []): Promise<Suggestion | undefined> {
  const { noise } = await judgedBy('', now, before)
  return suggestionOf(now, noise)
}

const linesOf = (suggestion: Suggestion | undefined) => (suggestion?.gates ?? []).map(({ gate }) => gate)
const startOf = (line: string) => line.replace(/[\d.]+(?: ms|%)$/, '…')

test('five earlier runs: gates that compare, and fixed limits beside them', async () => {
  const suggestion = await suggested(run(1.02, { at: 9 }), five)
  expect(linesOf(suggestion).map(startOf)).toEqual([
    'transactions error-rate <= …',
    'requests p95 <= baseline + …',
    'request "Search" mean <= baseline + …',
    'request "Home" mean <= baseline + …',
    'request "Pay" mean <= baseline + …',
    'requests p95 <= …',
  ])
  expect(suggestion).toMatchObject({ runs: 6, leftOut: [] })
  expect(suggestion).not.toHaveProperty('isAssumed')
  const [, requests] = suggestion?.gates ?? []
  expect(requests).toMatchObject({ unit: 'ms', low: 582, high: 618, samples: 4000 })
})

test('the first run: fixed limits for what users wait for most, and nothing about noise that nobody has seen', async () => {
  const suggestion = await suggested(run(1))
  expect(linesOf(suggestion).map(startOf)).toEqual([
    'transactions error-rate <= …',
    'requests p95 <= …',
    'request "Search" p95 <= …',
    'request "Home" p95 <= …',
    'request "Pay" p95 <= …',
  ])
  expect(suggestion).toMatchObject({ runs: 1, isAssumed: true, power: [] })
})

test.each([
  [1, true, 0],
  [2, undefined, 0],
  [3, undefined, 3],
])('with %d earlier runs: assumed %s, the power of %d requests', async (count, isAssumed, power) => {
  const suggestion = await suggested(run(1, { at: 9 }), five.slice(0, count))
  expect([suggestion?.isAssumed, suggestion?.power.length]).toEqual([isAssumed, power])
})

test('requests count by the time that they take together, not each', async () => {
  const now = run(1)
  const { timers } = now.timers.requests
  timers.push(request('Rare', 9000, { count: 10 }), request('Often', 20, { count: 90_000 }), unused('Never'))
  timers.reverse()
  expect(
    linesOf(await suggested(now))
      .slice(2)
      .map(startOf),
  ).toEqual(['request "Often" p95 <= …', 'request "Search" p95 <= …', 'request "Home" p95 <= …'])
})

test('a figure that some of the runs lack says how many measured it', async () => {
  const late = five.map((one, at) =>
    at < 3 ? run(factors[at] ?? 1, { at, names: ['Search', 'Home', 'Static'] }) : one,
  )
  const { gates = [] } = (await suggested(run(1, { at: 9 }), late)) ?? {}
  const of = (start: string) => gates.find(({ gate }) => gate.startsWith(start))
  expect(of('request "Pay"')).toMatchObject({ runs: 3, low: expect.closeTo(248.32) as number })
  expect(of('request "Search"')).not.toHaveProperty('runs')
})

describe('a fixed limit', () => {
  const limitOf = (lines: readonly string[], start: string) =>
    Number(
      lines
        .find((line) => line.startsWith(start) && !line.includes('baseline'))
        ?.slice(start.length)
        .replace(/ ms|%/, ''),
    )

  test.each([
    [1, 720],
    [0.1, 80],
    [10, 7200],
  ])(
    'is at least a fifth above the middle of quiet runs, in two digits and steps of 10 ms: %d times as long, %d ms',
    async (factor, limit) => {
      const lines = linesOf(await suggested(run(factor, { at: 20 }), alike(19, factor)))
      expect(limitOf(lines, 'requests p95 <= ')).toBe(limit)
    },
  )

  test('of minutes is in seconds', async () => {
    const lines = linesOf(await suggested(run(1000)))
    expect(lines).toContainEqual(expect.stringMatching(/^requests p95 <= \d+ s$/))
  })

  test('is above the slowest run, and what noise alone may triple has none', async () => {
    const wild = (factor: number, at: number) => {
      const made = run(1, { at })
      const { summary } = made.timers.requests
      if (summary) summary.percentiles = { p50: 300, p95: 600 * factor }
      return made
    }
    const apart = [0.9, 1.15, 0.9, 1.15, 0.9].map(wild)
    const suggestion = await suggested(wild(1, 9), apart)
    expect(suggestion?.leftOut).toEqual([])
    expect(limitOf(linesOf(suggestion), 'requests p95 <= ')).toBeGreaterThan(900)
    const further = await suggested(wild(1, 9), [0.6, 1.6, 0.6, 1.6, 0.6].map(wild))
    expect(linesOf(further).filter((line) => line.startsWith('requests'))).toEqual([])
    expect(further?.leftOut).toEqual([
      {
        gate: 'requests p95',
        reason: expect.stringMatching(/^The earlier runs themselves differ/) as string,
      },
    ])
    const samples = await suggested(tinyRun())
    expect(samples?.leftOut).toContainEqual({
      gate: 'request "Rare" p95',
      reason: 'Noise alone may triple it: use a longer run.',
    })
  })

  test('is above a single odd run, which hardly counts as noise', async () => {
    const odd = alike(19)
    const { summary } = odd[4]?.timers.requests ?? {}
    if (summary) summary.percentiles = { p50: 300, p95: 1190 }
    expect(limitOf(linesOf(await suggested(run(1, { at: 20 }), odd)), 'requests p95 <= ')).toBe(1200)
  })

  test('of errors is above each of the runs, and wider if they are few', async () => {
    const of = async (now: number, ...before: number[]) => {
      const earlier = before.map((errors, at) => run(1, { at, errors }))
      const lines = linesOf(await suggested(run(1, { at: 99, errors: now }), earlier))
      return limitOf(lines, 'transactions error-rate <= ')
    }
    expect(await of(0)).toBe(0.27)
    expect(await of(0, 0, 0, 0, 0, 0)).toBe(0.067)
    // 60 of 3,000 are 2%.
    expect(await of(60, 60, 60, 60, 60, 60)).toBeGreaterThan(2.4)
    expect(await of(0, 0, 0, 0, 0, 300)).toBe(12)
    expect(await of(2990)).toBeNaN()
    const many = run(1)
    many.timers.transactions.summary = timer('All', { count: 1e12, errors: 100 })
    // 100 of 1e12 are 0.00000001%.
    expect(limitOf(linesOf(await suggested(many)), 'transactions error-rate <= ')).toBeGreaterThan(1e-8)
  })
})

/** One request with so few and so different times that a limit says nothing. */
function tinyRun(): Report {
  const now = run(1)
  now.timers.requests.timers = [
    request('Rare', 9000, { count: 20, percentiles: { p50: 500, p95: 30_000, p99: 90_000 } }),
    request('Usual', 10, { count: 100 }),
  ]
  return now
}

describe('the tolerance of a gate that compares', () => {
  const toleranceOf = (lines: readonly string[], start: string) =>
    Number(/\+ (\d+)%$/.exec(lines.find((line) => line.startsWith(start)) ?? '')?.[1])

  test('is not suggested where noise alone may triple the figure, or the runs differ so much', async () => {
    const leftOutOf = async (now: Report, before: Report) => {
      const suggestion = await suggested(now, [before])
      expect(linesOf(suggestion).filter((line) => line.includes('baseline'))).toEqual([])
      return suggestion?.leftOut ?? []
    }
    const pay = (mean: number, p95: number, count: number) => {
      const made = run(1, { names: [] })
      made.timers.requests.summary = request('Pay', mean, { count, percentiles: { p50: 500, p95 } })
      return made
    }
    expect(await leftOutOf(pay(9000, 60_000, 20), pay(9000, 60_000, 20))).toContainEqual({
      gate: 'requests p95',
      reason: 'Noise alone may triple it: use a longer run.',
    })
    expect(await leftOutOf(pay(640, 1000, 4000), pay(640, 123_457, 4000))).toContainEqual({
      gate: 'requests p95',
      reason: expect.stringMatching(/^The earlier runs themselves differ/) as string,
    })
  })

  test('is what noise hides, in steps of 5%', async () => {
    const of = async (spread: number) => {
      const earlier = factors.map((factor, at) => run(1 + (factor - 1) * spread, { at }))
      return linesOf(await suggested(run(1, { at: 9 }), earlier))
    }
    const calm = linesOf(await suggested(run(1, { at: 20 }), alike(19)))
    const calmest = linesOf(await suggested(run(1, { at: 999 }), alike(200)))
    const all = [calm, await of(1), await of(4)]
    expect(all.map((lines) => toleranceOf(lines, 'requests p95'))).toEqual([5, 10, 25])
    expect(all.map((lines) => toleranceOf(lines, 'request "Search"'))).toEqual([5, 10, 25])
    expect(toleranceOf(calmest, 'request "Search"')).toBe(5)
  })
})

describe('the power of the load test', () => {
  const powerOf = async (of: (factor: number, at: number) => Report) => {
    const suggestion = await suggested(of(1, 9), factors.map(of))
    return suggestion?.power.find(({ subject }) => subject === 'request "Search"')
  }
  const withSamples = (count: number) => (factor: number, at: number) => {
    const made = run(factor, { at })
    for (const one of made.timers.requests.timers) one.count = count
    return made
  }

  test('is a half where the gate tolerates as much as it is to find', async () => {
    const loud = (factor: number, at: number) => {
      const made = withSamples(1e6)(1 + (factor - 1) * 4, at)
      made.timers.requests.timers.pop()
      return made
    }
    const all = Array.from({ length: 30 }, (_, at) => loud(factors[at % 5] ?? 1, at))
    const suggestion = await suggested(loud(1, 99), all)
    expect(linesOf(suggestion)).toContain('request "Search" mean <= baseline + 20%')
    expect(suggestion?.power[0]?.chance).toBeCloseTo(0.5, 6)
  })

  test('is less among more requests, which share the false alarms', async () => {
    const names = ['Search', ...Array.from({ length: 60 }, (_, index) => `Other ${index}`)]
    const among = await powerOf((factor, at) => {
      const made = run(factor, { at })
      made.timers.requests.timers = names.map((name) =>
        request(name, factor * (name === 'Search' ? 400 : 40)),
      )
      return made
    })
    const alone = await powerOf((factor, at) => run(factor, { at }))
    expect(among?.chance).toBeLessThan((alone?.chance ?? 0) - 0.05)
  })

  test('rests on the samples of all runs, and their variances add up to the noise', () => {
    const of = (now: number, before: number) => {
      const earlier = baselineOf(factors.map(withSamples(before)))
      const noise = new Noise(new ReportFigures(withSamples(now)(1, 9)), earlier)
      const finding = noise.find({ kind: 'requests', name: 'Search' }, 'mean')
      if (!finding || 'unfit' in finding || !finding.variation) throw new Error('there is no noise')
      return { ...finding.variation, percent: finding.percent }
    }
    const { steady, sampling, percent } = of(1000, 1000)
    expect(Math.log1p(percent / 100) ** 2).toBeCloseTo(steady + sampling, 12)
    expect(of(1000, 100).sampling).toBeGreaterThan(sampling * 1.5)
    expect(of(100, 1000).sampling).toBeGreaterThan(sampling * 5)
  })
})

test('a run that its own earlier runs make red suggests nothing', async () => {
  expect(await suggested(run(1.6, { at: 9 }), five)).toBeUndefined()
  expect(await suggested(run(1.1, { at: 9 }), five)).toBeDefined()
})

test('a run without a figure suggests nothing', async () => {
  expect(await suggested(report())).toBeUndefined()
})

test('what has too few samples is named, and not offered', async () => {
  const { count: _, ...uncounted } = request('Uncounted', 10)
  const now = run(1)
  now.timers.requests.timers = [
    request('Rare', 9000, { count: 19 }),
    request('Rarer', 9000, { count: 3 }),
    request('Usual', 10, { count: 100 }),
    unused('Never'),
    uncounted,
  ]
  const suggestion = await suggested(now)
  expect(suggestion?.leftOut).toEqual([
    { gate: 'request "Rare" p95', reason: 'There are too few samples: 19 samples, and p95 needs 20.' },
    { gate: 'request "Rarer" p95', reason: 'There are too few samples: 3 samples, and p95 needs 20.' },
  ])
})

test('a gate that this load cannot be judged by is left out, with the reason', async () => {
  const names = ['Search', 'Home', 'Pay']
  const now = run(1, { names, at: 9 })
  const [search] = now.timers.requests.timers
  Object.assign(search ?? {}, { count: 300, countPerSecond: 1 })
  const earlier = factors.map((factor, at) => run(factor, { names, at }))
  const suggestion = await suggested(now, earlier)
  expect(suggestion?.leftOut).toEqual([
    {
      gate: expect.stringMatching(/^request "Search" mean <= baseline \+ \d+%$/) as string,
      reason: expect.stringMatching(/^The comparison is not valid/) as string,
    },
  ])
  expect(linesOf(suggestion)).toHaveLength(5)
})

describe('names', () => {
  test.each(['Pay "now"', 'a*', 'why?', 'C:\\x', '# no comment', 'ünïcode ✓', '``` x', 'x <= 1 ms'])(
    '%j is quoted, and matches only itself',
    async (name) => {
      const names = [name, 'ab', 'why!', 'Static']
      const now = run(1, { names })
      const lines = linesOf(await suggested(now))
      const { results } = await judgedBy(lines.join('\n'), now)
      expect(results).toHaveLength(lines.length)
      expect(results[2]).toMatchObject({ subject: `request "${name}"`, result: 'passed' })
    },
  )

  test.each(['two\nlines', 'tab\there', 'a  b', '\u202eevil', '', ' ', 'x'.repeat(121), '${{ secrets.X }}'])(
    '%j is left out',
    async (name) => {
      const lines = linesOf(await suggested(run(1, { names: [name, 'Home', 'Pay', 'Static'] })))
      expect(lines.slice(2).map(startOf)).toEqual(
        ['Home', 'Pay', 'Static'].map((one) => `request "${one}" p95 <= …`),
      )
    },
  )
})

test('whatever is suggested can be written, and the run passes it', async () => {
  const times = fc.array(fc.integer({ min: 20, max: 5000 }), { minLength: 1, maxLength: 6 })
  const name = fc.oneof(anyText({ maxLength: 20 }), fc.constantFrom('a*', '"', '\\', '#', '`'))
  const property = fc.asyncProperty(
    times,
    fc.uniqueArray(name, { minLength: 1, maxLength: 5 }),
    fc.nat(40),
    async (all, names, errors) => {
      const [now, ...before] = all.map((time, at) => run(time / 400, { names, errors, at: -at }))
      if (!now) return
      const suggestion = await suggested(now, before)
      if (!suggestion) return
      expect((await judgedBy(linesOf(suggestion).join('\n'), now, before)).verdict).toBe('passed')
    },
  )
  await fc.assert(property, { numRuns: 20 })
})

const variation = { steady: 0.05 ** 2, sampling: 0.05 ** 2, freedom: 8, cut: 0.0035 }
const found = (slower: number, more: Partial<Parameters<typeof chanceToFind>[1]> = {}) =>
  chanceToFind(variation, { slower, tolerance: 0, ...more })

describe('the chance that a slowdown is found', () => {
  test('is that of a false alarm where there is none', () => {
    expect(found(1)).toBeCloseTo(variation.cut, 6)
  })

  test('is a half where the change is as large as the tolerance, if that is larger than noise', () => {
    expect(found(1.6, { tolerance: 0.6 })).toBeCloseTo(0.5, 6)
    expect(found(1.6, { tolerance: 0.1 })).toBe(found(1.6))
  })

  test('rises with the change, and with the length of the runs as far as that is the cause of noise', () => {
    expect(found(1.3)).toBeGreaterThan(found(1.2))
    expect(found(1.2, { longer: 2 })).toBeGreaterThan(found(1.2))
    const steady = { ...variation, sampling: 0 }
    const of = (longer: number) => chanceToFind(steady, { slower: 1.2, tolerance: 0, longer })
    expect(of(9)).toBe(of(1))
    // Twice as long: half of the variance that samples cause.
    const half = chanceToFind(
      { ...variation, sampling: variation.sampling / 2 },
      { slower: 1.2, tolerance: 0 },
    )
    expect(found(1.2, { longer: 2 })).toBe(half)
  })
})

describe('the length that shows a slowdown', () => {
  const few = { ...variation, steady: 0.01 ** 2, sampling: 0.06 ** 2 }

  test('is the shortest that gives it its chance', () => {
    const longer = lengthFor(few, 1.1, 0.8) ?? 0
    const at = (length: number) => chanceToFind(few, { slower: 1.1, tolerance: 0, longer: length })
    expect(longer).toBeGreaterThan(1)
    expect(at(longer)).toBeGreaterThanOrEqual(0.8)
    expect(at(longer - 1)).toBeLessThan(0.8)
  })

  test('is that of the runs themselves if they show it', () => {
    expect(lengthFor(few, 2, 0.8)).toBe(1)
  })

  test('is unknown if runs differ too much, or if only an endless one would show it', () => {
    expect(lengthFor(variation, 1.1, 0.8)).toBeUndefined()
    expect(lengthFor({ ...few, sampling: 1 }, 1.1, 0.8)).toBeUndefined()
  })
})
