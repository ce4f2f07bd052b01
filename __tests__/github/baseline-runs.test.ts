import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findBaselineOutcomes, whyOtherTemplate } from '../../src/github/runs/branch-runs.js'
import { connect } from '../../src/github/api/octokit.js'
import { serve, type Front } from '../step/front.js'
import { keptLog } from '../kept-log.js'

let front: Front
afterEach(() => front.close())

const { log, lines } = keptLog()

test.each([
  ['of pull requests', 'pull_request', 10],
  ['without the artifact', 'push', 4],
])('endless pages of runs %s are not read for ever', async (_, event, most) => {
  let pages = 0
  front = await serve((request, response) => {
    const answer = (body: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    if (/\/artifacts/.test(request.url ?? '')) {
      answer({ total_count: 0, artifacts: [] })
      return
    }
    pages++
    response.setHeader('link', `<${front.url}/x?page=${pages + 1}>; rel="next"`)
    const run = (i: number) => ({
      ...{
        id: pages * 100 + i,
        event,
        conclusion: 'success',
        head_sha: 'c0ffee',
        head_repository: { full_name: 'o/r' },
      },
    })
    answer({ total_count: 1e6, workflow_runs: Array.from({ length: 30 }, (__, i) => run(i)) })
  })
  const search = {
    ...{ owner: 'o', repo: 'r', workflow: 'load-test.yml', branches: ['main'], artifact: 'outcome' },
    ...{ count: 1, currentRun: 7, token: 'token', folder: '.', log },
  }
  const nothing = { downloadArtifact: () => Promise.reject(new Error('There is none.')) }
  const octokit = await connect('token', { baseUrl: front.url })
  await expect(findBaselineOutcomes(octokit, nothing, search)).resolves.toEqual({
    outcomes: [],
    reds: [],
    unread: [],
  })
  expect(pages).toBe(most)
  expect(lines.join('\n')).toMatch(
    /Looked at the latest \d+ runs of load-test\.yml on main for baselines, but not at older ones\./,
  )
})

test('an outcome is found among more artifacts than a page has', async () => {
  front = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', front.url)
    const answer = (body: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    if (pathname.endsWith('/artifacts')) {
      const isSecond = searchParams.get('page') === '2'
      if (!isSecond) response.setHeader('link', `<${front.url}${pathname}?page=2>; rel="next"`)
      const name = (i: number) => (isSecond ? 'outcome.json' : `picture-${i}`)
      const artifacts = Array.from({ length: isSecond ? 1 : 100 }, (_, i) => ({ id: i + 1, name: name(i) }))
      answer({ total_count: 101, artifacts })
      return
    }
    const run = {
      id: 5,
      event: 'push',
      conclusion: 'success',
      head_sha: 'c0ffee',
      head_repository: { full_name: 'o/r' },
      html_url: 'https://github.com',
    }
    answer({ total_count: 1, workflow_runs: [run] })
  })
  const fetched: string[] = []
  const store = {
    downloadArtifact: async ({ name }: { name: string }, { path: target }: { path: string }) => {
      fetched.push(name)
      await writeFile(path.join(target, 'outcome.json'), '{}')
    },
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'outcomes-'))
  const search = {
    ...{ owner: 'o', repo: 'r', workflow: 'load-test.yml', branches: ['main'], artifact: 'outcome' },
    ...{ count: 1, currentRun: 7, token: 'token', folder, log },
  }
  const octokit = await connect('token', { baseUrl: front.url })
  await findBaselineOutcomes(octokit, store, search)
  await rm(folder, { recursive: true })
  expect(fetched).toEqual(['outcome.json'])
})

test.each([
  [{ number: 7 }, { number: 7 }, undefined],
  [{ number: 7 }, { number: 8 }, 'is a run of load test 8'],
  [{ name: 'Shop' }, { number: 7, name: 'Shop' }, undefined],
  [{ name: 'Shop' }, { number: 8, name: 'Smoke' }, 'is a run of load test 8'],
  [undefined, { number: 8 }, undefined],
  [{ number: 7 }, undefined, undefined],
])('%j is wanted, and the run is of %j', (wanted, template, why) => {
  expect(whyOtherTemplate(wanted, template)).toBe(why)
})
