import { ReportError } from '../../src/errors.js'
import {
  earlierRun,
  parseOutcome,
  tooLarge,
  flawOf,
  type ParsedOutcome,
} from '../../src/outcome/outcome-file.js'
import { report, timer } from '../gates/example-report.js'
import { accepted, regression } from '../publish/outcomes.js'

/* What somebody else may have put into an outcome file: field by field. */

const full = report(
  {
    projectName: 'Shop',
    agents: [{ name: 'a', totalMean: 40, transactions: 10 }],
    agentSummary: { totalMean: 40 },
    webVitals: [
      {
        name: 'Home',
        vitals: { lcp: { score: 900, rating: 'good', goodCount: 9, improveCount: 1, poorCount: 0 } },
      },
    ],
    errors: [{ message: 'timeout', count: 3, places: ['Login'] }],
    responseCodes: [{ code: 200, text: 'OK', count: 1000 }],
    loadProfile: [{ name: 'TOrder', settings: { users: '5' } }],
    comments: ['nightly'],
  },
  { requests: { summary: timer('All Requests'), timers: [timer('Login')] } },
)
const outcome = {
  ...{ format: 1, kind: 'load-test', mode: 'judge', verdict: 'passed', reasons: [], advice: [], notes: [] },
  ...{ step: { actionVersion: '1', startedAt: '2026-11-25T01:00:00Z', seconds: 1 }, gates: [] as unknown },
  figures: full as unknown,
}
const read = (fields: object): ParsedOutcome => {
  const run = earlierRun(parseOutcome(JSON.stringify({ ...outcome, ...fields })))
  if (!run) throw new ReportError('contains no figures')
  return run
}

/** The figures with another value at a path, or without it. */
function withAt(at: string, value: unknown): object {
  const copy = structuredClone(full)
  const keys = at.split('.')
  const last = keys.pop() ?? ''
  let target = copy as unknown as Record<string, unknown>
  for (const key of keys) target = target[key] as Record<string, unknown>
  target[last] = value
  return copy
}

test('figures of every kind are taken unchanged', () => {
  expect(read({})).toMatchObject({ report: full, verdict: 'passed', limits: [] })
  expect(read(regression()).report).toEqual(regression().figures)
})

test.each<[string, unknown[]]>([
  ['engineVersion projectName partial', [null, 7, [], {}]],
  ['comments', [undefined, null, 'x', {}, [7], [null]]],
  ['general timers', [undefined, null, 7, [7]]],
  ['general.duration', [null, '7', [], -1e300]],
  [
    Object.keys(full.timers).join(' ').replace(/\w+/g, 'timers.$&'),
    [undefined, 7, [], {}, { timers: {} }, { timers: [{}] }],
  ],
  ['timers.requests.summary', [null, 7, {}]],
  ['timers.requests.timers.0.percentiles', [undefined, null, [7], { p95: '400' }]],
  ['timers.requests.timers.0.count', [null, '7', 1e308]],
  ['webVitals agents errors responseCodes loadProfile', [undefined, {}, [null], [7], [{}]]],
  ['timers.requests.timers.0.name webVitals.0.name agents.0.name loadProfile.0.name', [undefined, 7]],
  ['webVitals.0.vitals', [undefined, null, 7, { lcp: null }, { lcp: {} }]],
  ['webVitals.0.vitals.lcp.score', [undefined, '900']],
  ['webVitals.0.vitals.lcp.rating', [7, null]],
  ['webVitals.0.vitals.lcp.goodCount webVitals.0.vitals.lcp.poorCount', [null, '9']],
  ['agents.0.totalMean webVitals.0.vitals.lcp.improveCount', [null, '40']],
  ['agentSummary', [null, 7, 'x', { totalMean: '40' }]],
  ['errors.0.message responseCodes.0.text', [undefined, 7]],
  ['errors.0.count responseCodes.0.code responseCodes.0.count', [undefined, '3']],
  ['errors.0.places', [undefined, 'x', [7]]],
  ['loadProfile.0.settings', [undefined, null, 7, { users: 5 }]],
])('figures with another %s are refused', (paths, values) => {
  for (const [at, value] of paths.split(' ').flatMap((one) => values.map((other) => [one, other] as const))) {
    // The path of the faulty field, or of the one that lacks it.
    const where = `/figures/${at.replaceAll('.', '/')}`
    const parent = where.slice(0, where.lastIndexOf('/'))
    expect(() => read({ figures: withAt(at, value) })).toThrow(
      `does not conform to docs/outcome.schema.json: ${value === undefined ? parent : where}`,
    )
  }
})

test('figures may lack what a report may lack', () => {
  const names = 'engineVersion projectName agentSummary timers.requests.summary general.duration'
  for (const at of [...names.split(' '), 'webVitals.0.vitals.lcp.rating', 'webVitals.0.vitals.lcp.goodCount'])
    expect(read({ figures: withAt(at, undefined) })).toHaveProperty('report')
})

const text = JSON.stringify(outcome)
const nested = (levels: number) =>
  `{"format":1,"verdict":"passed","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

test.each<[string, string, string]>([
  ['nothing', '', 'is not JSON'],
  ['what was cut off', text.slice(0, -9), 'is not JSON'],
  ['a list', '[]', 'is not an outcome file'],
  ['null', 'null', 'is not an outcome file'],
  ['other fields', '{"a": 1}', 'is not an outcome file'],
  ['another format', text.replace('"format":1', '"format":"1"'), 'is an outcome file in another format'],
  ['no kind', text.replace('"kind":"load-test",', ''), 'docs/outcome.schema.json: / lacks kind'],
  [
    'a number that is not one',
    text.replace('"p95":400', '"p95":1e999'),
    'p95 does not match "type": "number"',
  ],
  ['a time before all time', text.replace('"p95":400', '"p95":1e-300'), 'p95 is not a measurement'],
  [
    'a text for the last of two fields',
    text.replace('"gates":[]', '"gates":[],"gates":"x"'),
    '/gates does not match "type": "array"',
  ],
  ['fields of the prototype', text.replace('"gates":[]', '"__proto__":{"gates":[]}'), '/ lacks gates'],
  [
    'figures of a second run',
    text.replace('"gates"', '"confirmation":{"figures":{}},"gates"'),
    '/confirmation lacks',
  ],
  ['101 levels', nested(101), 'is nested more than 100 levels deep'],
  ['100 levels', nested(100), 'docs/outcome.schema.json: / lacks kind'],
  ['levels without an end', '{"a":'.repeat(101), 'is nested more than 100 levels deep'],
  ['levels after a backslash', `{"a":"\\\\","x":${nested(100)}}`, 'is nested more than 100 levels deep'],
])('%s is refused with its mistake', (_, given, fault) => {
  expect(() => parseOutcome(given)).toThrow(ReportError)
  expect(() => parseOutcome(given)).toThrow(fault)
})

test('a text is nested as deep as its brackets say, whatever its strings contain', () => {
  expect(read({ notes: [`\\"${'[{'.repeat(200)}`], more: '"' })).toHaveProperty('report')
  expect(read({ list: Array.from({ length: 200 }, () => [{}]) })).toHaveProperty('report')
})

test.each([`\ufeff${text}`, text.replace('{', ' \n{ ')])(
  'blanks and a byte order mark do not matter',
  (given) => {
    expect(parseOutcome(given)).toEqual(JSON.parse(text))
  },
)

test('a run that read no report has no figures', () => {
  expect(earlierRun(parseOutcome(JSON.stringify({ ...outcome, figures: undefined })))).toBeUndefined()
})

describe('a run that was confirmed', () => {
  const second = report({ projectName: 'second' })
  const scorecard = { verdict: 'failed', rules: [] }
  const confirmation = { verdict: 'failed', reasons: [], gates: [] }

  test.each<[string, object, string, object | undefined]>([
    ['has the figures of its second run', { result: 'confirmed', figures: second }, 'second', undefined],
    ['whose confirmation is open has its own', { result: 'open', figures: second }, 'Shop', scorecard],
    ['without figures has its own', { result: 'confirmed' }, 'Shop', scorecard],
  ])('%s', (_, fields, projectName, kept) => {
    const run = read({ scorecard, confirmation: { ...confirmation, ...fields } })
    expect(run.report.projectName).toBe(projectName)
    expect(run.scorecard).toEqual(kept)
  })
})

test('who accepted what, and where it was measured', () => {
  expect(read(regression())).not.toHaveProperty('acceptedBy')
  expect(read(accepted())).toMatchObject({ verdict: 'accepted', acceptedBy: 'octocat' })
  const place = { commit: 'abc', workflowRunUrl: 'https://x.test/1' }
  expect(read({ step: { ...outcome.step, ...place } })).toMatchObject(place)
})

describe('the limits that its gates set', () => {
  const [all, one] = [{ kind: 'requests' }, { kind: 'requests', name: 'A' }]
  const made = { line: 1, subject: 'requests', result: 'passed', metric: 'p95', unit: 'ms', limit: 1000 }
  const gate = { ...made, gate: 'requests p95 <= 1 s', place: all }
  const limit = { place: all, metric: 'p95', limit: 1000 }

  test.each<[string, unknown[], object[]]>([
    ['a fixed one', [gate], [limit]],
    ['one for each match', [gate, { ...gate, place: one }], [limit, { ...limit, place: one }]],
    ['one for each of many', [{ ...gate, place: undefined, matches: [one] }], [{ ...limit, place: one }]],
    [
      'one of a request of that name',
      [{ ...gate, gate: 'request "baseline" p95 <= 1 s', place: one }],
      [{ ...limit, place: one }],
    ],
    ['none that follows the baseline', [{ ...gate, gate: 'requests p95 <= baseline' }], []],
    ['none of the scorecard', [{ ...gate, gate: 'scorecard passes' }], []],
    ['none that is not a gate', [{ ...gate, gate: 'fast' }], []],
    ['none in another unit', [{ ...gate, unit: '/min' }], []],
    ['none beyond all measure', [{ ...gate, limit: 1e308 }], []],
    ['none without a limit', [{ ...gate, limit: undefined }], []],
    ['none without a place', [{ ...gate, place: undefined }], []],
  ])('%s', (_, gates, limits) => {
    expect(read({ gates }).limits).toEqual(limits)
  })
})

test.each([
  [undefined, true],
  [0, true],
  [50_000_000, true],
  [50_000_001, false],
])('an outcome of %s bytes is fetched: %s', (bytes, isFetched) => {
  expect(tooLarge(bytes) === undefined).toBe(isFetched)
})

/** A value, a schema, and where there is a flaw. */
test.each<[unknown, Record<string, unknown>, string | undefined]>([
  [1.5, { type: 'integer' }, '/'],
  [2, { type: 'integer' }, undefined],
  ['2', { type: 'number' }, '/'],
  [null, { type: 'object' }, '/'],
  [[], { type: 'object' }, '/'],
  [{}, { type: 'array' }, '/'],
  ['b', { const: 'a' }, '/'],
  ['b', { enum: ['a', 'b'] }, undefined],
  ['c', { enum: ['a', 'b'] }, '/'],
  [-1, { minimum: 0 }, '/'],
  ['-1', { minimum: 0 }, undefined],
  [0, { minimum: 0 }, undefined],
  [[], { minItems: 1 }, '/'],
  ['AB', { pattern: '^[a-z]+$' }, '/'],
  [['a', 1], { items: { type: 'string' } }, '/1'],
  [true, { anyOf: [{ type: 'string' }, { type: 'number' }] }, '/'],
  [1, { anyOf: [{ type: 'string' }, { type: 'number' }] }, undefined],
  [null, { anyOf: [{ type: 'number' }, { type: 'null' }] }, undefined],
  ['', { type: 'null' }, '/'],
  [{ A: 1 }, { propertyNames: { pattern: '^a$' } }, '/A'],
  [{ a: 1 }, { required: ['a', 'b'] }, '/'],
  [{ a: { b: 'x' } }, { properties: { a: { properties: { b: { type: 'number' } } } } }, '/a/b'],
  // A newer version may write more fields.
  [{ a: 1, c: 1 }, { properties: { a: {} }, additionalProperties: false }, undefined],
  [{ c: 'x' }, { additionalProperties: { type: 'number' } }, '/c'],
  // A name of every object is not one of the schema's.
  [{ toString: 1 }, { properties: {}, additionalProperties: { type: 'string' } }, '/toString'],
])('%j by %j: %s', (value, schema, place) => {
  expect(flawOf(value, schema)?.split(' ')[0]).toBe(place)
})

test('a reference is looked up in the whole schema', () => {
  const schema = { $defs: { name: { type: 'string' } }, items: { $ref: '#/$defs/name' } }
  expect(flawOf(['a', 2], schema)).toBe('/1 does not match "type": "string"')
})
