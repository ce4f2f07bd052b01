import { daily, share, thorough } from '../daily.js'
import { startSandbox, type Ran, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

/** The text next to the red cross. */
const errors = ({ annotations }: Ran) =>
  annotations.filter(({ kind }) => kind === 'error').map(({ title = '', message }) => `${title}: ${message}`)

daily('passed: every gate passed', async () => {
  const ran = await sandbox.run({ gates: 'requests p95 < 60 s\nwarn: requests mean < 0.01 ms' })
  expect(ran.conclusion).toBe('success')
  expect(ran.outputs['verdict']).toBe('passed')
  const gates = JSON.parse(ran.outputs['gates'] ?? '') as { result: string }[]
  expect(gates.map(({ result }) => result).sort()).toEqual(['passed', 'warned'])
})

daily('failed: a gate failed, and everything is published before the step goes red', async () => {
  const ran = await sandbox.run({ gates: 'requests p95 < 1 ms', 'fail-on': 'failed' })
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('failed')
  expect(ran.outputs['report-artifact-id']).toMatch(/^\d+$/)
  expect(ran.summary).toContain('## ❌ Load test: requests too slow')
  expect(ran.annotations.filter(({ kind }) => kind === 'error')).toHaveLength(1)
})

test.each(share(['error', 'never'], 1))(
  'fail-on: %s with failed gates ends the step green',
  async (failOn) => {
    const ran = await sandbox.run({ gates: 'requests p95 < 1 ms', 'fail-on': failOn })
    expect([ran.outputs['verdict'], ran.conclusion]).toEqual(['failed', 'success'])
  },
)

thorough('without gates the scorecard decides', async () => {
  sandbox.service.settings.scorecard = 'failed'
  const failed = await sandbox.run()
  expect(failed.outputs['verdict']).toBe('failed')
  expect(errors(failed)).toEqual([
    expect.stringMatching(/^Load test: the rules of its test suite failed: .*scorecard/),
  ])
  sandbox.service.settings.scorecard = 'error'
  const unclear = await sandbox.run()
  expect(unclear.conclusion).toBe('failure')
  expect(unclear.outputs['verdict']).toBe('invalid')
})

daily(
  'invalid: a gate could not be measured; xpath gates run beside the bundle, whatever they do',
  async () => {
    // More than memory can hold, in one piece.
    const abort =
      'string-length(string-join(fold-left(1 to 27, "abcdefghijklmnop", function($a, $b) { string-join(($a, $a, "x")) })))'
    const given = `xpath(${abort}) > 0\nxpath(count(/testreport/requests/request)) > 3\nxpath(/testreport/nothing) = 1\nrequest "NoSuchRequest" p95 < 1 s`
    // A real clock: in a hurried step the expressions have a second and a half, the start of their process included.
    const ran = await sandbox.run({ gates: given }, { job: { machineEnv: { NODE_OPTIONS: '' } } })
    const gates = JSON.parse(ran.outputs['gates'] ?? '') as { gate: string; result: string }[]
    expect(Object.fromEntries(gates.map(({ gate, result }) => [gate.slice(0, 11), result]))).toEqual({
      'xpath(strin': 'not-measured',
      'xpath(count': 'passed',
      'xpath(/test': 'not-measured',
      'request "No': 'not-measured',
    })
    expect(ran.conclusion).toBe('failure')
    expect(ran.outputs['verdict']).toBe('invalid')
    expect(ran.outputs['report-artifact-id']).toBeDefined()
    expect(ran.summary).toMatch(/It was stopped because it needs more than 256\.0\sMB of memory/)
  },
)

daily(
  'load-test-failed: the build failed, with the place of its fault, and nothing is waited for',
  async () => {
    sandbox.service.settings.buildFault = `The test suite could not be built:
${'[INFO] ----------------------------------------------------------------------\n'.repeat(6)}[ERROR] COMPILATION ERROR :
[ERROR] /work/suite/src/Shop.java:[7,3] cannot find symbol
[INFO] BUILD FAILURE`
    const ran = await sandbox.run({ results: 'true' })
    expect(ran.outputs).toMatchObject({ verdict: 'load-test-failed', state: 'ERROR' })
    const [first] = errors(ran)
    expect(first).toContain(
      'The test suite could not be built: /work/suite/src/Shop.java:[7,3] cannot find symbol',
    )
    expect(first).toContain('Correct what the reason names')
    expect(ran.summary).toMatch(/### What to do\n\n- Correct what the reason names/)
    const calls = sandbox.service.books.requests.map(({ operation }) => operation)
    expect(calls).toContain('report')
    expect(calls).not.toContain('result')
  },
)

daily('timed-out: the run is still running, and the step says how to collect it', async () => {
  sandbox.service.settings.secondsRunning = 600
  const ran = await sandbox.run({ timeout: '2s' })
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('timed-out')
  expect(errors(ran)).toEqual([
    expect.stringMatching(
      /: Load test \d+ had not ended after 2 s; .* is still running\. Stop it on the service/,
    ),
  ])
  for (const text of [ran.log, ran.summary]) {
    expect(text).toContain(`run-number: ${ran.outputs['run-number']}`)
    expect(text).toMatch(/is still running/)
  }
})

thorough('error: the report does not become available, but run-number is set', async () => {
  sandbox.service.settings.reportDelay = 600
  const ran = await sandbox.run({ timeout: '10s' })
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('error')
  expect(ran.outputs['run-number']).toMatch(/^\d+$/)
  expect(errors(ran)).toEqual([
    expect.stringMatching(
      /: .* its report was not available after 10 s\. Downloading report 1 .* To follow and judge it later/,
    ),
  ])
})

thorough(
  'cancelled: the step stops waiting at once, and the post step says that the run is still running',
  async () => {
    sandbox.service.settings.secondsRunning = 600
    const ran = await sandbox.run(
      {},
      { step: { cancelOn: (line) => line.includes('is RUNNING') }, withPost: true },
    )
    expect(ran.conclusion).toBe('cancelled')
    expect(ran.outputs['verdict']).toBe('cancelled')
    expect(errors(ran)[0]).toMatch(/: The job was cancelled\. Load test \d+ is still running/)
    expect(ran.signals).toEqual(['SIGINT'])
    const [post] = ran.post
    expect(post?.conclusion).toBe('success')
    for (const text of [post?.log, post?.summary]) {
      expect(text).toContain(`run-number: ${ran.outputs['run-number']}`)
      expect(text).toMatch(/is still running/)
    }
    expect(sandbox.service.books.starts).toHaveLength(1)
  },
)
