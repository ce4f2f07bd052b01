import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { getOctokit } from '@actions/github'
import { startGithub, type Github } from '../../sandbox/github/github.js'

const here = { owner: 'octo-org', repo: 'shop' }
let github: Github

beforeEach(async () => {
  github = await startGithub({ settings: { repository: 'octo-org/shop', everyPullExists: false } })
})
afterEach(() => github.close())

function octokit(token = github.token()) {
  return getOctokit(token, { baseUrl: github.url })
}

describe('comments', () => {
  test('of a list of 150 are found in pages, the oldest first, at most 100 per page', async () => {
    for (let n = 0; n < 150; n++) github.seed.comment(7, `comment ${n}`)
    const { rest, paginate } = octokit()
    const all = await paginate(rest.issues.listComments, { ...here, issue_number: 7, per_page: 100 })
    expect(all.map(({ body }) => body)).toEqual([...Array(150).keys()].map((n) => `comment ${n}`))
    expect(github.store.requests.map(({ url }) => url.split('?')[1])).toEqual([
      'per_page=100',
      'per_page=100&page=2',
    ])
    const usual = await rest.issues.listComments({ ...here, issue_number: 7, page: 3 })
    expect(usual.data.map(({ body }) => body)).toEqual([...Array(30).keys()].map((n) => `comment ${n + 60}`))
    const rels = [...(usual.headers.link ?? '').matchAll(/[?&]page=(\d+)>; rel="(\w+)"/g)]
    expect(rels.map(([, number, rel]) => `${rel} ${number}`)).toEqual([
      'prev 2',
      'next 4',
      'last 5',
      'first 1',
    ])
    const tooMany = await rest.issues.listComments({ ...here, issue_number: 7, per_page: 500 })
    expect(tooMany.data).toHaveLength(100)
    expect((await rest.issues.listComments({ ...here, issue_number: 7, page: 9 })).data).toEqual([])
  })
})

describe('permissions', () => {
  test('name what a token that may only read lacks, until it is granted', async () => {
    github.seed.pull({ number: 7 })
    const token = github.token({ 'pull-requests': 'read', contents: 'write' })
    const create = () => octokit(token).rest.issues.createComment({ ...here, issue_number: 7, body: 'b' })
    await expect(create()).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('Resource not accessible by integration'),
      response: { headers: { 'x-accepted-github-permissions': 'issues=write; pull_requests=write' } },
    })
    expect(github.store.commentsOf(7)).toEqual([])
    github.permit({ issues: 'write' }, token)
    await expect(create()).resolves.toMatchObject({ status: 201 })
    github.permit({}, token)
    await expect(create()).rejects.toMatchObject({ status: 403 })
    expect(() => github.permit({}, 'unknown')).toThrow('no such token')
  })

  test('show nothing of a private repository to strangers, and to tokens what they may read', async () => {
    github.settings.private = true
    github.seed.comment(7, 'secret')
    expect((await fetch(`${github.url}/repos/octo-org/shop/issues/7/comments`)).status).toBe(404)
    const { rest } = octokit(github.token({ actions: 'read' }))
    await expect(rest.issues.listComments({ ...here, issue_number: 7 })).rejects.toMatchObject({
      status: 403,
    })
    await expect(rest.actions.listWorkflowRunsForRepo(here)).resolves.toMatchObject({ status: 200 })
  })
})

describe('branches and runs', () => {
  test('runs of a workflow are found by branch, status, event and commit, newest first', async () => {
    const older = github.seed.run({ commit: 'a1' })
    const newer = github.seed.run({ commit: 'a2' })
    const late = github.seed.run({ commit: 'a0', createdAt: new Date(Date.now() - 86_400_000) })
    const failed = github.seed.run({ conclusion: 'failure' })
    const running = github.seed.run({ conclusion: null })
    const other = github.seed.run({ branch: 'dev', event: 'schedule' })
    github.seed.run({ workflow: 'build.yml' })
    const { rest } = octokit()
    const list = async (filter: object) => {
      const asked = { ...here, workflow_id: 'load-test.yml', ...filter }
      return (await rest.actions.listWorkflowRuns(asked)).data.workflow_runs.map(({ id }) => id)
    }
    expect(await list({ branch: 'main', status: 'success' })).toEqual([newer.id, older.id, late.id])
    expect(await list({ branch: 'main', status: 'success', per_page: 1, page: 2 })).toEqual([older.id])
    expect(await list({ status: 'failure' })).toEqual([failed.id])
    expect(await list({ status: 'in_progress' })).toEqual([running.id])
    expect(await list({ status: 'completed' })).toHaveLength(5)
    expect(await list({ event: 'schedule' })).toEqual([other.id])
    expect(await list({ head_sha: 'a1' })).toEqual([older.id])
    const { data: run } = await rest.actions.getWorkflowRun({ ...here, run_id: newer.id })
    expect(run).toMatchObject({ head_sha: 'a2', run_number: 2, conclusion: 'success', status: 'completed' })
    expect(await list({ workflow_id: run.workflow_id })).toEqual(await list({}))
    await expect(list({ workflow_id: 'none.yml' })).rejects.toMatchObject({ status: 404 })
    await expect(rest.actions.getWorkflowRun({ ...here, run_id: 1 })).rejects.toMatchObject({ status: 404 })
  })
})
