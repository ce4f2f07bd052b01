import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { CheckedOut } from '../../src/archive/git.js'
import { whyNotOfBranch } from '../../src/outcome/code-origin.js'
import { jobFacts } from '../../src/github/job/job.js'
import { openJob } from '../../src/opened-job.js'
import { redaction } from '../../src/text/redaction.js'
import { keptLog } from '../kept-log.js'
import { ownFolder } from '../own-folder.js'

/* Whose code a run measured, for each event: the commit that is named, and the branch that it counts for. */

const folder = ownFolder()

const main = 'aaaaaaa1'
const head = 'bbbbbbb2'
const merge = 'ccccccc3'
const other = 'ddddddd4'

const onMain = { sha: main, ref: 'refs/heads/main' }
const onPull = { sha: merge, ref: 'refs/pull/7/merge' }
const pull = { pull_request: { number: 7, head: { sha: head }, base: { ref: 'main' } } }

interface Row {
  event: string
  payload?: object
  env: { sha?: string; ref: string }
  /** What is checked out. */
  found: string | undefined
  /** The commit that is named. */
  named: string
  isDoubtful?: true
  /** Why it is not a run of main; absent = it is one. */
  why?: string
}

const pulls = 'measured a pull request'
const another = 'measured another commit than that of main'
const silent = (event: string) => `does not say which commit it measured (${event})`

/** The code of the branch itself, and that of a pull request, with events that start a run of the default branch. */
const ofTheDefaultBranch = (event: string, payload = {}): Row[] => [
  { event, payload, env: onMain, found: main, named: main },
  { event, payload, env: onMain, found: head, named: head, isDoubtful: true, why: another },
  { event, payload, env: onMain, found: undefined, named: main, why: silent(event) },
]

const rows: Row[] = [
  { event: 'push', env: onMain, found: main, named: main },
  { event: 'push', env: onMain, found: undefined, named: main },
  { event: 'push', env: onMain, found: other, named: other, isDoubtful: true, why: another },
  // The list of runs shows a tag like a branch.
  {
    ...{ event: 'push', env: { sha: main, ref: 'refs/tags/main' }, found: main, named: main },
    why: 'was started for refs/tags/main',
  },
  {
    ...{ event: 'release', env: { sha: main, ref: 'refs/tags/v1' }, found: main, named: main },
    why: 'was started for refs/tags/v1',
  },
  { event: 'schedule', env: onMain, found: main, named: main },
  { event: 'workflow_dispatch', env: onMain, found: main, named: main },
  ...ofTheDefaultBranch('issue_comment', { issue: { number: 7, pull_request: {} } }),
  ...ofTheDefaultBranch('repository_dispatch', { client_payload: { sha: head } }),
  ...ofTheDefaultBranch('deployment_status'),
  { event: 'workflow_run', env: onMain, found: main, named: main },
  {
    ...{ event: 'workflow_run', payload: { workflow_run: { head_sha: head } }, env: onMain },
    ...{ found: head, named: head, why: another },
  },
  {
    ...{ event: 'workflow_run', payload: { workflow_run: { head_sha: head } }, env: onMain },
    ...{ found: undefined, named: main, why: silent('workflow_run') },
  },
  { event: 'pull_request', payload: pull, env: onPull, found: merge, named: head, why: pulls },
  { event: 'pull_request', payload: pull, env: onPull, found: head, named: head, why: pulls },
  {
    ...{ event: 'pull_request', payload: pull, env: onPull, found: main, named: main, why: pulls },
    isDoubtful: true,
  },
  { event: 'pull_request_review', payload: pull, env: onPull, found: merge, named: head, why: pulls },
  { event: 'pull_request_target', payload: pull, env: onMain, found: main, named: main, why: pulls },
  { event: 'pull_request_target', payload: pull, env: onMain, found: head, named: head, why: pulls },
  { event: 'pull_request_target', payload: pull, env: onMain, found: undefined, named: head, why: pulls },
  {
    event: 'merge_group',
    payload: { merge_group: { base_ref: 'refs/heads/main' } },
    env: { sha: other, ref: 'refs/heads/gh-readonly-queue/main/pr-7-abc' },
    found: other,
    named: other,
    why: 'was started for refs/heads/gh-readonly-queue/main/pr-7-abc',
  },
]

test.each(rows)('$event at $env.ref with $found checked out', (row) => {
  const { named, isDoubtful = false, why } = row
  const facts = factsOf(row)
  const { doubt, ...measured } = facts.measured('/w')
  expect(measured.commit).toBe(named)
  expect(measured.head).toBe(row.found)
  expect(doubt !== undefined).toBe(isDoubtful)
  expect(whyNotOfBranch({ step: { ...facts.step, ...measured } }, 'main')).toBe(why)
})

test('a doubt names both commits, as text', () => {
  const facts = factsOf({ event: 'push', env: onMain, found: '\u001b[2J::error::x' })
  expect(facts.measured('/w').doubt).toBe(
    'What is tested is commit [2J::er, which is checked out, and not aaaaaaa, for which GitHub started this workflow. No later run is compared with this one.',
  )
})

test('another repository that is checked out says nothing about this one', () => {
  const facts = factsOf(
    { event: 'push', env: onMain, found: undefined },
    { commit: other, repository: 'shop/suite' },
  )
  expect(facts.measured('/w')).toEqual({ commit: main })
  const own = factsOf(
    { event: 'push', env: onMain, found: undefined },
    { commit: other, repository: 'Shop/Shop' },
  )
  expect(own.measured('/w')).toMatchObject({ commit: other, head: other })
})

const repository = { default_branch: 'main' }
const release = { ref: 'refs/heads/release/1.x' }
const queue = { sha: other, ref: 'refs/heads/gh-readonly-queue/release/pr-7-abc' }
const defaultBranch = 'main'

test.each<[string, object, Row['env'], object]>([
  ['push', { repository }, onMain, { branch: 'main', defaultBranch }],
  ['push', { repository }, release, { branch: 'release/1.x', defaultBranch }],
  ['push', { repository }, { ref: 'refs/tags/v1' }, { defaultBranch }],
  ['schedule', {}, onMain, { branch: 'main' }],
  ['pull_request', { ...pull, repository }, onPull, { base: 'main', defaultBranch }],
  [
    'pull_request_target',
    { pull_request: { base: { ref: 'release' } }, repository },
    { ref: 'refs/heads/release' },
    { base: 'release', defaultBranch },
  ],
  ['pull_request', { pull_request: { base: null } }, onPull, {}],
  [
    'merge_group',
    { merge_group: { head_ref: 'h', base_ref: 'refs/heads/release', base_sha: 'b0' }, repository },
    queue,
    { base: 'release', defaultBranch, mergeGroup: { ref: 'h', base: 'b0' } },
  ],
  ['merge_group', { merge_group: { base_ref: 7 } }, queue, { mergeGroup: { ref: '', base: '' } }],
  ['issue_comment', { issue: { number: 7, pull_request: {} } }, onMain, { branch: 'main' }],
])('%s: a baseline comes from the base, else the branch itself: %j at %j', (event, payload, env, places) => {
  const facts = factsOf({ event, payload, env, found: main })
  const { base, branch, defaultBranch: standard, mergeGroup } = facts
  expect(JSON.parse(JSON.stringify({ base, branch, defaultBranch: standard, mergeGroup }))).toEqual(places)
})

test('every event of the documents has its rows', () => {
  const [table = ''] = /^\| event[^]*?\n\n/m.exec(readFileSync('docs/events.md', 'utf8')) ?? []
  const documented = [...table.matchAll(/^\| `(.*?)` *\|/gm)].flatMap(([, cell = '']) => cell.split('`; `'))
  const tried = [...rows.map(({ event }) => event), ...jobs.map(([event]) => `${event}\`, \`pull-request`)]
  expect(documented.length).toBeGreaterThan(10)
  expect(documented.filter((event) => !tried.includes(event))).toEqual([])
})

const comment = { issue: { number: 7, pull_request: {} }, repository }
/** Those that may name a pull request. */
const jobs: [string, object, Row['env']][] = [
  ['issue_comment', comment, onMain],
  ['workflow_dispatch', { repository }, onMain],
  ['workflow_dispatch', { repository }, { sha: other, ref: 'refs/heads/faster' }],
  ['repository_dispatch', { repository }, onMain],
  ['workflow_run', { workflow_run: { head_sha: other }, repository }, onMain],
]

describe('a pull request that an input names', () => {
  const named = { number: 7, base: 'release', head }

  test.each(jobs)('%s: its head is what is measured, and its base what it is compared with', (...job) => {
    const [event, payload, env] = job
    const facts = factsOf({ event, payload, env, found: head }).forPull(named)
    const { doubt, ...measured } = facts.measured('/w')
    expect({ doubt, ...measured }).toEqual({ doubt: undefined, commit: head, head })
    expect(facts).toMatchObject({ base: 'release', step: { pullRequest: 7, sha: env.sha } })
    expect(facts.branch).toBeUndefined()
    expect(whyNotOfBranch({ step: { ...facts.step, ...measured } }, 'main')).toBeDefined()
  })

  test.each(jobs)(
    '%s: where no code is checked out, no commit is named, and it counts for no branch',
    (...job) => {
      const [event, payload, env] = job
      const facts = factsOf({ event, payload, env, found: head }).forPull(named)
      expect(facts.measured(undefined)).toEqual({})
      expect(facts.step.commit).toBeUndefined()
      const [, branch = ''] = /^refs\/heads\/(.*)/.exec(env.ref) ?? []
      expect(whyNotOfBranch({ step: facts.step }, branch)).toBe(silent(event))
    },
  )

  test('its head may come from the repository of a fork', () => {
    const facts = factsOf(
      { event: 'issue_comment', env: onMain, found: head },
      { commit: head, repository: 'somebody/shop' },
    )
    expect(facts.forPull(named).measured('/w')).toEqual({ commit: head, head })
    expect(facts.forPull({ ...named, head: other }).measured('/w').head).toBeUndefined()
  })
})

test.each<[string, object, object | undefined]>([
  ['push', { sender: { login: 'olga' } }, undefined],
  ['schedule', {}, undefined],
  ['workflow_dispatch', { sender: { login: 'olga' } }, undefined],
  ['repository_dispatch', { action: 'x', sender: { login: 'olga' } }, undefined],
  ['merge_group', { action: 'checks_requested', sender: { login: 'olga' } }, undefined],
  [
    'issue_comment',
    { action: 'created', sender: { login: 'olga', type: 'User' } },
    { event: 'issue_comment', action: 'created', by: { login: 'olga', isBot: false } },
  ],
  [
    'issue_comment',
    { action: 'edited', sender: { login: 'app', type: 'Bot' } },
    { event: 'issue_comment', action: 'edited', by: { login: 'app', isBot: true } },
  ],
  ['issues', { sender: { login: 'app[bot]' } }, { event: 'issues', by: { login: 'app[bot]', isBot: true } }],
  ['discussion_comment', { action: 7, sender: null }, { event: 'discussion_comment' }],
  ['workflow_run', { sender: { login: ['olga'] } }, { event: 'workflow_run' }],
  ['', {}, { event: '' }],
])('%s %j: what anybody may have caused', (event, payload, cause) => {
  expect(factsOf({ event, payload, env: onMain, found: main }).cause).toEqual(
    cause && { origin: event, ...cause },
  )
})

test.each<[Parameters<typeof whyNotOfBranch>[0], string | undefined]>([
  [{ step: { event: 'push' } }, 'does not say whose code it measured'],
  [{ step: { event: 'push', ref: 'refs/heads/main', head: main } }, another],
  // A judgement of another run's report is about that run's commit.
  [
    {
      step: { event: 'workflow_dispatch', ...onMain, head: main },
      report: { given: { name: 'reports', url: 'u', commit: head } },
    },
    another,
  ],
  [
    {
      step: { event: 'workflow_dispatch', ...onMain, head: main },
      report: { given: { name: 'reports', url: 'u' } },
    },
    another,
  ],
  [
    {
      step: { event: 'workflow_dispatch', ...onMain },
      report: { given: { name: 'reports', url: 'u', commit: main } },
    },
    undefined,
  ],
  [{ step: { event: 'push', ...onMain, head: main }, report: { given: { name: 'reports' } } }, undefined],
  // Nothing says what was started.
  [{ mode: 'collect', step: { event: 'push', ...onMain } }, 'does not say which commit it measured (push)'],
  [{ mode: 'collect', step: { event: 'push', ...onMain, commit: other } }, undefined],
  [{ mode: 'collect', step: { event: 'repository_dispatch', ...onMain, commit: other } }, undefined],
])('an outcome as somebody else may have written it: %j', (outcome, why) => {
  expect(whyNotOfBranch(outcome, 'main')).toBe(why)
})

describe('a step that tests a ZIP or what the template chooses', () => {
  const before = process.env.RUNNER_TEMP
  beforeAll(() => {
    process.env.RUNNER_TEMP = folder
    writeFileSync(path.join(folder, 'suite.zip'), '')
  })
  afterAll(() => {
    if (before === undefined) delete process.env.RUNNER_TEMP
    else process.env.RUNNER_TEMP = before
  })
  const inputs: Readonly<Record<string, string>> = {
    ...{ 'base-url': 'https://loadtest.example.com', 'client-id': 'id', 'client-secret': 'opensesame' },
    ...{ organization: 'o', project: 'p', 'load-test': '1', mode: 'run', timeout: '1h', comment: 'never' },
    ...{ 'fail-on': 'failed', resume: 'false', confirm: 'false', results: 'false', status: 'true' },
    ...{ 'delete-archive': 'false', 'retention-days': '0' },
  }

  async function opened(event: string, repository: string, source: string, found = head) {
    const pull = { number: 7, head: { sha: head, repo: { full_name: repository } }, base: { ref: 'main' } }
    const file = path.join(folder, 'event.json')
    const run = { head_sha: head, head_repository: { full_name: repository } }
    writeFileSync(file, JSON.stringify({ pull_request: pull, workflow_run: run }))
    const env = {
      ...{ GITHUB_EVENT_NAME: event, GITHUB_EVENT_PATH: file, GITHUB_REPOSITORY: 'shop/shop' },
      ...{ GITHUB_REF: 'refs/heads/main', GITHUB_SHA: main, GITHUB_WORKSPACE: folder },
    }
    const facts = jobFacts(env, () => ({ commit: found }))
    const get = (name: string) => ({ ...inputs, source })[name] ?? ''
    const { job } = await openJob('load-test', facts, get, { log: keptLog().log, secrets: redaction() })
    return job.step.head
  }

  test.each(['suite.zip', 'none'])(
    'source: %s: the head of a fork is not what was tested',
    async (source) => {
      expect(await opened('pull_request_target', 'mallory/shop', source)).toBeUndefined()
      expect(await opened('workflow_run', 'mallory/shop', source)).toBeUndefined()
      expect(await opened('pull_request_target', 'shop/shop', source)).toBe(head)
      expect(await opened('workflow_run', 'shop/shop', source)).toBe(head)
      expect(await opened('pull_request_target', 'mallory/shop', source, main)).toBe(main)
      expect(await opened('push', 'mallory/shop', source, main)).toBe(main)
    },
  )
})

function factsOf({ event, payload = {}, env, found }: Omit<Row, 'named'>, checkedOut?: CheckedOut) {
  const file = path.join(folder, 'event.json')
  writeFileSync(file, JSON.stringify(payload))
  return jobFacts(
    {
      GITHUB_EVENT_NAME: event,
      GITHUB_EVENT_PATH: file,
      GITHUB_REPOSITORY: 'shop/shop',
      GITHUB_REF: env.ref,
      GITHUB_SHA: env.sha,
    },
    () => checkedOut ?? (found === undefined ? undefined : { commit: found }),
  )
}
