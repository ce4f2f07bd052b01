import { parseGates } from '../../src/language/language.js'
import {
  judgedTwice,
  mayBeNoise,
  type GateOutcome,
  type GateResult,
  verdictOf,
} from '../../src/gates/result.js'
import { placed } from './example-report.js'

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
