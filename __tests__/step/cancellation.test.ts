import { daily, thorough } from '../daily.js'
import type { JobOptions } from '../../sandbox/runner/job-options.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import { expectHour, hurried, startSandbox, type Sandbox } from './sandbox.js'
import { inJob, killMain, until } from './several-steps.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox({ secondsRunning: 600 })
})
afterEach(() => sandbox.close())

const head = 'c0ffee0123456789c0ffee0123456789c0ffee01'
const event = { pull_request: { number: 7, head: { sha: head }, base: { ref: 'main' } } }
const onPull: JobOptions = { github: { eventName: 'pull_request', event } }

/** SIGTERM and SIGKILL follow SIGINT sooner than a runner's 7.5 s and 2.5 s more. */
const impatient = { interrupt: 500, terminate: 200 }

/** Runs the step on a pull request, interrupts it as soon as the condition is true, and lets the post step report. */
async function cutOff(
  inputs: Record<string, string>,
  isTime: () => boolean,
  cut: (job: { cancel(): void }) => void = (job) => job.cancel(),
  more: Pick<JobOptions, 'timings' | 'machineEnv'> = {},
): Promise<{ main: StepResult; post: StepResult }> {
  return inJob(sandbox, { ...onPull, ...more }, async ({ job, step }) => {
    const handle = job.runStep(step({ 'run-page': 'https://pages.example.com/runs/{number}', ...inputs }))
    await until(isTime)
    cut(handle)
    const main = await handle.done
    const [post] = await job.finish()
    if (!post) throw new Error('There was no post step.')
    return { main, post }
  })
}

const asked = (operation: string) => () =>
  sandbox.service.books.requests.some((request) => request.operation === operation)
const started = () => sandbox.service.books.starts
const runState = () =>
  sandbox.service.world.organizations.get('demo-org')?.projects.get('webshop')?.loadTests.at(-1)
const lastComment = () => sandbox.github.store.commentsOf(7).at(-1)?.body ?? ''

/** Every place that somebody may look at has the run's number, its address, and how to collect it. */
function expectTold(post: StepResult, number: number | undefined): void {
  expect(post.conclusion).toBe('success')
  for (const text of [post.log, post.summary, lastComment()]) {
    expect(text).toContain(`run-number: ${number}`)
    expect(text).toContain('mode: collect')
    expect(text).toContain(`https://pages.example.com/runs/${number}`)
  }
}

thorough('while starting: the step waits for the answer, to know the run', async () => {
  sandbox.service.settings.faults = [{ operation: 'runCopy', fault: { kind: 'latency', milliseconds: 1500 } }]
  const { main, post } = await cutOff({}, asked('runCopy'))
  expect(main.signals).toEqual(['SIGINT'])
  expect(started()).toHaveLength(1)
  expect(main.outputs['run-number']).toBe(String(started()[0]?.number))
  expectTold(post, started()[0]?.number)
})

// Waits for: an answer that comes after the step was killed, 2.5 s, and looks of the post step.
thorough('while starting, killed before the service has answered: the post step finds the run', async () => {
  sandbox.service.settings.faults = [{ operation: 'runCopy', fault: { kind: 'latency', milliseconds: 2500 } }]
  const { main, post } = await cutOff({}, asked('runCopy'), undefined, {
    timings: impatient,
    machineEnv: { ...hurried, HURRY: '8' },
  })
  expect(main.signals).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL'])
  expect(main.outputs['run-number']).toBeUndefined()
  expect(started()).toHaveLength(1)
  expectTold(post, started()[0]?.number)
})

thorough('while starting, killed, and GitHub answers nothing any more: the log names the run', async () => {
  sandbox.service.settings.faults = [{ operation: 'runCopy', fault: { kind: 'latency', milliseconds: 1500 } }]
  const silently = (job: { cancel(): void }) => {
    sandbox.github.fail({ kind: 'silence', times: Infinity })
    job.cancel()
  }
  const { post } = await cutOff({}, asked('runCopy'), silently, { timings: impatient, machineEnv: hurried })
  const number = started()[0]?.number
  expect(post.log).toContain(`run-number: ${number}`)
  expect(post.log).toContain('no answer within')
  expect(post.log).not.toContain('may be running all the same')
})

daily('while running: the comment and the status that reported the start report the end', async () => {
  expectHour(sandbox.service)
  sandbox.github.permit({ actions: 'read', contents: 'read', 'pull-requests': 'write', statuses: 'write' })
  const isTold = () => sandbox.github.store.commentsOf(7).length > 0
  const { main, post } = await cutOff({ status: 'true' }, isTold)
  expect(main.signals).toEqual(['SIGINT'])
  expectTold(post, started()[0]?.number)
  for (const text of [post.log, post.summary, lastComment()]) expect(text).toContain('was still running')
  const [comment, ...others] = sandbox.github.store.commentsOf(7)
  expect(others).toEqual([])
  expect(comment?.bodies).toHaveLength(2)
  expect(comment?.bodies[0]).toContain('is running')
  expect(sandbox.github.store.statuses).toMatchObject([
    { commit: head, state: 'pending' },
    { commit: head, state: 'error', description: 'Load test: no verdict, the job was cancelled' },
  ])
})

thorough(
  'in a composite action inside another one, whose post step gets no inputs: all of that as well',
  async () => {
    expectHour(sandbox.service)
    const { post } = await inJob(sandbox, onPull, async ({ job, step }) => {
      const inputs = {
        'run-page': 'https://pages.example.com/runs/{number}',
        'github-token': sandbox.github.token(),
        name: 'nested',
      }
      const handle = job.runStep(step(inputs, { isNested: true }))
      await until(() => sandbox.github.store.commentsOf(7).length > 0)
      handle.cancel()
      await handle.done
      const [ended] = await job.finish()
      if (!ended) throw new Error('There was no post step.')
      return { post: ended }
    })
    expectTold(post, started()[0]?.number)
    // It has asked the service.
    expect(post.summary).not.toContain('could not be read')
    expect(post.log).not.toContain('Invalid URL')
    const [comment, ...others] = sandbox.github.store.commentsOf(7)
    expect(others).toEqual([])
    expect(comment?.bodies).toHaveLength(2)
  },
)

daily('the main process is killed without a word: the post step reports the run', async () => {
  const { main, post } = await cutOff({}, asked('status'), killMain)
  expect(main).toMatchObject({ conclusion: 'failure', signal: 'SIGKILL', signals: [] })
  expect(main.outputs['verdict']).toBeUndefined()
  expectTold(post, started()[0]?.number)
})

thorough('two steps of one job each report their own run', async () => {
  expectHour(sandbox.service)
  const [first, second, posts] = await inJob(sandbox, onPull, async ({ job, step }) => {
    const one = job.runStep(step({}, { id: 'first', continueOnError: true }))
    await until(() => sandbox.github.store.commentsOf(7).length === 1)
    killMain()
    const ended = await one.done
    const other = job.runStep(step({ 'load-test': '2' }, { id: 'second' }))
    await until(() => runState()?.run?.template === 2 && sandbox.github.store.commentsOf(7).length === 2)
    other.cancel()
    return [ended, await other.done, await job.finish()] as const
  })
  expect(first.outcome).toBe('failure')
  expect(second.conclusion).toBe('cancelled')
  const [one, other] = started().map(({ number }) => String(number))
  expect([first, second].map(({ outputs }) => outputs['run-number'])).toEqual([one, other])
  expect(posts.map(({ id }) => id)).toEqual(['second', 'first'])
  const [ofSecond, ofFirst] = posts
  for (const [post, own, foreign] of [
    [ofFirst, one, other],
    [ofSecond, other, one],
  ] as const) {
    expect(post?.summary).toContain(`run-number: ${own}`)
    expect(post?.summary).not.toContain(`run-number: ${foreign}`)
    expect(post?.log).toContain(`run-number: ${own}`)
    expect(post?.log).not.toContain(`run-number: ${foreign}`)
  }
  const bodies = sandbox.github.store.commentsOf(7).map(({ body }) => /run-number: (\d+)/.exec(body)?.[1])
  expect(bodies).toEqual([one, other])
})
