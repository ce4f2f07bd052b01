import { knownCommit, type Measured } from '../../src/outcome/code-origin.js'
import { tooLarge } from '../../src/outcome/stored-outcome.js'
import { parseOutcome, readOutcome } from '../../src/outcome/outcome-file.js'
import { ReportError } from '../../src/errors.js'
import { report, timer } from '../gates/example-report.js'

/* What somebody else may have put into an outcome file: field by field. */

const full = {
  ...report(
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
    {
      requests: {
        summary: timer('All Requests'),
        timers: [timer('Login', { twice: ['mean'], labels: ['x'] })],
      },
    },
  ),
}
const outcome = { format: 1, verdict: 'passed', figures: full as unknown }
const parsed = (fields: object) => parseOutcome(JSON.stringify({ ...outcome, ...fields }))

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
  expect(parsed({})).toMatchObject({ report: full, verdict: 'passed', limits: [] })
})

const wrong = [null, 7, 'x', true, [7], [[]], {}]
test.each<[string, unknown[]]>([
  ...['engineVersion', 'projectName', 'partial'].map((name): [string, unknown[]] => [
    name,
    [null, 7, [], {}],
  ]),
  ['comments', [undefined, null, 'x', {}, [7], [null]]],
  ['general', [undefined, null, 7, 'x', [7]]],
  ['general.duration', [null, '7', [], -1e300]],
  ['timers', [undefined, null, 7, [], {}]],
  ...['transactions', 'actions', 'requests', 'pageLoads', 'customTimers'].map((kind): [string, unknown[]] => [
    `timers.${kind}`,
    [undefined, null, 7, [], {}, { timers: {} }, { timers: [7] }, { timers: [{}] }],
  ]),
  ['timers.requests.summary', [null, 7, {}]],
  ['timers.requests.timers.0.name', [undefined, null, 7]],
  ['timers.requests.timers.0.labels', [undefined, 'x', [7]]],
  ['timers.requests.timers.0.twice', [null, 'x', [7]]],
  ['timers.requests.timers.0.percentiles', [undefined, null, [7], { p95: '400' }]],
  ['timers.requests.timers.0.count', [null, '7', 1e308]],
  ['webVitals', [undefined, {}, [null], [7]]],
  ['webVitals.0.name', [undefined, 7]],
  ['webVitals.0.vitals', [undefined, null, 7, { lcp: null }, { lcp: {} }]],
  ['webVitals.0.vitals.lcp.score', [undefined, '900']],
  ['webVitals.0.vitals.lcp.rating', [7, null]],
  ...['goodCount', 'improveCount', 'poorCount'].map((name): [string, unknown[]] => [
    `webVitals.0.vitals.lcp.${name}`,
    [null, '9'],
  ]),
  ['agents', [undefined, {}, [null], [7], [{}]]],
  ['agents.0.name', [undefined, 7]],
  ['agents.0.totalMean', [null, '40']],
  ['agentSummary', [null, 7, 'x', { totalMean: '40' }]],
  ['errors', [undefined, {}, [null], [{}]]],
  ['errors.0.message', [undefined, 7]],
  ['errors.0.count', [undefined, '3']],
  ['errors.0.places', [undefined, 'x', [7]]],
  ['responseCodes', [undefined, {}, [null], [{}]]],
  ['responseCodes.0.code', [undefined, '200']],
  ['responseCodes.0.text', [undefined, 7]],
  ['responseCodes.0.count', [undefined, '1']],
  ['loadProfile', [undefined, {}, [null], [{}]]],
  ['loadProfile.0.name', [undefined, 7]],
  ['loadProfile.0.settings', [undefined, null, 7, { users: 5 }]],
])('figures with another %s are refused', (at, values) => {
  for (const value of values) {
    expect([value, parsed({ figures: withAt(at, value) })]).toEqual([
      value,
      { fault: 'contains figures in another form' },
    ])
  }
})

test.each([
  'engineVersion',
  'projectName',
  'agentSummary',
  'timers.requests.summary',
  'timers.requests.timers.0.twice',
  'webVitals.0.vitals.lcp.rating',
  'webVitals.0.vitals.lcp.goodCount',
  'general.duration',
])('figures may lack %s', (at) => {
  expect(parsed({ figures: withAt(at, undefined) })).toHaveProperty('report')
})

test.each<[string, unknown, string]>([
  ['nothing', '', 'is not JSON'],
  ['a list', '[]', 'is not an outcome file'],
  ['null', 'null', 'is not an outcome file'],
  ['other fields', '{"a": 1}', 'is not an outcome file'],
  ['another format', JSON.stringify({ ...outcome, format: '1' }), 'is an outcome file in another format'],
])('%s is not an outcome file', (_, text, fault) => {
  expect(parseOutcome(String(text))).toEqual({ fault })
  expect(() => readOutcome(String(text), 'old.json')).toThrow(
    new ReportError(`The baseline old.json ${fault}. Name the outcome file of a run whose report was read.`),
  )
})

test('only an outcome without figures may belong to a run that read no report', () => {
  expect(parsed({ figures: undefined })).toEqual({ fault: 'contains no figures', withoutFigures: true })
  expect(wrong.map((figures) => parsed({ figures }))).toEqual(
    wrong.map(() => ({ fault: 'contains figures in another form' })),
  )
})

test('a text is nested as deep as its brackets say, whatever its strings contain', () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const nested = (levels: number) => `{"format":1,"verdict":"passed","x":${deep(levels - 1)}}`
  const fault = { fault: 'is nested more than 100 levels deep' }
  expect(parseOutcome(nested(100))).toEqual({ fault: 'contains no figures', withoutFigures: true })
  expect(parseOutcome(nested(101))).toEqual(fault)
  expect(parseOutcome('{"a":'.repeat(101))).toEqual(fault)
  expect(parsed({ text: `\\"${'[{'.repeat(200)}`, more: '"' })).toHaveProperty('report')
  expect(parsed({ list: Array.from({ length: 200 }, () => [{}]) })).toHaveProperty('report')
  expect(parseOutcome(`{"text":"\\\\","x":${deep(100)}}`)).toEqual(fault)
})

describe('a run that was confirmed', () => {
  const second = report({ projectName: 'second' })

  test.each<[string, unknown, string]>([
    ['has the figures of its second run', { result: 'failed', figures: second }, 'second'],
    ['whose confirmation is open has its own', { result: 'open', figures: second }, 'Shop'],
    ['without figures has its own', { result: 'failed' }, 'Shop'],
    ['in another form has its own', 'yes', 'Shop'],
  ])('%s', (_, confirmation, projectName) => {
    expect(parsed({ confirmation })).toMatchObject({ report: { projectName } })
  })
})

test.each<[object, object]>([
  [{ acceptance: { by: 'ada' } }, { acceptedBy: 'ada' }],
  [{ step: { commit: 'abc' } }, { commit: 'abc' }],
  [{ step: { workflowRunUrl: 'https://x.test/1' } }, { workflowRunUrl: 'https://x.test/1' }],
])('%j says %j', (fields, found) => {
  expect(parsed(fields)).toMatchObject(found)
})

test.each([{}, { acceptance: 'ada', step: 'abc' }, { acceptance: { by: 7 }, step: { commit: 7 } }])(
  '%j says nothing about who accepted which commit',
  (fields) => {
    expect(parsed(fields)).not.toHaveProperty('acceptedBy')
    expect(parsed(fields)).not.toHaveProperty('commit')
  },
)

describe('the scorecard', () => {
  const scorecard = { verdict: 'failed', rules: [] }
  test.each([
    ['is that of the run', { scorecard }, scorecard],
    ['is absent if there is none', {}, undefined],
    ['is absent in another form', { scorecard: { verdict: 'fine', rules: [] } }, undefined],
    ['is absent if it is not one', { scorecard: null }, undefined],
    [
      'is absent beside the figures of a second run',
      { scorecard, confirmation: { result: 'confirmed', figures: full } },
      undefined,
    ],
    [
      'counts beside a second run without figures',
      { scorecard, confirmation: { result: 'open' } },
      scorecard,
    ],
  ])('%s', (_, fields, wanted) => {
    const read = parsed(fields)
    expect('scorecard' in read ? read.scorecard : undefined).toEqual(wanted)
  })
})

test.each([
  ['each gate once', [{ gate: 'a' }, { gate: 'b' }, { gate: 'a' }], ['a', 'b']],
  ['none of another form', [null, {}, { gate: 1 }, 'a', { gate: 'b' }], ['b']],
  ['none of what is not a list', { gate: 'a' }, []],
])('its gates as they were written: %s', (_, gates, texts) => {
  expect(parsed({ gates })).toMatchObject({ gates: texts })
  expect(parsed({ gates })).toHaveProperty('gates.length', texts.length)
})

describe('the limits that its gates set', () => {
  const [all, one] = [{ kind: 'requests' }, { kind: 'requests', name: 'A' }]
  const gate = { gate: 'requests p95 <= 1 s', place: all, metric: 'p95', unit: 'ms', limit: 1000 }
  const limit = { place: all, metric: 'p95', limit: 1000 }

  test.each<[string, unknown, object[]]>([
    ['a fixed one', [gate], [limit]],
    ['one for each match', [gate, { ...gate, place: one }], [limit, { ...limit, place: one }]],
    ['none that follows the baseline', [{ ...gate, gate: 'requests p95 <= baseline' }], []],
    ['none of the scorecard', [{ ...gate, gate: 'scorecard passes' }], []],
    ['none that is not a gate', [{ ...gate, gate: 'fast' }], []],
    ['none in another unit', [{ ...gate, unit: '/min' }], []],
    ['none beyond all measure', [{ ...gate, limit: 1e308 }], []],
    ['none without a limit', [{ ...gate, limit: undefined }], []],
    [
      'none without a place',
      [
        { ...gate, place: undefined },
        { ...gate, place: { kind: 'x' } },
      ],
      [],
    ],
    ['none without a metric', [{ ...gate, metric: null }], []],
    ['none without its text', [{ ...gate, gate: 7 }], []],
    ['what is not a result is skipped', [null, 7, gate], [limit]],
    ['no list', { 0: gate }, []],
  ])('%s', (_, gates, limits) => {
    expect(parsed({ gates })).toMatchObject({ limits })
    expect(parsed({ gates })).toHaveProperty('limits.length', limits.length)
  })
})

test('whose code it is about follows from its step', () => {
  const step = { event: 'push', ref: 'refs/heads/main', sha: 'abc', head: 'abc' }
  const read = parsed({ step })
  if ('fault' in read) throw new Error(read.fault)
  expect(read.whyNotOfBranch('main')).toBeUndefined()
  expect(read.whyNotOfBranch('release')).toBe('was started for refs/heads/main')
})

test.each<[string, object, string | undefined]>([
  ['schedule', {}, undefined],
  ['issue_comment', {}, 'does not say which commit it measured (issue_comment)'],
  ['issue_comment', { report: { given: { url: 'u', commit: 'abc' } } }, undefined],
  ['push', { report: { given: { url: 'u', commit: 'def' } } }, 'measured another commit than that of main'],
  ['push', { report: { given: { url: 'u' } } }, 'measured another commit than that of main'],
  ['push', { report: { given: {} } }, undefined],
])('after %s with %j: whose code it is about', (event, fields, why) => {
  const read = parsed({ step: { event, ref: 'refs/heads/main', sha: 'abc' }, ...fields })
  if ('fault' in read) throw new Error(read.fault)
  expect(read.whyNotOfBranch('main')).toBe(why)
})

test.each<[Measured, string | undefined]>([
  [{ mode: 'collect', step: { commit: 'a', event: 'issue_comment' } }, 'a'],
  [{ mode: 'run', step: { commit: 'a', event: 'issue_comment' } }, undefined],
  [{ mode: 'run', step: { commit: 'a', event: 'issue_comment', head: 'a' } }, 'a'],
  [{ mode: 'run', step: { commit: 'a', event: 'push' } }, 'a'],
  [{ mode: 'judge', step: { commit: 'a', event: 'push' } }, undefined],
  [
    {
      mode: 'judge',
      step: { commit: 'a', event: 'issue_comment' },
      report: { given: { name: 'r', url: 'u', commit: 'b' } },
    },
    'b',
  ],
  [
    { mode: 'judge', step: { commit: 'a', event: 'push' }, report: { given: { name: 'r', url: 'u' } } },
    undefined,
  ],
])('of %j the known commit is %s', (measured, commit) => {
  expect(knownCommit(measured)).toBe(commit)
})

test.each([
  [undefined, true],
  [0, true],
  [50_000_000, true],
  [50_000_001, false],
])('an outcome of %s bytes is fetched: %s', (bytes, isFetched) => {
  expect(tooLarge(bytes) === undefined).toBe(isFetched)
})
