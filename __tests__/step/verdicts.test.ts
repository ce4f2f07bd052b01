import { startSandbox, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

test('invalid: a gate could not be measured; xpath gates run beside the bundle, whatever they do', async () => {
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
})
