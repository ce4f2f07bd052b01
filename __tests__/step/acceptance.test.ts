import { readFileSync } from 'node:fs'
import type { Github } from '../../sandbox/github/github.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { JudgeSandbox } from './judged.js'

/* Accepting failed gates, through dist/, in the action judge: a run of the engine exceeds its limits. */

const label = 'accepted-regression'
const head = 'c'.repeat(40)
const pushed = new Date(Date.UTC(2026, 10, 22, 10, 0))
const after = new Date(Date.UTC(2026, 10, 22, 10, 5))

let sandbox: JudgeSandbox
let github: Github
beforeEach(async () => {
  sandbox = await JudgeSandbox.open()
  ;({ github } = sandbox)
  github.seed.role('olga', 'maintain')
  github.seed.role('tom', 'triage')
  github.seed.pull({ number: 7, head: { branch: 'faster', commit: head, repository: 'sandbox/project' } })
  github.seed.push({ branch: 'faster', commit: head, at: pushed })
})
afterEach(() => sandbox.close())

/** Judges the report on pull request 7, for the commit that was pushed. */
function judge(): Promise<StepResult> {
  const pull = { number: 7, head: { sha: head, ref: 'faster' }, base: { ref: 'main' } }
  const event = { action: 'labeled', label: { name: label }, pull_request: pull }
  const given = { report: 'results/20261121-1200', gates: 'requests p95 <= 1 ms', accept: label }
  return sandbox.judge(given, { eventName: 'pull_request', event })
}

function outcomeOf(ran: StepResult): LoadTestOutcome {
  const outcome = sandbox.outcomeOf()
  expect(outcome.verdict).toBe(ran.outputs['verdict'])
  return outcome
}

test('a label set by a maintainer after the push turns the step green, and every page of the result says who, when and for which commit', async () => {
  github.seed.label(7, label, 'olga', { at: after })
  const ran = await judge()
  expect(ran.conclusion).toBe('success')
  expect(ran.outputs['verdict']).toBe('accepted')
  const acceptance = {
    ...{ label, by: 'olga', role: 'maintain', at: '2026-11-22T10:05:00Z' },
    ...{ commit: head, pushedAt: '2026-11-22T10:00:00Z' },
  }
  expect(JSON.parse(ran.outputs['acceptance'] ?? '')).toEqual(acceptance)
  const outcome = outcomeOf(ran)
  expect(outcome.acceptance).toEqual(acceptance)
  expect(outcome.gates).toEqual([expect.objectContaining({ result: 'failed', limit: 1 })])
  const digest = readFileSync(github.store.artifact('load-test-digest.html')?.path ?? '', 'utf8')
  const comment = github.store.commentsOf(7)[0]?.body ?? ''
  const notice = ran.annotations.find(({ kind }) => kind === 'notice')
  const faces = [ran.summary, comment, digest, `${notice?.title ?? ''}\n${notice?.message ?? ''}`]
  for (const face of faces) {
    const text = face
      .replace(/<[^>]+>/g, '')
      .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
      .replaceAll('&quot;', '"')
      .replaceAll('\u00a0', ' ')
      .replaceAll('\u2011', '-')
    expect(text).toMatch(/too slow \(.*, accepted by olga/)
    expect(text).toContain('(maintain) set the label "accepted-regression" at 2026-11-22 10:05 UTC')
    expect(text).toContain(`after commit ${head.slice(0, 7)} was pushed at 2026-11-22 10:00 UTC`)
  }
  expect(ran.annotations.map(({ kind }) => kind)).not.toContain('error')
  expect(ran.log).toMatch(/too slow \(.*, accepted by olga/)
})

test('a label set by someone who may only triage: red, with the reason', async () => {
  github.seed.label(7, label, 'tom', { at: after })
  const ran = await judge()
  expect([ran.outputs['verdict'], ran.conclusion]).toEqual(['failed', 'failure'])
  expect(ran.outputs['acceptance']).toBeUndefined()
  expect(ran.log).toContain(
    `The label "${label}" does not count: tom set it, with the role triage in this repository.`,
  )
  expect(ran.summary).toContain('does not count')
})
