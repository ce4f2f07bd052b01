import { startSandbox, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

test('passed: the gates hold', async () => {
  const ran = await sandbox.run({ gates: 'requests p95 < 60 s\nwarn: requests mean < 0.01 ms' })
  expect(ran.conclusion).toBe('success')
  expect(ran.outputs['verdict']).toBe('passed')
  const gates = JSON.parse(ran.outputs['gates'] ?? '') as { result: string }[]
  expect(gates.map(({ result }) => result).sort()).toEqual(['passed', 'warned'])
})

test('failed: a gate does not hold, and everything is published before the step goes red', async () => {
  const ran = await sandbox.run({ gates: 'requests p95 < 1 ms' })
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('failed')
  expect(ran.outputs['report-artifact-id']).toMatch(/^\d+$/)
  expect(ran.summary).toContain('The gate failed')
  expect(ran.annotations.filter(({ kind }) => kind === 'error')).toHaveLength(1)
})

test('invalid: a gate could not be measured', async () => {
  const ran = await sandbox.run({ gates: 'request "NoSuchRequest" p95 < 1 s' })
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('invalid')
})

test.each([
  ['failed', 'failed', 'failure'],
  ['error', 'failed', 'success'],
  ['never', 'failed', 'success'],
])('fail-on: %s with failed gates ends the step as %s', async (failOn, verdict, conclusion) => {
  const ran = await sandbox.run({ gates: 'requests p95 < 1 ms', 'fail-on': failOn })
  expect(ran.outputs['verdict']).toBe(verdict)
  expect(ran.conclusion).toBe(conclusion)
})

test('with no gates the scorecard decides', async () => {
  sandbox.service.settings.scorecard = 'failed'
  const failed = await sandbox.run()
  expect(failed.outputs['verdict']).toBe('failed')
  sandbox.service.settings.scorecard = 'error'
  const unclear = await sandbox.run()
  expect(unclear.conclusion).toBe('failure')
  expect(unclear.outputs['verdict']).toBe('invalid')
})

test('xpath gates run in the bundle', async () => {
  const ran = await sandbox.run({
    gates: 'xpath(count(/testreport/requests/request)) > 3\nxpath(/testreport/nothing) = 1',
  })
  const gates = JSON.parse(ran.outputs['gates'] ?? '') as { gate: string; result: string }[]
  expect(Object.fromEntries(gates.map(({ gate, result }) => [gate.slice(0, 11), result]))).toEqual({
    'xpath(count': 'passed',
    'xpath(/test': 'not-measured',
  })
})

test.each(['ABORTED', 'ERROR'] as const)('load-test-failed: the run ends in %s', async (ends) => {
  sandbox.service.settings.ends = ends
  const ran = await sandbox.run({ 'report-timeout': '1s' })
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs).toMatchObject({ verdict: 'load-test-failed', state: ends })
  expect(ran.summary).toContain(ends)
})

test('load-test-failed: a retired environment, with its reason', async () => {
  const ran = await sandbox.run({ 'load-test': '4', upload: 'false', 'report-timeout': '1s' })
  expect(ran.outputs).toMatchObject({ verdict: 'load-test-failed', state: 'ERROR' })
  expect(ran.log).toMatch(/retired/)
})

test('an end that was seen stays, even where the details lag behind the status', async () => {
  // The details are read of the template, and once the run has ended.
  const lagging = { kind: 'state', state: 'RUNNING', ended: false } as const
  sandbox.service.faults.add({ operation: 'details', skip: 1, times: 'always', fault: lagging })
  const ran = await sandbox.run()
  expect(ran.outputs).toMatchObject({ verdict: 'passed', state: 'FINISHED' })
})

test('timed-out: the run goes on, and how to collect it is told', async () => {
  sandbox.service.settings.secondsRunning = 600
  const ran = await sandbox.run({ timeout: '2s' })
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('timed-out')
  for (const text of [ran.log, ran.summary]) {
    expect(text).toContain(`run-number: ${ran.outputs['run-number']}`)
    expect(text).toMatch(/goes on/)
  }
})

test('error: the report does not come, but run-number is there', async () => {
  sandbox.service.settings.reportDelay = 600
  const ran = await sandbox.run({ 'report-timeout': '1s' })
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('error')
  expect(ran.outputs['run-number']).toMatch(/^\d+$/)
  expect(ran.log).toContain('its report was not there after 1 s')
})

test('cancelled: the step stops waiting at once, and the post step tells that the run goes on', async () => {
  sandbox.service.settings.secondsRunning = 600
  const ran = await sandbox.run({}, { step: { cancelOn: (line) => line.includes('is RUNNING') } })
  expect(ran.conclusion).toBe('cancelled')
  expect(ran.outputs['verdict']).toBe('cancelled')
  expect(ran.signals).toEqual(['SIGINT'])
  const [post] = ran.post
  expect(post?.conclusion).toBe('success')
  for (const text of [post?.log, post?.summary]) {
    expect(text).toContain(`run-number: ${ran.outputs['run-number']}`)
    expect(text).toMatch(/goes on/)
  }
  expect(sandbox.service.books.starts).toHaveLength(1)
})
