import type { GateResult } from '../../src/gates/result.js'
import type { Report } from '../../src/report/report.js'
import { report, timer, unused } from './example-report.js'
import { judgedBy } from './judged.js'

import kept from './gate-results.json' with { type: 'json' }

/*
 * What a reader sees of many gates on the same few runs: result, limit, noise and reason. Written with
 * `UPDATE_GATE_RESULTS=1`; read what changes before it is kept.
 */

interface Change {
  /** How many times as long each request takes. */
  slower?: (name: string) => number
  /** How many times as much load. */
  load?: number
  errors?: Record<string, number>
  more?: string[]
  less?: string[]
}

function run({ slower = () => 1, load = 1, errors = {}, more = [], less = [] }: Change, at = 50): Report {
  const names = ['Login', 'Search', 'Cart', 'Pay', 'Order', ...more].filter((name) => !less.includes(name))
  const of = (name: string, index: number) => {
    const p95 = (300 + 100 * index) * (1 + 0.01 * Math.sin(at + index)) * slower(name)
    const count = 1000 * load
    const failed = errors[name] ?? 2
    return timer(name, {
      count,
      errors: failed,
      errorPercentage: (failed * 100) / count,
      countPerSecond: count / 600,
      countPerMinute: count / 10,
      countPerHour: count * 6,
      mean: p95 / 2,
      median: p95 / 2.5,
      deviation: p95 / 4,
      percentiles: { p50: p95 / 2.5, p95, p99: p95 * 1.4 },
    })
  }
  const timers = names.map(of)
  return report(
    {
      general: { startTime: Date.UTC(2026, 0, 17, 8, at), duration: 600 },
      agents: [{ name: 'Agent-1', totalMean: 20 * slower('cpu') }],
      webVitals: [...names.slice(0, 2), ...more].map((name, index) => ({
        name,
        vitals: { lcp: { score: (900 + index) * slower(name), goodCount: 500 } },
      })),
    },
    {
      transactions: { summary: of('All', 3), timers: [of('TOrder', 4)] },
      requests: { summary: of('All', 2), timers: [...timers, unused('Never')] },
    },
  )
}

const only =
  (name: string, factor: number) =>
  (one: string): number =>
    one === name ? factor : 1
const earlier = (runs: number, change: (at: number) => Change = () => ({})) =>
  Array.from({ length: runs }, (_, at) => run(change(at), at))
const wild = earlier(3, (at) => ({ slower: only('Cart', [1, 2, 0.5][at] ?? 1) }))

const situations: Record<string, [now: Report, before: Report[]]> = {
  'nothing changed': [run({}), earlier(3)],
  'no baseline': [run({}), []],
  'all is slower': [run({ slower: () => 1.6 }), earlier(3)],
  'all is a little slower, beside one run': [run({ slower: () => 1.2 }), earlier(1)],
  'all is faster': [run({ slower: () => 0.6 }), earlier(3)],
  'one request is slower': [run({ slower: only('Login', 1.12) }), earlier(1)],
  'one request is far slower': [run({ slower: only('Login', 2) }), earlier(4)],
  'more load, and slower': [run({ slower: () => 1.6, load: 2 }), earlier(3)],
  'more load': [run({ load: 2 }), earlier(3)],
  'less load, and slower': [run({ slower: () => 1.6, load: 0.5 }), earlier(3)],
  'less load': [run({ load: 0.5 }), earlier(3)],
  'errors under another name': [run({ errors: { 'Pay [500]': 80 }, more: ['Pay [500]'] }), earlier(3)],
  'errors where there were none': [
    run({ errors: { Login: 40 } }),
    earlier(3, () => ({ errors: { Login: 0 } })),
  ],
  'names come and go': [run({ more: ['Wish'], less: ['Order', 'Search'] }), earlier(3)],
  'earlier runs that differ': [run({}), wild],
}

const gates = `requests p95 <= 500 ms
requests p95 >= baseline - 5 %
request "Login" p95 <= baseline + 5 %
request "Login" p95 < baseline + 5 %
request "Login" p95 = baseline
request "Login" p95 = baseline + 1 ms
request "Login" p95 >= baseline - 5 %
request "Login" p95 <= baseline + 5 % strict
request "Login" p95 <= baseline - 5 %
request "Login" mean <= baseline + 5 %
warn: request "Login" p95 <= baseline + 5 %
request "*" p95 <= baseline + 10 %
request "Cart" p95 <= baseline + 10 %
request "Car*" p95 <= baseline + 10 %
request "C*" p95 <= baseline + 10 %
request "?ish" p95 <= baseline + 10 %
request "*" errors <= baseline + 10 %
request "Pay" errors <= baseline + 10 %
request "Pay [500]" errors <= baseline + 10 %
request "Login" errors <= baseline + 10 % strict
requests errors <= baseline + 10 %
request "Login" error-rate <= baseline + 1 pp
request "*" error-rate <= 1 %
transaction "*" errors <= baseline
transactions throughput >= baseline - 10 %
requests throughput >= baseline - 10 % - 1 /min
request "Login" throughput >= 3000 /h
request "Login" throughput >= 1.5 /s
requests count >= baseline - 10 %
request "Never" p95 <= baseline
web-vitals "*" lcp <= baseline + 10 %
web-vitals "Gone" lcp <= 1 s
web-vitals "Login" lcp <= baseline + 10 %
agents cpu <= baseline + 10 %
agents cpu <= 30 %
custom-timer "X*" p95 <= 1 s`

/** Only what the gate and the subject do not say; figures with six digits. */
function shown({ gate: _gate, line, place: _place, isMatch: _isMatch, ...rest }: GateResult): string {
  const digits = (_: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(6)) : value
  return `${line} ${JSON.stringify(rest, digits)}`
}

const unchanged = 'nothing changed'

/** All results where nothing changed; of other situations, those that differ from them. */
async function told(): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {}
  for (const [name, [now, before]] of Object.entries(situations)) {
    const { results } = await judgedBy(gates, now, before)
    all[name] = results.map(shown).filter((one) => !all[unchanged]?.includes(one))
  }
  return all
}

test('what gates say in each situation is what was read and kept', async () => {
  expect(await told()).toEqual(kept)
})

if (process.env['UPDATE_GATE_RESULTS']) {
  afterAll(async () => {
    const { writeFile } = await import('node:fs/promises')
    await writeFile('__tests__/gates/gate-results.json', `${JSON.stringify(await told(), null, 2)}\n`)
  })
}
