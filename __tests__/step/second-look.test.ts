import type { JobOptions } from '../../sandbox/runner/job-options.js'
import type { RunSettings, ServiceSettings } from '../../sandbox/service/settings.js'
import type { Outcome } from '../../src/outcome.js'
import { validateOutcome } from '../outcome-validator.js'
import { contentOf } from './published.js'
import { hurried, startSandbox, type Ran, type Sandbox } from './sandbox.js'
import { inJob, until } from './several-steps.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox(slow)
})
afterEach(() => sandbox.close())

const slow: Partial<RunSettings> = { slowdown: 1.6 }
const fast: Partial<RunSettings> = { slowdown: 1 }
const inputs = { confirm: '1', baseline: 'load-test:9', gates: 'requests p95 <= baseline + 20 %' }
const onPull: JobOptions = {
  github: {
    eventName: 'pull_request',
    event: { pull_request: { number: 7, head: { sha: 'c0ffee01' }, base: { ref: 'main' } } },
  },
}

const started = () => sandbox.service.books.starts.map(({ number }) => number)
const lastComment = () => sandbox.github.store.commentsOf(7).at(-1)?.body ?? ''
const outcomeOf = (runId = sandbox.runId) =>
  JSON.parse(
    contentOf({ path: sandbox.github.store.artifact('load-test-outcome.json', runId)?.path ?? '' }),
  ) as Outcome

/** Settings for the runs from the second one on: those of a run are fixed when it starts. */
function then(settings: Partial<ServiceSettings>): void {
  void until(() => started().length > 0).then(() => Object.assign(sandbox.service.settings, settings))
}

function held(more: Record<string, string> = {}, job: JobOptions = onPull): Promise<Ran> {
  return sandbox.run({ ...inputs, ...more }, { job })
}

test('a gate that fails in the first run only: passed, not confirmed, with both runs on every face', async () => {
  then(fast)
  const ran = await held()
  const [first, second] = started()
  expect(started()).toHaveLength(2)
  expect(ran.outputs).toMatchObject({ verdict: 'passed', 'run-number': String(first) })
  expect(ran.conclusion).toBe('success')
  const told = ran.log.indexOf('at the cost of a second run')
  expect(told).toBeGreaterThan(0)
  expect(ran.log.indexOf(`Started load test ${second}`)).toBeGreaterThan(told)
  const digest = contentOf(sandbox.github.store.artifact('load-test-report-digest.html') ?? { path: '' })
  const annotations = ran.annotations.map(({ message }) => message).join('\n')
  for (const text of [ran.log, ran.summary, lastComment(), digest, annotations]) {
    expect(text).toMatch(/not confirmed/i)
    expect(text).toContain(`load test ${first}`)
    expect(text).toContain(`load test ${second}`)
  }
  const outcome = outcomeOf()
  expect(validateOutcome(outcome)).toEqual([])
  expect(outcome).toMatchObject({
    run: { number: first },
    gates: [{ result: 'passed', again: { result: 'passed' } }],
    confirmation: { result: 'not-confirmed', verdict: 'passed', run: { number: second, state: 'FINISHED' } },
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

test('a gate that fails in both runs is red, and says so', async () => {
  const ran = await sandbox.run(inputs, { job: onPull, withPost: true })
  const [first, second] = started()
  expect(started()).toHaveLength(2)
  expect(ran.outputs['verdict']).toBe('failed')
  for (const text of [ran.log, ran.summary, lastComment()]) {
    expect(text).toContain('failed in both runs')
    expect(text).toContain(`oad test ${second} confirms it`)
  }
  expect(
    ran.annotations
      .filter(({ kind }) => kind === 'error')
      .map(({ message }) => message)
      .join(),
  ).toContain(`Load test ${second} confirms it`)
  expect(outcomeOf()).toMatchObject({
    run: { number: first },
    gates: [{ result: 'failed', again: { result: 'failed' } }],
    confirmation: { result: 'confirmed', run: { number: second } },
  })
  // The run was settled for good: the post step has nothing to tell.
  expect(ran.post).toMatchObject([{ conclusion: 'success', summary: '' }])
})

test.each<[string, Record<string, string>, Partial<ServiceSettings>?]>([
  [
    'results are missing',
    { 'results-artifact': 'results' },
    { faults: [{ operation: 'result', times: 'always', fault: { kind: 'status', status: 403 } }] },
  ],
  ['a fixed limit failed too', { gates: `${inputs.gates}\nrequests mean < 1 ms` }],
  ['something was not measured', { gates: `${inputs.gates}\nrequest "Nowhere" p95 < 1 s` }],
  ['the time is too short for as long a run', { timeout: '50s' }],
  ['it is not asked for', { confirm: '0' }],
])('no second run where %s', async (_, more, settings = {}) => {
  Object.assign(sandbox.service.settings, settings)
  const ran = await held(more)
  expect(ran.outputs['verdict']).toBe('failed')
  expect(started()).toHaveLength(1)
  expect(ran.summary.includes('No second run was started to confirm load test')).toBe('timeout' in more)
})

test.each<[string, Record<string, string>, Partial<ServiceSettings>, string]>([
  ['ends in ERROR', { 'report-timeout': '30s' }, { ...fast, ends: 'ERROR' }, 'ended in ERROR'],
  [
    'cannot be started',
    {},
    { faults: [{ operation: 'runCopy', times: 'always', fault: { kind: 'status', status: 403 } }] },
    '403',
  ],
  ['is partial', {}, { ...fast, partial: true }, 'partial results only'],
])('where the second run %s, the verdict of the first stands', async (_, more, settings, reason) => {
  then(settings)
  const ran = await held(more, onPull)
  expect(ran.outputs['verdict']).toBe('failed')
  for (const text of [ran.log, ran.summary, lastComment()]) {
    expect(text).toContain(`The verdict of load test ${started()[0]} stands`)
    expect(text).toContain(reason)
  }
  expect(outcomeOf()).toMatchObject({ confirmation: { result: 'open' }, gates: [{ result: 'failed' }] })
})

test('timeout is that of both runs: a second one that lasts longer goes on, and is told', async () => {
  sandbox.service.settings.simulatedMinutes = 0.5
  then({ ...fast, secondsRunning: 600 })
  const more = { timeout: '70s', 'delete-archive': 'after-run' }
  const ran = await held(more, onPull)
  const [first, second] = started()
  expect(ran.outputs['verdict']).toBe('failed')
  for (const text of [ran.log, ran.summary, lastComment()]) {
    expect(text).toContain(`The verdict of load test ${first} stands`)
    expect(text).toContain(`Load test ${second} had not ended after`)
    expect(text).toContain(`Load test ${second} is still running`)
    expect(text).toContain(`run-number: ${second}`)
  }
  // It may still be built from the archive.
  expect(sandbox.service.books.deletedArchives).toEqual([])
  expect(ran.summary).toContain('was not deleted')
})

test('cancelled during the second run: the post step names the one that goes on, and the first', async () => {
  then({ ...fast, secondsRunning: 600 })
  const { main, post } = await inJob(sandbox, onPull, async ({ job, step }) => {
    const handle = job.runStep(step(inputs))
    await until(() => started().length > 1)
    await until(() => lastComment().includes('This second run tells'))
    handle.cancel()
    const done = await handle.done
    const [after] = await job.finish()
    if (!after) throw new Error('There was no post step.')
    return { main: done, post: after }
  })
  const [first, second] = started()
  expect(main.outputs).toMatchObject({ verdict: 'cancelled', 'run-number': String(first) })
  for (const text of [post.log, post.summary, lastComment()]) {
    expect(text).toContain(`Load test ${second} is still running`)
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
  then({ secondsRunning: 600 })
  const options = { ...onPull, machineEnv: hurried, timings: { interrupt: 500, terminate: 200 } }
  const post = await inJob(sandbox, options, async ({ job, step }) => {
    const handle = job.runStep(step(inputs))
    await until(() => asked() > 1)
    handle.cancel()
    await handle.done
    return (await job.finish())[0]
  })
  expect(started()).toHaveLength(2)
  expect(post?.summary).toContain(`Load test ${started()[1]} is still running`)
})

test('a re-run with resume: true judges the first run and takes up the second, and starts nothing', async () => {
  const attempt = (runAttempt: number): JobOptions => ({
    github: { ...onPull.github, runId: 700, runAttempt },
  })
  then({ ...fast, secondsRunning: 3 })
  await inJob(sandbox, attempt(1), async ({ job, step }) => {
    const handle = job.runStep(step(inputs, { id: 'load-test' }))
    await until(
      () => sandbox.github.store.artifacts.filter(({ name }) => name.startsWith('load-test-run-')).length > 1,
    )
    handle.cancel()
    await handle.done
    await job.finish()
  })
  const [first, second] = started()
  const ran = await held({ resume: 'true' }, attempt(2))
  expect(started()).toEqual([first, second])
  expect(ran.outputs).toMatchObject({ verdict: 'passed', 'run-number': String(first) })
  expect(ran.log).toContain(`Continuing with load test ${second}, which attempt 1 of this job started`)
  expect(outcomeOf(700)).toMatchObject({
    run: { number: first },
    confirmation: { result: 'not-confirmed', run: { number: second } },
  })
})

test('confirm needs a baseline, and a step that starts the run', async () => {
  const ran = await sandbox.run({ confirm: '1', mode: 'start' })
  expect(ran.log).toContain('confirm: 1 needs mode: run')
  expect(ran.log).toContain('confirm: 1 needs a baseline')
  expect(sandbox.service.books.requests).toEqual([])
})
