import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { connect } from '../../src/github/api/octokit.js'
import {
  outcomeFileOf,
  OutcomeFault,
  parsedOutcome,
  lastJobs,
  ownRuns,
  type RunSearch,
} from '../../src/github/runs/runs.js'
import { serve, type Front } from '../step/front.js'
import { keptLog } from '../kept-log.js'
import { ownFolder } from '../own-folder.js'

/* Whose runs count, and which artifact of a run is its outcome, by what the lists of GitHub say. */

const fronts: Front[] = []
const folder = ownFolder()
afterEach(() => Promise.all(fronts.splice(0).map((front) => front.close())))

/** Answers each path with pages of a list, and keeps what was asked for. */
async function listing(pagesOf: (path: string, page: number) => { body: object; isLast: boolean }) {
  const asked: URL[] = []
  const front = await serve((request, response) => {
    const at = new URL(request.url ?? '', url)
    asked.push(at)
    const page = Number(at.searchParams.get('page') ?? 1)
    const { body, isLast } = pagesOf(at.pathname, page)
    const next = new URL(at)
    next.searchParams.set('page', String(page + 1))
    if (!isLast) response.setHeader('link', `<${next.href}>; rel="next"`)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  const { url } = front
  fronts.push(front)
  return { octokit: await connect('token', { baseUrl: url }), asked }
}

const { log, lines } = keptLog()
beforeEach(() => void (lines.length = 0))
const search: RunSearch = {
  ...{ owner: 'o', repo: 'r', workflow: 'load-test.yml', branches: ['main'], artifact: 'outcome' },
  ...{ count: 1, currentRun: 7, token: 'token', folder: '.', log },
  ...{ octokit: () => connect('token'), store: { downloadArtifact: async () => undefined } },
}
const look = { most: 100, perPage: 30, purpose: 'baselines' }
const own = { full_name: 'o/r' }
const run = (id: number, more: object = {}) => ({
  ...{ id, event: 'push', head_sha: 'c0ffee', head_repository: own, ...more },
})

async function found(pages: object[][], wanted: Partial<typeof look> = {}) {
  const { octokit, asked } = await listing((_, page) => ({
    body: { total_count: 1000, workflow_runs: pages[page - 1] ?? [] },
    isLast: page >= pages.length,
  }))
  const ids: number[] = []
  for await (const { id } of ownRuns({ ...search, octokit: async () => octokit }, 'main', {
    ...look,
    ...wanted,
  }))
    ids.push(id)
  return { ids, asked }
}

test.each<[string, object, boolean]>([
  ['pushed', {}, true],
  ['scheduled', { event: 'schedule' }, true],
  ['dispatched', { event: 'workflow_dispatch' }, true],
  ['of a pull request', { event: 'pull_request' }, false],
  ['of a pull request with the rights of the base', { event: 'pull_request_target' }, false],
  ['of a review', { event: 'pull_request_review' }, false],
  ['of a fork', { head_repository: { full_name: 'mallory/r' } }, false],
  ['of a text', { head_repository: 'o/r' }, false],
  ['of a repository with a longer name', { head_repository: { full_name: 'o/r2' } }, false],
  ['without a commit', { head_sha: null }, false],
  ['this one', { id: 7 }, false],
])('a run that is %s counts: %3$s', async (_, more, counts) => {
  const { ids } = await found([[run(1), run(2, more), run(3)]])
  expect(ids).toEqual(counts ? [1, 2, 3] : [1, 3])
  expect(lines).toEqual([])
})

test('runs come by their dates, whatever the order of the list', async () => {
  const at = (id: number) => run(id, { created_at: `2026-03-0${id}T12:00:00Z` })
  expect((await found([[at(2), at(3), run(9), at(1), run(8)]])).ids).toEqual([3, 2, 1, 9, 8])
})

interface Job {
  name: string
  started_at: string
  completed_at: string | null
  conclusion: string | null
}
const hour = (of: number) => `2026-03-01T${10 + of}:00:00Z`
const job = (name: string, from: number, to: number | null, conclusion = 'success'): Job => ({
  ...{ name, started_at: hour(from), completed_at: to === null ? null : hour(to) },
  conclusion: to === null ? null : conclusion,
})

test.each<[string, Job[], string | undefined, boolean]>([
  ['a job that did not run again', [job('test', 1, 3)], undefined, true],
  ['a job that has not ended', [job('test', 1, null)], undefined, true],
  ['no job: it ran again', [job('test', 4, 5)], undefined, false],
  ['no job: it ended before', [job('test', 0, 1)], undefined, false],
  ['a job that began that second', [job('test', 2, 3)], undefined, true],
  ['a job that ended that second', [job('test', 1, 2)], undefined, true],
  ['the job of its leg', [job('test (a)', 1, 3), job('test (b)', 4, 5)], 'a', true],
  ['the job of its leg among values', [job('test (17, a)', 1, 3), job('test (17, b)', 4, 5)], 'a', true],
  ['the job of another leg', [job('test (a)', 4, 5), job('test (b)', 1, 3)], 'a', false],
  ['the job of another leg, by a name of words', [job('Load a', 4, 5), job('Load b', 1, 3)], 'a', false],
  ['a job, where none is named after its leg', [job('Load', 4, 5), job('Other', 1, 3)], 'a', true],
  ['a job, where one failed later', [job('Load', 4, 5, 'failure'), job('Other', 1, 3)], 'a', false],
  [
    'a job, where one failed later, without a leg',
    [job('b', 4, 5, 'failure'), job('c', 1, 3)],
    undefined,
    false,
  ],
  ['a job, where one failed before', [job('Load', 0, 1, 'failure'), job('Other', 1, 3)], 'a', true],
  ['a job, where one was skipped later', [job('Load', 4, 5, 'skipped'), job('Other', 1, 3)], 'a', true],
  ['the job of its leg, where another failed', [job('a', 1, 3), job('b', 4, 5, 'failure')], 'a', true],
  ['nothing that is known', [], 'a', true],
])(
  'what an earlier attempt attached is from the time of %s: it counts: %4$s',
  async (_, jobs, leg, counts) => {
    const { octokit, asked } = await listing(() => ({ body: { total_count: 9, jobs }, isLast: true }))
    const isLast = await lastJobs(octokit, { owner: 'o', repo: 'r', run: 5 })
    expect(isLast(hour(2), leg)).toBe(counts)
    expect(isLast(new Date(hour(2)), leg)).toBe(counts)
    expect(isLast(undefined, leg)).toBe(true)
    expect(asked.map(({ pathname, search: of }) => pathname + of)).toEqual([
      '/repos/o/r/actions/runs/5/jobs?filter=latest&per_page=100',
    ])
  },
)

test('runs are asked for by workflow, branch and status', async () => {
  const { asked } = await found([[run(1)]], { perPage: 9 })
  expect(asked.map(({ pathname }) => pathname)).toEqual(['/repos/o/r/actions/workflows/load-test.yml/runs'])
  expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
    ...{ branch: 'main', status: 'completed', per_page: '9' },
  })
})

test('as many runs as are wanted are looked at, of those that count, and the log says that there are more', async () => {
  const foreign = run(9, { event: 'pull_request' })
  const pages = [[run(1), foreign], [run(2), run(3), run(4)], [run(5)]]
  const three = await found(pages, { most: 3 })
  expect(three.ids).toEqual([1, 2, 3])
  expect(three.asked).toHaveLength(2)
  expect(lines).toEqual([
    'Looked at the latest 4 runs of load-test.yml on main for baselines, but not at older ones.',
  ])
  lines.length = 0
  expect((await found(pages, { most: 6, purpose: 'the history' })).ids).toHaveLength(5)
  expect(lines).toEqual([])
  await found(pages, { most: 1, purpose: 'the history' })
  expect(lines).toEqual([
    'Looked at the latest 1 runs of load-test.yml on main for the history, but not at older ones.',
  ])
})

test('ten pages are read, whatever is on them', async () => {
  const pages = Array.from({ length: 12 }, (_, i) => [run(10 + i, i % 2 ? { event: 'pull_request' } : {})])
  const { ids, asked } = await found(pages)
  expect(ids).toEqual([10, 12, 14, 16, 18])
  expect(asked).toHaveLength(10)
  expect(lines).toEqual([expect.stringMatching(/^Looked at the latest 10 runs /)])
})

interface Listed {
  name: string
  expired?: boolean
  size_in_bytes?: number
  created_at?: string
}

/** Which of a run's artifacts is fetched. */
async function fetched(artifacts: Listed[], left: (target: string) => Promise<void> = async () => undefined) {
  const all = artifacts.map((one, id) => ({ id: id + 1, size_in_bytes: 100, expired: false, ...one }))
  const { octokit, asked } = await listing((_, page) => ({
    body: { total_count: all.length, artifacts: all.slice((page - 1) * 100, page * 100) },
    isLast: page * 100 >= all.length,
  }))
  const names: string[] = []
  const finds: unknown[] = []
  const store = {
    downloadArtifact: async (
      { name }: { name: string },
      { path: target, findBy }: { path: string; findBy?: unknown },
    ) => {
      names.push(name)
      finds.push(findBy)
      await left(target)
    },
  }
  const at = path.join(folder, String(Math.random()).slice(2))
  const of = { ...search, octokit: async () => octokit, store, folder: at }
  const end: unknown = await outcomeFileOf(of, { id: 5 }).catch((error: unknown) => error)
  return { names, finds, end, at, asked }
}
const write = (text: string) => (target: string) => writeFile(path.join(target, 'outcome.json'), text)

const day = (of: number) => ({ created_at: `2026-03-0${of}T12:00:00Z` })

test.each<[string, Listed[], string[]]>([
  ['its name', [{ name: 'report' }, { name: 'outcome' }], ['outcome']],
  ['its name as a file', [{ name: 'outcome.json' }], ['outcome.json']],
  [
    'the last attempt',
    [{ name: 'outcome' }, { name: 'outcome-run-3-attempt-2' }],
    ['outcome-run-3-attempt-2'],
  ],
  [
    'the last of three attempts',
    [{ name: 'outcome-run-9-attempt-10.json' }, { name: 'outcome-run-3-attempt-2' }, { name: 'outcome' }],
    ['outcome-run-9-attempt-10.json'],
  ],
  [
    'the last that has not expired',
    [{ name: 'outcome' }, { name: 'outcome-run-3-attempt-2', expired: true }],
    ['outcome'],
  ],
  ['the first of two that are equal', [{ name: 'outcome.json' }, { name: 'outcome' }], ['outcome.json']],
  [
    'its date, whatever the order of the list',
    [
      { name: 'outcome', ...day(2) },
      { name: 'outcome.json', ...day(3) },
      { name: 'outcome', ...day(1) },
    ],
    ['outcome.json'],
  ],
  [
    'its name behind a page of others',
    [...Array.from({ length: 100 }, () => ({ name: 'picture' })), { name: 'outcome' }],
    ['outcome'],
  ],
  ['nothing, if it has expired', [{ name: 'outcome', expired: true }], []],
  ['nothing, if it has none', [{ name: 'report' }, { name: 'outcome-search' }, { name: 'my-outcome' }], []],
])('the outcome of a run is found by %s', async (_, artifacts, due) => {
  const { names, end, at, finds, asked } = await fetched(artifacts, write('{}'))
  expect(names).toEqual(due)
  expect(end).toBe(due.length === 0 ? undefined : path.join(at, '5', 'outcome.json'))
  expect(finds).toEqual(
    due.map(() => ({ token: 'token', workflowRunId: 5, repositoryOwner: 'o', repositoryName: 'r' })),
  )
  expect(new Set(asked.map(({ pathname }) => pathname))).toEqual(
    new Set(['/repos/o/r/actions/runs/5/artifacts']),
  )
})

test('what cannot be used is a fault of that run alone', async () => {
  const large = await fetched([{ name: 'outcome', size_in_bytes: 50_000_001 }])
  expect([large.end, large.names]).toEqual([
    new OutcomeFault('has an outcome that has 50.0 MB, and at most 50.0 MB are read'),
    [],
  ])
  expect(large.end).toBeInstanceOf(OutcomeFault)
  expect((await fetched([{ name: 'outcome' }])).end).toEqual(
    new OutcomeFault('has an outcome artifact without a file'),
  )
  const half = await fetched([{ name: 'outcome' }], write('PK\u0003\u0004half'))
  expect(half.end).toBeInstanceOf(OutcomeFault)
  expect(String(half.end)).toMatch(/has an outcome that is a ZIP that is not read: /)
})

test('a store that fails is not a fault of the outcome', async () => {
  const { end } = await fetched([{ name: 'outcome' }], () => Promise.reject(new Error('ECONNRESET')))
  expect(end).toEqual(new Error('ECONNRESET'))
  expect(end).not.toBeInstanceOf(OutcomeFault)
})

test('an outcome that is gone is a fault with its reason', () => {
  expect(() => parsedOutcome(path.join(folder, 'none.json'))).toThrow(/^has an outcome that is not read: /)
})
