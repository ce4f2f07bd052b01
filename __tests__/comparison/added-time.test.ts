import { addedTime } from '../../src/comparison/comparison.js'
import { buildBaseline } from '../../src/noise/baseline.js'
import { ReportFigures } from '../../src/figures/figures.js'
import type { Report, RequestParts, Timer } from '../../src/report/report.js'
import { report, timer } from '../gates/example-report.js'

/** What is said of a run, if the mean of all its timers has that change. */
function said(
  now: Report,
  before: readonly Report[],
  change: 'better' | 'worse' | 'none' = 'worse',
): string[] {
  const baseline = buildBaseline(before)
  if (!baseline) throw new Error('no baseline')
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

  it('nothing of a time on the load generator without a mean', () => {
    const { mean: _, ...rest } = request(300, { timeToLastBytes: 0 })
    expect(saidOf(rest, request(200, { timeToLastBytes: 190 }))).toEqual([])
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
