import { hurried, startSandbox, type Sandbox } from './sandbox.js'
import { setTimeout as sleep } from 'node:timers/promises'
import { inJob, killMain, until } from './several-steps.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

const started = () => sandbox.service.books.starts.map(({ number }) => number)
const attempt = (runAttempt: number, runId = 700) => ({ job: { github: { runId, runAttempt } } })

test('a copy that appears after the end of a step whose first request has no answer that counts', async () => {
  sandbox.service.settings.faults = [
    { operation: 'runCopy', fault: { kind: 'status', status: 401, executed: false } },
  ]
  await inJob(sandbox, { machineEnv: hurried }, async ({ job, step }) => {
    const ran = await job.runStep(step({}, { id: 'load-test' })).done
    expect(ran.outputs['verdict']).toBe('passed')
    // The list shows somebody else's copy as it would one that was executed late, but not one that another step has noted.
    await sandbox.run({ mode: 'start' })
    sandbox.service.settings.faults = [
      { operation: 'list', fault: { kind: 'foreign-start', when: 'before', template: 1 } },
    ]
    const [post] = await job.finish()
    const strays = [...(post?.summary ?? '').matchAll(/Load test (\d+) is a copy of load test 1 that/g)]
    expect(strays.map(([, number]) => Number(number))).toEqual(started().slice(-1))
  })
})

test('if the step was killed before it knew its run, the post step notes the run, and a re-run continues with it', async () => {
  // Then each is easy to attribute.
  sandbox.service.settings.archiveShown = true
  sandbox.service.settings.faults = [{ operation: 'runCopy', fault: { kind: 'latency', milliseconds: 2500 } }]
  const options = {
    github: { runId: 700, runAttempt: 1 },
    timings: { interrupt: 500, terminate: 200 },
  }
  await inJob(sandbox, options, async ({ job, step }) => {
    const handle = job.runStep(step({}, { id: 'load-test' }))
    await until(() => sandbox.service.books.requests.some(({ operation }) => operation === 'runCopy'))
    handle.cancel()
    expect((await handle.done).outputs['run-number']).toBeUndefined()
    await job.finish()
  })
  sandbox.service.settings.faults = []
  const second = await sandbox.run({ resume: 'true' }, attempt(2))
  expect(second.outputs['run-number']).toBe(String(started()[0]))
  expect(started()).toHaveLength(1)
})

/* The machine of the first attempt is lost, and with it its post step. */
test.each([
  ['as the start is requested', 0, 'true'],
  ['300 ms later', 300, 'false'],
])(
  'a machine that is lost %s: a re-run follows that start, and requests no other',
  async (_, after, resume) => {
    sandbox.service.settings.archiveShown = true
    // The step still follows its run by then, on a fast machine too.
    sandbox.service.settings.faults = [
      { operation: 'status', fault: { kind: 'latency', milliseconds: 10_000 } },
    ]
    const isAsked = () => sandbox.service.books.requests.some(({ operation }) => operation === 'runCopy')
    await inJob(sandbox, { github: { runId: 700, runAttempt: 1 } }, async ({ job, step }) => {
      const handle = job.runStep(step({}, { id: 'load-test' }))
      await until(isAsked)
      await sleep(after)
      killMain()
      await handle.done
    })
    sandbox.service.settings.faults = []
    const second = await sandbox.run({ resume }, attempt(2))
    expect(started()).toHaveLength(1)
    expect(second.outputs).toMatchObject({ verdict: 'passed', 'run-number': String(started()[0]) })
    // What became of it has been told: whoever runs the job once more wants another.
    await sandbox.run({ mode: 'start' }, attempt(3))
    expect(started()).toHaveLength(2)
  },
)

test('a start that cannot be put on record is none', async () => {
  sandbox.github.fail({ kind: 'server-error', on: /CreateArtifact/, status: 400, times: Infinity })
  const ran = await sandbox.run({ mode: 'start' }, attempt(1))
  expect(ran.outputs['verdict']).toBe('error')
  expect(ran.annotations.map(({ message }) => message).join()).toContain(
    'Nothing was started, because the start could not be recorded as an artifact',
  )
  expect(started()).toEqual([])
})
