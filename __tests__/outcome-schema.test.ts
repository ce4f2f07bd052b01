import { gateOutcomes, type GateResult } from '../src/gates/result.js'
import { operators } from '../src/language/gate.js'
import { verdicts, type Outcome } from '../src/outcome/outcome.js'
import { scorecardVerdicts, timerKinds, webVitalNames } from '../src/report/report.js'
import { parseOutcome } from '../src/outcome/outcome-file.js'
import { validateOutcome } from './outcome-validator.js'
import { historied, noHistory } from './publish/historied.js'
import {
  checked,
  everyOutcome,
  gate,
  invalid,
  loadTestFailed,
  merged,
  regression,
  started,
} from './publish/outcomes.js'

/** As read back from the file. */
function written(outcome: Outcome): unknown {
  const value: unknown = JSON.parse(JSON.stringify(outcome))
  return value
}

it.each(Object.entries({ ...everyOutcome, historied, noHistory }))('%s is an outcome', (_, make) => {
  expect(validateOutcome(written(make()))).toEqual([])
})

it.each([regression, invalid, loadTestFailed])('that of a load test is read as it was written', (make) => {
  expect(parseOutcome(JSON.stringify(make()))).toEqual(written(make()))
})

it.each<[Outcome, string]>([
  [merged(), 'is the merged outcome of a matrix, not of a load test'],
  [checked(), 'is the outcome of a step that judges no load test: check'],
  [noHistory(), 'is the outcome of a step that judges no load test: history'],
  [started(), 'is the outcome of a step that judges no load test: start'],
])('%# is not that of a judged load test', (outcome, sentence) => {
  expect(() => parseOutcome(JSON.stringify(outcome))).toThrow(sentence)
})

it('every verdict, result, operator and scorecard may be written', () => {
  const of = (more: object) => validateOutcome(written({ ...started(), ...more }))
  const gated = (more: Partial<GateResult>) => of({ gates: [gate(1, 'requests p95 <= 1 ms', more)] })
  expect(verdicts.flatMap((verdict) => of({ verdict }))).toEqual([])
  expect(gateOutcomes.flatMap((result) => gated({ result, reason: 'It is so.' }))).toEqual([])
  expect(operators.flatMap((operator) => gated({ operator }))).toEqual([])
  expect(scorecardVerdicts.flatMap((verdict) => of({ scorecard: { verdict, rules: [] } }))).toEqual([])
})

it('every web vital and kind of timer is known', () => {
  const outcome = regression()
  const { figures, comparison } = outcome
  if (!figures || !comparison) throw new Error('the example has no figures')
  figures.webVitals = webVitalNames.map((name) => ({ name, vitals: { [name]: { score: 1 } } }))
  comparison.rows = timerKinds.map((kind) => ({ kind, presence: 'added', baseline: {} }))
  expect(validateOutcome(written(outcome))).toEqual([])
})

/** One change each; `path` is the place of the fault. */
const broken: [string, Record<string, unknown>, string][] = [
  ['another format', { format: 2 }, '/format'],
  ['a kind that does not exist', { kind: 'run' }, '/kind'],
  ['an unknown verdict', { verdict: 'green' }, '/verdict'],
  ['reasons that are not a list', { reasons: 'slow' }, '/reasons'],
  ['a run without a number', { run: { url: 'https://x.example.com', state: 'NEW' } }, '/run'],
  ['a run with a number as text', { run: { number: '4', url: 'x', state: 'NEW' } }, '/run/number'],
  [
    'a time that is not ISO 8601',
    { run: { number: 4, url: 'x', state: 'NEW', startTime: '1772375700000' } },
    '/run/startTime',
  ],
  ['a short SHA-512', { archive: { sha512: 'ab', bytes: 1, files: 1, name: 'shop' } }, '/archive/sha512'],
  [
    'an ending that no report has',
    { report: { number: 1, path: '/x', ending: '.rar', bytes: 1 } },
    '/report/ending',
  ],
  ['a mode that does not exist', { mode: 'stop' }, '/mode'],
  ['a gate without a result', { gates: [{ gate: 'x', line: 1, subject: 'x', unit: 'ms' }] }, '/gates/0'],
  ['a unit that does not exist', { gates: [{ ...gate(1, 'x'), unit: 's' }] }, '/gates/0/unit'],
  ['figures without timers', { figures: { comments: [] } }, '/figures'],
]

it.each(broken)('%s is refused', (_name, change, path) => {
  const faults = validateOutcome({ ...invalid(), ...change })
  expect(faults.map((fault) => fault.split(' ', 1)[0])).toContain(path)
  expect(() => parseOutcome(JSON.stringify({ ...invalid(), ...change }))).toThrow(
    path === '/format' ? 'in another format' : `does not conform to docs/outcome.schema.json: ${path}`,
  )
})

it('a field that is not described is refused where an outcome is written, and read where a newer version wrote it', () => {
  const newer = { ...invalid(), extra: true }
  expect(validateOutcome(newer)).toEqual([expect.stringMatching(/^\/ must NOT have additional properties/)])
  expect(parseOutcome(JSON.stringify(newer))).toEqual(newer)
})
