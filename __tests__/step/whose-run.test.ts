import { execFileSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
import type { WorkflowRun } from '../../sandbox/github/store.js'
import { whyNotOfBranch } from '../../src/outcome/code-origin.js'
import { daily, thorough } from '../daily.js'
import { outcomeIn } from './published.js'
import { startSandbox, type Ran, type Sandbox } from './sandbox.js'

/* Whose code a run measured, and what follows from that for the first run, a baseline and a comment: through dist/. */

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
  // GitHub lists the run itself, too.
  sandbox.github.seed.run({ id: 1, conclusion: 'failure' })
})
afterEach(() => sandbox.close())

const workflowPath = '.github/workflows/load-test.yml'
const gates = 'requests p95 <= baseline + 20 %\ntransactions error-rate <= 1 %'
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd: sandbox.workspace,
    encoding: 'utf8',
  }).trim()
const head = () => git('rev-parse', 'HEAD')

async function run(github: Partial<GitHubOptions>, inputs: Record<string, string> = {}): Promise<Ran> {
  return sandbox.run({ gates, baseline: 'artifact', ...inputs }, { job: { github } })
}

const outcomeOf = (runId: number) => outcomeIn('load-test', sandbox.github, runId)
/** The run that was just tried, as GitHub lists it afterwards. */
const listed = (id: number, more: Partial<WorkflowRun> = {}) =>
  sandbox.github.seed.run({ id, commit: head(), ...more })

const onMain = { event: { repository: { default_branch: 'main' } } }
const pull = (number = 7, commit = 'c0ffee01') => ({
  pull_request: {
    number,
    head: { sha: commit, repo: { full_name: 'sandbox/project' } },
    base: { ref: 'main' },
  },
  repository: { default_branch: 'main' },
})
const onPull = () => ({ eventName: 'pull_request', event: pull(), ref: 'refs/pull/7/merge' })
/** With plain spaces. */
const shown = (text: string) => text.replaceAll('\u00a0', ' ')
const comment = () => sandbox.github.store.commentsOf(7)[0]?.body ?? ''

daily(
  'the first run of main is green and says so; then main and pull requests are compared with it',
  async () => {
    const first = await run({ ...onMain, runId: 10 })
    expect([first.conclusion, first.outputs['verdict']]).toEqual(['success', 'passed'])
    const sentence = 'First run: from now on the baseline of later runs.'
    expect(first.summary).toContain('## ℹ️ Load test: first run, nothing to compare with yet')
    expect(first.summary).toContain(sentence)
    expect(first.log).toContain('not compared: requests p95')
    expect(first.annotations).toEqual([
      expect.objectContaining({ kind: 'notice', message: expect.stringContaining(sentence) as string }),
    ])
    expect(outcomeOf(10)).toMatchObject({
      step: { event: 'push', ref: 'refs/heads/main', sha: head(), head: head(), commit: head() },
      gates: [{ result: 'not-compared', reason: sentence }, { result: 'passed' }],
      notes: [],
    })
    expect(JSON.parse(first.outputs['gates'] ?? '')).toHaveLength(2)
    listed(10)

    const second = await run({ ...onMain, runId: 11 })
    expect(second.outputs['verdict']).toBe('passed')
    expect(outcomeOf(11).comparison?.baseline.name).toBe('the latest run of main')
    const pulled = await run({ ...onPull(), runId: 12 })
    expect(pulled.outputs['verdict']).toBe('passed')
    expect(outcomeOf(12).comparison?.baseline.commit).toBe(head())
  },
)

thorough(
  'a pull request that adds the workflow is green, any other without an earlier run invalid',
  async () => {
    sandbox.github.settings.private = true
    const other = await run({ ...onPull(), runId: 10 })
    expect([other.conclusion, other.outputs['verdict']]).toEqual(['failure', 'invalid'])

    sandbox.github.seed.withoutFile('main', workflowPath)
    const adds = await run({ ...onPull(), runId: 11 })
    expect([adds.conclusion, adds.outputs['verdict']]).toEqual(['success', 'passed'])
    const sentence =
      'First run: this pull request adds the workflow. Once it is merged, the first run on main is the baseline.'
    for (const text of [adds.summary, comment()]) expect(text).toContain(sentence)

    sandbox.github.permit({ actions: 'read', 'pull-requests': 'write' })
    const unknown = await run({ ...onPull(), runId: 12 })
    expect(unknown.outputs['verdict']).toBe('invalid')
    expect(comment()).toContain('give the job the permission contents: read')
  },
)

thorough('a comment on a pull request: what is packed is named, and it does not count for main', async () => {
  const main = head()
  git('checkout', '-q', '-b', 'faster')
  git('commit', '-q', '--allow-empty', '-m', 'faster')
  const commented = {
    eventName: 'issue_comment',
    event: {
      action: 'created',
      issue: { number: 7, pull_request: {} },
      sender: { login: 'olga', type: 'User' },
    },
    sha: main,
  }
  sandbox.github.seed.role('olga', 'write')
  const ran = await run({ ...commented, event: { ...commented.event, ...onMain.event }, runId: 10 })
  expect(ran.outputs['verdict']).toBe('invalid')
  const left = outcomeOf(10)
  expect(left.step).toMatchObject({ event: 'issue_comment', commit: head(), head: head(), sha: main })
  const doubt = `What is tested is commit ${head().slice(0, 7)}, which is checked out, and not ${main.slice(0, 7)}, for which GitHub started this workflow.`
  expect(left.notes[0]).toContain(doubt)
  expect(ran.annotations).toContainEqual(
    expect.objectContaining({ kind: 'warning', message: expect.stringContaining(doubt) as string }),
  )
  listed(10, { event: 'issue_comment', commit: main })
  git('checkout', '-q', 'main')
  const pulled = await run({ ...onPull(), runId: 11 })
  expect(pulled.log).toContain('Workflow run 10 measured another commit than that of main')
  expect(outcomeOf(11).comparison).toBeUndefined()
})

thorough('pull_request_target is refused unless the head is checked out', async () => {
  const target = { eventName: 'pull_request_target', event: pull(), runId: 10 }
  const refused = await run(target)
  expect([refused.conclusion, refused.outputs['verdict']]).toEqual(['failure', 'error'])
  expect(refused.log).toContain(
    `Nothing is packed on pull_request_target unless the head of the pull request is checked out, and what is checked out is ${head().slice(0, 7)}`,
  )
  expect(sandbox.service.books.starts).toEqual([])
})

thorough('pull_request_target with the head checked out, or without packing, is allowed', async () => {
  const target = { eventName: 'pull_request_target', event: pull() }
  const allowed = await run({ ...target, event: pull(7, head()), runId: 11 }, { gates: '', baseline: '' })
  expect(allowed.outputs['verdict']).toBe('passed')
  expect(outcomeOf(11).step.commit).toBe(head())
  const given = await run(
    { ...target, runId: 12 },
    { gates: '', baseline: '', source: 'none', 'load-test': '3' },
  )
  expect(given.outputs['verdict']).toBe('passed')
})

daily(
  'judge: a run that broke off is red with both figures, and never a baseline, by whichever file',
  async () => {
    // As the engine wrote them.
    for (const [name, kind] of [
      ['short.xml', 'only-agent-lost'],
      ['whole.xml', 'normal'],
    ] as const) {
      const golden = path.resolve('__tests__/engine/golden/9.0.0', kind, 'testreport.xml')
      copyFileSync(golden, path.join(sandbox.workspace, name))
    }
    const judge = (name: string, baseline: string, judged = 'requests p95 <= baseline + 10 %') =>
      sandbox.runOwn('judge', { report: name, gates: judged, baseline })
    const short = await judge('short.xml', '', '')
    expect([short.conclusion, short.outputs['verdict']]).toEqual(['failure', 'invalid'])
    expect(shown(short.summary)).toContain('no verdict. The run measured 7 s of the planned 12 s')
    expect(short.annotations[0]).toMatchObject({
      kind: 'error',
      message: expect.stringMatching(/^The run measured 7 s of the planned 12 s\. Look in the log/) as string,
    })
    writeFileSync(path.join(sandbox.workspace, 'short.json'), JSON.stringify(outcomeOf(sandbox.runId)))
    for (const name of ['short.xml', 'short.json']) {
      const judged = await judge('whole.xml', name)
      expect(judged.outputs['verdict']).toBe('invalid')
      expect(shown(judged.summary)).toContain('was left out: it measured 7 s of the planned 12 s.')
    }
    expect((await judge('whole.xml', 'whole.xml')).outputs['verdict']).toBe('passed')
  },
)

thorough(
  'a run that is collected on main counts for it if it was started there, and not for a pull request',
  async () => {
    const collected = async (runId: number, started: Ran) => {
      const number = started.outputs['run-number'] ?? ''
      const inputs = { mode: 'collect', 'load-test': '', 'run-number': number }
      const github = { eventName: 'workflow_dispatch', ref: 'refs/heads/main', runId, ...onMain }
      const { outputs, summary } = await run(github, inputs)
      const isFirst = summary.includes('First run')
      return [outputs['verdict'], isFirst, whyNotOfBranch(outcomeOf(runId), 'main')]
    }
    const start = { gates: '', baseline: '', mode: 'start' }
    const ofPull = await run({ ...onPull(), runId: 11 }, start)
    const another = 'measured another commit than that of main'
    expect(await collected(12, ofPull)).toEqual(['invalid', false, another])
    const ofMain = await run({ eventName: 'push', ref: 'refs/heads/main', runId: 13, ...onMain }, start)
    expect(await collected(14, ofMain)).toEqual(['passed', true, undefined])
  },
)
