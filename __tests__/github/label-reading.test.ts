import { acceptanceIn } from '../../src/judgement/acceptance.js'
import { checkAccept } from '../../src/github/github.js'
import {
  entryOf,
  groupPulls,
  headOfGroup,
  labelRecords,
  readLabels,
  tryReadLabels,
} from '../../src/github/pull-request/labels.js'
import { connect } from '../../src/github/api/octokit.js'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import type { Permissions } from '../../sandbox/github/access.js'
import { jobFacts, type JobFacts } from '../../src/github/job/job.js'
import { readInputs } from '../../src/inputs/inputs.js'
import { keptLog } from '../kept-log.js'
import { serve } from '../step/front.js'

/* Attempts to have a regression accepted, against the local GitHub. */

const label = 'accepted-regression'
const good = '1'.repeat(40)
const slow = '2'.repeat(40)
const minute = (number: number) => new Date(Date.UTC(2026, 10, 22, 10, number))

let github: Github
beforeEach(async () => {
  github = await startGithub({ settings: { private: true } })
  github.seed.role('olga', 'maintain')
  github.seed.role('tom', 'triage')
  github.seed.pull({
    number: 7,
    login: 'tom',
    head: { branch: 'faster', commit: good, repository: 'sandbox/project' },
  })
  push(slow, 20)
})
afterEach(() => github.close())

const push = (commit: string, at: number) => github.seed.push({ branch: 'faster', commit, at: minute(at) })

const enough: Permissions = { contents: 'read', 'pull-requests': 'read' }

async function record(permissions = enough) {
  const octokit = await connect(github.token(permissions), { baseUrl: github.url })
  return readLabels(octokit, { owner: 'sandbox', repo: 'project', number: 7 }, label)
}
const ruling = async (tested = slow) => acceptanceIn(await record(), label, tested)
async function refusal(tested = slow): Promise<string | undefined> {
  const found = await ruling(tested)
  return found && 'refusal' in found ? found.refusal : undefined
}

test('a maintainer sets it after the push', async () => {
  github.seed.label(7, label, 'olga', { at: minute(21) })
  expect(await ruling()).toEqual({
    ...{ label, by: 'olga', role: 'maintain', commit: slow },
    ...{ at: '2026-11-22T10:21:00Z', pushedAt: '2026-11-22T10:20:00Z' },
  })
})

test('of a merged pull request, what becomes of its branch changes nothing', async () => {
  github.seed.label(7, label, 'olga', { at: minute(21) })
  github.seed.merge(7, '3'.repeat(40), minute(30))
  expect(await ruling()).toMatchObject({ by: 'olga', pushedAt: '2026-11-22T10:20:00Z' })
  push(good, 40)
  expect(await ruling()).toMatchObject({ by: 'olga', pushedAt: '2026-11-22T10:20:00Z' })
})

test('the latest of 250 events is found on the third page', async () => {
  github.seed.label(7, label, 'olga', { at: minute(21) })
  for (let i = 0; i < 248; i++) github.seed.event({ pull: 7, kind: 'assigned', login: 'olga' })
  github.seed.label(7, label, 'tom', { at: minute(22), isRemoved: true })
  github.seed.label(7, label, 'tom', { at: minute(23) })
  expect(await refusal()).toMatch(/^tom set it/)
})

test("the push of a fork's head is looked up in the fork", async () => {
  github.settings.private = false
  const head = { branch: 'faster', commit: slow, repository: 'mallory/project' }
  github.seed.pull({ number: 7, login: 'mallory', head })
  github.seed.push({ ...head, at: minute(30), login: 'mallory' })
  github.seed.label(7, label, 'olga', { at: minute(29) })
  expect(await refusal()).toMatch(/not after the push/)
  github.seed.label(7, label, 'mallory', { at: minute(31) })
  expect(await refusal()).toMatch(/^mallory set it, with the role read/)
  github.seed.label(7, label, 'olga', { at: minute(32) })
  expect(await ruling()).toMatchObject({ by: 'olga', pushedAt: '2026-11-22T10:30:00Z' })
})

const head = { sha: slow, ref: 'faster', repo: { name: 'project', owner: { login: 'sandbox' } } }
const pull = { head, labels: [{ name: label }], user: { login: 'tom' } }
const event = {
  event: 'labeled',
  label: { name: label },
  actor: { login: 'olga' },
  created_at: '2026-11-22T10:21:00Z',
}
const activity = { ref: 'refs/heads/faster', after: slow, timestamp: '2026-11-22T10:20:00Z' }

test.each<[string, RegExp, unknown, RegExp]>([
  [
    'a role without a permission',
    /collaborators/,
    { role_name: 'admin' },
    /^olga set it, with the role admin/,
  ],
  ['an event without a time', /events/, [{ ...event, created_at: null }], /^GitHub does not say clearly/],
  [
    'an account that is gone',
    /events/,
    [{ ...event, actor: null }],
    /^an account that no longer exists set it/,
  ],
  [
    'a fork that is gone',
    /pulls\/7/,
    { ...pull, head: { ...head, repo: null } },
    /^GitHub does not say when/,
  ],
  [
    'a push to another branch',
    /activity/,
    [{ ...activity, ref: 'refs/heads/faster2' }],
    /^GitHub does not say when/,
  ],
])('%s counts against the label', async (_, on, body, why) => {
  github.seed.label(7, label, 'olga', { at: minute(21) })
  github.fail({ kind: 'odd-answer', on, body })
  expect(await refusal()).toMatch(why)
})

test.each<[string, RegExp, unknown, RegExp]>([
  [
    'a pull request without labels',
    /pulls\/7/,
    { ...pull, labels: null },
    /^pull request 7 .*: the answer is not a list\./,
  ],
  [
    'an event without its label',
    /events/,
    [{ ...event, label: {} }],
    /^the events of .*: the answer lacks name\./,
  ],
  [
    'a push without its commit',
    /activity/,
    [{ ...activity, after: null }],
    /^the pushes to faster .*: the answer lacks after\./,
  ],
])('of %s a sentence says so', async (_, on, body, sentence) => {
  github.seed.label(7, label, 'olga', { at: minute(21) })
  github.fail({ kind: 'odd-answer', on, body })
  await expect(record()).rejects.toThrow(sentence)
})

test('what is not an event does not count', async () => {
  github.fail({
    kind: 'odd-answer',
    on: /events/,
    body: [null, 'labeled', { ...event, event: 'assigned' }, event],
  })
  github.seed.label(7, label, 'olga', { at: minute(21) })
  // Nor does an author whose account is gone count against the label.
  github.fail({ kind: 'odd-answer', on: /pulls\/7/, body: { ...pull, user: null } })
  expect(await ruling()).toMatchObject({ by: 'olga' })
})

test('a pull request with endless pages of events is not read to its end', async () => {
  let pages = 0
  const front = await serve((request, response) => {
    response.setHeader('content-type', 'application/json')
    if (/events/.test(request.url ?? '')) {
      pages++
      response.setHeader('link', `<${front.url}/events?page=${pages + 1}>; rel="next"`).end('[]')
    } else response.end(JSON.stringify(pull))
  })
  const octokit = await connect('token', { baseUrl: front.url })
  const reading = readLabels(octokit, { owner: 'sandbox', repo: 'project', number: 7 }, label)
  await expect(reading).rejects.toThrow(
    /^the events of pull request 7 could not be read: there are more than 5000\. Open another pull request\.$/,
  )
  await front.close()
  expect(pages).toBe(51)
})

test.each<[string, Permissions, RegExp | undefined, RegExp]>([
  ['the pull request', { contents: 'read' }, undefined, /^pull request 7 .*: .*pull-requests: read\.$/],
  ['the pushes', { 'pull-requests': 'read' }, undefined, /^the pushes to faster .*: .*contents: read\.$/],
  ['what the setter may do', enough, /collaborators/, /^what olga may do in this .*: .*may read it\.$/],
  ['the events', enough, /issues\/7\/events/, /^the events of pull request 7 could not be read: /],
])('if %s cannot be read, a sentence says so', async (_, permissions, on, sentence) => {
  github.seed.label(7, label, 'olga', { at: minute(21) })
  if (on) github.fail({ kind: 'server-error', status: 403, on })
  await expect(record(permissions)).rejects.toThrow(sentence)
})

test('without the label only the pull request is read; mode check reads everything', async () => {
  await record()
  expect(github.store.requests).toHaveLength(1)
  const octokit = await connect(github.token({ 'pull-requests': 'read' }), { baseUrl: github.url })
  await expect(tryReadLabels(octokit, { owner: 'sandbox', repo: 'project', number: 7 })).rejects.toThrow(
    /^the pushes to faster could not be read: .*contents: read\.$/,
  )
  expect(github.store.requests.map(({ url }) => url.replace(/\?.*/, ''))).toEqual([
    '/repos/sandbox/project/pulls/7',
    '/repos/sandbox/project/pulls/7',
    '/repos/sandbox/project/issues/7/events',
    '/repos/sandbox/project/collaborators/tom/permission',
    '/repos/sandbox/project/activity',
  ])
})

describe('mode check', () => {
  const reading = (permissions: Permissions) => async () => {
    const octokit = await connect(github.token(permissions), { baseUrl: github.url })
    await tryReadLabels(octokit, { owner: 'sandbox', repo: 'project', number: 7 })
  }

  test.each<[string, number | undefined, Permissions, string, RegExp]>([
    ['all can be read', 7, enough, 'fits', /^The labels of pull request 7/],
    [
      'pushes cannot',
      7,
      { 'pull-requests': 'read' },
      'does-not-fit',
      /^No label could accept .*contents: read\.$/,
    ],
    ['there is no pull request', undefined, {}, 'fits', /the one whose merge is tested\.$/],
  ])('%s', async (_, pull, permissions, result, sentence) => {
    const [row, ...others] = await checkAccept(label, pull, reading(permissions))
    expect([row?.subject, row?.result, others]).toEqual(['accept', result, []])
    expect(row?.sentence).toMatch(sentence)
  })

  test('without the input there is no row', async () => {
    expect(await checkAccept(undefined, 7, reading({}))).toEqual([])
  })
})

describe('the pull requests whose label counts', () => {
  const base = 'b'.repeat(40)
  const group = (...pulls: number[]): NonNullable<JobFacts['mergeGroup']> => {
    const commits = [base, ...pulls.map((pull) => `${pull}`.repeat(40))]
    const refs = pulls.map((pull, at) => `refs/heads/gh-readonly-queue/main/pr-${pull}-${commits[at]}`)
    for (const [at, ref] of refs.entries()) github.seed.ref(ref, commits[at + 1] ?? '')
    return { ref: refs.at(-1) ?? '', base }
  }
  const access = (job: Partial<JobFacts>, permissions = enough) => {
    const token = github.token(permissions)
    const { branch: _, ...facts } = jobFacts({ GITHUB_REPOSITORY: 'sandbox/project' }, () => undefined)
    return {
      inputs: { ...readInputs('judge', () => '', { workspace: '/', env: {} }), githubToken: token },
      job: { ...facts, ...job },
      octokit: () => connect(token, { baseUrl: github.url }),
      artifactStore: () => Promise.reject(new Error('No artifact is asked for.')),
      log: keptLog().log,
      temp: '.',
    }
  }
  const pullsOf = async (job: Partial<JobFacts>, commit?: string) =>
    (await labelRecords(access(job), label, commit)).map(({ pull }) => pull)
  beforeEach(() => {
    const head = { branch: 'other', commit: slow, repository: 'sandbox/project' }
    github.seed.pull({ number: 8, head })
  })

  test('of a branch, those whose merge is the commit that was tested', async () => {
    github.seed.merge(7, base, minute(30))
    expect(await pullsOf({ branch: 'main' }, base)).toEqual([7])
    expect(await pullsOf({ branch: 'release' }, base)).toEqual([])
    expect(await pullsOf({ branch: 'main' }, good)).toEqual([])
    expect(await pullsOf({ branch: 'main' })).toEqual([])
  })

  test('of a merge group, all of it; a report is about the head of an only one', async () => {
    const [one, both] = [group(7), group(7, 8)]
    expect(await pullsOf({ mergeGroup: one, branch: 'main' }, good)).toEqual([7])
    expect(await pullsOf({ mergeGroup: both })).toEqual([8, 7])
    expect(await headOfGroup(access({ mergeGroup: one }), one)).toBe(slow)
    await expect(headOfGroup(access({ mergeGroup: both }), both)).rejects.toThrow(
      'The merge group has the pull requests 8, 7, which were measured one by one',
    )
    await expect(
      labelRecords(access({ mergeGroup: both }, { actions: 'read' }), label, good),
    ).rejects.toThrow('the branches of the merge queue could not be read')
  })
})

describe('a merge group', () => {
  const [base = '', first = '', second = '', other = ''] = ['a', 'b', 'c', 'd'].map((sign) => sign.repeat(40))
  const queue = 'refs/heads/gh-readonly-queue/release/9'
  const refOf = (pull: number | string, below = base) => `${queue}/pr-${pull}-${below}`

  test.each([
    [refOf(7), { pull: 7, below: base }],
    [`refs/heads/gh-readonly-queue/a/pr-1-${first}/b/pr-7-${base}`, { pull: 7, below: base }],
    [refOf('7x'), undefined],
    [refOf(0), undefined],
    [refOf('9'.repeat(20)), undefined],
    [refOf(7, 'main'), undefined],
    [`${refOf(7)}\n`, undefined],
    [`x${refOf(7)}`, undefined],
    [`refs/heads/main/pr-7-${base}`, undefined],
    ['', undefined],
  ])('the branch of an entry: %j', (ref, due) => {
    expect(entryOf(ref)).toEqual(due)
  })

  const none = async () => {
    throw new Error('nobody needs the other branches')
  }

  test('a group of one is known by the name of its branch', async () => {
    expect(await groupPulls({ ref: refOf(7), base }, none)).toEqual([7])
  })

  const third = { ref: refOf(9, second), base }
  const branches = [
    { ref: refOf(7), commit: first },
    { ref: refOf(8, first), commit: second },
    { ref: third.ref, commit: other },
  ]

  test('a group of three is known by the branches that are put on each other', async () => {
    expect(await groupPulls(third, async () => branches)).toEqual([9, 8, 7])
    expect(await groupPulls({ ...third, base: first }, async () => branches)).toEqual([9, 8])
  })

  test.each<[string, string, { ref: string; commit: string }[]]>([
    ['no entry', 'refs/heads/main', branches],
    ['a branch that is missing', third.ref, branches.slice(1)],
    ['two branches with one commit', third.ref, [...branches, { ref: refOf(5, first), commit: second }]],
    ['a branch of something else', third.ref, [{ ref: 'refs/heads/x', commit: second }]],
    ['entries in a circle', third.ref, [{ ref: refOf(8, second), commit: second }]],
  ])('what is not certain is refused: %s', async (_, ref, refs) => {
    await expect(groupPulls({ ref, base }, async () => refs)).rejects.toThrow(
      'GitHub does not say clearly which pull requests the merge group',
    )
  })
})
