import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { JudgeSandbox } from './judged.js'
import { onPull } from './sandbox.js'

/* Runs that are fast because they fail, and runs under another load: is the step ever green, or silent, about them? */

interface Shape {
  /** Of twenty requests: what share fails, and as which name. */
  errors?: (at: number) => number
  split?: true
  requests?: number
  speed?: number
  load?: number
  minutes?: number
  /** What each load generator made of all transactions. */
  shares?: number[]
}

/** The testreport.xml of a run of ten minutes; `seed` moves its figures by a few percent, as noise does. */
function reportXml(seed: number, shape: Shape = {}): string {
  const {
    errors = () => 0,
    split,
    requests = 20,
    speed = 1,
    load = 1,
    minutes = 10,
    shares = [0.5, 0.5],
  } = shape
  const noise = (at: number) => 1 + 0.03 * Math.sin(12.9898 * seed + 78.233 * at)
  const timer = (tag: string, name: string, count: number, failed: number, mean: number) =>
    `<${tag}><name>${name}</name><count>${count}</count><countPerSecond>${count / minutes / 60}</countPerSecond>` +
    `<errors>${failed}</errors><errorPercentage>${(100 * failed) / count}</errorPercentage><min>1</min><max>9000</max>` +
    `<median>${mean}</median><mean>${mean}</mean><deviation>${mean / 2}</deviation>` +
    `<percentiles><p50>${mean}</p50><p95>${2 * mean}</p95><p99>${3 * mean}</p99></percentiles></${tag}>`
  const rows = Array.from({ length: requests }, (_, at) => {
    const count = Math.round(900 * load * (minutes / 10) * noise(at + 0.5))
    const failed = Math.round(count * errors(at))
    const mean = (100 + 20 * at) * noise(at) * speed
    return { name: `Req${at + 1}`, count, failed, mean }
  })
  const xml = rows.map(({ name, count, failed, mean }) =>
    !split || failed === 0
      ? timer('request', split ? `${name} [200]` : name, count, failed, mean)
      : timer('request', `${name} [200]`, count - failed, 0, mean) +
        timer('request', `${name} [500]`, failed, failed, mean),
  )
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + of(row), 0)
  const made = Math.round(900 * load * (minutes / 10))
  const broken = Math.round(made * (1 - rows.reduce((ok, { count, failed }) => ok * (1 - failed / count), 1)))
  const start = Date.UTC(2026, 10, 1 + seed)
  const agents = shares.map((part, at) => {
    const cpu = `<mean>30.000</mean>`
    return `<agent><name>Agent-${at}</name><totalCpuUsage>${cpu}</totalCpuUsage><cpuUsage>${cpu}</cpuUsage><transactions>${Math.round(made * part)}</transactions></agent>`
  })
  return (
    `<testreport><general><startTime>${new Date(start).toISOString()}</startTime><duration>${minutes * 60}</duration></general>` +
    `<summary>${timer('transactions', 'All Transactions', made, broken, 3000)}` +
    `${timer(
      'requests',
      'All Requests',
      sum((row) => row.count),
      sum((row) => row.failed),
      sum((row) => row.mean) / rows.length,
    )}</summary>` +
    `<transactions>${timer('transaction', 'TOrder', made, broken, 3000)}</transactions>` +
    `<requests>${xml.join('')}</requests><agents>${agents.join('')}</agents></testreport>`
  )
}

const readmeGate = 'request "*" mean <= baseline + 10%'
let sandbox: JudgeSandbox
let runId = 100
beforeAll(async () => {
  sandbox = await JudgeSandbox.open()
  for (const seed of [1, 2, 3]) {
    await keep(`ok${seed}.json`, {}, seed)
    await keep(`status${seed}.json`, { split: true }, seed)
  }
}, 120_000)
afterAll(() => sandbox.close())

async function judged(shape: Shape, inputs: Record<string, string>, seed = 9) {
  mkdirSync(sandbox.at('now'), { recursive: true })
  writeFileSync(sandbox.at('now/testreport.xml'), reportXml(seed, shape))
  const ran = await sandbox.judge({ report: 'now', ...inputs }, { ...onPull, runId: ++runId })
  const comment = sandbox.github.store.commentsOf(7)[0]?.body ?? ''
  return { ran, comment, outcome: sandbox.outcomeOf(runId) }
}

/** Judges a run, and keeps its outcome file for later ones. */
async function keep(file: string, shape: Shape, seed: number, inputs: Record<string, string> = {}) {
  const one = await judged(shape, inputs, seed)
  const kept = sandbox.github.store.artifact('load-test-outcome.json', runId)?.path ?? ''
  writeFileSync(sandbox.at(file), readFileSync(kept))
  return one
}

const files = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}${at + 1}.json`).join('\n')

const broken: [string, Shape][] = [
  ['all requests fail, five times as fast', { errors: () => 1, speed: 0.2 }],
  ['a fifth of one has another name', { split: true, errors: (at) => (at === 2 ? 0.2 : 0) }],
  ['the first page fails, and no other is called', { requests: 1, errors: () => 1 }],
]

test.each(broken)('red: %s', async (_, shape) => {
  const baseline = files(shape.split ? 'status' : 'ok', 3)
  const { ran, comment, outcome } = await judged(shape, { gates: readmeGate, baseline })
  expect(ran.conclusion).toBe('failure')
  expect(outcome).toMatchObject({ verdict: 'failed', tooManyErrors: true })
  expect(outcome.gates.find(({ builtIn }) => builtIn)).toMatchObject({ result: 'failed', line: 0 })
  expect(comment).toContain('The limit is built in, because no gate looks at these errors.')
  expect(
    ran.annotations.some(({ kind, message }) => kind === 'error' && /error-rate|built in/.test(message)),
  ).toBe(true)
})

test('green: as ever; no run full of errors is a baseline, though it was not red', async () => {
  const never = { gates: readmeGate, 'fail-on': 'never' }
  const { ran } = await keep('broken.json', { errors: () => 1, speed: 0.2 }, 8, {
    ...never,
    baseline: 'ok1.json',
  })
  expect(ran.conclusion).toBe('success')
  const alone = await judged({}, { gates: readmeGate, baseline: 'broken.json' })
  expect(alone.outcome.verdict).toBe('invalid')
  expect(alone.comment).toContain('was left out: far more of it failed than usual.')
  const { outcome, comment } = await judged({}, { gates: readmeGate, baseline: 'broken.json\nok1.json' })
  expect(outcome).toMatchObject({ verdict: 'passed', comparison: { baseline: { runs: 1, leftOut: 1 } } })
  expect(comment).toContain('was left out: far more of it failed than usual.')
})

test('a changed load is told in a green run: one generator dead at 70%', async () => {
  const shape = { load: 0.85, shares: [0.59, 0.41] }
  const { comment } = await judged(shape, { gates: readmeGate, baseline: files('ok', 3) })
  expect(comment).toContain('The load is not that of the baseline')
  expect(comment).not.toMatch(/[Nn]othing changed/)
})

test('one earlier run cannot tell whether all requests are slower by chance: the comment says so, and names them', async () => {
  const { comment, ran } = await judged({ speed: 1.15 }, { gates: readmeGate, baseline: 'ok1.json' })
  expect(comment).toContain('of them over the limit, which may be chance')
  expect(comment).toContain('Over the limit, but not failed')
  expect(comment).toMatch(
    /All \d+ \w+ together are 15% slower .*One earlier run cannot tell whether that is chance/,
  )
  expect(comment).not.toMatch(/[Nn]othing changed/)
  expect(ran.conclusion).toBe('success')
})
