import { daily, thorough } from '../daily.js'
import type { FaultRule } from '../../sandbox/service/faults.js'
import { startSandbox, type Ran, type RunOptions, type Sandbox } from './sandbox.js'

/*
 * Whose archive is tested: a template set to Use Latest may take the archive that is the latest at the start of a run,
 * or later, when the run is built.
 */
let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox({ secondsPerState: 0.1, secondsRunning: 600 })
})
afterEach(() => sandbox.close())

const started = () => sandbox.service.books.starts.at(-1)
const ours = () => sandbox.uploads().find(({ foreign }) => !foreign)?.id
const inRun = (runId: number): RunOptions => ({ job: { github: { runId } } })
const set = (settings: Partial<Sandbox['service']['settings']>) =>
  void Object.assign(sandbox.service.settings, settings)
/** Another job uploads once the run has been started. */
const between: FaultRule[] = [{ operation: 'runCopy', fault: { kind: 'foreign-upload', when: 'after' } }]

const start = (inputs: Record<string, string> = {}, options?: RunOptions): Promise<Ran> =>
  sandbox.run({ mode: 'start', ...inputs }, options)
const collect = ({ outputs }: Ran, options: RunOptions): Promise<Ran> =>
  sandbox.run({ mode: 'collect', 'load-test': '', 'run-number': outputs['run-number'] ?? '' }, options)

daily('mode start ends when the run is built, since the latest archive is chosen then', async () => {
  set({ latestResolved: 'build' })
  const ran = await start()
  expect(ran.outputs).toMatchObject({ verdict: 'started', state: 'RUNNING' })
  expect(ran.summary).toContain('The load test was started and built')
  // Whatever is uploaded from now on comes too late.
  expect(started()?.archiveId).toBe(ours())
})

describe('collect compares what the run was built from with the note of its start', () => {
  beforeEach(() => {
    set({ latestResolved: 'build', faults: between, secondsRunning: 0 })
    sandbox.github.settings.private = true
  })

  daily('and is red if that is another archive', async () => {
    const first = await start({}, inRun(500))
    expect(first.outputs['verdict']).toBe('started')
    set({ archiveShown: true })
    const ran = await collect(first, inRun(501))
    expect(ran.outputs['verdict']).toBe('error')
    expect(ran.log).toMatch(/##\[error\]Load test \d+ is built from the code archive ca-3, not from ca-2/)
    expect(ran.summary).toContain('Its report is attached, but says nothing about this code')
    expect(ran.outputs['report-artifact-id']).toBeDefined()
    expect(ran.outputs['gates']).toBe('[]')
  })

  thorough(
    'the note is read once, also if the record does not name the archive: it names the commit',
    async () => {
      const first = await start({}, inRun(500))
      const before = sandbox.github.store.requests.length
      expect((await collect(first, inRun(501))).outputs['verdict']).toBe('passed')
      const asked = sandbox.github.store.requests.slice(before).map(({ url }) => url)
      expect(asked.filter((url) => url.includes('/actions/artifacts'))).toEqual([
        expect.stringContaining('/actions/artifacts?name=load-test-run-'),
        expect.stringMatching(/\/actions\/artifacts\/\d+\/zip$/),
      ])
    },
  )
})
