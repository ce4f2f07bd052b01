import { withAcceptance } from '../../src/judgement/acceptance.js'
import type { LabelRecord } from '../../src/judgement/acceptance.js'
import type { ReportJudgement } from '../../src/judgement/judgement.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import {
  accepted,
  error,
  gate,
  green,
  invalid,
  loadTestFailed,
  regression,
  report,
} from '../publish/outcomes.js'
import { whatToDo } from '../../src/publish/words/what-to-do.js'
import { headline } from '../../src/publish/words/words.js'
import { keptLog } from '../kept-log.js'
import { defined } from '../../src/text/fields.js'
import { reasonsAbout } from '../../src/text/reason.js'

const label = 'accepted-regression'
const { acceptance, step } = accepted()
if (!acceptance) throw new Error('the example was not accepted')
const { by, role, at, commit, pushedAt } = acceptance
const record: LabelRecord = {
  pull: 12,
  head: commit,
  labels: [label],
  events: [{ kind: 'labeled', label, at, by: { login: by, isBot: false } }],
  setter: { permission: 'write', role },
  pushes: [{ commit, at: pushedAt }],
}

/** @returns also the requests to GitHub and the log */
async function accepting(
  judgement: ReportJudgement,
  {
    read = async () => record,
    on = step,
    mode = 'run',
  }: { read?: () => Promise<LabelRecord | LabelRecord[]>; on?: LoadTestOutcome['step']; mode?: string } = {},
) {
  const { log, lines: said } = keptLog()
  let asked = 0
  const labelRecords = async () => {
    asked++
    return [await read()].flat()
  }
  const part = await withAcceptance(judgement, { accept: label, mode }, { labelRecords, log, step: on })
  return { ...part, asked, said }
}

/** A report that was given, of the run of this commit. */
const givenOf = (commit: string | undefined) => {
  const given = { name: 'a report', url: 'https://github.com/o/r/actions/runs/1', ...defined({ commit }) }
  return { report: { path: '/x', ending: '.zip', bytes: 1, given } }
}

/** Nobody has set the label. */
const unlabelled = async () => ({ ...record, labels: [] })

/** The outcome by the gates alone. */
const failed = (): LoadTestOutcome => ({ ...regression(), reasons: [] })

test('failed gates are accepted, and their results stay the same', async () => {
  const { verdict, acceptance: found, gates, reasons } = await accepting(failed())
  expect(verdict).toBe('accepted')
  expect(found).toEqual(acceptance)
  expect(gates).toEqual(regression().gates)
  expect(reasons).toEqual([])
  const lost = { reasons: reasonsAbout('results', 'The results could not be downloaded.') }
  expect(await accepting({ ...failed(), ...lost })).toMatchObject({ verdict: 'accepted', ...lost })
  const each = failed().gates.filter(({ result }) => result === 'failed')
  expect(await accepting({ ...failed(), gates: each })).toMatchObject({ verdict: 'accepted' })
})

test.each<[string, () => LoadTestOutcome]>([
  ['passed', green],
  ['invalid', invalid],
  ['error', error],
  ['load-test-failed', loadTestFailed],
])('%s is never accepted, and nothing is requested from GitHub', async (verdict, make) => {
  const { notes } = make()
  expect(await accepting(make())).toMatchObject({ verdict, asked: 0, notes })
})

describe('names that are gone', () => {
  const reason = 'The report has no request "Old". Earlier runs have it.'
  const gone = gate(8, 'request "*" mean <= baseline', {
    ...{ subject: 'request "Old"', result: 'not-measured', unfit: 'gone', reason },
  })
  const reasons = reasonsAbout('gate', reason)
  const missing = (): LoadTestOutcome => ({ ...green(), verdict: 'invalid', reasons, gates: [gone] })

  test('are accepted, alone or beside failed gates', async () => {
    const outcome = await accepting(missing())
    expect(outcome).toMatchObject({ verdict: 'accepted', acceptance, gates: [gone] })
    expect(headline({ ...missing(), ...outcome })).toBe(
      'Load test: request "Old" is missing, accepted by octocat',
    )
    const both = await accepting({ ...failed(), gates: [...failed().gates, gone] })
    expect(both.verdict).toBe('accepted')
    const passed = gate(9, 'requests mean <= 1 s', { result: 'passed' })
    expect(await accepting({ ...missing(), gates: [passed, gone] })).toMatchObject({ verdict: 'accepted' })
  })

  test('on main they begin a new level', async () => {
    const { pullRequest: _, ...branch } = { ...step, event: 'push', ref: 'refs/heads/main' }
    const { isNewLevel, notes, verdict } = await accepting(missing(), { on: branch })
    expect([verdict, isNewLevel, notes?.at(-1)?.split(':')[0]]).toEqual(['accepted', true, 'New level'])
  })

  test('without the label, advice says how; with anything else that is wrong, they are not', async () => {
    const { advice, verdict } = await accepting(missing(), { read: unlabelled })
    const due =
      'To accept names that are missing or new, set the label "accepted-regression" on pull request 12. You need write access for that.'
    expect([verdict, advice]).toEqual(['invalid', [due]])
    const others: Partial<LoadTestOutcome>[] = [
      { gates: [gone, { ...gone, unfit: 'noisy' }] },
      { reasons: [...reasons, ...reasonsAbout('run', 'It broke off.')] },
      { figures: { ...report(), partial: 'one of two' } },
    ]
    for (const other of others) {
      expect(await accepting({ ...missing(), ...other })).toMatchObject({ verdict: 'invalid', asked: 0 })
    }
    expect(whatToDo(missing())[0]?.text).toBe(
      'Find out why request "Old" was not called. If it was removed on purpose, a label on the pull request can accept that. A new name for the step begins its baseline anew once main has run with it.',
    )
  })
})

const unmeasured = gate(9, 'requests p99 <= 1 ms', { result: 'not-measured', reason: 'It has no figure.' })
test.each<[string, () => LoadTestOutcome]>([
  ['a gate that was not measured', () => ({ ...failed(), gates: [...failed().gates, unmeasured] })],
  [
    'results that are missing',
    () => ({ ...failed(), reasons: reasonsAbout('report', 'The results could not be downloaded.') }),
  ],
  ['partial results', () => ({ ...failed(), figures: { ...report(), partial: 'one of two' } })],
  [
    'a failed scorecard without gates',
    () => ({ ...failed(), gates: [], reasons: reasonsAbout('scorecard', 'The scorecard failed.') }),
  ],
])('with %s, not only gates failed: the verdict stays failed', async (_, make) => {
  const { verdict, asked, notes } = await accepting(make())
  expect([verdict, asked]).toEqual(['failed', 0])
  expect(notes?.at(-1)).toBe(
    'The label "accepted-regression" accepts only failed gates and names that are missing or new, but this run has other problems, too.',
  )
})

test('without the label, the advice says what to do', async () => {
  const { verdict, advice } = await accepting(failed(), { read: unlabelled })
  expect(verdict).toBe('failed')
  expect(advice?.at(-1)).toBe(
    'To accept the failed gates, set the label "accepted-regression" on pull request 12. You need write access for that.',
  )
})

test.each([
  ['of the head commit', commit, 'accepted'],
  ['of an earlier commit', 'b'.repeat(40), 'failed'],
  ['of a commit that GitHub does not name', undefined, 'failed'],
])('a report from another workflow run must be %s', async (_, tested, verdict) => {
  expect(await accepting({ ...failed(), ...givenOf(tested) })).toMatchObject({ verdict })
})

test('a label on the head does not accept what an earlier commit of the pull request has measured', async () => {
  const { verdict, asked } = await accepting(failed(), { on: { ...step, commit: 'b'.repeat(40) } })
  expect([verdict, asked]).toEqual(['failed', 1])
})

test('without the input nothing is accepted or looked for', async () => {
  const { log, lines } = keptLog()
  const labelRecords = () => Promise.reject(new Error('Nobody asked for it.'))
  expect(await withAcceptance(failed(), {}, { labelRecords, log, step })).toEqual(failed())
  expect(lines).toEqual([])
})

const merged = (() => {
  const { pullRequest: _, ...rest } = step
  const sha = 'e'.repeat(40)
  return { ...rest, event: 'push', ref: 'refs/heads/main', sha, head: sha, commit: sha }
})()
const refused: unknown = expect.stringMatching(/^The label .* does not count: /)
const untold = { setter: { permission: 'read', role: 'read' } }

test.each<[string, LoadTestOutcome['verdict'], Partial<LabelRecord>[], object]>([
  ['that failed is accepted', 'failed', [{}], { verdict: 'accepted', acceptance, isNewLevel: true }],
  ['that passed stays so', 'passed', [{}], { verdict: 'passed', isNewLevel: true }],
  ['whose label does not count', 'failed', [untold], { verdict: 'failed' }],
  [
    'that passed, whose label does not count',
    'passed',
    [untold],
    { verdict: 'passed', reasons: [], notes: [...regression().notes, refused] },
  ],
  ['of a pull request without the label', 'failed', [{ labels: [] }], { verdict: 'failed' }],
  ['of no pull request', 'failed', [], { verdict: 'failed', advice: [] }],
  ['that is invalid', 'invalid', [{}], { verdict: 'invalid', asked: 0 }],
])('the merge %s', async (_, verdict, found, told) => {
  const read = async () => found.map((one) => ({ ...record, ...one }))
  const judgement = { ...failed(), verdict, advice: [] }
  const { isNewLevel, ...part } = await accepting(judgement, { read, on: merged })
  expect({ ...part, ...(isNewLevel && { isNewLevel }) }).toMatchObject(told)
  expect(isNewLevel).toBe('isNewLevel' in told ? true : undefined)
})

test('a merge that failed far more than usual is accepted, but no new level', async () => {
  const many = { ...failed(), tooManyErrors: true, notes: ['A note.'] }
  const told = await accepting(many, { on: merged })
  expect(told).toMatchObject({
    verdict: 'accepted',
    notes: ['A note.', expect.stringMatching(/^No new level: /)],
  })
  expect(told).not.toHaveProperty('isNewLevel')
})

test('a run that another workflow collects counts for the branch by the note of its start', async () => {
  const { head: _, ...noted } = { ...merged, event: 'workflow_run' }
  expect(await accepting(failed(), { on: noted, mode: 'collect' })).toMatchObject({ isNewLevel: true })
  expect(await accepting(failed(), { on: noted })).toMatchObject({ verdict: 'failed', asked: 0 })
})

test('a report of another commit is no run of the branch, which accepts nothing', async () => {
  const judged = (of: string) => accepting({ ...failed(), ...givenOf(of) }, { on: merged })
  expect(await judged('d'.repeat(40))).toMatchObject({ verdict: 'failed', asked: 0 })
  expect(await judged(merged.sha)).toMatchObject({ verdict: 'accepted', isNewLevel: true })
})

test('the merge of a pull request without the label says what to do, unless it has passed', async () => {
  const told = async (verdict: 'failed' | 'passed') =>
    (await accepting({ ...failed(), verdict, advice: [] }, { read: unlabelled, on: merged })).advice
  expect(await told('failed')).toEqual([
    expect.stringMatching(/ on pull request 12\. .* Then run this job again\.$/),
  ])
  expect(await told('passed')).toEqual([])
})

test('a refusal names the pull request only in a merge queue', async () => {
  const read = async () => ({ ...record, ...untold })
  const alone = await accepting(failed(), { read })
  expect(alone.reasons?.at(-1)?.text).toMatch(/^The label "accepted-regression" does not count: /)
  const inQueue = await accepting(failed(), { read, on: queued })
  expect(inQueue.reasons?.at(-1)?.text).toMatch(
    /^The label "accepted-regression" on pull request 12 does not count: /,
  )
  const unread = await accepting(failed(), { read: () => Promise.reject(new Error('No.')), on: queued })
  expect(unread.reasons?.at(-1)?.text).toBe('The label "accepted-regression" does not count: No.')
  for (const { verdict } of [alone, inQueue, unread]) expect(verdict).toBe('failed')
})

const queued = (() => {
  const { pullRequest: _, ...rest } = step
  return { ...rest, event: 'merge_group', commit: 'f'.repeat(40) }
})()

test('in a merge queue the label must be on every pull request of the group', async () => {
  const inQueue = (...records: LabelRecord[]) =>
    accepting(failed(), { on: queued, read: async () => records })
  const other = { ...record, pull: 13 }
  expect(await inQueue(record, other)).toMatchObject({ verdict: 'accepted', acceptance })
  const without = { ...other, labels: [] }
  const { verdict, advice } = await inQueue(record, without)
  expect(verdict).toBe('failed')
  expect(advice?.at(-1)).toMatch(/^To accept .* on pull request 13\. You need write access for that\.$/)
  const none = await inQueue(await unlabelled(), without)
  expect(none.advice?.at(-1)).toMatch(/ on pull requests 12, 13\. You need write access/)
})

test('in a merge queue a report of the head counts for that head only', async () => {
  const judged = (of: string) => accepting({ ...failed(), ...givenOf(of) }, { on: queued })
  expect(await judged(commit)).toMatchObject({ verdict: 'accepted' })
  const { verdict, reasons } = await judged('e'.repeat(40))
  expect(verdict).toBe('failed')
  expect(reasons?.at(-1)?.text).toContain('but the tested commit is eeeeeeeeeeee')
})
