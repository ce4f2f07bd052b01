import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { gitHub, refusedJob } from '../../src/github/github.js'
import { jobFacts } from '../../src/github/job/job.js'
import { rootInputs } from '../load-test-inputs.js'
import { keptLog } from '../kept-log.js'
import { ownFolder } from '../own-folder.js'
import { ownGithub } from './own-github.js'

/* Which pull request gets the comment, and whose label is asked about. */

const folder = ownFolder()
const github = await ownGithub({ settings: { private: true } })
// Read when @actions/github is first loaded.
process.env.GITHUB_API_URL = github.url
beforeEach(() => {
  github.store.pulls.clear()
  github.store.requests.length = 0
})

const commit = 'c'.repeat(40)
const seed = (number: number, sha = commit) =>
  github.seed.pull({ number, head: { branch: 'faster', commit: sha, repository: 'sandbox/project' } })

function gitHubOf(
  pull: number | undefined,
  wanted: Record<string, string>,
  event = pull ? 'pull_request' : 'push',
  ref = '',
) {
  const file = path.join(folder, 'event.json')
  writeFileSync(file, JSON.stringify(pull === undefined ? {} : { pull_request: { number: pull } }))
  const env = {
    ...{ GITHUB_REPOSITORY: 'sandbox/project', GITHUB_EVENT_PATH: file, GITHUB_EVENT_NAME: event },
    GITHUB_REF: ref,
    ...{ GITHUB_SHA: commit, GITHUB_RUN_ID: '1', RUNNER_TEMP: folder },
  }
  const given = { mode: 'run', comment: 'auto', 'github-token': github.token(), ...wanted }
  const inputs = rootInputs(given, folder)
  const { log, lines } = keptLog()
  return {
    at: gitHub(
      inputs,
      refusedJob(
        inputs,
        jobFacts(env, () => undefined),
      ),
      log,
      folder,
    ),
    lines,
  }
}

test('the legs of a matrix keep their notes apart, and only these', () => {
  const { at } = gitHubOf(7, {})
  const keys = ['0 of 2', '1 of 2', ''].map((leg) => gitHubOf(7, { 'matrix-leg': leg }).at.notePlace.stepName)
  expect(keys).toEqual(['/0', '/1', ''].map((end) => `${at.notePlace.stepName}${end}`))
})

/** The pull requests that a step comments on, and what it says about that. */
async function commented(
  pull: number | undefined,
  wanted: Record<string, string>,
  ref = 'refs/heads/faster',
  event?: string,
) {
  const { at, lines } = gitHubOf(pull, wanted, event, ref)
  const place = await at.commentPlace()
  const comment = place && (await at.comment(place))
  const key = comment?.key
  const before = github.store.requests.length
  await comment?.put({ body: 'x' })
  const on = github.store.requests
    .slice(before)
    .flatMap(({ method, url }) =>
      method === 'POST' ? [Number(/issues\/(\d+)\/comments/.exec(url)?.[1])] : [],
    )
  return { on, lines, key }
}

test.each<[string, number | undefined, Record<string, string>, number[]]>([
  ['the pull request that started the workflow', 7, {}, [7]],
  ['that one, whatever else has the commit', 7, { comment: 'always' }, [7]],
  ['none for a push', undefined, {}, []],
  ['the open pull request of a push, if that is wanted', undefined, { comment: 'always' }, [8]],
  ['none, if none is wanted', 7, { comment: 'never' }, []],
  ['none in mode check', 7, { mode: 'check' }, []],
  ['none without a token', 7, { 'github-token': '' }, []],
])('the comment goes to %s', async (_, pull, wanted, on) => {
  seed(8)
  expect(await commented(pull, wanted)).toMatchObject({ on, lines: [] })
})

test('no pull request is chosen among several, or where there is none', async () => {
  expect(await commented(undefined, { comment: 'always' })).toMatchObject({
    ...{ on: [], lines: ['comment: always: the commit is the head of no open pull request'] },
  })
  seed(8)
  seed(9)
  expect(await commented(undefined, { comment: 'always' })).toMatchObject({
    on: [],
    lines: [
      expect.stringMatching(/head of several open pull requests, so none gets the comment: [89], [89]$/),
    ],
  })
})

test('a tag is of no branch, so no pull request is that of a run for one', async () => {
  seed(8)
  expect(await commented(undefined, { comment: 'always' }, 'refs/tags/v1')).toMatchObject({
    ...{ on: [], lines: [expect.stringContaining('no pull request is from one')] },
  })
  // Nor is one told what somebody asked for who may have no say.
  const asked = await commented(undefined, { comment: 'always' }, undefined, 'issue_comment')
  expect(asked).toMatchObject({ on: [], lines: [] })
})

test('a pull request that cannot be looked up is a warning that names the permission', async () => {
  const githubToken = github.token({ contents: 'read' })
  const { on, lines } = await commented(undefined, { comment: 'always', 'github-token': githubToken })
  expect(on).toEqual([])
  expect(lines).toEqual([expect.stringMatching(/^warning: comment: always: .*pull-requests: write\.$/)])
})

test('the key of a comment is that of the input, else one of the step', async () => {
  const one = await commented(7, { name: 'mine' })
  const other = await commented(7, { 'load-test': '1' })
  const third = await commented(7, { 'load-test': '2' })
  expect(one.key).toBe('mine')
  expect(new Set([one.key, other.key, third.key]).size).toBe(3)
})

test('a label is asked about on the pull request that started the workflow, and on no other', async () => {
  seed(8)
  const reading = (pull: number | undefined, wanted: Record<string, string> = {}) =>
    gitHubOf(pull, { comment: 'always', ...wanted }).at.world.labelRecords('fine', commit)
  await expect(reading(8)).resolves.toMatchObject([{ pull: 8, head: commit }])
  await expect(reading(undefined)).rejects.toThrow('this workflow was not started by a pull request.')
  await expect(reading(8, { 'github-token': '' })).rejects.toThrow('github-token is empty.')
})
