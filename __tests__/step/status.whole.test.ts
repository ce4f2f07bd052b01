import { copyFileSync } from 'node:fs'
import path from 'node:path'
import type { StepOptions } from '../../sandbox/runner/job.js'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
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

test('start leaves it pending, and the step that collects the run ends it, if both are of one commit', async () => {
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
  // A note may name any commit.
  const other = await sandbox.run(collect, {
    job: { github: { eventName: 'schedule', sha: 'd'.repeat(40) } },
  })
  expect(statuses()).toHaveLength(3)
  expect(other.log).toContain('No status is written: it is not known that the commit was measured')
})

test('to collect or to judge and to be cut off is an error on the commit that was measured', async () => {
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
