import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
import { expectMarkdown, expectOwnCommands } from './harm.js'
import { outcomeIn } from './published.js'
import { startSandbox, type Ran, type RunOptions, type Sandbox } from './sandbox.js'
import { inJob, until } from './several-steps.js'

/* A load test of a pull request that somebody asks for, by a comment or by hand: through dist/. */

/** A branch and a comment as somebody may write them who wants to do harm: at most 255 bytes, as on GitHub. */
const faster = `"$(touch\${IFS}trapped)\`touch\${IFS}trapped\`|](https%3a/evil.example)'\u2028##{error]FORGED\u2029@team\u202e<img/src=x>`
const body = `/loadtest $(touch trapped) \`touch trapped\`\n::error::FORGED\n<img src=x onerror=alert(1)> @team`

let sandbox: Sandbox
/** The head of pull request 7, which is checked out. */
let head: string
beforeEach(async () => {
  sandbox = await startSandbox()
  const { github } = sandbox
  github.settings.everyPullExists = false
  github.seed.role('olga', 'write')
  git('checkout', '-q', '-b', faster)
  git('commit', '-q', '--allow-empty', '-m', 'faster')
  head = git('rev-parse', 'HEAD')
  pullAt(head)
})
afterEach(() => sandbox.close())

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd: sandbox.workspace,
    encoding: 'utf8',
  }).trim()
const pullAt = (commit: string) =>
  sandbox.github.seed.pull({ number: 7, head: { branch: faster, commit, repository: 'sandbox/project' } })
const commentBy = (login: string, more: object = {}) => ({
  ...{ action: 'created', issue: { number: 7, pull_request: {} }, comment: { body } },
  ...{ sender: { login, type: 'User' }, repository: { default_branch: 'main' } },
  ...more,
})
const asked = (github: Partial<GitHubOptions> = {}): Partial<GitHubOptions> => ({
  ...{ eventName: 'issue_comment', event: commentBy('olga'), runId: 10 },
  ...github,
})
const run = (
  inputs: Record<string, string> = {},
  github: Partial<GitHubOptions> = {},
  more: Omit<RunOptions, 'job'> = {},
): Promise<Ran> =>
  sandbox.run({ 'pull-request': '7', ...inputs }, { ...more, job: { github: asked(github) } })

const outcomeOf = (runId = 10, name = 'load-test') =>
  outcomeIn('load-test', sandbox.github, runId, `${name}-outcome.json`)
const comments = () => sandbox.github.store.commentsOf(7).map(({ body }) => body)
test('a comment: the head is tested and answered, and counts for no other branch', async () => {
  const ran = await run()
  expect([ran.conclusion, ran.outputs['verdict']]).toEqual(['success', 'passed'])
  expect(outcomeOf().step).toMatchObject({
    ...{ event: 'issue_comment', ref: 'refs/heads/main', sha: sandbox.commit },
    ...{ pullRequest: 7, commit: head, head },
  })
  expect(outcomeOf().notes).toEqual([])
  expect(comments()).toEqual([expect.stringContaining(`Updated for [<code>${head.slice(0, 7)}</code>]`)])
  expectOwnCommands(ran.rawStdout + ran.rawStderr)
  for (const text of [ran.summary, ...comments()]) expectMarkdown(text)
  expect(existsSync(path.join(sandbox.workspace, 'trapped'))).toBe(false)
  // GitHub lists it under main and its last commit.
  sandbox.github.seed.run({ id: 10, event: 'issue_comment', commit: sandbox.commit })
  const { length } = sandbox.service.books.starts
  const pulled = await run(
    { 'pull-request': '', baseline: 'artifact', gates: 'requests p95 <= baseline + 20 %' },
    {
      ...{ eventName: 'pull_request', runId: 11, ref: 'refs/pull/8/merge' },
      event: { pull_request: { number: 8, head: { sha: head }, base: { ref: 'main' } } },
    },
  )
  expect(pulled.log).toContain('Workflow run 10 measured another commit than that of main')
  expect(pulled.outputs['verdict']).toBe('invalid')
  expect(sandbox.service.books.starts).toHaveLength(length)
  expect(pulled.summary).toMatch(/no verdict\. There is no baseline to compare with, so nothing was started/)
})

test('started now and collected later: the answer names the commit that was started', async () => {
  const started = await run({ mode: 'start' })
  expect(started.outputs['verdict']).toBe('started')
  git('checkout', '-q', 'main')
  sandbox.github.seed.label(7, 'slower', 'olga', { at: new Date(Date.now() + 60_000) })
  const collect = (runId: number) =>
    run(
      {
        ...{ mode: 'collect', 'load-test': '', 'run-number': started.outputs['run-number'] ?? '' },
        ...{ gates: 'requests mean < 1 ms', accept: 'slower', name: 'collected' },
      },
      { eventName: 'workflow_dispatch', event: {}, runId },
    )
  const ran = await collect(11)
  expect(ran.outputs['verdict']).toBe('accepted')
  expect(outcomeOf(11, 'collected')).toMatchObject({ run: { template: { name: 'Webshop regression' } } })
  expect(outcomeOf(11, 'collected').step).toMatchObject({
    pullRequest: 7,
    commit: head,
    head,
    sha: sandbox.commit,
  })
  expect(comments().at(-1)).toContain(`Updated for [<code>${head.slice(0, 7)}</code>]`)
  sandbox.github.seed.push({ branch: faster, commit: 'e'.repeat(40) })
  const moved = await collect(12)
  expect(moved.outputs['verdict']).toBe('failed')
  expect(moved.log).toContain(
    `is at commit eeeeeeeeeeee by now, but the tested commit is ${head.slice(0, 12)}`,
  )

  const { artifacts } = sandbox.github.store
  const notes = artifacts.filter(({ name }) => name.startsWith('load-test-run-'))
  for (const note of notes) sandbox.github.store.removeArtifact(note)
  const unknown = await collect(13)
  expect(unknown.log).toContain('but the tested commit is unknown')
  expect(outcomeOf(13, 'collected').step).not.toHaveProperty('commit')
  expect(comments().at(-1)).not.toContain('Updated for')
})

test('a step that is killed: its post step answers on the pull request, for the same commit', async () => {
  sandbox.service.settings.secondsRunning = 600
  await inJob(
    sandbox,
    { github: asked({ runId: 900 }), timings: { interrupt: 0, terminate: 0 } },
    async ({ job, step }) => {
      const running = job.runStep(step({ 'pull-request': '7' }))
      await until(() => sandbox.service.books.requests.some(({ operation }) => operation === 'status'))
      running.cancel()
      await running.done
      await job.finish()
    },
  )
  expect(comments()).toEqual([expect.stringMatching(/the job was cancelled[\s\S]*Updated for /)])
  expect(comments()[0]).toContain(head.slice(0, 7))
})
