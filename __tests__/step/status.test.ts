import { copyFileSync } from 'node:fs'
import path from 'node:path'
import type { StepOptions } from '../../sandbox/runner/job.js'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
import { daily, thorough } from '../daily.js'
import { golden } from './judged.js'
import { action, inputsFor, own, startSandbox, type Sandbox } from './sandbox.js'
import { inJob, until } from './several-steps.js'

/* What people see on the commit, and what they hear of the pull request, through dist/. */

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
  sandbox.github.permit(mayAll)
})
afterEach(() => sandbox.close())

const mayAll = { actions: 'read', contents: 'read', 'pull-requests': 'write', statuses: 'write' } as const
const head = 'c0ffee0123456789c0ffee0123456789c0ffee01'
const onPull: Partial<GitHubOptions> = {
  eventName: 'pull_request',
  event: { pull_request: { number: 7, head: { sha: head, ref: 'faster' }, base: { ref: 'main' } } },
}
const pull = (inputs: Record<string, string> = {}) =>
  sandbox.run({ status: 'true', ...inputs }, { job: { github: onPull } })
const statuses = () => sandbox.github.store.statuses.map(({ commit, state }) => [commit, state])
const comments = () => sandbox.github.store.commentsOf(7)

daily('pending with a link to the workflow run, then the colour and the headline of the step', async () => {
  const ran = await pull({ gates: 'requests p95 <= 60 s' })
  const targetUrl = `https://github.com/sandbox/project/actions/runs/${sandbox.runId}`
  const shared = { commit: head, context: 'load-test', targetUrl }
  expect(sandbox.github.store.statuses).toMatchObject([
    { ...shared, state: 'pending', description: 'Load test: under way' },
    {
      ...shared,
      state: 'success',
      description: expect.stringMatching(/^Load test: within its limits \(/) as string,
    },
  ])
  expect(ran.outputs).toMatchObject({
    headline: expect.stringMatching(/^Load test: within its limits \(/) as string,
    'digest-url': expect.stringMatching(/\/artifacts\/\d+$/) as string,
    'comment-url': expect.stringMatching(/\/pull\/7#issuecomment-\d+$/) as string,
  })
})

thorough(
  'GitHub refuses each request once, none being left until a time: all is there once, and no word of a permission',
  async () => {
    const { github } = sandbox
    const github_ = { ...onPull, runId: 5000 }
    const machineEnv = {
      // Four reads wait a minute each of the five that the baseline may take: slower, so that a busy machine has seconds left.
      HURRY: '24',
    }
    const push = { eventName: 'push', ref: 'refs/heads/main', runId: 4000 }
    github.seed.run({ id: 4000 })
    await sandbox.run({}, { job: { machineEnv, github: push } })
    for (const on of [/^GET .*\/comments/, /^GET .*\/runs\?/, /runs\/4000\/artifacts/, /artifacts\/\d+\/zip/])
      github.fail({ kind: 'rate-limit', retryAfter: 1, on })
    for (const on of [/^POST .*\/comments/, /^POST .*\/statuses/, /^POST .*\/statuses/])
      github.fail({ kind: 'rate-limit', retryAfter: 1, on })
    const inputs = { status: 'true', gates: 'requests p95 <= baseline + 500 %', baseline: 'artifact' }
    const ran = await sandbox.run(inputs, { job: { machineEnv, github: github_ } })
    expect([ran.outputs['verdict'], ran.log]).toEqual(['passed', expect.not.stringContaining('permission')])
    expect(comments()).toHaveLength(1)
    expect(comments()[0]?.body).toContain('The gate (a limit) passed')
    expect(github.store.statuses.at(-1)).toMatchObject({ commit: head, state: 'success' })
  },
  60_000,
)

thorough(
  'start leaves it pending, and the step that collects the run ends it, if both are of one commit',
  async () => {
    const started = await pull({ mode: 'start' })
    expect(statuses()).toEqual([
      [head, 'pending'],
      [head, 'pending'],
    ])
    const number = started.outputs['run-number'] ?? ''
    const collect = { mode: 'collect', 'load-test': '', 'run-number': number, status: 'true' }
    const later = { eventName: 'workflow_dispatch', sha: head }
    const collected = await sandbox.run(collect, { job: { github: later } })
    expect(collected.outputs['verdict']).toBe('passed')
    expect(statuses().slice(2)).toEqual([[head, 'success']])
    // What fails before the run is found says nothing about the commit of this workflow run either.
    const lost = await sandbox.run({ ...collect, baseline: 'load-test:999' }, { job: { github: later } })
    expect(lost.outputs['verdict']).toBe('error')
    expect(statuses().slice(3)).toEqual([[head, 'error']])
    // A note may name any commit.
    const other = await sandbox.run(collect, {
      job: { github: { eventName: 'schedule', sha: 'd'.repeat(40) } },
    })
    expect(statuses()).toHaveLength(4)
    expect(other.log).toContain('No status is written: it is not known that the commit was measured')
  },
)

daily('a step that was cut off ends in an error, by its post step', async () => {
  sandbox.service.settings.secondsRunning = 600
  const [post] = await inJob(sandbox, { github: onPull }, async ({ job, step }) => {
    const handle = job.runStep(step({ status: 'true' }))
    await until(() => sandbox.service.books.requests.some(({ operation }) => operation === 'status'))
    handle.cancel()
    await handle.done
    return job.finish()
  })
  expect(post?.conclusion).toBe('success')
  expect(sandbox.github.store.statuses).toMatchObject([
    { commit: head, state: 'pending' },
    { commit: head, state: 'error', description: 'Load test: no verdict, the job was cancelled' },
  ])
})

thorough('to collect or to judge and to be cut off is an error on the commit that was measured', async () => {
  const { github, service, workspace } = sandbox
  const cutOff = async (event: Partial<GitHubOptions>, step: StepOptions, at: () => boolean) => {
    await inJob(sandbox, { github: event, timings: { interrupt: 0, terminate: 0 } }, async ({ job }) => {
      const handle = job.runStep(step)
      await until(at)
      handle.cancel()
      await handle.done
      await job.finish()
    })
  }
  service.settings.secondsRunning = 600
  const started = await pull({ mode: 'start' })
  const asked = service.books.requests.length
  const night = { eventName: 'schedule', sha: head }
  const collect = { mode: 'collect', 'load-test': '', 'run-number': started.outputs['run-number'] ?? '' }
  const inputs = { ...inputsFor(service), ...collect, status: 'true' }
  await cutOff(night, { action, inputs }, () =>
    service.books.requests.slice(asked).some(({ operation }) => operation === 'status'),
  )
  expect(statuses().slice(2)).toEqual([[head, 'error']])
  expect(comments().at(-1)?.body).not.toContain('ddddddd')

  copyFileSync(path.join(golden, 'normal/testreport.xml'), path.join(workspace, 'testreport.xml'))
  github.fail({ kind: 'secondary-rate-limit', on: /pulls\/7$/ })
  const judge = {
    report: 'testreport.xml',
    gates: 'requests p95 <= 1 ms',
    accept: 'slower',
    ...{ name: 'engine', status: 'true' },
  }
  const isAsking = () => github.store.requests.some(({ url }) => url.endsWith('/pulls/7'))
  await cutOff(onPull, { action: own('judge'), inputs: judge }, isAsking)
  expect(github.store.statuses.slice(3)).toMatchObject([{ commit: head, state: 'error', context: 'engine' }])
})
