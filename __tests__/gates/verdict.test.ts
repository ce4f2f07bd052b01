import {
  isByGates,
  resultSentence,
  scorecardSentence,
  verdictOf,
  whatBecameOf,
  judgedTwice,
  mayBeNoise,
  type GateOutcome,
  type GateResult,
  type GatesVerdict,
} from '../../src/gates/result.js'
import { timerKinds, type Scorecard, type Report } from '../../src/report/report.js'
import { reasonsAbout } from '../../src/text/reason.js'
import { parseGates } from '../../src/language/language.js'
import { placed, report, requestReport, timer, unused } from './example-report.js'
import { buildBaseline } from '../../src/noise/baseline.js'
import { validityNotes } from '../../src/gates/gates.js'

function gate(outcome: GateOutcome, parts: Partial<GateResult> = {}): GateResult {
  return {
    gate: 'requests p95 <= 1 s',
    line: 1,
    subject: 'requests',
    metric: 'p95',
    unit: 'ms',
    result: outcome,
    ...parts,
  }
}
const slow = gate('failed', { value: 1200, limit: 1000, operator: '<=' })
const slowSentence = 'requests p95 is 1,200 ms; it must be at most 1,000 ms.'
const missing = gate('not-measured', { reason: 'The report has no requests.' })

test.each<[string, GateResult[], string, string[]]>([
  ['no gate', [], 'passed', []],
  [
    'nothing but what passed, warned or does not count',
    ['passed', 'warned', 'left-out', 'not-compared'].map((one) => gate(one as GateOutcome)),
    'passed',
    [],
  ],
  ['one that is not measured', [gate('passed'), missing], 'invalid', ['The report has no requests.']],
  ['one that failed', [gate('passed'), slow], 'failed', [slowSentence]],
  ['both', [missing, slow], 'failed', [slowSentence, 'The report has no requests.']],
])('the verdict of %s', (_, results, verdict, reasons) => {
  const judgement = verdictOf(results)
  expect(judgement.verdict).toBe(verdict)
  expect(judgement.reasons).toEqual(reasons.map((text) => ({ about: 'gate', line: 1, text })))
})

test.each([
  [20, undefined],
  [21, ['1 more gate failed as well.', '1 more gate could not be judged.']],
  [23, ['3 more gates failed as well.', '3 more gates could not be judged.']],
])('of %d gates of a kind twenty are named, the others counted', (count, rest) => {
  const many = (one: GateResult) => Array.from({ length: count }, () => one)
  expect(verdictOf(many(slow)).reasons.slice(20)).toEqual(reasonsAbout('gate', ...(rest?.slice(0, 1) ?? [])))
  expect(verdictOf(many(missing)).reasons.slice(20)).toEqual(reasonsAbout('gate', ...(rest?.slice(1) ?? [])))
})

const byGate = reasonsAbout('gate', 'Any sentence.')
const lost = (what: 'report' | 'results') => reasonsAbout(what, 'It could not be downloaded.')

test.each<[string, Parameters<typeof isByGates>[0], boolean]>([
  ['all passed', { verdict: 'passed', reasons: [] }, true],
  ['one failed', { verdict: 'failed', reasons: byGate }, true],
  ['the report is missing as well', { verdict: 'failed', reasons: [...byGate, ...lost('report')] }, false],
  ['results that no gate reads are', { verdict: 'failed', reasons: [...byGate, ...lost('results')] }, true],
  ['the step ended in an error', { verdict: 'error', reasons: byGate }, false],
  ['the run is invalid', { verdict: 'invalid', reasons: byGate }, false],
])('whether only the gates decided, if %s', (_, of, expected) => {
  expect(isByGates(of)).toBe(expected)
})

const counted = { value: 2, limit: 3, metric: 'count', unit: 'number' } as const
const atMost = { value: 1200, limit: 1000, operator: '<=' } as const

test.each<[Partial<GateResult>, string]>([
  [atMost, slowSentence],
  [{ value: 1000, limit: 1000, operator: '<' }, 'requests p95 is 1,000 ms; it must be below 1,000 ms.'],
  [{ ...counted, operator: '>=' }, 'requests count is 2; it must be at least 3.'],
  [{ ...counted, operator: '=' }, 'requests count is 2; it must be 3.'],
  [{ ...counted, value: 0, limit: 0, operator: '>' }, 'requests count is 0; it must be above 0.'],
  [{ ...atMost, reason: 'The load may explain it.' }, `${slowSentence} The load may explain it.`],
  [{ ...atMost, name: 'Login\nis fast' }, `Login is fast: ${slowSentence}`],
  [{ name: 'Login', reason: 'The report has no requests.' }, 'Login: The report has no requests.'],
  [{ value: 1200, operator: '<=', reason: 'There is no baseline.' }, 'There is no baseline.'],
  [{ limit: 1000, operator: '<=', reason: 'There are no requests.' }, 'There are no requests.'],
  [{ value: 1200, limit: 1000, reason: 'It has no operator.' }, 'It has no operator.'],
  [{}, 'requests p95 failed.'],
])('the sentence of %j', (parts, sentence) => {
  expect(resultSentence(gate('failed', parts))).toBe(sentence)
})

test('the sentence of a gate without a metric, such as xpath', () => {
  const xpath = { gate: 'xpath(1) = 2', line: 1, subject: 'xpath', unit: 'number', result: 'failed' } as const
  expect(resultSentence({ ...xpath, value: 1, limit: 2, operator: '=' })).toBe('xpath is 1; it must be 2.')
})

const rule = (name: string, failedTest: boolean, message?: string) => ({
  name,
  group: 'g',
  result: failedTest ? ('not-passed' as const) : ('passed' as const),
  failsTest: true,
  failedTest,
  values: [],
  ...(message === undefined ? {} : { message }),
})

const failed = (...rules: Scorecard['rules']): Scorecard => ({ verdict: 'failed', rules })
const inError: Scorecard = { verdict: 'error', rules: [] }
const all = (names: string, message?: string) => [...names].map((name) => rule(name, true, message))

test.each<[Scorecard, string]>([
  [failed(), 'The scorecard failed.'],
  [failed(rule('Errors', true), rule('Times', false)), 'The scorecard failed: Errors.'],
  [failed(...all('ABC')), 'The scorecard failed: A, B, C.'],
  [failed(...all('ABCDE', 'many')), 'The scorecard failed: A (many), B (many), C (many), 2 more.'],
  [failed(...all('FFF', 'F'), ...all('E', 'many')), 'The scorecard failed: F, E (many).'],
  [{ ...inError, error: 'No e.g. selector.' }, 'The scorecard could not be evaluated: No e.g. selector.'],
  [inError, 'The scorecard could not be evaluated.'],
])('a scorecard %j', (scorecard, sentence) => {
  expect(scorecardSentence(scorecard)).toBe(sentence)
})

test.each<[GatesVerdict[], string]>([
  [['passed'], '0 of 1 run would have failed'],
  [['failed', 'passed', 'failed'], '2 of 3 runs would have failed'],
  [['failed', 'invalid', 'passed'], '1 of 3 runs would have failed, and 1 could not have been judged'],
])('what became of runs with the verdicts %j', (verdicts, sentence) => {
  expect(whatBecameOf(verdicts)).toBe(sentence)
})

const runs = { first: 41, second: 42 }
const lines = [
  'request "*" p95 <= baseline + 10 %',
  'requests mean <= 1 s',
  'warn: requests max <= baseline',
  'scorecard passes',
  'requests p99 <= baseline - 5 % strict',
]
const { gates } = parseGates(lines.join('\n'))

function result(line: number, outcome: GateOutcome, subject = 'request "A"', value = 470): GateResult {
  return {
    ...{ gate: lines[line - 1] ?? '', line, ...placed(subject) },
    ...{ metric: 'p95', unit: 'ms', value, result: outcome },
  }
}

test.each<[string, GateResult[], boolean]>([
  ['nothing failed', [result(1, 'passed')], false],
  ['a gate that compares failed', [result(1, 'failed'), result(2, 'passed'), result(3, 'warned')], true],
  ['a strict one, too', [result(1, 'failed'), result(5, 'failed')], true],
  ['a fixed limit failed', [result(1, 'failed'), result(2, 'failed')], false],
  ['the scorecard failed', [result(1, 'failed'), result(4, 'failed')], false],
  ['something was not measured', [result(1, 'failed'), result(2, 'not-measured')], false],
])('a second run is started, or not, if %s', (_, results, asked) => {
  expect(mayBeNoise(results, gates)).toBe(asked)
})

test.each([
  ['the same line of another file', { file: 'gates.txt' }],
  ['another line', { line: 2 }],
  ['another text in the same line', { gate: 'requests p95 <= 1 s' }],
])('a gate with a fixed limit does not count as one that compares, although it has %s', (_, place) => {
  const both = [...gates, ...gates.map((gate) => ({ ...gate, file: 'more.txt' }))]
  const failed = { ...result(1, 'failed'), ...place }
  expect(mayBeNoise([failed], both)).toBe(false)
})

/** What the rule for errors found, with a baseline or without. */
const builtIn = (baseline?: number): GateResult => ({
  ...{
    ...result(1, 'failed'),
    line: 0,
    gate: 'request "*" error-rate < baseline + 13 pp',
    metric: 'error-rate',
  },
  ...{ unit: '%', builtIn: true, ...(baseline !== undefined && { baseline }) },
})

test('errors above the built-in limit may be chance if they were compared; if a second run has none, they were', () => {
  expect(mayBeNoise([builtIn(0.2)], gates)).toBe(true)
  expect(mayBeNoise([builtIn()], gates)).toBe(false)
  const { results, notes } = judgedTwice([builtIn(0)], [], runs)
  expect(results[0]).toMatchObject({ result: 'passed', again: { result: 'passed' } })
  expect(notes).toEqual([
    expect.stringMatching(/^Not confirmed: request "A" error-rate failed in load test 41/),
  ])
  expect(judgedTwice([builtIn(0)], [builtIn(0)], runs).results[0]?.result).toBe('failed')
})

const notMeasured = 'Load test 42 did not measure it.'

test.each<[GateOutcome, GateOutcome | 'absent', GateOutcome, string | undefined]>([
  ['failed', 'failed', 'failed', 'Load test 42 confirms it, with 432 ms.'],
  ['failed', 'passed', 'passed', 'Load test 42 does not confirm it, with 432 ms.'],
  ['failed', 'warned', 'warned', 'Load test 42 does not confirm it, with 432 ms.'],
  ['failed', 'not-measured', 'failed', notMeasured],
  ['failed', 'left-out', 'failed', notMeasured],
  ['failed', 'not-compared', 'failed', notMeasured],
  ['failed', 'absent', 'failed', notMeasured],
  ['passed', 'failed', 'passed', undefined],
  ['warned', 'passed', 'warned', undefined],
])('%s in the first run and %s in the second: %s', (first, second, together, reason) => {
  const again = second === 'absent' ? [] : [result(1, second, 'request "A"', 432)]
  const { results } = judgedTwice([result(1, first)], again, runs)
  expect(results[0]?.reason).toBe(reason)
  expect(results.map((one) => one.result)).toEqual([together])
  expect(results[0]?.value).toBe(470)
  expect(results[0]?.again).toEqual(
    first !== 'failed'
      ? undefined
      : second === 'absent'
        ? { result: 'not-measured' }
        : { result: second, value: 432 },
  )
})

test('each match of a wildcard is compared with the same timer in the other run', () => {
  const first = [result(1, 'failed', 'request "A"'), result(1, 'failed', 'request "B"')]
  const second = [result(1, 'failed', 'request "B"', 480), result(1, 'passed', 'request "A"', 400)]
  const { results, notes } = judgedTwice(first, second, runs)
  expect(results.map(({ subject, result: found }) => [subject, found])).toEqual([
    ['request "A"', 'passed'],
    ['request "B"', 'failed'],
  ])
  expect(verdictOf(results).verdict).toBe('failed')
  expect(results[1]?.reason).toBe('Load test 42 confirms it, with 480 ms.')
  expect(notes).toEqual([
    'Not confirmed: request "A" p95 failed in load test 41, with 470 ms, but passed in load test 42, with 400 ms.',
  ])
})

test('of more than a few, one note says how many; the table has each', () => {
  const four = (outcome: GateOutcome) =>
    [1, 2, 3, 4].map((line) => result(line, outcome, `request "${line}"`))
  expect(judgedTwice(four('failed'), four('passed'), runs).notes).toEqual([
    'Not confirmed: 4 gates failed in load test 41, but passed in load test 42.',
  ])
})

test('a gate that fails only in the second run causes a note', () => {
  const { results, notes } = judgedTwice(
    [result(1, 'failed'), result(2, 'passed', 'requests', 900)],
    [result(1, 'passed'), result(2, 'failed', 'requests', 1200)],
    runs,
  )
  expect(verdictOf(results)).toEqual({ verdict: 'passed', reasons: [] })
  expect(notes[1]).toMatch(
    /^requests p95 failed in load test 42 only, with 1,?200 ms; that does not change the verdict\.$/,
  )
})

test('a note is about what failed, and only in one of the runs', () => {
  const scorecard = (outcome: GateOutcome): GateResult => ({
    gate: 'scorecard passes',
    line: 4,
    subject: 'scorecard',
    unit: 'number',
    result: outcome,
  })
  const { results, notes } = judgedTwice(
    [{ ...result(1, 'failed'), reason: 'The load may explain it.' }, scorecard('failed')],
    [result(1, 'failed', 'request "A"', 480), scorecard('passed'), result(2, 'passed'), result(3, 'failed')],
    runs,
  )
  expect(results[0]?.reason).toBe('The load may explain it. Load test 42 confirms it, with 480 ms.')
  expect(notes).toEqual([
    'Not confirmed: scorecard failed in load test 41, but passed in load test 42.',
    'request "A" p95 failed in load test 42 only, with 470 ms; that does not change the verdict.',
  ])
})

test('names that begin alike are several timers, and so is one name in two kinds', () => {
  const long = 'A'.repeat(200)
  const alike = Array.from({ length: 5 }, (_, at) => ({
    ...result(1, 'failed', `request "${long}"`),
    place: {
      kind: at === 4 ? ('actions' as const) : ('requests' as const),
      name: `${long}${at === 4 ? '1' : at}`,
    },
  }))
  const second = alike.map((one, at): GateResult => ({ ...one, result: at === 0 ? 'passed' : 'failed' }))
  const { results } = judgedTwice(alike, second.reverse(), runs)
  expect(results.map((one) => one.result)).toEqual(['passed', 'failed', 'failed', 'failed', 'failed'])
})

function notes(now: Report, ...before: Report[]): string[] {
  const baseline = buildBaseline(before)
  return validityNotes(now, baseline ? { baseline } : {})
}

describe('notes', () => {
  /** Load generators a, b and c. */
  const busy = (...cpu: number[]) =>
    report({ agents: cpu.map((totalMean, at) => ({ name: 'abc'.charAt(at), totalMean })) })

  it.each([
    [
      'load generators above 80% CPU, the busiest first',
      [busy(80, 81, 95.5)],
      /^The mean CPU use of 2 load generators was above 80%: c 95\.5%, b 81%\. /,
    ],
    ['one of them', [busy(80.1)], /of 1 load generator was above 80%: a 80\.1%/],
    [
      'their mean, where none is listed',
      [report({ agentSummary: { totalMean: 90 } })],
      /^The mean CPU use over all/,
    ],
    [
      'a run much shorter than its baseline',
      [report({ general: { duration: 479 } }), report({ general: { duration: 600 } })],
      /^The run was much shorter than its baseline: 7 min 59 s instead of 10 min\.$/,
    ],
    [
      'a request that vanished',
      [requestReport([]), requestReport([timer('A')])],
      /^1 request of the baseline is missing from this run: "A"\.$/,
    ],
    [
      'a request that is no longer made',
      [requestReport([unused('A')]), requestReport([timer('A')])],
      /missing from this run: "A"/,
    ],
    [
      'new requests, five of them by name',
      [requestReport(['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name) => timer(name))), requestReport([])],
      /^7 requests are new since the baseline: "A", "B", "C", "D", "E" and 2 more\.$/,
    ],
    [
      'another load',
      [report({}, { requests: { summary: timer('All', { count: 400 }), timers: [] } }), requestReport([])],
      /^The load is not that of the baseline: the throughput of requests is 40% of the baseline's\.$/,
    ],
    [
      'another engine version',
      [report({ engineVersion: 'Engine 10' }), report({ engineVersion: 'Engine 9' })],
      /^The engine's version differs from the baseline's: Engine 10 instead of Engine 9\.$/,
    ],
    [
      'a baseline that is younger than the run',
      [report({ general: { startTime: 1 } }), report({ general: { startTime: 2 } })],
      /^The baseline is newer than the run\. Better and worse are reversed/,
    ],
  ])('%s', (_what, [now, ...before], expected) => {
    if (!now) throw new Error('no report')
    const found = notes(now, ...before)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(expected)
  })

  it('a run like its baseline has none', () => {
    const made = {
      ...requestReport([timer('A')]),
      agents: [{ name: 'a', totalMean: 80 }],
    }
    expect(notes(made, made)).toEqual([])
    expect(notes(made)).toEqual([])
    const [most, all] = [480, 600].map((duration) => report({ general: { duration } }))
    expect(most && all && notes(most, all)).toEqual([])
  })

  it('errors of which the report knows nothing', () => {
    const one = { name: 'Home', count: 9, mean: 5, percentiles: {} }
    const of = (...timers: Report['timers']['requests']['timers']) => {
      const bare = report()
      for (const kind of timerKinds) bare.timers[kind] = { timers: [] }
      bare.timers.requests = { timers }
      return bare
    }
    expect(notes(of(one, one))).toEqual([
      expect.stringMatching(/^The report does not say what failed, so errors were not judged\./),
    ])
    expect(notes(of(one, { ...one, errors: 0 }))).toEqual([])
    expect(notes(of())).toEqual([])
  })

  it('what is unknown causes none', () => {
    const bare = report({ general: {} })
    delete bare.engineVersion
    expect(notes(bare, report())).toEqual([])
    expect(notes(report(), bare)).toEqual([])
  })

  it('a scorecard that no gate is about', () => {
    const scorecard = (verdict: Scorecard['verdict']): Scorecard => ({ verdict, rules: [] })
    const { gates } = parseGates('requests p95 <= 1 s')
    const asking = parseGates('requests p95 <= 1 s\nscorecard passes').gates
    expect(validityNotes(report(), { scorecard: scorecard('failed'), gates })).toEqual([
      'The report\'s scorecard failed, and no gate asks for it. Add the gate "scorecard passes" to count it.',
    ])
    expect(validityNotes(report(), { scorecard: scorecard('error'), gates })).toEqual([
      expect.stringMatching(/^The report's scorecard could not be evaluated, and no gate/),
    ])
    expect(validityNotes(report(), { scorecard: scorecard('passed'), gates })).toEqual([])
    expect(validityNotes(report(), { scorecard: scorecard('failed'), gates: asking })).toEqual([])
    expect(validityNotes(report(), { scorecard: scorecard('failed'), gates: [] })).toEqual([])
  })

  it('foreign names become bounded single lines', () => {
    const odd = `x\n::error::\u202e${'y'.repeat(5000)}`
    const found = notes(
      {
        ...requestReport([timer(odd)]),
        agents: [{ name: odd, totalMean: 99 }],
        engineVersion: odd,
      },
      report(),
    )
    expect(found).toHaveLength(3)
    for (const note of found) {
      expect(note).not.toMatch(/[\n\u202e]/)
      expect(note.length).toBeLessThan(300)
    }
  })
})
