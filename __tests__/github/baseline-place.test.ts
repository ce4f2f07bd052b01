import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Permissions } from '../../sandbox/github/access.js'
import type { WorkflowRun } from '../../sandbox/github/store.js'
import { absenceAdvice, whyFirst } from '../../src/baseline/source.js'
import { connect } from '../../src/github/api/octokit.js'
import { jobFacts, type JobFacts } from '../../src/github/job/job.js'
import { chosenPull } from '../../src/github/pull-request/pull-reading.js'
import { earlierOutcomes } from '../../src/github/runs/earlier.js'
import { regression } from '../publish/outcomes.js'
import { rootInputs } from '../load-test-inputs.js'
import { copiedArtifacts } from './copied-artifacts.js'
import { privateGithub } from './private-github.js'

/* On which branch, and of which workflow, the earlier runs are looked for. */

const at = await privateGithub('baseline-place')
beforeEach(() => at.github.store.pulls.clear())

const commit = 'a'.repeat(40)
const feature = 'f'.repeat(40)

/** A run that measured the code of its branch. */
async function ran(id: number, branch: string, more: Partial<WorkflowRun> = {}) {
  at.github.seed.run({ id, branch, commit, ...more })
  const { pullRequest, ...step } = regression().step
  const own = { event: 'push', ref: `refs/heads/${branch}`, sha: commit, head: commit }
  const bytes = JSON.stringify({ ...regression(), step: { ...step, ...own } })
  await at.github.seed.artifact({
    runId: id,
    name: 'load-test-outcome.json',
    bytes,
    mimeType: 'application/json',
  })
}

interface Job {
  event: string
  ref?: string
  /** The workflow's file, with its repository. */
  workflow?: string
  payload?: object
  inputs?: Record<string, string>
  named?: Parameters<JobFacts['forPull']>[0]
  /** Of the run that is collected. */
  template?: number
}

const rights: Permissions = { actions: 'read', contents: 'read', 'pull-requests': 'write' }
const repository = { default_branch: 'main' }

const ownFile = 'sandbox/project/.github/workflows/load-test.yml'

async function looked({ event, ref = 'refs/heads/main', payload = {}, inputs = {}, ...more }: Job) {
  const { named, template, workflow = ownFile } = more
  const file = path.join(at.folder, 'event.json')
  writeFileSync(file, JSON.stringify({ repository, ...payload }))
  // GitHub lists the run itself, too.
  at.github.seed.run({ id: 900, conclusion: null })
  const workflowRef = `${workflow}@${ref}`
  const env = {
    ...{ GITHUB_REPOSITORY: 'sandbox/project', GITHUB_EVENT_PATH: file, GITHUB_EVENT_NAME: event },
    ...{ GITHUB_SHA: feature, GITHUB_REF: ref, GITHUB_RUN_ID: '900', GITHUB_WORKFLOW_REF: workflowRef },
  }
  const token = at.github.token(rights)
  const given = {
    mode: 'run',
    comment: 'auto',
    'github-token': token,
    'load-test': '17',
  }
  const asked = { ...given, baseline: 'artifact', ...inputs }
  const facts = jobFacts(env, () => ({ commit: feature }))
  const job = named ? facts.forPull(named) : facts
  const read = rootInputs(asked, at.folder)
  const [source] = read.baseline ?? []
  if (source?.kind !== 'artifact') throw new Error('No earlier runs are asked for.')
  const access = {
    inputs: read,
    job: { ...job, step: { ...job.step, ...job.measured('/w') } },
    octokit: () => connect(token, { baseUrl: at.github.url }),
    artifactStore: async () => ({ ...copiedArtifacts(at.github), ...unused }),
    log: at.log,
    temp: at.folder,
  }
  const chosen = await chosenPull(access, read.comment)
  const { step } = access.job
  const measured = template === undefined ? undefined : { step, template: { number: template } }
  return earlierOutcomes(access, source, chosen, measured)
}
const never = () => Promise.reject(new Error('This is not used.'))
const unused = { uploadArtifact: never, listArtifacts: never }

/** The branch of the run that was found; where there is none, the branch that should have one. */
async function place(job: Job): Promise<string> {
  const { outcomes, own } = await looked(job)
  return outcomes[0]?.branch ?? `none of ${own.branch}`
}

const onRelease = { event: 'push', ref: 'refs/heads/release/1.x' }
const onFeature = { event: 'push', ref: 'refs/heads/faster' }
const pull = { pull_request: { number: 7, base: { ref: 'release/1.x' }, head: { sha: feature } } }
const group = { merge_group: { base_ref: 'refs/heads/release/1.x' } }
const inQueue = 'refs/heads/gh-readonly-queue/release/1.x/pr-7-abc'

test.each<[string, Job, string]>([
  ['a release line is compared with itself', onRelease, 'release/1.x'],
  ['a branch without earlier runs with the default branch', onFeature, 'main'],
  ['a tag with the default branch', { event: 'push', ref: 'refs/tags/release/1.x' }, 'main'],
  [
    'a pull request with its base',
    { event: 'pull_request', ref: 'refs/pull/7/merge', payload: pull },
    'release/1.x',
  ],
  ['a merge group with its base', { event: 'merge_group', ref: inQueue, payload: group }, 'release/1.x'],
  ['a comment with the default branch', { event: 'issue_comment', payload: { issue: {} } }, 'main'],
  [
    'a comment that asks for a pull request with its base',
    { event: 'issue_comment', named: { number: 7, base: 'release/1.x', head: feature } },
    'release/1.x',
  ],
  [
    'what an input names as a reference',
    { ...onFeature, inputs: { 'baseline-branch': 'refs/heads/release/1.x' } },
    'release/1.x',
  ],
  [
    'what an input names, and nothing else',
    { ...onRelease, inputs: { 'baseline-branch': 'next' } },
    'none of next',
  ],
  [
    'a hostile name is no more than a name',
    { event: 'push', inputs: { 'baseline-branch': 'a&event=x#/../b' } },
    'none of a&event=x#/../b',
  ],
])('%s', async (_, job, branch) => {
  await ran(1, 'main')
  await ran(2, 'release/1.x')
  expect(await place(job)).toBe(branch)
})

test('an event without the default branch: GitHub is asked for it', async () => {
  await ran(1, 'main')
  expect(await place({ ...onFeature, payload: { repository: null } })).toBe('main')
})

describe('comment: always on a push', () => {
  const always = { ...onFeature, inputs: { comment: 'always' } }
  const open = (number: number, base: string) =>
    at.github.seed.pull({
      ...{ number, base: { branch: base, commit } },
      head: { branch: 'faster', commit: feature, repository: 'sandbox/project' },
    })

  test('is compared with the base of its pull request, not with its own last push', async () => {
    await ran(1, 'main')
    await ran(2, 'release/1.x')
    await ran(3, 'faster')
    open(7, 'release/1.x')
    expect(await place(always)).toBe('release/1.x')
    expect(await place(onFeature)).toBe('faster')
    at.github.store.pulls.clear()
    expect(await place(always)).toBe('faster')
  })
})

describe('the first run', () => {
  const pushed = (branch: string) => ({ event: 'push', ref: `refs/heads/${branch}` })

  test('of a branch is the baseline of its later runs', async () => {
    const { own } = await looked({ ...pushed('release/1.x') })
    expect(own).toEqual({ branch: 'release/1.x', first: 'branch' })
    const reason = 'First run: if it is green, it is the baseline of later runs.'
    expect(whyFirst(own, false)).toEqual({ unfit: 'first-run', reason })
    expect(whyFirst(own, true)?.unfit).toBe('new-baseline')
  })

  test('of a tag, or of a branch that is compared with another one, is not', async () => {
    expect((await looked({ event: 'push', ref: 'refs/tags/v1' })).own).toEqual({ branch: 'main' })
    const named = { ...pushed('faster'), inputs: { 'baseline-branch': 'main' } }
    expect((await looked(named)).own).toEqual({ branch: 'main' })
  })

  test('compared with another workflow is not', async () => {
    at.github.seed.run({ id: 1, workflow: 'nightly.yml', conclusion: 'failure' })
    const { own } = await looked({ event: 'push', inputs: { 'baseline-workflow': 'nightly.yml' } })
    expect(own).toEqual({ branch: 'main', workflow: 'nightly.yml' })
    expect(absenceAdvice(own, false)).toEqual([
      'Let nightly.yml run on main first, on push or by hand: its first green run there is the baseline. Then run this job again.',
    ])
  })
})

describe('another workflow', () => {
  const onPull = { event: 'pull_request', ref: 'refs/pull/7/merge', payload: { ...pull } }

  test('that tests the base branch is named, with the input that takes it', async () => {
    await ran(1, 'release/1.x', { workflow: 'nightly.yml' })
    at.github.seed.run({ id: 2, branch: 'other' })
    const { outcomes, own } = await looked(onPull)
    expect(outcomes).toEqual([])
    expect(absenceAdvice(own, false)[0]).toBe(
      'release/1.x is tested by nightly.yml, but a baseline is a run of the same workflow, unless an input names another: write baseline-workflow: nightly.yml. Or let one workflow test both release/1.x and the pull requests, then run it on release/1.x once.',
    )
    const named = { ...onPull, inputs: { 'baseline-workflow': 'nightly.yml' } }
    expect((await looked(named)).outcomes).toHaveLength(1)
    const byPath = { ...onPull, inputs: { 'baseline-workflow': '.github/workflows/nightly.yml' } }
    expect((await looked(byPath)).outcomes).toHaveLength(1)
  })

  test('that this repository does not have is an error that names the input', async () => {
    at.github.seed.run({ id: 1 })
    await expect(looked({ ...onPull, inputs: { 'baseline-workflow': 'nightly.yml' } })).rejects.toThrow(
      'baseline-workflow is nightly.yml, but this repository has no such workflow. Correct the name of its file.',
    )
    at.github.fail({ kind: 'server-error', status: 403, on: /workflows\/nightly\.yml\/runs/ })
    await expect(looked({ ...onPull, inputs: { 'baseline-workflow': 'nightly.yml' } })).rejects.toThrow(
      /could not be read: .*actions: read\.$/,
    )
    at.github.heal()
    // As a ruleset of the organization may require it.
    const workflow = 'sandbox/rules/.github/workflows/rules.yml'
    await expect(looked({ ...onPull, workflow })).rejects.toThrow(
      /^This workflow is of another repository, .* baseline-workflow\.$/,
    )
  })
})

test.each([
  [17, 1],
  [18, 0],
])('a run of template %i that is collected has %i earlier run of 17', async (template, count) => {
  await ran(1, 'main')
  const inputs = { mode: 'collect', 'run-number': '8' }
  expect((await looked({ event: 'push', inputs, template })).outcomes).toHaveLength(count)
})
