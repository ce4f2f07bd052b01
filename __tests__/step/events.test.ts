import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { share } from '../draws.js'
import { startSandbox, type Sandbox } from './sandbox.js'

/* Every event: what is tested, what it is compared with, and where comment and status go; through dist/. */

const [main, release, faster] = ['main', 'release/1.x', 'faster'] as const
type Branch = typeof main | typeof release | typeof faster

let sandbox: Sandbox
const commits = new Map<string, string>()
const left = { outcome: '' }
beforeAll(async () => {
  sandbox = await startSandbox()
  await sandbox.run({}, { job: { github: { runId: 1 } } })
  left.outcome = readFileSync(sandbox.github.store.artifact('load-test-outcome.json')?.path ?? '', 'utf8')
  commits.set(main, sandbox.commit)
  for (const branch of [release, faster]) {
    git('checkout', '-q', '-b', branch, main)
    git('commit', '-q', '--allow-empty', '-m', branch)
    commits.set(branch, git('rev-parse', 'HEAD'))
  }
  git('checkout', '-q', '-b', 'merge', release)
  git('merge', '-q', '--no-ff', '-m', 'merge', faster)
  commits.set('merge', git('rev-parse', 'HEAD'))
})
beforeEach(async () => {
  const { github } = sandbox
  for (const list of [github.store.runs, github.store.artifacts, github.store.statuses]) list.length = 0
  for (const map of [github.store.pulls, github.store.comments]) map.clear()
  github.settings.everyPullExists = false
  github.permit({ actions: 'read', contents: 'read', 'pull-requests': 'write', statuses: 'write' })
  github.seed.role('olga', 'write')
  for (const [index, branch] of [main, release, faster].entries()) await ranOn(branch, index + 1)
  const commit = commitOf(faster)
  const base = { branch: release, commit: commitOf(release) }
  github.seed.pull({ number: 7, head: { branch: faster, commit, repository: 'sandbox/project' }, base })
})
afterAll(() => sandbox.close())

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd: sandbox.workspace,
    encoding: 'utf8',
  }).trim()
const commitOf = (branch: string) => commits.get(branch) ?? ''

/** An earlier run that measured the code of its branch. */
async function ranOn(branch: Branch, id: number) {
  const commit = commitOf(branch)
  const outcome = JSON.parse(left.outcome) as LoadTestOutcome
  const step = { ...outcome.step, ref: `refs/heads/${branch}`, sha: commit, head: commit, commit }
  sandbox.github.seed.run({ id, branch, commit })
  await sandbox.github.seed.artifact({
    ...{ runId: id, name: 'load-test-outcome.json', mimeType: 'application/json' },
    bytes: JSON.stringify({ ...outcome, step }),
  })
}

interface Row {
  /** As the documents name it. */
  event: string
  payload?: () => object
  ref: string
  /** The branch whose commit the event is about. */
  at: string
  /** The branch that is checked out, if it is another one. */
  found?: string
  comment?: string
  /** The branch whose commit is named. */
  tested: Branch | 'merge'
  comparedWith: Branch
  commented: boolean
}

const onMain = { ref: 'refs/heads/main', at: main }
const onPull = {
  ref: 'refs/pull/7/merge',
  at: 'merge',
  tested: faster,
  comparedWith: release,
  commented: true,
}
const pull = () => ({
  pull_request: {
    number: 7,
    head: { sha: commitOf(faster), ref: faster, repo: { full_name: 'sandbox/project' } },
    base: { ref: release },
  },
})
const comment = () => ({
  ...{ action: 'created', issue: { number: 7, pull_request: {} }, comment: { body: '/loadtest' } },
  sender: { login: 'olga', type: 'User' },
})
const group = () => ({ action: 'checks_requested', merge_group: { base_ref: `refs/heads/${release}` } })
const followed = (login = 'olga') => ({
  workflow_run: { head_sha: commitOf(faster), head_repository: { full_name: 'sandbox/project' } },
  sender: { login, type: 'User' },
})
/** Of the default branch, which is checked out and compared with itself. */
const ofMain = { ...onMain, tested: main, comparedWith: main, commented: false } as const
/** An input names the pull request, whose head is checked out. */
const named = { ...onMain, found: faster, tested: faster, comparedWith: release, commented: true } as const

const rows: Row[] = [
  { event: '`pull_request`', payload: pull, ...onPull },
  {
    event: '`push`',
    ref: `refs/heads/${faster}`,
    at: faster,
    tested: faster,
    comparedWith: faster,
    commented: false,
  },
  { event: '`issue_comment`, `pull-request`', payload: comment, ...named },
  {
    event: '`merge_group`',
    payload: group,
    ref: 'refs/heads/gh-readonly-queue/release/1.x/pr-7-abc',
    at: 'merge',
    tested: 'merge',
    comparedWith: release,
    commented: false,
  },
  { event: '`pull_request_review`', payload: pull, ...onPull },
  {
    event: '`pull_request_target`',
    payload: pull,
    ...onPull,
    ref: `refs/heads/${release}`,
    at: release,
    found: faster,
  },
  {
    event: '`push`',
    ref: `refs/heads/${faster}`,
    at: faster,
    comment: 'always',
    tested: faster,
    comparedWith: release,
    commented: true,
  },
  {
    event: '`push`',
    ref: `refs/heads/${release}`,
    at: release,
    tested: release,
    comparedWith: release,
    commented: false,
  },
  {
    event: '`push`',
    ref: 'refs/tags/v1',
    at: release,
    tested: release,
    comparedWith: main,
    commented: false,
  },
  { event: '`schedule`', ...ofMain },
  { event: '`workflow_dispatch`', ...ofMain },
  {
    event: '`workflow_dispatch`',
    ref: `refs/heads/${release}`,
    at: release,
    tested: release,
    comparedWith: release,
    commented: false,
  },
  { event: '`workflow_dispatch`, `pull-request`', ...named },
  { event: '`repository_dispatch`', ...ofMain },
  { event: '`repository_dispatch`', ...ofMain, found: faster, tested: faster },
  { event: '`repository_dispatch`, `pull-request`', ...named },
  { event: '`issue_comment`', payload: comment, ...ofMain },
  { event: '`issue_comment`', payload: comment, ...ofMain, found: faster, tested: faster },
  { event: '`workflow_run`', payload: followed, ...ofMain },
  { event: '`workflow_run`', payload: followed, ...ofMain, found: faster, tested: faster },
  { event: '`workflow_run`, `pull-request`', payload: followed, ...named },
]

test.each(share(rows, 4))(
  '$event at $ref tests $tested, is compared with $comparedWith, comments: $commented',
  async ({ event, payload, ref, at, found = at, ...row }) => {
    git('checkout', '-q', '--detach', commitOf(found))
    const [, eventName = ''] = /`(\w+)`/.exec(event) ?? []
    const github: Partial<GitHubOptions> = {
      ...{ eventName, ref, sha: commitOf(at) },
      event: JSON.parse(
        JSON.stringify({ ...payload?.(), repository: { default_branch: main } }),
      ) as GitHubOptions['event'],
    }
    const machineEnv = { GITHUB_WORKFLOW_REF: `sandbox/project/.github/workflows/load-test.yml@${ref}` }
    const ran = await sandbox.run(
      {
        ...{ baseline: 'artifact', gates: 'requests p95 <= baseline + 20 %', status: 'load-test' },
        ...(event.includes('pull-request') ? { 'pull-request': '7' } : {}),
        ...(row.comment === undefined ? {} : { comment: row.comment }),
      },
      { job: { github, machineEnv } },
    )
    expect(ran.outputs['verdict']).toBe('passed')
    const file = sandbox.github.store.artifact('load-test-outcome.json', sandbox.runId)?.path ?? ''
    const { step, comparison } = JSON.parse(readFileSync(file, 'utf8')) as LoadTestOutcome
    expect(step).toMatchObject({ event: eventName, ref, commit: commitOf(row.tested), head: commitOf(found) })
    expect(comparison?.baseline.name).toBe(`the latest run of ${row.comparedWith}`)
    const bodies = sandbox.github.store.commentsOf(7).map(({ body }) => body)
    expect(bodies).toEqual(
      row.commented ? [expect.stringContaining(commitOf(row.tested).slice(0, 7)) as string] : [],
    )
    const commit = commitOf(row.tested)
    expect(sandbox.github.store.statuses).toMatchObject([
      { commit, state: 'pending' },
      { commit, state: 'success' },
    ])
  },
)

test('every event of the documents has its rows', () => {
  const page = readFileSync('docs/events.md', 'utf8')
  const [table = ''] = /^\| event[^]*?\n\n/m.exec(page) ?? []
  const events = [...table.matchAll(/^\| (`.*?) *\|/gm)].map(([, event]) => event)
  expect(events.length).toBeGreaterThan(10)
  expect([...new Set(rows.map(({ event }) => event))].sort()).toEqual([...events].sort())
})
