import fc from 'fast-check'
import {
  compareRuns,
  addedTime,
  type Comparison,
  type ComparisonRow,
} from '../../src/comparison/comparison.js'
import type { GateResult } from '../../src/gates/result.js'
import { timerMetrics, type Metric } from '../../src/figures/metrics.js'
import type { Report, Timer, RequestParts } from '../../src/report/report.js'
import { placed, report, requestReport, timer, unused } from '../gates/example-report.js'
import { baselineOf } from '../gates/judged.js'
import { ReportFigures } from '../../src/figures/figures.js'
import { stepsIn, type Track } from '../../src/comparison/change-points.js'

function compared(now: Report, ...before: Report[]): Comparison {
  return compareRuns(now, baselineOf(before), { baseline: { name: 'load test 7', runs: before.length } })
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
  const [a, b] = [requestReport([timer('A')]), requestReport([timer('B')])]
  const result = compared(a, b, a)
  expect(row(result, 'A').presence).toBe('both')
  expect(row(result, 'B').presence).toBe('removed')
})

it('gives every figure that the baseline has', () => {
  const now = requestReport([timer('A', { percentiles: { p95: 3 } })])
  const before = requestReport([timer('A', { percentiles: { p99: 5, p50: 1, 'p99.9': 9 } })])
  expect(Object.keys(row(compared(now, before), 'A').baseline)).toEqual([
    ...timerMetrics,
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
    const baseline = baselineOf([before])
    const about = { ...placed('request "A"'), metric: 'p95', unit: 'ms' } as const
    const gate = { gate: '', line: 1, ...about, result: 'failed' } as const
    const info = { baseline: { name: 'x', runs: 1 } }
    const changeBy = (gates: readonly GateResult[]) =>
      row(compareRuns(now, baseline, info, { gates }), 'A').changes?.['p95']
    expect(changeBy([gate])).toBe('worse')
    expect(changeBy([{ ...gate, result: 'passed' }])).toBeUndefined()
    expect(changeBy([{ ...gate, metric: 'p99' }])).toBeUndefined()
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
    const baseline = baselineOf([...runs, report()])
    expect(baseline.figure({ kind: 'requests', name: 'A' }, 'mean')).toEqual(expected)
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
    const baseline = baselineOf([requestReport([timer('A')], { general })])
    expect(baseline.figure(a, metric, '/s', now)?.median).toBeCloseTo(figure, 9)
  })
})

/** What is said of a run, if the mean of all its timers has that change. */
function said(
  now: Report,
  before: readonly Report[],
  change: 'better' | 'worse' | 'none' = 'worse',
): string[] {
  const baseline = baselineOf(before)
  const run = new ReportFigures(now)
  const rows = (['requests', 'actions', 'customTimers'] as const).flatMap((kind) =>
    [...run.timers(kind).values()].map(({ name }) => ({
      ...{ kind, name, presence: 'both' as const },
      baseline: { mean: baseline.runs[0]?.timer(kind, name)?.mean ?? 0 },
      ...(change === 'none' ? {} : { changes: { mean: change } }),
    })),
  )
  return addedTime(run, baseline, rows)
}

const request = (mean: number, parts: RequestParts | undefined, more: Partial<Timer> = {}): Timer =>
  timer('Search', { mean, ...(parts ? { parts } : {}), ...more })
const requests = (...timers: Timer[]): Report => report({}, { requests: { timers } })
const saidOf = (now: Timer, ...before: Timer[]) =>
  said(
    requests(now),
    before.map((one) => requests(one)),
  )

describe('a request names the part that has at least half of its added time', () => {
  const before: RequestParts = { connectTime: 10, serverBusyTime: 100, receiveTime: 20, timeToLastBytes: 190 }
  it.each<[RequestParts, string]>([
    [{ serverBusyTime: 150 }, '50 ms of it waiting for the server'],
    [{ connectTime: 85, serverBusyTime: 125 }, '75 ms of it connecting'],
    [{ receiveTime: 80, serverBusyTime: 140 }, '60 ms of it receiving the answer'],
    [{ timeToLastBytes: 230 }, '60 ms of it on the load generator'],
    [{ serverBusyTime: 200 }, 'all of it waiting for the server'],
    [{ serverBusyTime: 199.99 }, 'all of it waiting for the server'],
    [{ serverBusyTime: 400 }, 'all of it waiting for the server'],
  ])('%j', (now, where) => {
    const parts = { ...before, timeToLastBytes: 290, ...now }
    expect(saidOf(request(300, parts), request(200, before))).toEqual([
      `"Search" takes 100 ms longer on average, ${where}.`,
    ])
  })

  it.each<[string, RequestParts | undefined, RequestParts | undefined]>([
    ['no part has half', { serverBusyTime: 149.9, connectTime: 55, timeToLastBytes: 290 }, before],
    ['the run has no parts', undefined, before],
    ['the baseline has no parts', before, undefined],
    ['a part is missing in the run', { connectTime: 10 }, before],
    ['a part is missing in the baseline', { serverBusyTime: 200 }, { connectTime: 10 }],
  ])('nothing if %s', (_, now, earlier) => {
    expect(saidOf(request(300, now), request(200, earlier))).toEqual([])
  })

  it('compares with the median of the earlier runs that have parts', () => {
    const earlier = [100, 110, 120].map((busy) => request(100 + busy, { serverBusyTime: busy }))
    const without = request(211, { connectTime: 1 })
    expect(
      saidOf(request(310, { serverBusyTime: 200 }), ...earlier, without, request(9000, undefined)),
    ).toEqual(['"Search" takes 99.5 ms longer on average, 90 ms of it waiting for the server.'])
  })

  it('nothing if it is not slower than the runs that have parts', () => {
    expect(saidOf(request(200, { serverBusyTime: 200 }), request(200, { serverBusyTime: 100 }))).toEqual([])
  })

  it.each(['none', 'better'] as const)('nothing if the change is %s', (change) => {
    const [now, earlier] = [300, 200].map((mean) => requests(request(mean, { serverBusyTime: mean })))
    expect(said(now ?? report(), [earlier ?? report()], change)).toEqual([])
  })
})

describe('an answer that is much larger', () => {
  const bytes = (now: number | undefined, before: number | undefined, busy = 0) => {
    const parts = (bytesReceived: number | undefined, serverBusyTime: number): RequestParts =>
      bytesReceived === undefined ? { serverBusyTime } : { bytesReceived, serverBusyTime }
    return saidOf(request(300, parts(now, busy)), request(200, parts(before, 0)))
  }
  it.each([
    [60_000, 20_000, 'receives 3 times as many bytes: 60.0 kB, before 20.0 kB'],
    [30_000, 20_000, 'receives 1.5 times as many bytes: 30.0 kB, before 20.0 kB'],
    [10_400.4, 400.4, 'receives 26 times as many bytes: 10.4 kB, before 400 bytes'],
  ])('%d bytes after %d', (now, before, text) => {
    expect(bytes(now, before)).toEqual([`"Search" takes 100 ms longer on average and ${text}.`])
    expect(bytes(now, before, 80)).toEqual([
      `"Search" takes 100 ms longer on average, 80 ms of it waiting for the server, and ${text}.`,
    ])
  })
  it.each([
    [29_999, 20_000],
    [50_000, 40_000],
    [10_399, 400],
    [20_000, 60_000],
    [90_000, 0],
    [undefined, 20_000],
    [60_000, undefined],
  ])('not %p bytes after %p', (now, before) => {
    expect(bytes(now, before)).toEqual([])
  })
})

it('three sentences at most: those that add most time to the whole run', () => {
  const run = (slower: number) =>
    requests(
      ...[5, 9000, 1000, 100, 3000].map((count, at) => {
        const mean = 100 + slower * (at + 1)
        return timer(`R${at}`, { count, mean, parts: { serverBusyTime: mean } })
      }),
    )
  expect(said(run(10), [run(0)]).map((text) => text.slice(0, 4))).toEqual(['"R1"', '"R4"', '"R2"'])
})

it('a timer of another kind says nothing', () => {
  const custom = (mean: number) =>
    report({}, { customTimers: { timers: [timer('A', { mean, parts: { serverBusyTime: mean } })] } })
  expect(said(custom(300), [custom(200)])).toEqual([])
})

it('hostile names are one line', () => {
  const name = 'a\n::error::x\u202e'
  const run = (mean: number) => requests(timer(name, { mean, parts: { serverBusyTime: mean } }))
  expect(said(run(300), [run(200)]).join('')).not.toMatch(/[\n\u202e]/)
})

/** 30 runs that are higher by a step from one of them on. */
const risen = (step: number, from = 15) =>
  Array.from({ length: 30 }, (_, run) => (run < from ? 0 : step) + (((run * 7) % 11) - 5) * 0.008)

// Where 3 instead of 0.1 percent of unchanged histories may have a step, each has one.
test.each([
  ['a whole run, whose runs may resemble each other', true, 0.04, []],
  ['one of few timers, which have their run in them', false, 0.04, []],
  ['a whole run that plainly rose', true, 0.05, [14]],
  ['one of few timers that plainly rose', false, 0.05, [14]],
])('%s', (_, isWhole, step, found) => {
  expect(stepsIn([{ values: risen(step), least: 0.0001, isWhole }]).map(({ at }) => at)).toEqual(found)
})

test.each([
  [18, [15, 15]],
  [19, [15, 19]],
])('of a clear step at the 15th run and a smaller one at the %dth, the steps are at %j', (from, found) => {
  const tracks = [risen(0.8), risen(0.4, from)].map((values) => ({ values, least: 0.0001, isWhole: true }))
  expect(stepsIn(tracks).map(({ at }) => at)).toEqual(found)
  expect(stepsIn(tracks.toReversed()).map(({ at }) => at)).toEqual(found)
})

/** The same where each run resembles the one before. */
const wave = (step: number) =>
  Array.from({ length: 30 }, (_, run) => (run < 15 ? 0 : step) + 0.05 * Math.sin(run / 2))

/** A track alone. */
const stepsOf = (values: readonly number[], least = 0.0001) =>
  stepsIn([{ values, least, isWhole: true }])
    .map(({ at }) => at)
    .sort((a, b) => a - b)

test.each([
  ['a figure that is far from those beside it', risen(0.1).with(17, 5), [15]],
  ['runs that did not measure it', risen(0.1).with(3, NaN).with(20, NaN), [15]],
  ['the first run after a step did not measure it', risen(0.1).with(15, NaN), [16]],
  ['a step and one back', risen(0.4, 10).map((value, run) => value - (run < 20 ? 0 : 0.4)), [10, 20]],
  ['no run', [], []],
  ['four runs at either side', [0, 0, 0, 0, 5, 5, 5, 5], [4]],
  ['three before', [0, 0, 0, 5, 5, 5, 5], []],
  ['three after', [0, 0, 0, 0, 5, 5, 5], []],
  ['just too small', risen(0.047), []],
  ['just large enough', risen(0.048), [14]],
  ['the same where runs resemble each other: too small', wave(0.25), []],
  ['the same where runs resemble each other: large enough', wave(0.26), [14]],
])('a track alone: %s', (_, values, at) => {
  expect(stepsOf(values)).toEqual(at)
})

test('nothing is known more exactly than a figure varies at least', () => {
  const values = Array.from({ length: 30 }, (_, run) => (run < 15 ? 0 : 0.02))
  expect(stepsOf(values, 0.00001)).toEqual([15])
  expect(stepsOf(values, 0.001)).toEqual([])
})

describe('what all timers have in common in a run', () => {
  /** So many timers with the same days, and steps of their own. */
  const timers = (
    count: number,
    day: (run: number) => number,
    step: (timer: number, run: number) => number,
  ) =>
    Array.from({ length: count }, (_, timer): Track => {
      const own = (run: number) => (((run * 7 + timer * 5) % 11) - 5) * 0.004
      const values = Array.from({ length: 30 }, (__, run) => timer + day(run) + step(timer, run) + own(run))
      return { values, least: 0.0001, isWhole: false }
    })
  const found = (tracks: readonly Track[]) =>
    stepsIn(tracks)
      .map(({ track, at }) => `${track} at ${at}`)
      .sort()
  const day = (run: number) => (run % 2 === 0 ? 0.3 : -0.3)
  const one = (timer: number, run: number) => (timer === 2 && run >= 14 ? 0.08 : 0)

  test('is taken from five of them, so that a step of one shows; of four it is not known', () => {
    expect(found(timers(5, day, one))).toEqual(['2 at 14'])
    expect(found(timers(4, day, one))).toEqual([])
  })

  test.each([
    [0.025, []],
    [0.026, ['2 at 14']],
  ])('besides, one of 12 has a step of %d: %j', (by, steps) => {
    const step = (timer: number, run: number) => (timer === 2 && run >= 14 ? by : 0)
    expect(found(timers(12, () => 0, step))).toEqual(steps)
  })

  test('is not taken from errors, which have their own', () => {
    const errors = timers(1, () => 0, one).map((track) => ({ ...track, isWhole: true }))
    expect(found([...timers(6, day, one), ...errors])).toEqual(['2 at 14'])
  })

  test('has its own steps, which each of them keeps', () => {
    const all = (_: number, run: number) => (run >= 10 && run < 20 ? 0.5 : 0)
    expect(found(timers(5, () => 0, all))).toEqual(
      [0, 1, 2, 3, 4].flatMap((timer) => [`${timer} at 10`, `${timer} at 20`]),
    )
  })

  test('has no step where days merely resemble each other', () => {
    const alike = (run: number) => wave(0.2)[run] ?? 0
    expect(found(timers(6, alike, () => 0))).toEqual([])
  })

  test('makes no step of those that did not change, if half of the others did', () => {
    const half = (timer: number, run: number) => (timer < 5 && run >= 14 ? 0.1 : 0)
    expect(found(timers(10, day, half))).toEqual([0, 1, 2, 3, 4].map((timer) => `${timer} at 14`))
  })
})
