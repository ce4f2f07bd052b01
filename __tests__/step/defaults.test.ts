import { writeFileSync } from 'node:fs'
import { daily, thorough } from '../draws.js'
import { JudgeSandbox } from './judged.js'

// What a run beside one and five earlier runs is called by the committed bundle, without any other input.

let sandbox: JudgeSandbox
beforeAll(async () => {
  sandbox = await JudgeSandbox.open()
})
afterAll(() => sandbox.close())

interface Request {
  name: string
  samples: number
  /** Milliseconds; the other times follow it. */
  time: number
  errors?: number
}

interface Run {
  requests: Request[]
  /** Percent, of the only load generator. */
  cpu?: number
  /** Seconds. */
  measured?: number
  planned?: number
}

const tag = (name: string, value: number | string) => `<${name}>${value}</${name}>`

/** Log-normal times, with percentiles in steps of 10 ms, as the engine writes them. */
function requestXml({ name, samples, time, errors = 0 }: Request): string {
  const at = (factor: number) => (Math.round((time * factor) / 10) * 10).toFixed(3)
  return tag(
    'request',
    [
      tag('name', name) + tag('count', samples) + tag('errors', errors),
      tag('errorPercentage', ((100 * errors) / samples).toFixed(3)),
      tag('countPerSecond', (samples / 600).toFixed(3)),
      tag('mean', (time * 1.13).toFixed(3)) +
        tag('median', at(1)) +
        tag('deviation', (time * 0.6).toFixed(3)),
      tag('min', Math.round(time / 4)) + tag('max', Math.round(time * 5)),
      tag('percentiles', tag('p50', at(1)) + tag('p95', at(2.3)) + tag('p99', at(3.2))),
    ].join(''),
  )
}

function reportXml({ requests, cpu = 20, measured = 600, planned = 600 }: Run, index: number): string {
  const start = Date.UTC(2026, 10, index + 1, 12)
  const time = (at: number) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
  const timed = tag('measurementPeriod', planned) + tag('warmUpPeriod', 0) + tag('initialDelay', 0)
  const agent =
    tag('name', 'ac1_00') + tag('transactions', 900) + tag('cpuUsage', tag('mean', cpu) + tag('max', cpu))
  return tag(
    'testreport',
    [
      tag('configuration', tag('loadProfile', tag('testCase', tag('userName', 'TOrder') + timed))),
      tag('agents', tag('agent', agent + tag('totalCpuUsage', tag('mean', cpu) + tag('max', cpu)))),
      tag('requests', requests.map(requestXml).join('')),
      tag(
        'general',
        tag('startTime', time(start)) +
          tag('endTime', time(start + measured * 1000)) +
          tag('duration', measured),
      ),
    ].join('\n'),
  )
}

/** Twenty requests of a run that varies by some percent, as runs of the same code do. */
function calm(index: number, samples = 2000): Request[] {
  return Array.from({ length: 20 }, (_, at) => ({
    name: `Page${String(at).padStart(2, '0')}`,
    samples,
    time: (50 + 40 * at) * (1 + 0.03 * Math.sin(12.9898 * (at + 1) + 78.233 * (index + 1))),
  }))
}

const slower = (requests: Request[], count: number, factor: number, others = 1): Request[] =>
  requests.map((request, at) => ({ ...request, time: request.time * (at < count ? factor : others) }))

let judgements = 0

async function judged(run: Run, earlier: Run[], gates: string) {
  const named = (one: Run, name: string, index: number) => {
    writeFileSync(sandbox.at(name), reportXml(one, index))
    return name
  }
  const runId = 500 + judgements++
  const ran = await sandbox.judge(
    {
      report: named(run, 'now.xml', earlier.length),
      baseline: earlier.map((one, index) => named(one, `earlier-${index}.xml`, index)).join('\n'),
      gates,
    },
    { runId },
  )
  return { ran, outcome: sandbox.outcomeOf(runId) }
}

const every = ['p95', 'mean'].map((metric) => `request "*" ${metric} <= baseline + 10 %`).join('\n')

interface Case {
  name: string
  now: (index: number) => Run
  gates?: string
  before?: (index: number) => Run
  verdict: string
  says: RegExp
}

const before = (index: number): Run => ({ requests: calm(index) })

const withRare = (index: number): Run => ({
  requests: calm(index).map((one, at) => (at === 3 ? { ...one, samples: 12 } : one)),
})

const cases: Case[] = [
  { name: 'the same code', now: before, verdict: 'passed', says: /gates? passed/ },
  {
    name: 'ten of twenty requests take 20 times as long',
    now: (index) => ({ requests: slower(calm(index), 10, 20) }),
    verdict: 'failed',
    says: /Page0\d/,
  },
  {
    name: 'one request is twice as slow while ten others halve',
    now: (index) => ({
      requests: slower(slower(calm(index), 1, 2), 20, 1).map((one, at) => ({
        ...one,
        time: one.time / (at > 9 ? 2 : 1),
      })),
    }),
    verdict: 'failed',
    says: /Page00/,
  },
  {
    name: 'all but one get faster, and that one stays as it is',
    now: (index) => ({ requests: slower(calm(index), 1, 1, 0.7) }),
    verdict: 'passed',
    says: /gates? passed/,
  },
  {
    name: 'one request with 30 samples takes ten times as long',
    now: (index) => ({ requests: slower(calm(index, 30), 1, 10) }),
    before: (index) => ({ requests: calm(index, 30) }),
    verdict: 'failed',
    says: /Page00/,
  },
  {
    name: 'a third of all answers fail, under another name',
    now: (index) => ({
      requests: [...calm(index), { name: 'Page03 [500]', samples: 1000, time: 170, errors: 1000 }],
    }),
    gates: 'request "*" error-rate <= baseline + 1 %',
    verdict: 'failed',
    says: /Page03/,
  },
  {
    name: 'too few samples for a request that a gate names',
    now: (index) => ({ requests: calm(index, 12) }),
    before: (index) => ({ requests: calm(index, 12) }),
    gates: 'request "Page03" p95 <= baseline + 10 %',
    verdict: 'invalid',
    says: /12 samples/,
  },
  {
    name: 'too few samples for every match of a wildcard',
    now: (index) => ({ requests: calm(index, 12) }),
    before: (index) => ({ requests: calm(index, 12) }),
    gates: 'request "*" p95 <= baseline + 10 %',
    verdict: 'invalid',
    says: /too few samples/,
  },
  {
    name: 'too few samples for one match of a wildcard',
    now: withRare,
    before: withRare,
    gates: 'request "*" p95 <= baseline + 10 %',
    verdict: 'passed',
    says: /1 left out \(too few samples\)/,
  },
  {
    name: 'the load generator was the slow one',
    now: (index) => ({ requests: slower(calm(index), 20, 2), cpu: 79 }),
    verdict: 'invalid',
    says: /79% instead of the baseline's 20%/,
  },
  {
    name: 'a load test that broke off',
    now: (index) => ({ requests: calm(index), measured: 14 }),
    verdict: 'invalid',
    says: /14\ss of the planned 10\smin/,
  },
]

for (const [count, draw] of [
  [1, daily],
  [5, thorough],
] as const) {
  draw.each(cases)(
    `${count} earlier: $name`,
    async ({ now, gates = every, before: then = before, verdict, says }) => {
      const earlier = Array.from({ length: count }, (_, index) => then(index))
      const { ran, outcome } = await judged(now(count), earlier, gates)
      expect([ran.outputs['verdict'], ran.conclusion]).toEqual([
        verdict,
        verdict === 'passed' ? 'success' : 'failure',
      ])
      expect(ran.summary.replace(/[*`]|<\/?code>/g, '')).toMatch(says)
      expect(outcome.verdict).toBe(verdict)
      if (verdict !== 'passed') expect(ran.annotations.some(({ kind }) => kind === 'error')).toBe(true)
    },
  )
}

daily('earlier runs that differ too much among themselves are nothing to compare with', async () => {
  const wild = [1, 2.2, 0.6, 1.9, 0.5].map((factor, index): Run => ({
    requests: slower(calm(index), 20, factor),
  }))
  const { ran } = await judged(before(5), wild, 'request "Page03" p95 <= baseline + 10 %')
  expect(ran.outputs['verdict']).toBe('invalid')
  expect(ran.summary).toMatch(/The earlier runs themselves differ by ±\d+%/)
})
