import { getOctokit } from '@actions/github'

import { startGithub, type Github } from '../../sandbox/github/github.js'
import { checkStatus } from '../../src/github/github.js'
import { commitStatuses, statusDescription } from '../../src/github/github.js'
import { stateOf } from '../../src/publish/publication.js'
import { knownCommit, statusCommit } from '../../src/outcome/code-origin.js'
import { nothingYet, withPart, type Leg, type Step, type Verdict } from '../../src/outcome/outcome.js'
import { keptLog } from '../kept-log.js'

const commit = 'c'.repeat(40)
let github: Github
beforeEach(async () => {
  github = await startGithub({ permissions: { statuses: 'write' } })
})
afterEach(() => github.close())

function status(token = github.token(), of = commit) {
  const { log, lines } = keptLog()
  const [owner = '', repo = ''] = github.settings.repository.split('/')
  const octokit = async () => getOctokit(token, { baseUrl: github.url })
  const place = { owner, repo, commit: of, name: 'load-test', page: 'https://github.com/o/r/actions/runs/1' }
  return { put: commitStatuses(octokit, log)(place), lines }
}

test('a status has its name, its state, one line of text and the page of the workflow run', async () => {
  const it = status()
  await it.put('pending', 'Load test: under way')
  await it.put('failure', 'Load test:\n2 of 7 gates\u001b[31m failed')
  expect(github.store.statuses).toMatchObject([
    { commit, context: 'load-test', state: 'pending', targetUrl: 'https://github.com/o/r/actions/runs/1' },
    { commit, context: 'load-test', state: 'failure', description: 'Load test: 2 of 7 gates [31m failed' },
  ])
  expect(it.lines).toEqual([])
})

test('without the permission there is one warning that names it, and no further attempt', async () => {
  const it = status(github.token({ 'pull-requests': 'write' }))
  await it.put('pending', 'a')
  await it.put('success', 'b')
  expect(it.lines).toEqual([
    expect.stringMatching(
      /^warning: The status "load-test" of commit c{40} could not be written: .*statuses: write\..* The verdict is not affected\.$/,
    ),
  ])
  expect(github.store.requests).toHaveLength(1)
})

test('any other fault is reported, and the next state is tried', async () => {
  github.fail({ kind: 'server-error' })
  const it = status()
  await it.put('pending', 'a')
  await it.put('success', 'b')
  expect(it.lines).toEqual([
    expect.stringMatching(/^warning: The status "load-test" .* could not be written: .*not affected\.$/),
  ])
  expect(github.store.statuses).toMatchObject([{ state: 'success' }])
  const unknown = status(github.token(), 'c0ffee')
  await unknown.put('success', 'b')
  expect(unknown.lines).toEqual([expect.stringContaining('No commit found for SHA')])
})

test.each<[Verdict, boolean, string]>([
  ['passed', false, 'success'],
  ['accepted', false, 'success'],
  ['failed', false, 'success'],
  ['failed', true, 'failure'],
  ['invalid', true, 'failure'],
  ['load-test-failed', true, 'failure'],
  ['timed-out', true, 'error'],
  ['cancelled', true, 'error'],
  ['error', true, 'error'],
  ['error', false, 'success'],
  ['started', false, 'pending'],
])('the verdict %s, red: %s', (verdict, isRed, due) => {
  expect(stateOf(verdict, isRed)).toBe(due)
})

test('a description has at most 140 characters', () => {
  expect(statusDescription('x'.repeat(140))).toBe('x'.repeat(140))
  expect(statusDescription('x'.repeat(141))).toBe(`${'x'.repeat(139)}…`)
  // GitHub may count these twice.
  expect(statusDescription('🛒'.repeat(141)).length).toBeLessThanOrEqual(140)
})

const step = { commit, event: 'pull_request' }
const given = { name: 'report of workflow run 9', url: 'https://github.com/o/r/actions/runs/9' }
const other = 'd'.repeat(40)
test.each<[string, Parameters<typeof knownCommit>[0], string | undefined]>([
  ['the head of a pull request', { mode: 'run', step }, commit],
  ['a push', { mode: 'run', step: { ...step, event: 'push' } }, commit],
  ['a merge group', { mode: 'run', step: { ...step, event: 'merge_group' } }, commit],
  ['what a comment started', { mode: 'run', step: { ...step, event: 'issue_comment' } }, undefined],
  [
    'what a comment started, with the code checked out',
    { mode: 'run', step: { ...step, event: 'issue_comment', head: commit } },
    commit,
  ],
  [
    'the run of another step, whose note names its commit',
    { mode: 'collect', step: { ...step, event: 'schedule' } },
    commit,
  ],
  ['the run of another step', { mode: 'collect', step: { event: 'push' } }, undefined],
  ['a report that was not found', { mode: 'judge', step }, undefined],
  ['a report', { mode: 'judge', step, report: { given: { name: 'report' } } }, commit],
  ['a report of another run', { mode: 'judge', step, report: { given: { ...given, commit: other } } }, other],
  [
    'a report of another run, of which no commit is known',
    { mode: 'judge', step, report: { given } },
    undefined,
  ],
])('the commit that a status is about: %s', (_, measured, due) => {
  expect(knownCommit(measured)).toBe(due)
})

const about = { ...step, actionVersion: '1', startedAt: '', seconds: 1 }
const leg = (more: Partial<Step> = {}) => ({
  ...{ name: 'leg', verdict: 'passed' as const },
  outcome: nothingYet('run', { ...about, ...more }),
})
const lost = { name: 'lost', verdict: 'error' } as const

test.each<[string, Partial<Step>, readonly Leg[], string | undefined]>([
  ['one commit', { commit: other, event: 'issue_comment' }, [leg(), lost, leg()], commit],
  ['two', {}, [leg(), leg({ commit: other })], undefined],
  ['one commit and something unknown', {}, [leg(), leg({ event: 'issue_comment' })], undefined],
  ['nothing', {}, [lost, lost], commit],
  ['nothing, after a comment', { commit: other, event: 'issue_comment' }, [lost], undefined],
])('the commit that the status of legs is about: they measured %s', (_, more, legs, due) => {
  expect(statusCommit(withPart(nothingYet('merge', { ...about, ...more }), { legs }))).toBe(due)
})

test('a check and a history are about no commit', () => {
  expect(statusCommit(nothingYet('check', about))).toBeUndefined()
  expect(statusCommit(nothingYet('history', about))).toBeUndefined()
})

test('mode check: what a status needs, if one is wished for', () => {
  const open = checkStatus('load-test')
  expect(open).toMatchObject({ subject: 'status', result: 'unknown' })
  expect(open.sentence).toContain('statuses: write')
})
