import type { JobOptions } from '../../sandbox/runner/job-options.js'
import type { RunSettings, ServiceSettings } from '../../sandbox/service/settings.js'
import { contentOf, outcomeIn } from './published.js'
import { expectHour, hurried, onPull as pull, startSandbox, type Sandbox } from './sandbox.js'
import { inJob, until } from './several-steps.js'

const slow: Partial<RunSettings> = { slowdown: 1.6 }
const fast: Partial<RunSettings> = { slowdown: 1 }
const inputs = { confirm: 'true', baseline: 'load-test:9', gates: 'requests p95 <= baseline + 20 %' }
const onPull: JobOptions = { github: pull }

/* Runs are slow, and steps have `confirm: true` on a pull request. */

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox(slow)
})
afterEach(() => sandbox.close())

const started = () => sandbox.service.books.starts.map(({ number }) => number)
const lastComment = () => sandbox.github.store.commentsOf(7).at(-1)?.body ?? ''
const outcome = (runId = sandbox.runId) => outcomeIn('load-test', sandbox.github, runId)
const held = (more: Record<string, string> = {}, job: JobOptions = onPull) =>
  sandbox.run({ ...inputs, ...more }, { job })

/** Settings for the runs from the second one on; a run's settings are fixed when it starts. */
const later = (settings: Partial<ServiceSettings>) =>
  void until(() => started().length > 0).then(() => Object.assign(sandbox.service.settings, settings))

test('a gate that fails in the first run only: passed, not confirmed, with both runs wherever it is shown', async () => {
  later(fast)
  const ran = await held()
  const [first, second] = started()
  expect(started()).toHaveLength(2)
  expect(ran.outputs).toMatchObject({ verdict: 'passed', 'run-number': String(first) })
  expect(ran.conclusion).toBe('success')
  const told = ran.log.indexOf('It costs as much as the first')
  expect(told).toBeGreaterThan(0)
  expect(ran.log.indexOf(`Started load test ${second}`)).toBeGreaterThan(told)
  const digest = contentOf(sandbox.github.store.artifact('load-test-digest.html') ?? { path: '' })
  const annotations = ran.annotations.map(({ message }) => message).join('\n')
  for (const text of [ran.log, ran.summary, lastComment(), digest, annotations]) {
    expect(text).toMatch(/not confirmed/i)
    expect(text).toContain(`load test ${first}`)
    expect(text).toContain(`load test ${second}`)
  }
  expect(outcome()).toMatchObject({
    run: { number: first },
    gates: [{ result: 'passed', again: { result: 'passed' } }],
    confirmation: {
      result: 'not-confirmed',
      verdict: 'passed',
      run: { number: second, state: 'FINISHED' },
    },
  })
  for (const name of ['load-test-report.tar.gz', 'load-test-report-second.tar.gz']) {
    const artifact = sandbox.github.store.artifact(name, sandbox.runId)
    expect(artifact).toBeDefined()
    for (const text of [ran.summary, lastComment(), digest])
      expect(text).toContain(`/artifacts/${artifact?.id}`)
  }
  expect(sandbox.uploads()).toHaveLength(1)
  expect(new Set(sandbox.service.books.starts.map(({ archiveId }) => archiveId)).size).toBe(1)
})

test('cancelled during the second run: the post step names the one that is still running, and the first', async () => {
  later({ ...fast, secondsRunning: 600 })
  expectHour(sandbox.service)
  const { main, post } = await inJob(sandbox, onPull, async ({ job, step }) => {
    const handle = job.runStep(step(inputs))
    await until(() => started().length > 1)
    await until(() => lastComment().includes('This second run shows'))
    handle.cancel()
    const done = await handle.done
    const [after] = await job.finish()
    if (!after) throw new Error('There was no post step.')
    return { main: done, post: after }
  })
  const [first, second] = started()
  expect(main.outputs).toMatchObject({ verdict: 'cancelled', 'run-number': String(first) })
  for (const text of [post.log, post.summary, lastComment()]) {
    expect(text).toContain(`Load test ${second} was still running`)
    expect(text).toContain(`run-number: ${second}`)
    expect(text).toContain(`failed in load test ${first}`)
    expect(text).toContain(`run-number: ${first}`)
  }
})

test('killed while the second start is under way: the post step finds that one, not the first', async () => {
  sandbox.service.settings.faults = [
    { operation: 'runCopy', skip: 1, fault: { kind: 'latency', milliseconds: 2500 } },
  ]
  const asked = () => sandbox.service.books.requests.filter(({ operation }) => operation === 'runCopy').length
  later({ secondsRunning: 600 })
  const options = { ...onPull, machineEnv: hurried, timings: { interrupt: 500, terminate: 200 } }
  const post = await inJob(sandbox, options, async ({ job, step }) => {
    const handle = job.runStep(step(inputs))
    await until(() => asked() > 1)
    handle.cancel()
    await handle.done
    return (await job.finish())[0]
  })
  expect(started()).toHaveLength(2)
  expect(post?.summary).toContain(`Load test ${started()[1]} was still running`)
})

test('a re-run with resume: true judges the first run, continues with the second, and starts nothing', async () => {
  const attempt = (runAttempt: number): JobOptions => ({
    github: { ...onPull.github, runId: 700, runAttempt },
  })
  later({ ...fast, secondsRunning: 3 })
  const { artifacts } = sandbox.github.store
  await inJob(sandbox, attempt(1), async ({ job, step }) => {
    const handle = job.runStep(step(inputs, { id: 'load-test' }))
    await until(() => artifacts.filter(({ name }) => name.startsWith('load-test-run-')).length > 1)
    handle.cancel()
    await handle.done
    await job.finish()
  })
  const [first, second] = started()
  const ran = await held({ resume: 'true' }, attempt(2))
  expect(started()).toEqual([first, second])
  expect(ran.outputs).toMatchObject({ verdict: 'passed', 'run-number': String(first) })
  expect(ran.log).toContain(`Continuing with load test ${second}, which attempt 1 of this job started`)
  expect(outcome(700)).toMatchObject({
    run: { number: first },
    confirmation: { result: 'not-confirmed', run: { number: second } },
  })
})
