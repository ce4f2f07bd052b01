import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Pull } from '../../sandbox/github/store.js'
import type { CheckedOut } from '../../src/archive/git.js'
import { demandedJob, refusedJob, whyPushedLater } from '../../src/github/pull-request/pull-request.js'
import { jobFacts } from '../../src/github/job/job.js'
import { connect } from '../../src/github/api/octokit.js'

import { rootInputs } from '../load-test-inputs.js'
import { ownFolder } from '../own-folder.js'
import { ownGithub } from './own-github.js'

/* Whether a load test of a pull request may be started, and for which commit, if an input names it. */

const folder = ownFolder()
const github = await ownGithub({ settings: { everyPullExists: false } })
beforeEach(() => {
  github.heal()
  github.settings.private = false
  for (const list of [github.store.pulls, github.store.roles]) list.clear()
  for (const list of [github.store.runs, github.store.pushes, github.store.requests]) list.length = 0
  github.seed.role('olga', 'write')
  github.seed.role('tom', 'triage')
  github.seed.run({ id: 900, createdAt: minute(10) })
})

const head = 'b'.repeat(40)
const other = 'd'.repeat(40)
const main = 'a'.repeat(40)
const actionOf = (event: string) => (event === 'pull_request_review' ? 'submitted' : 'created')
const minute = (number: number) => new Date(Date.UTC(2026, 10, 22, 10, number))
const own = { branch: 'faster', commit: head, repository: 'sandbox/project' }
const ofFork = { ...own, repository: 'mallory/project' }
const pull = (more: Partial<Pull> = {}) =>
  github.seed.pull({ number: 7, head: own, base: { branch: 'release', commit: main }, ...more })

const by = (login: string, type = 'User') => ({ sender: { login, type } })
const comment = { action: 'created', issue: { number: 7, pull_request: {} }, ...by('olga') }

interface Job {
  event?: string
  payload?: object
  inputs?: Record<string, string>
  found?: CheckedOut | undefined
  token?: string
}

/** The job of the default branch that a comment starts, with the head of the pull request checked out. */
async function demanded(job: Job = {}) {
  const { event = 'issue_comment', payload = comment, inputs = {}, token = github.token() } = job
  const found = 'found' in job ? job.found : { commit: head }
  const file = path.join(folder, 'event.json')
  writeFileSync(file, JSON.stringify(payload))
  const env = {
    ...{ GITHUB_REPOSITORY: 'sandbox/project', GITHUB_EVENT_PATH: file, GITHUB_EVENT_NAME: event },
    ...{ GITHUB_SHA: main, GITHUB_REF: 'refs/heads/main', GITHUB_RUN_ID: '900' },
  }
  const given = { mode: 'run', 'pull-request': '7', 'github-token': token, ...inputs }
  const read = rootInputs(given, '/w')
  const tested = read.mode === 'collect' || read.mode === 'check' ? undefined : read.source
  const facts = jobFacts(env, () => found)
  return demandedJob(read, facts, tested, (given) => connect(given, { baseUrl: github.url }))
}

/** The pull request that is commented on, and why nothing is started. */
async function ruling(job?: Job) {
  const { facts, faults } = await demanded(job)
  return { pull: facts.step.pullRequest, faults }
}
const isFor7 = (...faults: unknown[]) => ({ pull: 7, faults })
const isForNone = (...faults: unknown[]) => ({ pull: undefined, faults })
const says = (text: string | RegExp): unknown => expect.stringMatching(text)

test('who may write asks for the head of a pull request of the repository itself', async () => {
  pull()
  const { facts, faults } = await demanded()
  expect(faults).toEqual([])
  expect(facts).toMatchObject({ base: 'release', step: { pullRequest: 7, sha: main } })
  expect(facts.measured('/w')).toEqual({ commit: head, head })
})

test('in the repository itself, a push after the comment is that of somebody who may ask, too', async () => {
  for (const repository of ['sandbox/project', 'Sandbox/Project']) {
    github.seed.push({ ...own, repository, at: minute(11) })
    pull({ head: { ...own, repository } })
    expect(await ruling()).toEqual(isFor7())
  }
})

test('without the input, GitHub is asked only who wrote the comment that would start something', async () => {
  const inputs = { 'pull-request': '' }
  expect(await ruling({ inputs })).toEqual(isForNone())
  expect(github.store.requests.map(({ url }) => url)).toEqual([expect.stringMatching(/olga\/permission$/)])
  for (const event of ['push', 'workflow_run']) expect(await ruling({ inputs, event })).toEqual(isForNone())
  const collect = { ...inputs, mode: 'collect', 'run-number': '9' }
  expect(await ruling({ inputs: collect })).toEqual(isForNone())
  expect(github.store.requests).toHaveLength(1)
})

test.each([
  ['issue_comment', {}],
  ['pull_request_review', { pull_request: { number: 7 } }],
  ['pull_request_review_comment', { pull_request: { number: 7 } }],
  ['workflow_run', { workflow_run: { event: 'issue_comment' } }],
])('without the input, a stranger starts nothing by %s, and nothing is written', async (event, more) => {
  const payload = { ...comment, action: actionOf(event), ...more, ...by('mallory') }
  const job = { event, inputs: { 'pull-request': '' }, payload }
  expect(await ruling(job)).toEqual(
    isForNone(says(new RegExp(`^Nothing is started on ${event}: mallory asked for it, with the role`))),
  )
  expect((await demanded(job)).facts.eventCommits).toEqual([])
})

test('a review of a closed pull request starts nothing', async () => {
  const at = async (state: string) => {
    const head = { repo: { full_name: 'Sandbox/project' } }
    const payload = { ...comment, action: 'submitted', pull_request: { number: 7, state, head } }
    return ruling({ event: 'pull_request_review', payload })
  }
  expect(await at('open')).toEqual(isFor7())
  expect(await at('closed')).toEqual(isForNone(says(/: the pull request is closed\. Reopen it/)))
})

test('of pull_request_target, no status is on the commit of the base', async () => {
  const pull_request = { number: 7, head: { sha: head } }
  const inputs = { 'pull-request': '' }
  const of = async (event: string) =>
    (await demanded({ event, inputs, payload: { pull_request } })).facts.eventCommits
  expect(await of('pull_request')).toEqual([main, head])
  expect(await of('pull_request_target')).toEqual([head])
})

test('a step with wrong inputs writes nothing where anybody may have started it', async () => {
  const at = async (event: string, mode = 'run') => {
    const payload = { ...comment, action: actionOf(event), pull_request: { number: 7 } }
    const { facts } = await demanded({ event, inputs: { 'pull-request': '' }, payload })
    const { step, eventCommits } = refusedJob(rootInputs({ mode, 'run-number': '9' }, '/w'), facts)
    return [step.pullRequest, eventCommits.length]
  }
  expect(await at('pull_request_review')).toEqual([undefined, 0])
  expect(await at('pull_request_review', 'collect')).toEqual([7, 2])
  expect(await at('pull_request')).toEqual([7, 2])
})

describe('somebody pushes in between', () => {
  test('the head is another commit by now: both are named', async () => {
    pull({ head: { ...own, commit: other } })
    expect(await ruling()).toEqual(
      isFor7(
        'pull-request: the head of pull request 7 is dddddddddddd now, but bbbbbbbbbbbb is checked out. If somebody has pushed in between, ask again; else check out the head: ref: refs/pull/7/head.',
      ),
    )
  })

  test.each<[string, CheckedOut | undefined, RegExp]>([
    ['the default branch', { commit: main }, /is bbbbbbbbbbbb now, but aaaaaaaaaaaa is checked out/],
    [
      'nothing',
      undefined,
      /is bbbbbbbbbbbb now, but it is not known which commit of this repository is checked out/,
    ],
    [
      'another repository',
      { commit: other, repository: 'shop/suite' },
      /but it is not known which commit of this repository/,
    ],
  ])('%s is checked out', async (_, found, sentence) => {
    pull()
    expect(await ruling({ found })).toEqual(isFor7(says(sentence)))
  })

  test.each(['run', 'start', 'check'])('mode %s needs the head, too', async (mode) => {
    pull()
    expect(await ruling({ inputs: { mode }, found: { commit: main } })).toEqual(
      isFor7(says(/ is checked out\./)),
    )
    expect(await ruling({ inputs: { mode } })).toEqual(isFor7())
  })

  test('mode collect tests nothing: a commit that is checked out says nothing, and none is named', async () => {
    pull({ state: 'closed' })
    const { facts, faults } = await demanded({
      inputs: { mode: 'collect', 'run-number': '4' },
      found: { commit: main },
    })
    expect(faults).toEqual([])
    expect(facts.step).not.toHaveProperty('commit')
  })
})

describe('a comment', () => {
  test.each<[string, object, RegExp]>([
    [
      'by who may triage',
      by('tom'),
      /^pull-request: tom asked for it, with the role triage in this repository\. Let a person with write access ask again\.$/,
    ],
    ['by a stranger', by('mallory'), /^pull-request: mallory asked for it, with the role read /],
    ['by a bot that may write', by('olga', 'Bot'), /^pull-request: olga, a bot, asked for it\./],
    ['by an app', by('olga[bot]'), /^pull-request: olga\[bot\], a bot, asked for it\./],
    ['by nobody', { sender: null }, /^pull-request: an account that no longer exists asked for it\./],
    [
      'by a list instead of a name',
      { sender: { login: ['olga'] } },
      /^pull-request: an account that no longer exists/,
    ],
    [
      'that is edited',
      { action: 'edited' },
      /^pull-request: a comment that is edited or deleted asks for nothing\. Write a new one\.$/,
    ],
    ['without an activity', { action: null }, /edited or deleted/],
  ])('%s starts nothing, and nothing is written on the pull request', async (_, more, sentence) => {
    pull()
    expect(await ruling({ payload: { ...comment, ...more } })).toEqual(isForNone(says(sentence)))
    expect(github.store.requests.filter(({ url }) => url.includes('/pulls/'))).toEqual([])
  })

  test('by somebody whose rights cannot be read starts nothing', async () => {
    pull()
    github.fail({ kind: 'server-error', status: 403, on: /collaborators/ })
    expect(await ruling()).toEqual(
      isForNone(says(/^pull-request: what olga may do in this repository could not be read: /)),
    )
    github.fail({ kind: 'odd-answer', on: /collaborators/, body: { role_name: 'admin' } })
    expect(await ruling()).toEqual(isForNone(says(/^pull-request: olga asked for it, with the role admin/)))
  })

  test('on an issue starts nothing', async () => {
    expect(await ruling()).toEqual(
      isForNone(
        'pull-request: there is no pull request 7 in this repository. Name one: an issue has no code to test.',
      ),
    )
  })

  test('a name that tries to be a command is text', async () => {
    pull()
    const hostile = by('x\n::error::y\u001b[2J')
    const { faults } = await ruling({ payload: { ...comment, ...hostile } })
    expect(faults).toEqual([says(/^pull-request: /)])
    expect(faults[0]).not.toMatch(/[\n\u001b]/)
  })
})

test.each(['pull_request_review', 'pull_request_review_comment'])(
  'the number of its own pull request lets no stranger start anything by %s',
  async (event) => {
    const payload = { ...comment, action: actionOf(event), pull_request: { number: 7 } }
    for (const action of ['edited', 'deleted', 'dismissed'])
      expect(await ruling({ event, payload: { ...payload, action } })).toEqual(
        isForNone(says(/a comment that is edited or deleted asks for nothing/)),
      )
    expect(await ruling({ event, payload: { ...payload, ...by('mallory') } })).toEqual(
      isForNone(says(new RegExp(`^Nothing is started on ${event}: mallory asked for it`))),
    )
    expect(await ruling({ event, payload })).toEqual(isFor7())
  },
)

test.each(['workflow_dispatch', 'repository_dispatch', 'push', 'schedule', 'merge_group'])(
  '%s takes write access: nobody is asked about',
  async (event) => {
    pull()
    expect(await ruling({ event, payload: {} })).toEqual(isFor7())
    expect(github.store.requests.filter(({ url }) => url.includes('/collaborators/'))).toEqual([])
  },
)

describe('a workflow that a pull request has started', () => {
  const event = 'pull_request'
  const payload = { pull_request: { number: 7, head: { sha: head }, base: { ref: 'main' } } }

  test('its own number changes nothing, not even that the merge with the base is checked out', async () => {
    const { facts, faults } = await demanded({ event, payload, found: { commit: main } })
    expect([faults, facts.step.pullRequest, facts.base]).toEqual([[], 7, 'main'])
    expect(github.store.requests).toEqual([])
  })

  test('another number is refused', async () => {
    expect(await ruling({ event, payload, inputs: { 'pull-request': '8' } })).toEqual(
      isFor7('pull-request is 8, but pull request 7 started this workflow: remove the input.'),
    )
  })
})

test.each(['run', 'start', 'check'])(
  'mode %s: a closed pull request starts nothing, and the answer is written there',
  async (mode) => {
    pull({ state: 'closed' })
    expect(await ruling({ inputs: { mode } })).toEqual(
      isFor7('pull-request: pull request 7 is closed. Reopen it, then ask again.'),
    )
  },
)

describe('the head of a fork', () => {
  const pushed = (at: number, commit = head) =>
    github.seed.push({ ...ofFork, commit, at: minute(at), login: 'mallory' })

  test.each([
    ['before it was asked for', 9, []],
    [
      'in the same second',
      10,
      [
        'pull-request: its head bbbbbbbbbbbb was pushed to the fork at 2026-11-22T10:10:00Z, and this was asked for at 2026-11-22T10:10:00.000Z. Look at the change, then ask again.',
      ],
    ],
    ['after that', 11, [says(/was pushed to the fork at 2026-11-22T10:11:00Z/)]],
  ])('that was pushed %s', async (_, at, faults) => {
    pushed(at)
    pull({ head: ofFork })
    expect(await ruling()).toEqual(isFor7(...faults))
    expect(await ruling({ event: 'workflow_dispatch', payload: {} })).toEqual(isFor7(...faults))
  })

  test.each([
    ['before', 9, isFor7()],
    ['after', 11, isForNone(says(/^Nothing is started on pull_request_review: its head .* Look at the/))],
  ])('that was pushed %s its review', async (_, at, due) => {
    pushed(at)
    pull({ head: ofFork })
    const head = { repo: { full_name: 'mallory/project' } }
    const payload = {
      ...{ ...comment, action: 'submitted', review: { submitted_at: minute(10).toISOString() } },
      pull_request: { number: 7, state: 'open', head },
    }
    for (const number of ['', '7'])
      expect(
        await ruling({ event: 'pull_request_review', payload, inputs: { 'pull-request': number } }),
      ).toEqual(due)
  })

  test.each([
    ['push', {}],
    ['schedule', {}],
    ['merge_group', {}],
    ['release', by('olga')],
    ['workflow_run', { ...by('olga'), workflow_run: { event: 'push' } }],
    ['workflow_run', { ...by('olga'), workflow_run: { event: 'workflow_run' } }],
  ])('is not tested on %s, which asks for nothing', async (event, payload) => {
    pushed(9)
    pull({ head: ofFork })
    expect(await ruling({ event, payload })).toEqual(
      isFor7(
        `pull-request: its head is in a fork, and nobody asks for it on ${event}. Ask by a comment, or start the workflow by hand.`,
      ),
    )
  })

  test.each([
    ['workflow_run', { workflow_run: { event: 'workflow_dispatch', created_at: '2026-11-22T10:05:00Z' } }],
    ['issue_comment', { action: 'created', comment: { created_at: '2026-11-22T10:05:00Z' } }],
    ['pull_request_review', { action: 'submitted', review: { submitted_at: '2026-11-22T10:05:00Z' } }],
  ])('that was pushed after the ask, before the workflow run: by %s', async (event, payload) => {
    pull({ head: ofFork })
    pushed(4)
    expect(await ruling({ event, payload: { ...by('olga'), ...payload } })).toEqual(isFor7())
    pushed(5)
    expect(await ruling({ event, payload: { ...by('olga'), ...payload } })).toEqual(
      isFor7(
        says(/pushed to the fork at 2026-11-22T10:05:00Z, and this was asked for at 2026-11-22T10:05:00Z/),
      ),
    )
  })

  test('its checkout may name the fork', async () => {
    pushed(9)
    pull({ head: ofFork })
    expect(await ruling({ found: { commit: head, repository: 'mallory/project' } })).toEqual(isFor7())
  })

  test('that was pushed away and back, or of which GitHub says nothing', async () => {
    pushed(8)
    pushed(9, other)
    pull({ head: ofFork })
    expect(await ruling()).toEqual(
      isFor7(
        'pull-request: GitHub does not say when its head bbbbbbbbbbbb was pushed to the fork. Ask again in a minute.',
      ),
    )
  })

  test('that was deleted', async () => {
    pull({ head: { ...ofFork, repository: null } })
    expect(await ruling()).toEqual(
      isFor7(
        'pull-request: its head is in a fork that was deleted, so nobody knows when it was pushed. Open another one from a branch.',
      ),
    )
  })

  test('whose pushes cannot be read: then nothing is written, either', async () => {
    pushed(9)
    pull({ head: ofFork })
    github.settings.private = true
    expect(await ruling()).toEqual(isForNone(says(/^pull-request: the pushes to faster could not be read: /)))
  })

  test('if it is not known when it was asked for', async () => {
    pushed(9)
    pull({ head: ofFork })
    github.fail({ kind: 'odd-answer', on: /actions\/runs\/900$/, body: { created_at: null } })
    expect(await ruling()).toEqual(isFor7(says(/and this was asked for at an unknown time\./)))
    github.fail({ kind: 'server-error', status: 403, on: /actions\/runs\/900$/ })
    expect(await ruling()).toEqual(
      isForNone(says(/^pull-request: this workflow run could not be read: .*actions: read\.$/)),
    )
  })

  test('without a time that can be read, it may have been pushed later', () => {
    const pushes = [{ commit: head, at: '2026-11-22T10:00:00Z' }]
    expect(whyPushedLater(head, pushes, '2026-11-22T10:00:01Z')).toBeUndefined()
    for (const moment of [undefined, '', 'now', '0001-01-01T00:00:00Z', '2026-11-22T10:00:00Z']) {
      expect(whyPushedLater(head, pushes, moment)).toMatch(/Look at the change, then ask again\.$/)
    }
    expect(whyPushedLater(other, pushes, '2027-01-01T00:00:00Z')).toMatch(/^GitHub does not say when/)
  })
})

test.each<[string, unknown, RegExp]>([
  ['nothing', null, /the answer lacks state/],
  ['no base', { state: 'open', base: null, head: {} }, /the answer lacks ref/],
  ['no head', { state: 'open', base: { ref: 'main' } }, /the answer lacks sha\. Run the job again\.$/],
  [
    'a repository without an owner',
    { state: 'open', base: { ref: 'main' }, head: { sha: head, ref: 'x', repo: {} } },
    /lacks login/,
  ],
])('a pull request of which GitHub says %s is not asked for', async (_, body, sentence) => {
  pull()
  github.fail({ kind: 'odd-answer', on: /pulls\/7/, body })
  expect(await ruling()).toEqual(isForNone(says(/^pull-request: pull request 7 could not be read: /)))
  github.fail({ kind: 'odd-answer', on: /pulls\/7/, body })
  expect((await ruling()).faults[0]).toMatch(sentence)
})

test('without a token, or one that may read it, a sentence says so', async () => {
  pull()
  expect(await ruling({ inputs: { 'github-token': '' } })).toEqual(
    isForNone('pull-request: github-token is empty. Remove it, or name a token.'),
  )
  github.settings.private = true
  expect(await ruling({ token: github.token({ contents: 'read' }) })).toEqual(
    isForNone(says(/^pull-request: pull request 7 could not be read: .* pull-requests: read\.$/)),
  )
})
