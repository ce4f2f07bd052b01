import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CheckedOut } from '../../src/archive/git.js'
import { jobFacts } from '../../src/github/job/job.js'
import { ownFolder } from '../own-folder.js'

const folder = ownFolder()

/** What is known of a job of shop/shop. */
function occasionOf(name: string, event: unknown, head?: CheckedOut) {
  const file = path.join(folder, 'event.json')
  writeFileSync(file, JSON.stringify(event))
  const env = { GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: file, GITHUB_REPOSITORY: 'shop/shop' }
  return jobFacts(env, () => head).occasion
}

const whyNotPacked = (...job: Parameters<typeof occasionOf>) => occasionOf(...job).whyNotPacked?.('/w')

const pull = (repo: unknown) => ({
  pull_request: { number: 7, head: { sha: 'abc', repo }, base: { ref: 'main' } },
})
const after = (head_repository: unknown) => ({ workflow_run: { head_sha: 'abc', head_repository } })
const fork = { full_name: 'octo/shop' }
const own = { full_name: 'Shop/shop' }

test.each<[string, unknown, string | undefined]>([
  [
    'pull_request_target',
    pull(fork),
    'for the head of octo/shop: the service would build and run the code of a fork',
  ],
  ['pull_request_target', pull(null), 'for the head of a deleted fork:'],
  ['pull_request_target', {}, 'for the head of a deleted fork:'],
  ['pull_request_target', pull(own), undefined],
  ['workflow_run', after(fork), 'Nothing is packed on workflow_run for the head of octo/shop'],
  ['workflow_run', after(null), 'for the head of a deleted fork:'],
  ['workflow_run', after(own), undefined],
  // These come without secrets, or are nobody's change.
  ['pull_request', pull(fork), undefined],
  ['push', {}, undefined],
])('%s %j', (name, event, sentence) => {
  const why = whyNotPacked(name, event, { commit: 'abc' })
  if (sentence === undefined) expect(why).toBeUndefined()
  else expect(why).toContain(sentence)
})

test.each<[string, unknown, boolean]>([
  ['pull_request', fork, true],
  ['pull_request_review', fork, true],
  ['pull_request_review_comment', fork, true],
  ['pull_request', own, false],
  ['pull_request_review', own, false],
  ['pull_request_target', fork, false],
])('%s of %j: whether GitHub gives no secrets is %p', (name, repo, isSaid) => {
  const { withoutSecrets } = occasionOf(name, pull(repo))
  if (isSaid) expect(withoutSecrets).toMatch(/^GitHub gives no secrets to pull requests from forks\./)
  else expect(withoutSecrets).toBeUndefined()
})

test('the name of a fork is treated as text', () => {
  expect(whyNotPacked('pull_request_target', pull({ full_name: 'a\n::error::b' }))).not.toContain('\n')
})

test.each<[string, CheckedOut | undefined, string | undefined]>([
  ['pull_request_target', { commit: 'abc' }, undefined],
  ['pull_request_target', { commit: 'abc', repository: 'shop/shop' }, undefined],
  ['pull_request_target', { commit: 'def' }, 'is checked out, and what is checked out is def:'],
  ['pull_request_target', undefined, 'is checked out, and it is not known what is checked out:'],
  // A suite in a separate repository, for the preview of a pull request.
  ['pull_request_target', { commit: 'def', repository: 'shop/suite' }, undefined],
  ['pull_request', { commit: 'def' }, undefined],
  ['pull_request', undefined, undefined],
])('%s with %j checked out', (name, head, sentence) => {
  const why = whyNotPacked(name, pull(own), head)
  if (sentence === undefined) expect(why).toBeUndefined()
  else expect(why).toContain(sentence)
})

describe('what the variables of the runner say about the job', () => {
  const full = {
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REPOSITORY: 'shop/web',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_SHA: 'abc',
    GITHUB_SERVER_URL: 'https://github.test',
    GITHUB_RUN_ID: '42',
    GITHUB_RUN_ATTEMPT: '3',
    GITHUB_WORKFLOW_REF: 'shop/web/.github/workflows/load.yml@refs/heads/a@b',
    GITHUB_WORKFLOW: 'Load',
    GITHUB_JOB: 'test',
    GITHUB_ACTION: '__run',
    GITHUB_WORKSPACE: '/w',
    RUNNER_TEMP: '/t',
  }

  test('all of it', () => {
    expect(jobFacts(full, () => undefined)).toMatchObject({
      ...{
        owner: 'shop',
        repo: 'web',
        workflowRun: 42,
        attempt: '3',
        sha: 'abc',
        temp: '/t',
        branch: 'main',
      },
      ...{ workflow: 'load.yml', workflowPath: '.github/workflows/load.yml', stepName: 'Load/test/__run' },
      occasion: { workspace: '/w' },
      step: {
        ...{ repository: 'shop/web', event: 'push', ref: 'refs/heads/main', sha: 'abc', commit: 'abc' },
        workflowRunUrl: 'https://github.test/shop/web/actions/runs/42',
      },
    })
  })

  test('none of it', () => {
    const { step, occasion, ...facts } = jobFacts({}, () => undefined)
    expect(step).toEqual({})
    expect(occasion.workspace).toBe(process.cwd())
    expect(facts).toMatchObject({
      ...{ owner: '', repo: '', workflow: '', workflowRun: 0, attempt: '1', sha: '', temp: tmpdir() },
      ...{ stepName: '//' },
    })
    for (const name of ['workflowPath', 'base', 'branch', 'defaultBranch', 'mergeGroup'])
      expect(facts).not.toHaveProperty(name)
  })

  test.each<Partial<typeof full>>([
    { GITHUB_REPOSITORY: '' },
    { GITHUB_SERVER_URL: '' },
    { GITHUB_RUN_ID: '' },
  ])('without one part there is no address of the run: %j', (missing) => {
    const { step } = jobFacts({ ...full, ...missing }, () => undefined)
    expect(step).not.toHaveProperty('workflowRunUrl')
    expect('repository' in step).toBe(missing.GITHUB_REPOSITORY === undefined)
  })

  test('a workflow of another repository has no path in this one', () => {
    const GITHUB_WORKFLOW_REF = 'other/flows/.github/workflows/load.yml@v1'
    const facts = jobFacts({ ...full, GITHUB_WORKFLOW_REF }, () => undefined)
    expect(facts.workflow).toBe('load.yml')
    expect(facts).not.toHaveProperty('workflowPath')
  })

  test('only Dependabot gets its own secrets', () => {
    const { withoutSecrets } = jobFacts(
      { ...full, GITHUB_ACTOR: 'dependabot[bot]' },
      () => undefined,
    ).occasion
    expect(withoutSecrets).toMatch(/^workflows that Dependabot starts/)
    expect(jobFacts({ ...full, GITHUB_ACTOR: 'ada' }, () => undefined).occasion).not.toHaveProperty(
      'withoutSecrets',
    )
  })
})
