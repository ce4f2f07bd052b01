import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { debugLines } from '../../src/github/artifacts/artifacts.js'

/** A stream instead of the job's log, and what was written to it. */
function output() {
  const stream = new PassThrough({ encoding: 'utf8' })
  return {
    stream,
    lines: () =>
      String(stream.read() ?? '')
        .split('\n')
        .slice(0, -1),
  }
}

test('what a call prints becomes a debug line, even after a pause; commands stay commands', async () => {
  const { stream, lines } = output()
  const result = await debugLines(stream)(async () => {
    stream.write('Artifact name is valid!\n')
    await turn()
    stream.write('Uploaded bytes 100% of 4\n')
    stream.write('::warning::Retention days cannot be greater.\n')
    return 7
  })
  expect(result).toBe(7)
  expect(lines()).toEqual([
    '::debug::Artifact name is valid!',
    '::debug::Uploaded bytes 100%25 of 4',
    '::warning::Retention days cannot be greater.',
  ])
})

test('what the step prints in the meantime and afterwards stays as it is', async () => {
  const { stream, lines } = output()
  const quietly = debugLines(stream)
  const call = quietly(async () => {
    await turn()
    stream.write('Finalizing artifact upload\n')
  })
  stream.write('Load test 10 is RUNNING\n')
  await call
  stream.write('Attached load-test-report.tar.gz\n')
  expect(lines()).toEqual([
    'Load test 10 is RUNNING',
    '::debug::Finalizing artifact upload',
    'Attached load-test-report.tar.gz',
  ])
})
