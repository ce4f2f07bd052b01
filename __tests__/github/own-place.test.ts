import type { WorkflowRun } from '../../sandbox/github/store.js'
import { connect } from '../../src/github/api/octokit.js'
import { ownPlace } from '../../src/github/runs/earlier.js'
import { privateGithub } from './private-github.js'

type OwnRun = Parameters<typeof ownPlace>[1]

/* Where a run stands that has nothing to be compared with: whether it is the first one, or what else to do. */

const at = await privateGithub('own-place')

const main = 'a'.repeat(40)
const other = 'b'.repeat(40)
const onMain = { event: 'push', ref: 'refs/heads/main', sha: main, head: main }

/** A run of main with an artifact that may be an outcome; nobody reads it. */
async function run(id: number, more: Partial<WorkflowRun> = {}) {
  at.github.seed.run({ id, commit: main, createdAt: new Date(id * 1000), ...more })
  await at.github.seed.artifact({
    runId: id,
    name: 'outcome.json',
    bytes: '{}',
    mimeType: 'application/json',
  })
}

const token = () => at.github.token({ actions: 'read', contents: 'read' })
const search = {
  ...{ owner: 'sandbox', repo: 'project', workflow: 'load-test.yml', artifact: 'outcome.json', log: at.log },
}
const workflowPath = '.github/workflows/load-test.yml'
const onPull: OwnRun = {
  step: { event: 'pull_request', ref: 'refs/pull/7/merge', sha: other, head: other },
  ...{ workflow: 'load-test.yml', workflowPath, base: 'main' },
}
const collecting = { event: 'schedule', ref: 'refs/heads/main', sha: main }
const pushed: OwnRun = { step: onMain, workflow: 'load-test.yml', workflowPath }

const ofOtherRun = (commit: string) => ({
  mode: 'judge',
  report: { given: { name: 'report', url: 'https://github.com/sandbox/project/actions/runs/40', commit } },
})

interface Asked {
  hasEarlier?: boolean
  permission?: string
  more?: Partial<typeof search>
}

async function place(
  own: OwnRun,
  branches = ['main'],
  { hasEarlier = false, permission = token(), more = {} }: Asked = {},
) {
  const octokit = () => connect(permission, { baseUrl: at.github.url })
  return ownPlace({ ...search, ...more, octokit, branches }, own, hasEarlier)
}

test.each<[string, OwnRun, boolean]>([
  ['a push to main', pushed, true],
  ['a push of another commit', { ...pushed, step: { ...onMain, head: other } }, false],
  ['the report of another run, of another commit', { ...pushed, ...ofOtherRun(other) }, false],
  [
    'a run that was started for main, and collected there',
    { ...pushed, mode: 'collect', step: { ...collecting, commit: other } },
    true,
  ],
  [
    'a run of which nobody knows the code, collected on main',
    { ...pushed, mode: 'collect', step: collecting },
    false,
  ],
  ['a pull request', onPull, false],
])('%s is the first run of its branch: %s', async (_, own, isFirst) => {
  expect(await place(own)).toEqual({ branch: 'main', ...(isFirst && { first: 'branch' }) })
})

test('a pull request is compared with its base, unless the workflow is of another repository', async () => {
  expect(await place({ ...onPull, base: 'release' }, ['release', 'main'])).toEqual({ branch: 'release' })
  const { workflowPath: _, ...foreign } = onPull
  const unknown = 'the workflow is of another repository'
  expect(await place(foreign)).toEqual({ branch: 'main', unknown })
})

test('a pull request that adds the workflow', async () => {
  at.github.seed.withoutFile('main', workflowPath)
  expect(await place(onPull)).toEqual({ branch: 'main', first: 'pull-request' })
  expect(await place({ ...onPull, base: 'release' }, ['release', 'main'])).toEqual({ branch: 'release' })
  // Where the base has runs, nobody asks for its files.
  expect(await place(onPull, ['main'], { hasEarlier: true })).toEqual({ branch: 'main' })
  // Its workflow is that of the base.
  const target = { ...onPull, step: { ...onPull.step, event: 'pull_request_target' } }
  expect(await place(target)).toEqual({ branch: 'main' })
})

test('what cannot be read is unknown', async () => {
  at.github.seed.withoutFile('main', workflowPath)
  expect(await place(onPull, ['main'], { permission: at.github.token({ actions: 'read' }) })).toEqual({
    branch: 'main',
    unknown: expect.stringContaining('Resource not accessible by integration') as string,
  })
})

test.each<[string, Partial<WorkflowRun>]>([
  ['of this workflow', {}],
  ['of another branch', { workflow: 'nightly.yml', branch: 'feature' }],
  ['of a fork', { workflow: 'nightly.yml', headRepository: 'somebody/project' }],
  ['of a pull request from a branch of that name', { workflow: 'nightly.yml', event: 'pull_request' }],
  ['of a pull request, with the rights of main', { workflow: 'nightly.yml', event: 'pull_request_target' }],
])('a run %s names none', async (_, more) => {
  await run(1, more)
  expect(await place(onPull)).toEqual({ branch: 'main' })
})
test('a workflow that compares with another one is not the first, whatever its base has', async () => {
  at.github.seed.withoutFile('main', workflowPath)
  const more = { workflow: 'nightly.yml' }
  expect(await place(pushed, ['main'], { more })).toEqual({ branch: 'main', workflow: 'nightly.yml' })
  expect(await place(onPull, ['main'], { more })).toEqual({ branch: 'main', workflow: 'nightly.yml' })
})

test('the latest ten runs are looked at', async () => {
  await run(1, { workflow: 'nightly.yml' })
  for (let id = 2; id <= 10; id++) await run(id)
  expect(await place(onPull)).toEqual({ branch: 'main', otherWorkflow: 'nightly.yml' })
  await run(11)
  expect(await place(onPull)).toEqual({ branch: 'main' })
})

test('where the artifacts cannot be listed, no other workflow is named', async () => {
  await run(1, { workflow: 'nightly.yml' })
  const permission = at.github.token({ contents: 'read' })
  expect(await place(onPull, ['main'], { permission })).toEqual({ branch: 'main' })
})
