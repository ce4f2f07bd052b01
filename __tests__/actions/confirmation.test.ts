import {
  checkCanCompare,
  confirmed,
  secondLook,
  leaveArchive,
} from '../../src/actions/load-test/load-test.js'
import { parseGates } from '../../src/language/language.js'
import { verdictOf, type GateResult } from '../../src/gates/result.js'
import { toldOutcome, worded } from '../told.js'
import { loadTestInputs } from '../load-test-inputs.js'
import { nothingYet, withPart, type LoadTestOutcome, type Part } from '../../src/outcome/outcome.js'
import { namelessAnswer, type Client } from '../../src/service/service.js'
import { answered, calls, fakeService, simulatedClock } from '../fake-service.js'
import { keptLog } from '../kept-log.js'
import { placed } from '../gates/example-report.js'
import { regression } from '../publish/outcomes.js'
import { reasonsAbout } from '../../src/text/reason.js'
import { aftermath } from '../../src/post.js'
import { brokenOff } from '../../src/run/run.js'
import type { Plan } from '../../src/plan.js'
import type { LoadTest } from '../../src/service/project.js'

/* When a second load test is started, which costs as much as the first, and what two runs say together. */

const text = 'requests p95 <= baseline + 10 %'
const { gates } = parseGates(`${text}\nrequests errors <= 9`)
const [comparing] = gates
if (!comparing) throw new Error('There is no gate.')
const { figures } = regression()
const gate = (result: GateResult['result'], more: Partial<GateResult> = {}): GateResult => ({
  ...{ line: comparing.line, gate: comparing.text, ...placed('request "Home"'), metric: 'p95' },
  ...{ unit: 'ms', operator: '<=', limit: 500, value: result === 'failed' ? 600 : 400, result, ...more },
})
const absolute = (result: GateResult['result']) =>
  gate(result, { line: 2, gate: 'requests errors <= 9', ...placed('request "Cart"') })
const judged = (results: GateResult[], more: object = {}) => ({
  ...{ ...verdictOf(results), notes: ['first'], advice: [], gates: results },
  ...{ ...(figures && { figures }), ...more },
})

test.each([
  ['failed', {}, 'invalid'],
  ['error', {}, undefined],
  ['never', {}, undefined],
  ['failed', { first: { unfit: 'first-run', reason: '' } as const }, undefined],
] as const)(
  'with fail-on: %s, no earlier run and %j, it ends before a start as %s',
  (failOn, more, verdict) => {
    const { told, tell } = toldOutcome(regression().step)
    const baseline = { ...more, notes: ['Run 5 is left out.'], advice: ['Let main run.'] }
    let error: unknown
    try {
      checkCanCompare({ inputs: { ...loadTestInputs(), gates, failOn }, baseline, tell })
    } catch (thrown) {
      error = thrown
    }
    expect(error && brokenOff(error, undefined, new AbortController().signal)).toEqual(
      verdict && {
        verdict,
        reasons: reasonsAbout('inputs', 'There is no baseline to compare with, so nothing was started.'),
        advice: baseline.advice,
      },
    )
    expect(told().notes).toEqual(verdict ? baseline.notes : [])
  },
)

/** What becomes of a judgement, and what was asked of the service for that. */
async function looked(judgement: ReturnType<typeof judged>, left = 3_600_000, took = 0) {
  const refused = namelessAnswer(answered(403, calls.runCopy(1)))
  const { client, asked } = fakeService({
    startMethod: async () => 'POST',
    list: async () => [{ number: 1 }],
    authenticate: async () => undefined,
    runCopy: async () => refused,
  })
  const { log, lines } = keptLog()
  const step = regression().step
  const ignored = () => undefined
  const keep = {
    ...{ starting: async () => undefined, notStarted: ignored, tellsOf: ignored, run: ignored },
    ...{ archive: ignored, settled: ignored, measured: ignored },
  }
  const unused = () => {
    throw new Error('Nobody expected this.')
  }
  const world = {
    ...{ log, clock: simulatedClock(), signal: new AbortController().signal, attempt: 1, step, temp: '.' },
    ...{ keep, earlierStarts: unused, startOf: unused, xpathWorker: new URL('file:///none') },
  }
  const inputs = { ...loadTestInputs(), gates, timeout: left + took }
  const source = { template: { number: 1 } }
  const session = { inputs, world, client, ...toldOutcome(step) }
  const together = await secondLook(session, { judgement, run: { number: 8 }, source, took })
  return { together, outcome: session.told(), asked, lines }
}

test.each<[string, ReturnType<typeof judged>]>([
  ['all gates passed', judged([gate('passed'), absolute('passed')])],
  ['a gate failed that does not compare', judged([gate('passed'), absolute('failed')])],
  ['such a gate failed as well', judged([gate('failed'), absolute('failed')])],
  ['a gate was not measured', judged([gate('failed'), absolute('not-measured')])],
  [
    'results are missing as well',
    judged([gate('failed')], {
      reasons: [...verdictOf([gate('failed')]).reasons, ...reasonsAbout('report', 'No results.')],
    }),
  ],
  ['the verdict is another', judged([gate('failed')], { verdict: 'error' })],
  ['the report is partial', judged([gate('failed')], { figures: { ...figures, partial: 'cut' } })],
])('no second run is started if %s', async (_, judgement) => {
  const { together, outcome, asked } = await looked(judgement)
  expect(together).toBe(judgement)
  expect([asked, outcome.confirmation]).toEqual([[], undefined])
})

test('no second run is started if too little time is left for one, and a note says so', async () => {
  const took = (figures?.general.duration ?? 0) * 1000
  const judgement = judged([gate('failed'), absolute('passed')])
  const { together, asked } = await looked(judgement, took - 1)
  expect([together.verdict, asked]).toEqual(['failed', []])
  expect(together.notes).toEqual([
    'first',
    expect.stringMatching(/^No second run was started to confirm load test 8: /),
  ])
  expect((await looked(judgement, took)).asked).toContain('runCopy 1 POST')
  expect((await looked(judgement, -1)).together.notes[1]).toContain('only 0.0 s of the timeout is left')
  // It measured for a part of the time that it took.
  expect((await looked(judgement, 2 * took, 2 * took + 1)).asked).toEqual([])
  expect((await looked(judgement, 2 * took, 2 * took)).asked).toContain('runCopy 1 POST')
})

test('if only gates that compare failed, one is started; if that is refused, the verdict stands', async () => {
  const { together, outcome, asked, lines } = await looked(judged([gate('failed'), absolute('passed')]))
  expect(asked.filter((call) => call.startsWith('runCopy'))).toEqual(['runCopy 1 POST'])
  expect(lines[0]).toMatch(
    /^notice: Only gates that compare failed in load test 8\. .* costs as much as the first\.$/,
  )
  expect(together).toMatchObject({ verdict: 'failed', notes: ['first'] })
  expect(worded(together).reasons).toEqual([
    expect.stringContaining('600'),
    'The verdict of load test 8 stands, because the second run could not be judged:',
    expect.stringContaining('the load-testing service answered 403'),
  ])
  expect(outcome.confirmation).toMatchObject({ result: 'open', verdict: 'error' })
})

const second = (results: GateResult[], more: Partial<LoadTestOutcome> = {}): LoadTestOutcome => ({
  ...withPart(nothingYet('run', regression().step), { ...verdictOf(results), gates: results }),
  ...{ run: { number: 9, state: 'FINISHED' }, notes: ['first', 'hot'], ...more },
})

test.each<[string, LoadTestOutcome, string]>([
  ['failed', second([gate('failed'), absolute('passed')]), 'failed'],
  ['passed', second([gate('passed'), absolute('passed')]), 'passed'],
  ['failed at another gate only', second([gate('passed'), absolute('failed')]), 'passed'],
])('a gate that failed, then %s: %s together', (_, after, verdict) => {
  const together = confirmed(judged([gate('failed'), absolute('passed')]), 8, after)
  expect(together.verdict).toBe(verdict)
  expect(together.gates[0]).toMatchObject({ result: verdict, again: { result: after.gates[0]?.result } })
  expect(together.notes).toEqual(expect.arrayContaining(['first', 'Load test 9: hot']))
  expect(together.notes).not.toContain('Load test 9: first')
})

test('results of the first run that are missing stay a reason, and its gates are judged twice all the same', () => {
  const lost = reasonsAbout('results', 'The results could not be downloaded.')
  const one = judged([gate('failed')])
  const first = { ...one, reasons: [...one.reasons, ...lost] }
  expect(confirmed(first, 8, second([gate('passed')]))).toMatchObject({ verdict: 'passed', reasons: lost })
  const together = confirmed(first, 8, second([gate('failed')]))
  expect(together.reasons.map(({ about }) => about)).toEqual(['gate', 'results'])
})

test.each<[string, object, GateResult[], string]>([
  ['its own gates allow the errors of the second run', {}, [], '.'],
  // Other requests failed there than in the first.
  [
    'far more failed in both, but of other requests',
    { tooManyErrors: true },
    [{ ...absolute('failed'), builtIn: true, subject: 'request "C"' }],
    ':',
  ],
])('the first verdict stands all the same if %s', (_, more, errors, end) => {
  const first = { ...judged([gate('failed')]), ...more }
  const { verdict, reasons } = confirmed(
    first,
    8,
    second([gate('passed'), ...errors], { tooManyErrors: true }),
  )
  const text = `The verdict of load test 8 stands, because far more of the second run failed${end}`
  const introduces = errors.length > 0 ? { introduces: true } : {}
  expect([verdict, reasons[1]]).toEqual(['failed', { about: 'second-run', text, ...introduces }])
})

test('two runs with far more errors than usual are judged together', () => {
  const first = { ...judged([gate('failed')]), tooManyErrors: true }
  const { verdict, gates: results } = confirmed(first, 8, second([gate('passed')], { tooManyErrors: true }))
  expect([verdict, results[0]?.again?.result]).toEqual(['passed', 'passed'])
})

test.each<[string, LoadTestOutcome]>([
  ['was never found', second([], { verdict: 'error', reasons: reasonsAbout('step', 'No token.') })],
  ['was not finished', second([], { verdict: 'timed-out', reasons: reasonsAbout('run', 'It is late.') })],
  [
    'has no results',
    second([gate('passed')], { verdict: 'error', reasons: reasonsAbout('report', 'No results.') }),
  ],
  [
    'failed as a whole, so that what was left of it was fast',
    second([gate('passed'), absolute('failed')], { tooManyErrors: true }),
  ],
])('if the second run %s, the first verdict stands', (_, after) => {
  const first = judged([gate('failed')])
  const together = confirmed(first, 8, after)
  expect(together).toMatchObject({ verdict: 'failed', gates: first.gates, notes: ['first', 'hot'] })
  const [why, ...causes] = together.reasons.slice(first.reasons.length)
  expect(why).toMatchObject({ about: 'second-run', introduces: true })
  expect(causes).toEqual(after.reasons.map((reason) => ({ ...reason, about: 'second-run' })))
})

/* What the post step finds out about a step that was cut off: a run is never lost, and never more than guessed at. */

const begun = nothingYet('run', { actionVersion: '1', startedAt: '', seconds: 0 })
const project = { organization: 'acme', project: 'shop' }
const keeping = { baseUrl: 'https://x.test', project, scopes: [], deletesArchive: false }
const deleting = { ...keeping, deletesArchive: true }

type Remains = Pick<Plan, 'start' | 'refused' | 'run' | 'confirms' | 'archive' | 'service'>

/** What another step has started, and noted. */
const theirs = 9

async function found(remains: Remains, answers: Partial<Client>, service = keeping) {
  const { client, asked } = fakeService(answers)
  const { log, lines } = keptLog()
  const clock = simulatedClock()
  const cut = { client, log, clock, startOf: async (run: number) => run === theirs || undefined }
  const outcome = await aftermath({ remains: { service, ...remains }, ...cut }, begun)
  if (outcome.kind !== 'load-test') throw new Error('It is about a load test.')
  return { ...worded(outcome), asked, lines, pauses: clock.pauses }
}

const at = (state: string, more: Partial<LoadTest> = {}) => ({
  details: async (number: number): Promise<LoadTest> => ({ number, state, ...more }),
})
const interrupted = 'The step was interrupted: the job was cancelled, or its process was killed.'
const collect = (number: number) =>
  expect.stringContaining(`mode: collect and run-number: ${number}.`) as unknown
const start = {
  ...{ service: keeping.baseUrl, ...project, template: 1, attempt: 1 },
  ...{ id: 'a', highest: 1, at: '2026-11-22T10:00:00Z' },
}
const template = { number: 1, name: 'Webshop' }
const copy = { number: 2, name: 'Webshop (copy)' }
const archive = { sha512: 'a'.repeat(128), id: 'ca-2' }
const list = (...tests: LoadTest[]) => ({
  list: async () => [template, ...tests],
})

test('before a start nothing runs', async () => {
  expect(await found({}, {})).toMatchObject({
    ...{ verdict: 'cancelled', reasons: [interrupted, 'No load test was started.'], advice: [], asked: [] },
  })
})

test('without a service nothing is said about load tests', async () => {
  const { log } = keptLog()
  const cut = { remains: { service: keeping }, log, clock: simulatedClock(), startOf: async () => undefined }
  expect(await aftermath(cut, begun)).toMatchObject({
    verdict: 'cancelled',
    reasons: [{ about: 'step', text: interrupted }],
    notes: [],
  })
})

test.each([
  ['NEW', 'was still'],
  ['RUNNING', 'was still'],
  ['PAUSED', 'may still be'],
])('a run that is %s: %s running', async (state, verb) => {
  const { run, reasons, advice, notes, asked } = await found({ run: { number: 2 } }, at(state))
  expect(run).toMatchObject({ number: 2, state })
  expect({ reasons, notes, asked }).toEqual({ reasons: [interrupted], notes: [], asked: ['details 2'] })
  expect(advice).toEqual([expect.stringContaining(`Load test 2 ${verb} running.`), collect(2)])
})

test.each(['FINISHED', 'ABORTED', 'ERROR'])('a run that is %s has ended', async (state) => {
  const { reasons, advice } = await found({ run: { number: 2, url: 'https://x.test/2' } }, at(state))
  expect(reasons).toEqual([interrupted, `Load test 2 ended in ${state}: https://x.test/2`])
  expect(advice).toEqual([collect(2)])
  const bare = await found({ run: { number: 2 } }, at(state))
  expect(bare.reasons[1]).toBe(`Load test 2 ended in ${state}.`)
})

test('a run whose state cannot be read may be running', async () => {
  const details = () => Promise.reject(answered(503))
  const { run, notes, advice } = await found({ run: { number: 2 } }, { details })
  expect(run).toEqual({ number: 2, state: 'unknown' })
  expect(notes).toEqual([expect.stringMatching(/^The run's state could not be read\. /)])
  expect(advice).toContainEqual(collect(2))
})

test('of a second run, the first is named too: it can still be judged', async () => {
  const { reasons, advice } = await found({ run: { number: 2 }, confirms: 8 }, at('RUNNING'))
  expect(reasons[1]).toMatch(/^Gates that compare failed in load test 8; /)
  expect(advice.slice(1)).toEqual([collect(2), collect(8)])
})

describe('a start that was under way', () => {
  const own = { start: { ...start, archiveId: 'ca-2' }, archive }

  test('is found by the archive, at the first look', async () => {
    const { run, notes, pauses } = await found(own, {
      ...list({ ...copy, archiveId: 'ca-1' }, { ...copy, number: 3, archiveId: 'ca-2' }),
      ...at('RUNNING'),
    })
    expect(run).toMatchObject({ number: 3, state: 'RUNNING' })
    expect({ notes, pauses }).toEqual({ notes: [], pauses: [0] })
  })

  test('is found as the only copy, with a warning that this is a guess, after all looks', async () => {
    const { run, notes, pauses, advice } = await found({ start }, { ...list(copy), ...at('RUNNING') })
    expect(run).toMatchObject({ number: 2 })
    expect(notes).toEqual([expect.stringContaining('Load test 2 is the only new copy of load test 1')])
    expect(pauses).toEqual([0, 5000, 10_000, 20_000, 20_000])
    expect(advice).toContainEqual(collect(2))
  })

  const ours = { ...copy, archiveId: 'ca-2' }

  test.each<[string, Remains, LoadTest[]]>([
    ['two copies', { start }, [copy, { ...copy, number: 3 }]],
    ['two of our archive', own, [ours, { ...ours, number: 3 }]],
    ['one that is unlikely', own, [{ ...copy, archiveId: 'ca-1' }]],
    ['one of a low number', { start: { ...start, highest: 8 } }, [{ ...copy, startTime: Date.now() }]],
  ])('is not guessed if there are %s: all are named', async (_, remains, tests) => {
    const { run, reasons, advice } = await found(remains, { ...list(...tests), ...at('RUNNING') })
    expect(run).toBeUndefined()
    expect(reasons[1]).toMatch(/^It is not known which load test this step started, if any: 2 /)
    expect(advice).toContainEqual(collect(2))
  })

  test.each([[[]], [[{ ...copy, number: theirs }]]])('may still appear beside %j', async (others) => {
    const { reasons, advice, asked } = await found({ start }, list(...others))
    expect(reasons[1]).toBe('No new copy of load test 1 is in the list yet, although one was requested.')
    expect(advice).toEqual([expect.stringMatching(/^A copy of load test 1 may be running all the same/)])
    expect(asked).toHaveLength(5)
  })

  test('that was refused is none once the list has no copy', async () => {
    const { reasons, advice, pauses } = await found({ start, refused: true }, list())
    expect({ reasons: reasons.slice(1), advice }).toEqual({
      reasons: ['No load test was started.'],
      advice: [],
    })
    expect(pauses).toEqual([0, 5000])
    expect((await found({ start, refused: true }, { ...list(copy), ...at('RUNNING') })).run?.number).toBe(2)
  })

  /** A list that can be read at one of the five looks only. */
  const readAt = (look: number, ...tests: LoadTest[]) => {
    let looks = 0
    return async () => {
      if (++looks !== look) throw answered(503, calls.list())
      return [template, ...tests]
    }
  }

  test('is not known if the list cannot be read at the last look', async () => {
    const { reasons, advice, pauses } = await found({ start }, { list: readAt(1) })
    expect(pauses).toHaveLength(5)
    expect(reasons[1]).toMatch(/^It is not known whether a copy of load test 1 was started\. .* 503\./)
    expect(advice).toHaveLength(1)
  })

  test('is found although the list fails in between', async () => {
    const { run } = await found({ start }, { list: readAt(5, copy), ...at('RUNNING') })
    expect(run?.number).toBe(2)
  })

  test('a copy beside the run is named', async () => {
    const listed = list(copy, { ...copy, number: 3 })
    const { notes } = await found({ start, run: { number: 2 } }, { ...listed, ...at('RUNNING') })
    expect(notes).toEqual([expect.stringMatching(/^Load test 3 is a copy of load test 1 that appeared/)])
  })
})

describe('the code archive, if it is to be deleted', () => {
  const removed: string[] = []
  const remove = { deleteArchive: async (id: string) => void removed.push(id) }
  beforeEach(() => void (removed.length = 0))
  const run = { number: 2 }

  test.each([
    ...['NEW', 'PROVISIONING', 'PAUSED'].map((state) => [state, false] as const),
    ...['RUNNING', 'STOPPING', 'FINISHED', 'ERROR'].map((state) => [state, true] as const),
  ])('of a run that is %s is deleted: %s', async (state, isDeleted) => {
    const { notes } = await found({ run, archive }, { ...at(state), ...remove }, deleting)
    expect(removed).toEqual(isDeleted ? ['ca-2'] : [])
    const kept = [expect.stringMatching(/^The code archive ca-2 was not deleted, because/)]
    expect(notes).toEqual(isDeleted ? [] : kept)
    // Nobody wants it: any deletion would be a fault.
    expect((await found({ run, archive }, at(state))).notes).toEqual([])
  })

  test('is deleted if nothing was started, and kept if something may have been', async () => {
    await found({ archive }, remove, deleting)
    expect(removed).toEqual(['ca-2'])
    await found({ archive, start }, { ...list(), ...remove }, deleting)
    expect(removed).toEqual(['ca-2'])
    const { notes } = await found({ archive: { sha512: archive.sha512 } }, remove, deleting)
    expect([removed, notes]).toEqual([['ca-2'], [expect.stringContaining('the service did not name its id')]])
  })

  test('that cannot be deleted is reported', async () => {
    const deleteArchive = () => Promise.reject(answered(403, calls.deleteArchive('ca-2')))
    const { notes } = await found({ archive }, { deleteArchive }, deleting)
    expect(notes).toEqual([expect.stringMatching(/^The code archive was not deleted\. .* 403\./)])
  })
})

/* What becomes of a code archive that is to be deleted: it is kept as long as a run may be built from it. */

const nameless = { name: 'suite.zip', bytes: 1, files: 1, sha512: 'ab' }
const named = { ...nameless, id: 'ca-2' }
const run = { number: 2, state: 'FINISHED' }
const unbuilt = { number: 2, state: 'PROVISIONING' }

async function left(part: Part, { mayRun = false, isAborted = false, isRefused = false } = {}) {
  const deleteArchive = isRefused
    ? () => Promise.reject(answered(403, calls.deleteArchive('ca-2')))
    : async () => undefined
  const { client, asked } = fakeService({ deleteArchive })
  const telling = toldOutcome()
  telling.tell(part)
  const signal = isAborted ? AbortSignal.abort() : new AbortController().signal
  const session = { inputs: loadTestInputs(), world: { log: keptLog().log, signal }, client, ...telling }
  const notes = await leaveArchive(session, mayRun)
  return { notes, asked }
}

const deleted = ['deleteArchive ca-2']
const isKept = [
  expect.stringMatching(/^The code archive ca-2 was not deleted, because a run may still have to be built/),
]

test.each<[string, Part, boolean, string[], unknown[]]>([
  ['of a run that has ended', { archive: named, run }, true, deleted, []],
  ['of a run that has yet to be built', { archive: named, run: unbuilt }, true, [], isKept],
  ['of a run that is built', { archive: named, run: { number: 2, state: 'RUNNING' } }, true, deleted, []],
  ['of a start that came to nothing', { archive: named }, false, deleted, []],
  ['of a start that may have come to something', { archive: named }, true, [], isKept],
  ['of such a run, whatever else may run', { archive: named, run: unbuilt }, false, [], isKept],
  ['that was not uploaded, or has no id', { archive: nameless, run }, false, [], []],
  ['that was not packed', {}, false, [], []],
])('an archive %s', async (_, part, mayRun, asked, notes) => {
  expect(await left(part, { mayRun })).toEqual({ notes, asked })
})

test('an archive is kept until the second run is built, too', async () => {
  const both = (second: typeof run) => {
    const open = { result: 'open', verdict: 'timed-out', reasons: [], gates: [] } as const
    return { archive: named, run, confirmation: { ...open, run: second } }
  }
  expect(await left(both(unbuilt), { mayRun: true })).toEqual({ notes: isKept, asked: [] })
  expect(await left(both(run), { mayRun: true })).toEqual({ notes: [], asked: deleted })
})

test('a refusal is told, and what a cancelled job leaves is for the post step', async () => {
  const { notes } = await left({ archive: named, run }, { isRefused: true })
  expect(notes).toEqual([expect.stringMatching(/^The code archive was not deleted\. .* 403\./)])
  expect(await left({ archive: named, run }, { isAborted: true })).toEqual({ notes: [], asked: [] })
})
