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

  test('of 65,536 characters are accepted; longer and blank ones are refused', async () => {
    github.seed.pull({ number: 7 })
    const { rest } = octokit()
    const create = (body: string) => rest.issues.createComment({ ...here, issue_number: 7, body })
    const { data } = await create('x'.repeat(65_536))
    const tooLong =
      'Validation Failed: {"resource":"IssueComment","code":"unprocessable","field":"data","message":"Body is too long (maximum is 65536 characters)"}'
    await expect(create('x'.repeat(65_537))).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining(tooLong),
    })
    const update = rest.issues.updateComment({ ...here, comment_id: data.id, body: 'x'.repeat(65_537) })
    await expect(update).rejects.toMatchObject({ status: 422 })
    await expect(create(' \n')).rejects.toMatchObject({ status: 422 })
    expect(github.store.commentsOf(7)).toHaveLength(1)
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
  test('the changes of a branch, newest first, a page at a time', async () => {
    const push = (commit: string, second: number, branch = 'patch') =>
      github.seed.push({ branch, commit, at: new Date(Date.UTC(2026, 0, 1, 0, 0, second, 900)) })
    push('a1', 1)
    push('b1', 2, 'other')
    push('a2', 3)
    push('a3', 4)
    const { rest, paginate } = octokit()
    const ofPatch = { ...here, ref: 'refs/heads/patch' }
    const { data } = await rest.repos.listActivities(ofPatch)
    expect(data.map(({ before, after }) => [before, after])).toEqual([
      ['a2', 'a3'],
      ['a1', 'a2'],
      ['0'.repeat(40), 'a1'],
    ])
    expect(data[0]).toMatchObject({ timestamp: '2026-01-01T00:00:04Z', activity_type: 'push' })
    const pages = await paginate(rest.repos.listActivities, { ...ofPatch, per_page: 1, direction: 'asc' })
    expect(pages.map(({ after }) => after)).toEqual(['a1', 'a2', 'a3'])
    expect(
      (await rest.repos.listActivities({ ...here, activity_type: 'branch_creation' })).data,
    ).toHaveLength(2)
  })

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

describe('statuses', () => {
  const sha = 'a'.repeat(40)
  const status = { ...here, sha, state: 'success' as const }

  test('of a commit: it takes the permission, and has the name default', async () => {
    await expect(octokit().rest.repos.createCommitStatus(status)).rejects.toMatchObject({ status: 403 })
    const { rest } = octokit(github.token({ statuses: 'write' }))
    expect((await rest.repos.createCommitStatus(status)).data).toMatchObject({ context: 'default' })
  })
})
