import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { holds } from '../sandbox/runner/expressions.js'
import { readWorkflow } from '../sandbox/runner/workflow-file.js'
import { releaseNotes } from '../scripts/release-notes.js'
import { workflows } from './recipes/company.js'

/** In addition to the language service, with which readme.test.ts checks every workflow file. */

const folder = '.github/workflows'
const own = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')] as const)

interface Job {
  permissions?: Record<string, string>
  'timeout-minutes'?: number
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[]
}
const jobsOf = (text: string) => (parse(text) as { jobs: Record<string, Job> }).jobs
const stepsOf = (text: string) => Object.values(jobsOf(text)).flatMap(({ steps }) => steps)

test('only these jobs may write, and only what is listed', () => {
  const writes = own.flatMap(([name, text]) =>
    Object.entries(jobsOf(text)).flatMap(([id, { permissions = {} }]) =>
      Object.entries(permissions).flatMap(([scope, access]) =>
        access === 'write' ? [`${name} ${id} ${scope}`] : [],
      ),
    ),
  )
  expect(writes).toEqual([
    'codeql.yml analyze security-events',
    ...['contents', 'id-token', 'attestations'].map((scope) => `release.yml release ${scope}`),
  ])
})

test.each(own)('%s: every job has a time limit, and no checkout leaves its token behind', (_, text) => {
  for (const job of Object.values(jobsOf(text))) expect(job['timeout-minutes']).toEqual(expect.any(Number))
  const checkouts = stepsOf(text).filter(({ uses }) => uses?.startsWith('actions/checkout@'))
  expect(checkouts).not.toEqual([])
  for (const step of checkouts) expect(step.with).toMatchObject({ 'persist-credentials': false })
  expect(text).toMatch(/^ *# .*\nconcurrency:$/m)
})

test('each action is used in one version', () => {
  const used = new Set(
    own.flatMap(([, text]) => [...text.matchAll(/uses: (\S+ # \S+)/g)].map(([, use = '']) => use)),
  )
  const names = [...used].map((use) => use.split('@')[0])
  expect(names).toEqual([...new Set(names)])
})

test('what people copy uses the major versions that the project itself uses', () => {
  const pinned = own.flatMap(([, text]) =>
    [...text.matchAll(/uses: (\S+)@\w+ # (v\d+)/g)].map(
      ([, name = '', major = '']) => [name, major] as const,
    ),
  )
  const majors = new Map(pinned)
  const copied = workflows.flatMap(({ text }) =>
    [...text.matchAll(/uses: (actions\/[\w-]+)[\w/-]*@(v\d+)/g)].map(([, name = '', major = '']) => [
      name,
      major,
    ]),
  )
  const shared = copied.filter(([name = '']) => majors.has(name))
  expect(shared.length).toBeGreaterThan(10)
  for (const [name = '', major] of shared) expect([name, major]).toEqual([name, majors.get(name)])
})

test.each([...own, ...workflows.map(({ from, text }) => [from, text] as const)])(
  '%s: its scripts are valid, and nothing that others wrote is pasted into them',
  (_, text) => {
    for (const { run } of stepsOf(text)) {
      if (run === undefined) continue
      expect(run).not.toMatch(/\$\{\{(?!\s*matrix\.)/)
      execFileSync('bash', ['-n'], { input: run.replace(/\$\{\{.*?\}\}/g, 'x') })
    }
  },
)

test.each(workflows)(
  '$from: one job at a time if it uploads, never cancelled, and no more permissions than it needs',
  ({ from, text }) => {
    const { on, concurrency, jobs } = readWorkflow(text)
    for (const job of jobs) {
      const group = job.concurrency ?? concurrency
      // A GitHub Enterprise Server may not know the key.
      const queue = from.endsWith('enterprise.yml') ? 'single' : 'max'
      const shown = expect.stringMatching(/./) as string
      const uses = job.steps.map(({ uses = '' }) => uses)
      const inputs = job.steps.flatMap((step) =>
        step.uses?.startsWith('load-test-action/') ? [step.with ?? {}] : [],
      )
      // A job that only waits for approval must not keep others waiting.
      if (group || inputs.length > 0) {
        expect(group).toEqual({ group: shown, cancelInProgress: false, queue })
      }
      expect(job.permissions).toEqual({
        ...(uses.some((name) => name.startsWith('actions/checkout@')) ? { contents: 'read' } : {}),
        // In a re-run, each load test looks for that of an earlier attempt.
        ...(inputs.some(({ baseline }) => baseline === 'artifact') ||
        uses.some((name) => /^load-test-action\/load-test-action(\/(history|merge))?@/.test(name))
          ? { actions: 'read' }
          : {}),
        ...(job.steps.some(({ run }) => String(run).includes('/issues')) ? { issues: 'write' } : {}),
        ...(inputs.some(({ status }) => status !== undefined) ? { statuses: 'write' } : {}),
        ...(uses.some((name) => name.startsWith('actions/deploy-pages@'))
          ? { pages: 'write', 'id-token': 'write' }
          : {}),
        ...((on.pull_request && inputs.some(({ comment }) => comment !== 'never')) ||
        inputs.some((given) => given['pull-request'] !== undefined)
          ? { 'pull-requests': 'write' }
          : {}),
      })
    }
  },
)

test.each(workflows.filter(({ text }) => readWorkflow(text).on.issue_comment))(
  '$from: a comment brings code that a stranger may have written, and no step runs it, or gets a secret before the last',
  ({ text }) => {
    for (const steps of Object.values(jobsOf(text)).map((job) => job.steps)) {
      expect(steps.map(({ uses }) => uses?.replace(/@.*/, ''))).toEqual([
        'actions/checkout',
        'load-test-action/load-test-action',
      ])
      expect(steps[0]?.with).toMatchObject({ 'persist-credentials': false })
    }
    const [before = ''] = text.split('load-test-action/load-test-action@', 1)
    expect(before).not.toMatch(/secrets\.|github\.token/)
    expect(readWorkflow(text).on.issue_comment).toEqual({ types: ['created'] })
  },
)

test("the condition that troubleshooting shows leaves out a fork's pull requests, and nothing else", () => {
  const page = readFileSync('docs/troubleshooting.md', 'utf8').replaceAll('\\|', '|')
  const condition = /`if: (github\.event_name .*?)`/.exec(page)?.[1] ?? ''
  const runs = (event_name: string, from?: string) => {
    const event = from === undefined ? {} : { pull_request: { head: { repo: { full_name: from } } } }
    const contexts = { github: { event_name, repository: 'our/shop', event } }
    return holds(condition, { contexts, status: 'success' })
  }
  expect([runs('push'), runs('schedule'), runs('pull_request', 'our/shop')]).toEqual([true, true, true])
  expect(runs('pull_request', 'a/fork')).toBe(false)
})

test("release notes are the changelog's part about the version", () => {
  const changelog =
    '# Changelog\n\n## 1.1.0 (2026-05-01)\n\n- New.\n\n## 1.0.0\n\n- First.\n\n## 0.9.0 (unreleased)\n\n- x\n'
  expect(releaseNotes('v1.1.0', '1.1.0', changelog)).toBe('- New.\n')
  expect(releaseNotes('v1.0.0', '1.0.0', changelog)).toBe('- First.\n')
  expect(() => releaseNotes('v1.0.1', '1.0.0', changelog)).toThrow('The tag is v1.0.1')
  expect(() => releaseNotes('v2.0.0', '2.0.0', changelog)).toThrow('no heading "## 2.0.0"')
  expect(() => releaseNotes('v0.9.0', '0.9.0', changelog)).toThrow('0.9.0 is unreleased')
  expect(() => releaseNotes('v1.0.0', '1.0.0', '## 1.0.0\n')).toThrow('says nothing about 1.0.0')
})
