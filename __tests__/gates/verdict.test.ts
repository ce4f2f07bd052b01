import {
  type GateOutcome,
  type GateResult,
  type GatesVerdict,
  isByGates,
  resultSentence,
  scorecardSentence,
  verdictOf,
  whatBecameOf,
} from '../../src/gates/result.js'
import type { Scorecard } from '../../src/report/report.js'
import { reasonsAbout } from '../../src/text/reason.js'

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

test.each<[string, Parameters<typeof isByGates>[0], boolean]>([
  ['all passed', { verdict: 'passed', reasons: [] }, true],
  ['one failed', { verdict: 'failed', reasons: byGate }, true],
  [
    'the report is missing as well',
    { verdict: 'failed', reasons: [...byGate, ...reasonsAbout('report', slowSentence)] },
    false,
  ],
  [
    'results that no gate reads are missing',
    { verdict: 'failed', reasons: [...byGate, ...reasonsAbout('results', slowSentence)] },
    true,
  ],
  ['the step ended in an error', { verdict: 'error', reasons: byGate }, false],
  ['the run is invalid', { verdict: 'invalid', reasons: byGate }, false],
])('whether only the gates decided, if %s', (_, of, expected) => {
  expect(isByGates(of)).toBe(expected)
})

test.each<[Partial<GateResult>, string]>([
  [{ value: 1200, limit: 1000, operator: '<=' }, slowSentence],
  [{ value: 1000, limit: 1000, operator: '<' }, 'requests p95 is 1,000 ms; it must be below 1,000 ms.'],
  [
    { value: 2, limit: 3, operator: '>=', metric: 'count', unit: 'number' },
    'requests count is 2; it must be at least 3.',
  ],
  [
    { value: 2, limit: 3, operator: '>', metric: 'count', unit: 'number' },
    'requests count is 2; it must be above 3.',
  ],
  [
    { value: 2, limit: 3, operator: '=', metric: 'count', unit: 'number' },
    'requests count is 2; it must be 3.',
  ],
  [
    { value: 0, limit: 0, operator: '>', metric: 'count', unit: 'number' },
    'requests count is 0; it must be above 0.',
  ],
  [
    { value: 1200, limit: 1000, operator: '<=', reason: 'The load may explain it.' },
    `${slowSentence} The load may explain it.`,
  ],
  [{ value: 1200, limit: 1000, operator: '<=', name: 'Login\nis fast' }, `Login is fast: ${slowSentence}`],
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

test.each<[Scorecard, string]>([
  [{ verdict: 'failed', rules: [] }, 'The scorecard failed.'],
  [
    { verdict: 'failed', rules: [rule('Errors', true), rule('Times', false)] },
    'The scorecard failed: Errors.',
  ],
  [
    { verdict: 'failed', rules: ['A', 'B', 'C'].map((name) => rule(name, true)) },
    'The scorecard failed: A, B, C.',
  ],
  [
    { verdict: 'failed', rules: ['A', 'B', 'C', 'D', 'E'].map((name) => rule(name, true, 'too many')) },
    'The scorecard failed: A (too many), B (too many), C (too many), 2 more.',
  ],
  [
    {
      verdict: 'failed',
      rules: [...['F', 'F', 'F'].map((name) => rule(name, true, name)), rule('Errors', true, 'too many')],
    },
    'The scorecard failed: F, Errors (too many).',
  ],
  [
    { verdict: 'error', rules: [], error: 'No e.g. selector.' },
    'The scorecard could not be evaluated: No e.g. selector.',
  ],
  [{ verdict: 'error', rules: [] }, 'The scorecard could not be evaluated.'],
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
