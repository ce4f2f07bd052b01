import { getOctokit } from '@actions/github'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import type { Pull } from '../../sandbox/github/store.js'
import { openPulls, pullRequestComment } from '../../src/github/pull-request.js'
import type { Log } from '../../src/log.js'
import { findKey, renderStartedComment } from '../../src/publish/comment.js'

let github: Github
beforeEach(async () => {
  github = await startGithub()
})
afterEach(() => github.close())

const body = (text: string, key: string) =>
  renderStartedComment({ run: { number: 1, url: 'https://example.com/1', name: text }, step: {} }, key)

function comment(key: string, token = github.token()) {
  const lines: string[] = []
  const log: Log = {
    info: (line) => lines.push(line),
    notice: (line) => lines.push(line),
    warning: (line) => lines.push(line),
    debug: () => undefined,
    group: (_, act) => act(),
  }
  const [owner = '', repo = ''] = github.settings.repository.split('/')
  const octokit = getOctokit(token, { baseUrl: github.url })
  const it = pullRequestComment(
    octokit,
    { owner, repo, number: 7 },
    { isOurs: (text) => findKey(text, key) },
    log,
  )
  return { ...it, lines }
}

const bodies = () => github.store.commentsOf(7).map((one) => one.body)

test('the comment with this key is found among 150, and updated in place', async () => {
  for (let i = 0; i < 75; i++) github.seed.comment(7, `remark ${i}`)
  await comment('a').put(body('first', 'a'))
  for (let i = 75; i < 150; i++) github.seed.comment(7, `remark ${i}`)
  expect(bodies()).toHaveLength(151)
  await comment('a').put(body('second', 'a'))
  expect(bodies()).toHaveLength(151)
  expect(bodies()[75]).toContain('second')
})

test('two keys have two comments', async () => {
  await comment('a').put(body('one', 'a'))
  await comment('b').put(body('two', 'b'))
  await comment('a').put(body('three', 'a'))
  expect(bodies()).toHaveLength(2)
  expect(bodies()[0]).toContain('three')
})

test('somebody who quotes the key keeps their own comment', async () => {
  github.seed.comment(7, body('quoted', 'a'), 'octocat')
  await comment('a').put(body('ours', 'a'))
  expect(bodies()).toHaveLength(2)
  expect(bodies()[0]).toContain('quoted')
})

test('without the permission there is one warning that names it, and no further attempt', async () => {
  const token = github.token({ actions: 'read', contents: 'read', 'pull-requests': 'read' })
  const refused = comment('a', token)
  await refused.put(body('one', 'a'))
  await refused.put(body('two', 'a'))
  expect(refused.lines).toEqual([expect.stringContaining('pull-requests: write')])
  expect(bodies()).toEqual([])
})

const commit = 'c'.repeat(40)
const other = 'd'.repeat(40)
const from = (sha: string, repository = 'sandbox/project') => ({ branch: 'faster', commit: sha, repository })

test.each<[string, Partial<Pull>[], number[]]>([
  ['one that is open', [{ head: from(commit) }], [1]],
  ['one that is closed', [{ head: from(commit), state: 'closed' }], []],
  ['an earlier one that is closed', [{ head: from(commit), state: 'closed' }, { head: from(commit) }], [2]],
  ['one that has gone on from it', [{ head: from(other), earlier: [commit] }], []],
  ['one on top of it', [{ head: from(other), earlier: [commit] }, { head: from(commit) }], [2]],
  [
    'one of a fork',
    [{ head: from(commit), base: { branch: 'a', commit: other } }, { head: from(commit, 'm/p') }],
    [1, 2],
  ],
  [
    '130 on top of it',
    [...Array<Partial<Pull>>(130).fill({ head: from(other), earlier: [commit] }), { head: from(commit) }],
    [131],
  ],
])('the open pull requests whose head is a commit: %s', async (_, pulls, numbers) => {
  for (const [index, pull] of pulls.entries()) github.seed.pull({ number: index + 1, ...pull })
  const [owner = '', repo = ''] = github.settings.repository.split('/')
  const octokit = getOctokit(github.token(), { baseUrl: github.url })
  expect(await openPulls(octokit, { owner, repo, commit })).toEqual(numbers)
})
