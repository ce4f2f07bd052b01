import { confirmed, secondLook } from '../../src/actions/load-test/load-test.js'
import { parseGates } from '../../src/language/language.js'
import { verdictOf, type GateResult } from '../../src/gates/result.js'
import { toldOutcome, worded } from '../told.js'
import { loadTestInputs } from '../load-test-inputs.js'
import { nothingYet, withPart, type LoadTestOutcome } from '../../src/outcome/outcome.js'
import { namelessAnswer } from '../../src/service/service.js'
import { answered, calls, fakeService, simulatedClock } from '../fake-service.js'
import { keptLog } from '../kept-log.js'
import { placed } from '../gates/example-report.js'
import { regression } from '../publish/outcomes.js'
import { reasonsAbout } from '../../src/text/reason.js'

/* When a second load test is started, which costs as much as the first, and what two runs say together. */

const text = 'requests p95 <= baseline + 10 %'
const {
  gates: [comparing],
  gates,
} = parseGates(`${text}\nrequests errors <= 9`)
if (!comparing) throw new Error('There is no gate.')
const { figures } = regression()
const gate = (result: GateResult['result'], more: Partial<GateResult> = {}): GateResult => ({
  ...{ line: comparing.line, gate: comparing.text, ...placed('request "Home"'), metric: 'p95' },
  ...{ unit: 'ms', operator: '<=', limit: 500, value: result === 'failed' ? 600 : 400, result, ...more },
})
const absolute = (result: GateResult['result']) =>
  gate(result, { line: 2, gate: 'requests errors <= 9', ...placed('request "Cart"') })
const judged = (results: GateResult[], more: object = {}) => ({
  ...{
    ...verdictOf(results),
    notes: ['first'],
    advice: [],
    gates: results,
    ...(figures && { figures }),
    ...more,
  },
})

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
  const world = {
    ...{ log, clock: simulatedClock(), signal: new AbortController().signal, attempt: 1, step, temp: '.' },
    ...{
      keep: {
        starting: async () => undefined,
        notStarted: () => undefined,
        tellsOf: () => undefined,
        run: () => undefined,
        archive: () => undefined,
        settled: () => undefined,
        measured: () => undefined,
      },
    },
    ...unusedWorld(),
  }
  const inputs = { ...loadTestInputs(), gates, timeout: left + took }
  const source = { template: { number: 1 } }
  const session = { inputs, world, client, ...toldOutcome(step) }
  const together = await secondLook(session, { judgement, run: { number: 8 }, source, took })
  return { together, outcome: session.told(), asked, lines }
}

/** What no second look needs. */
function unusedWorld() {
  const unused = () => {
    throw new Error('Nobody expected this.')
  }
  const worker = new URL('file:///none')
  return { earlierStarts: unused, xpathWorker: worker }
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
  [
    'the report is about a part of the run',
    judged([gate('failed')], { figures: { ...figures, partial: 'cut' } }),
  ],
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
    expect.stringContaining('the service answered 403'),
  ])
  expect(outcome.confirmation).toMatchObject({ result: 'open', verdict: 'error' })
})

const second = (results: GateResult[], more: Partial<LoadTestOutcome> = {}): LoadTestOutcome =>
  withPart(nothingYet('run', regression().step), {
    ...{
      ...verdictOf(results),
      gates: results,
      run: { number: 9, state: 'FINISHED' },
      notes: ['first', 'hot'],
    },
    ...more,
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

test('if its own gates allow the errors of the second run, the first verdict stands all the same', () => {
  const { reasons } = confirmed(
    judged([gate('failed')]),
    8,
    second([gate('passed')], { tooManyErrors: true }),
  )
  const text = 'The verdict of load test 8 stands, because far more of the second run failed.'
  expect(reasons.slice(1)).toEqual([{ about: 'second-run', text }])
})

test('other requests fail in the second run: the first verdict stands, also if some did in the first', () => {
  const first = { ...judged([gate('failed')]), tooManyErrors: true }
  const errors = { ...absolute('failed'), builtIn: true as const, subject: 'request "C"' }
  const { verdict, reasons } = confirmed(first, 8, second([gate('passed'), errors], { tooManyErrors: true }))
  expect([verdict, reasons[1]?.text]).toEqual([
    'failed',
    'The verdict of load test 8 stands, because far more of the second run failed:',
  ])
})

test('two runs with far more errors than usual are judged together', () => {
  const first = { ...judged([gate('failed')]), tooManyErrors: true }
  const { verdict, gates: results } = confirmed(first, 8, second([gate('passed')], { tooManyErrors: true }))
  expect([verdict, results[0]?.again?.result]).toEqual(['passed', 'passed'])
})

test.each<[string, LoadTestOutcome]>([
  [
    'was never found',
    withPart(nothingYet('run', regression().step), {
      reasons: reasonsAbout('step', 'No token.'),
      notes: ['hot'],
    }),
  ],
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
  expect(together.reasons).toEqual([
    ...first.reasons,
    {
      about: 'second-run',
      text: expect.stringContaining('load test 8 stands') as unknown,
      introduces: true,
    },
    ...after.reasons.map((reason) => ({ ...reason, about: 'second-run' })),
  ])
})
