import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { onPull, startSandbox, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
/** The result of a run through dist/. */
let left: { outcome: Buffer; report: Buffer }
beforeAll(async () => {
  const first = await startSandbox()
  try {
    const ran = await first.run()
    expect(ran.outputs['verdict']).toBe('passed')
    const bytes = (name: string) => readFileSync(first.github.store.artifact(name)?.path ?? '')
    left = { outcome: bytes('load-test-outcome.json'), report: bytes('load-test-report.tar.gz') }
  } finally {
    await first.close()
  }
})
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

const commentsOf = () => sandbox.github.store.commentsOf(7)
const gates = 'requests p95 <= baseline + 20 %\ntransactions error-rate <= 1 %'

/** A run of the workflow that left its outcome; its conclusion is as GitHub shows it. */
async function earlier(id: number, run: Parameters<Sandbox['github']['seed']['run']>[0] = {}): Promise<void> {
  sandbox.github.seed.run({ id, ...run })
  const outcome = JSON.parse(left.outcome.toString('utf8')) as LoadTestOutcome
  // Each of them measured another hour.
  const general = { ...outcome.figures?.general, startTime: id * 3_600_000 }
  const bytes = JSON.stringify({ ...outcome, figures: { ...outcome.figures, general } })
  const artifact = { name: 'load-test-outcome.json', bytes, mimeType: 'application/json' }
  await sandbox.github.seed.artifact({ runId: id, ...artifact })
}

const held = (inputs: Record<string, string> = {}) =>
  sandbox.run({ gates, baseline: 'artifact', ...inputs }, { job: { github: { ...onPull, runId: 5000 } } })

interface Used {
  name: string
  runs: number
  leftOut?: number
  url?: string
}
const baselineOf = (runId = 5000): Used | undefined => {
  const artifact = sandbox.github.store.artifact('load-test-outcome.json', runId)
  const outcome = JSON.parse(readFileSync(artifact?.path ?? '', 'utf8')) as {
    comparison?: { baseline: Used }
  }
  return outcome.comparison?.baseline
}

test.each<[string, (outcome: Buffer) => Buffer, RegExp]>([
  ['are cut off', (outcome) => outcome.subarray(0, outcome.length / 2), /has an outcome that is not JSON/],
  ['cannot be had: GitHub answers 500', (outcome) => outcome, /could not be (?:read|fetched)/],
])('artifact: earlier outcomes that %s are no first run', async (what, make, told) => {
  const bytes = make(left.outcome)
  for (const id of [1, 2]) {
    sandbox.github.seed.run({ id })
    const artifact = { name: 'load-test-outcome.json', bytes, mimeType: 'application/json' }
    await sandbox.github.seed.artifact({ runId: id, ...artifact })
  }
  if (what.includes('500'))
    sandbox.github.fail({ kind: 'server-error', status: 500, on: /artifacts\/\d+\/zip/, times: 100 })
  const onPush = { eventName: 'push', ref: 'refs/heads/main', runId: 5001 }
  const { conclusion, log, summary } = await sandbox.run(
    { gates, baseline: 'artifact' },
    { job: { github: onPush } },
  )
  expect(conclusion).toBe('failure')
  expect(log).toMatch(told)
  expect(summary).not.toContain('irst run')
})

test('several lines are runs of one baseline, from any sources; those that are used are counted', async () => {
  await earlier(1)
  await earlier(2)
  const folder = path.join(sandbox.workspace, 'earlier')
  mkdirSync(folder)
  const text = left.outcome.toString('utf8')
  writeFileSync(
    path.join(folder, 'slow.json'),
    text.replace('"verdict":"passed"', '"verdict":"failed"').replace(/"mean":/, '"mean":1'),
  )
  writeFileSync(path.join(folder, 'good.json'), text)
  const lines = ['earlier/slow.json', 'artifact', 'load-test:9', 'earlier/good.json']
  const ran = await held({
    baseline: lines.join('\n'),
  })
  expect(ran.outputs['verdict']).toBe('passed')
  expect(baselineOf()).toEqual({
    name: '5 runs: slow.json, 2 runs of main, load test 9, good.json',
    runs: 4,
    leftOut: 1,
  })
  for (const text of [ran.summary, commentsOf()[0]?.body]) {
    expect(text).toContain('The baseline run slow.json')
    expect(text).toContain('was left out: its verdict is failed')
    expect(text).toContain('1 left out')
  }
  const [gate] = JSON.parse(ran.outputs['gates'] ?? '') as { baseline?: number }[]
  expect(gate?.baseline).toBeGreaterThan(0)
})
