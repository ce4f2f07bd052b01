import { getOctokit } from '@actions/github'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import type { Pull } from '../../sandbox/github/store.js'
import { pullRequestComment, writingOf } from '../../src/github/pull-request/pull-request.js'
import { openPulls } from '../../src/github/pull-request/pull-reading.js'
import { renderStartedComment } from '../../src/publish/markdown/comment.js'
import { serve } from '../step/front.js'
import { keptLog } from '../kept-log.js'

let github: Github
beforeEach(async () => {
  github = await startGithub()
})
afterEach(() => github.close())

const textOf = (text: string, key: string) =>
  renderStartedComment(
    { run: { number: 1, url: 'https://example.com/1', template: { number: 2, name: text } }, step: {} },
    key,
  )

/** A text that is neither red nor passing. */
const body = (text: string, key: string) => ({ body: textOf(text, key) })

function comment(key: string, baseUrl = github.url) {
  const { log, lines } = keptLog()
  const [owner = '', repo = ''] = github.settings.repository.split('/')
  const octokit = getOctokit(github.token(), { baseUrl })
  const it = pullRequestComment(octokit, { owner, repo, number: 7, key }, log)
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

test('somebody who quotes the key keeps their own comment', async () => {
  const quoting: [string, string][] = [
    [textOf('quoted', 'a'), 'octocat'],
    [textOf('quoted', 'a'), 'mirror[bot]'],
    [`Look:\n\n${textOf('quoted', 'a')}`, 'github-actions[bot]'],
    [textOf('quoted', 'a').replace(/^/gm, '> '), 'github-actions[bot]'],
  ]
  for (const [text, login] of quoting) github.seed.comment(7, text, login)
  await comment('a').put(body('ours', 'a'))
  await comment('a').put(body('ours again', 'a'))
  expect(bodies()).toEqual([...quoting.map(([text]) => text), expect.stringContaining('ours again')])
})

/** Comments of a pull request as GitHub lists them, and what is then written. */
async function written(
  comments: object[],
  bodyTexts: string[],
  { me, updated = 200, isEndless = false }: { me?: string; updated?: number; isEndless?: boolean } = {},
) {
  const asked: string[] = []
  const front = await serve((request, response) => {
    const at = `${request.method} ${(request.url ?? '').replace(/^\/repos\/[^/]+\/[^/]+|\?.*/g, '')}`
    asked.push(at)
    request.resume()
    response.setHeader('content-type', 'application/json')
    if (isEndless) response.setHeader('link', `<${front.url}/x?page=2>; rel="next"`)
    if (at === 'POST /graphql') response.writeHead(502).end('{}')
    else if (request.method === 'POST') response.writeHead(201).end('{"id": 99}')
    else if (request.method === 'PATCH') response.writeHead(updated).end('{}')
    else if (at === 'GET /user')
      response.writeHead(me === undefined ? 403 : 200).end(JSON.stringify({ login: me }))
    else response.end(JSON.stringify(at.endsWith('/comments') ? comments : []))
  })
  const it = comment('a', front.url)
  for (const text of bodyTexts) await it.put({ body: text })
  await front.close()
  return { asked, lines: it.lines, changes: asked.filter((one) => /^(POST|PATCH) .issues/.test(one)) }
}

const ours = (id: number, user: object | null) => ({ id, body: textOf('x', 'a'), user })
const created = 'POST /issues/7/comments'
const update = (id: number) => `PATCH /issues/comments/${id}`

test.each<[string, object[], string | undefined, string]>([
  ['of a bot', [ours(1, { type: 'Bot', login: 'b[bot]' })], undefined, update(1)],
  [
    'of a bot after one that quotes it',
    [ours(1, { type: 'User', login: 'o' }), ours(2, { type: 'Bot', login: 'b[bot]' })],
    undefined,
    update(2),
  ],
  [
    'of the person whose token it is',
    [
      ours(1, { type: 'User', login: 'o' }),
      ours(2, { type: 'User', login: 'me' }),
      ours(3, { type: 'Bot', login: 'b[bot]' }),
    ],
    'me',
    update(2),
  ],
  ['of somebody else', [ours(1, { type: 'User', login: 'o' })], 'me', created],
  ['of nobody', [ours(1, null), ours(2, {})], 'me', created],
  [
    'of a person, and nobody knows whose token it is',
    [ours(1, { type: 'User', login: 'o' })],
    undefined,
    created,
  ],
  ['of a bot, with another key', [{ ...ours(1, { type: 'Bot' }), body: 'x' }], undefined, created],
  ['without a text', [{ id: 1, user: { type: 'Bot' } }], undefined, created],
])('a comment %s', async (_, comments, me, due) => {
  const { changes } = await written(comments, ['one'], me === undefined ? {} : { me })
  expect(changes).toEqual([due])
})

test('nobody is asked who they are if no comment has the key', async () => {
  expect((await written([], ['one'], { me: 'me' })).asked).toEqual(['GET /issues/7/comments', created])
})

test('a comment that was deleted is written again; any other fault is reported, and tried again', async () => {
  const deleted = await written([ours(1, { type: 'Bot' })], ['one'], { updated: 404 })
  expect(deleted.changes).toEqual([update(1), created])
  expect(deleted.lines).toEqual([])
  const failing = await written([ours(1, { type: 'Bot' })], ['one', 'two'], { updated: 422 })
  expect(failing.changes).toEqual([update(1), update(1)])
  expect(failing.lines).toEqual([
    expect.stringMatching(
      /^warning: The pull request comment could not be written: Unknown error.*\(GitHub answered 422\)\. No permission of the job changes that\. The verdict is not affected\.$/,
    ),
    expect.any(String),
  ])
})

test.each([401, 403])('after %i nothing more is tried', async (updated) => {
  const { changes, lines } = await written([ours(1, { type: 'Bot' })], ['one', 'two'], { updated })
  expect(changes).toEqual([update(1)])
  expect(lines).toEqual([
    expect.stringMatching(
      /(?:does not know the token in github-token: |pull-requests: write\. ).* The verdict is not affected\.$/,
    ),
  ])
})

test('fifty pages of comments are searched', async () => {
  const { asked } = await written([], ['one'], { isEndless: true })
  expect(asked.filter((one) => one.startsWith('GET'))).toHaveLength(51)
  expect(asked.at(-1)).toBe(created)
})

test('a page in place of a comment is told', async () => {
  const front = await serve((request, response) => {
    request.resume()
    response.setHeader('content-type', request.method === 'GET' ? 'application/json' : 'text/html')
    response.end(request.method === 'GET' ? '[]' : '<html>Sign in</html>')
  })
  const it = comment('a', front.url)
  expect(await it.put(body('one', 'a'))).toBeUndefined()
  await front.close()
  expect(it.lines).toEqual([
    expect.stringMatching(/^warning: .* could not be written: the answer is not from GitHub\. /),
  ])
})

test('a comment whose answer is lost is not written twice, although it is listed a little later', async () => {
  const changes: string[] = []
  let listed: object[] = []
  const front = await serve((request, response) => {
    const isComment = request.method === 'POST' && request.url?.endsWith('/comments')
    request.resume()
    response.setHeader('content-type', 'application/json')
    if (isComment) {
      changes.push('POST')
      setTimeout(() => (listed = [ours(1, { type: 'Bot' })]), 500)
      response.writeHead(502).end('{}')
    } else if (request.method === 'PATCH') {
      changes.push('PATCH')
      response.end('{}')
    } else response.end(JSON.stringify(request.method === 'GET' ? listed : {}))
  })
  const it = comment('a', front.url)
  for (const text of ['one', 'two']) await it.put(body(text, 'a'))
  await front.close()
  expect({ changes, lines: it.lines }).toEqual({ changes: ['POST', 'PATCH'], lines: [] })
})

test.each<[string, Parameters<typeof writingOf>[0], boolean | undefined, string]>([
  ['the first verdict is green', { isRed: false }, undefined, 'create'],
  ['the first verdict is red', { isRed: true }, undefined, 'create'],
  ['a run has begun, and there is no comment', { isPassing: true }, undefined, 'nothing'],
  ['a long run has begun, and there is no comment', { isPassing: false }, undefined, 'create'],
  ['a run has begun after a green one', { isPassing: true }, false, 'update'],
  ['a run has begun after a red one', { isPassing: true }, true, 'update'],
  ['green stays green', { isRed: false }, false, 'update'],
  ['green turns red', { isRed: true }, false, 'replace'],
  ['red stays red', { isRed: true }, true, 'update'],
  ['red turns green', { isRed: false }, true, 'update'],
  ['no final verdict after green', {}, false, 'update'],
  ['no final verdict, and there is no comment', {}, undefined, 'create'],
])('who hears of it: %s', (_, text, earlier, due) => {
  expect(writingOf(text, earlier === undefined ? undefined : { isRed: earlier })).toBe(due)
})

/** What a step says from its start to its end. */
const run = async (number: number, isRed: boolean) => {
  const step = comment('a')
  await step.put({ ...body(`run ${number} is running`, 'a'), isPassing: true })
  const page = await step.put({ ...body(`run ${number} ended`, 'a'), isRed })
  return { page, lines: step.lines }
}

test('a new comment only where the verdict turns red, and the earlier one is gone', async () => {
  const ids = () => github.store.commentsOf(7).map(({ id }) => id)
  const seen: number[] = []
  for (const [index, isRed] of [false, false, true, true, false, true].entries()) {
    const { page, lines } = await run(index, isRed)
    expect(lines).toEqual([])
    const [id = 0, ...others] = ids()
    expect(others).toEqual([])
    expect(page).toMatch(new RegExp(`#issuecomment-${id}$`))
    expect(bodies()).toEqual([expect.stringContaining(`run ${index} ended`)])
    seen.push(id)
  }
  const [first, second, third, fourth, fifth, sixth] = seen
  expect([second, fourth, fifth]).toEqual([first, third, third])
  expect(new Set([first, third, sixth]).size).toBe(3)
})

test('what the earlier verdict was is known while a run is under way, and after a cancelled one', async () => {
  await run(1, true)
  await comment('a').put(body('cancelled', 'a'))
  const red = github.store.commentsOf(7)[0]?.id
  await run(2, true)
  expect(github.store.commentsOf(7).map(({ id }) => id)).toEqual([red])
})

test('the new comment is there before the earlier one is deleted; if that fails, the latest one counts', async () => {
  await run(1, false)
  github.fail({ kind: 'server-error', on: /^DELETE/ })
  const { lines, page } = await run(2, true)
  expect(lines).toEqual([
    expect.stringMatching(
      /^warning: The earlier comment of this step on pull request 7 could not be deleted: .*; delete the other by hand\.$/,
    ),
  ])
  expect(page).toMatch(/#issuecomment-/)
  await run(3, true)
  expect(bodies()).toEqual([expect.stringContaining('run 2'), expect.stringContaining('run 3')])
  const changes = github.store.requests.flatMap(({ method, url }) =>
    method === 'GET' || url.endsWith('/graphql') ? [] : [method],
  )
  expect(changes.slice(-5, -1)).toEqual(['PATCH', 'POST', 'DELETE', 'PATCH'])
})

test('an earlier comment that somebody deletes at that moment is not missed', async () => {
  await run(1, false)
  github.fail({ kind: 'server-error', status: 404, on: /^DELETE/ })
  expect((await run(2, true)).lines).toEqual([])
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
    [1],
  ],
  ['one of a deleted fork', [{ head: { ...from(commit), repository: null } }], []],
  ['one of another branch', [{ head: { ...from(commit), branch: 'else' } }], []],
  [
    '130 on top of it',
    [...Array<Partial<Pull>>(130).fill({ head: from(other), earlier: [commit] }), { head: from(commit) }],
    [131],
  ],
])('the open pull requests whose head is a commit: %s', async (_, pulls, numbers) => {
  for (const [index, pull] of pulls.entries()) github.seed.pull({ number: index + 1, ...pull })
  const [owner = '', repo = ''] = github.settings.repository.split('/')
  const octokit = getOctokit(github.token(), { baseUrl: github.url })
  const found = await openPulls(octokit, { owner, repo, commit, branch: from(commit).branch })
  expect(found).toEqual(
    numbers.map((number) => ({ number, base: github.store.pulls.get(number)?.base.branch })),
  )
})
