import { isJudged, keeping, takesLong, type KeptPlan } from '../../src/plan.js'
import { startNote } from '../../src/start/earlier-start.js'
import { keptLog } from '../kept-log.js'
import { nothingYet, withPart, type LoadTestOutcome, type Verdict } from '../../src/outcome/outcome.js'

const now = Date.UTC(2026, 10, 23, 10, 0)
const after = (minutes: number) => new Date(now + minutes * 60_000).toISOString()

test.each([
  ['in an hour', after(60), true],
  ['in a bit more than a quarter of an hour', after(15.01), true],
  ['in a quarter of an hour', after(15), false],
  ['in a minute', after(1), false],
  ['long ago', after(-60), false],
  ['nobody knows when', undefined, false],
])('people hear of the start of a run that ends %s', (_, end, due) => {
  expect(takesLong(end, now)).toBe(due)
})

const judged: Verdict[] = ['passed', 'accepted', 'invalid', 'failed']
const cut: Verdict[] = ['started', 'load-test-failed', 'timed-out', 'cancelled', 'error']
const second = (
  result: NonNullable<LoadTestOutcome['confirmation']>['result'],
  verdict: Verdict = 'failed',
) => ({
  confirmation: { result, verdict, reasons: [], gates: [] },
})

test.each<[Verdict, object, boolean]>([
  ...judged.map((verdict): [Verdict, object, boolean] => [verdict, {}, true]),
  ...cut.map((verdict): [Verdict, object, boolean] => [verdict, {}, false]),
  ['failed', second('confirmed'), true],
  ['passed', second('not-confirmed'), true],
  ['failed', second('open'), true],
  ['failed', second('open', 'timed-out'), false],
])('a step that ends with %s %o has judged its runs to their end: %s', (verdict, more, due) => {
  const step = { actionVersion: '1', startedAt: '', seconds: 0 }
  expect(isJudged(withPart(nothingYet('run', step), { verdict, ...more }))).toBe(due)
  expect(isJudged(withPart(nothingYet('merge', step), { verdict }))).toBe(false)
})

test('a job that is cancelled while its start is recorded requests none, and its post step tells that', async () => {
  const job = new AbortController()
  const learned: Parameters<KeptPlan['learn']>[0][] = []
  const keep = () => {
    job.abort(new Error('The job was cancelled.'))
    return Promise.resolve(true)
  }
  const kept = keeping({
    ...{
      log: keptLog().log,
      step: { actionVersion: '1', startedAt: '' },
      comment: undefined,
      signal: job.signal,
    },
    ...{ notes: { keep }, checkRoom: () => undefined, statusOf: () => undefined },
    plan: { learn: (more) => void learned.push(more), seal: () => undefined },
  })
  const subject = { service: 'https://s', organization: 'o', project: 'p', template: 17, attempt: 1 }
  const start = startNote(subject, 17)
  await expect(kept.keep.starting(start)).rejects.toThrow('The job was cancelled.')
  expect(learned).toEqual([{ tells: [start] }])
})
