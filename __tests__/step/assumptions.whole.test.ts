import { forCases, rows } from './assumptions.js'
import { hurried, startSandbox } from './sandbox.js'

/** Each assumption of docs/internals/service.md, with the local service set the other way: the step and mode check. */
const service = forCases()

test.each(rows)('%s', async (_name, one) => {
  await service.try(one)
})

test('a list of 20,000 load tests, of 5 kB each, needs 64 MB: each start reads it several times', async () => {
  const sandbox = await startSandbox({ listSize: 20_000 })
  try {
    const NODE_OPTIONS = `${hurried.NODE_OPTIONS} --max-old-space-size=64`
    const { outputs, log } = await sandbox.run({}, { job: { machineEnv: { NODE_OPTIONS, HURRY: '4' } } })
    expect(log).not.toContain('heap out of memory')
    expect(outputs['run-number']).toBe('20010')
  } finally {
    await sandbox.close()
  }
})
