import { startSandbox, type Sandbox } from './sandbox.js'

/* Whose archive is tested: a template set to Use Latest may take one that is uploaded before the run is built. */
let sandbox: Sandbox
beforeAll(async () => {
  // Another job uploads once the run has been started.
  const between = { operation: 'runCopy', fault: { kind: 'foreign-upload', when: 'after' } } as const
  sandbox = await startSandbox({ secondsPerState: 0.1, latestResolved: 'build', faults: [between] })
})
afterAll(() => sandbox.close())

test('collect is red if the run was built from another archive than the note of its start names', async () => {
  const inRun = (runId: number) => ({ job: { github: { runId } } })
  sandbox.github.settings.private = true
  const first = await sandbox.run({ mode: 'start' }, inRun(500))
  expect(first.outputs['verdict']).toBe('started')
  sandbox.service.settings.archiveShown = true
  const collect = { mode: 'collect', 'load-test': '', 'run-number': first.outputs['run-number'] ?? '' }
  const ran = await sandbox.run(collect, inRun(501))
  expect(ran.outputs['verdict']).toBe('error')
  expect(ran.log).toMatch(/##\[error\]Load test \d+ is built from the code archive ca-3, not from ca-2/)
  expect(ran.summary).toContain('Its report is attached, but says nothing about this code')
  expect(ran.outputs['report-artifact-id']).toBeDefined()
  expect(ran.outputs['gates']).toBe('[]')
})
