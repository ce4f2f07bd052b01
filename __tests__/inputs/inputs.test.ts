import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parse } from 'yaml'
import { areRefused, readInputs, type ActionInputs, type Occasion } from '../../src/inputs/inputs.js'
import { actionOf, modes, ownActions, type ActionName, type OwnAction } from '../../src/outcome/kinds.js'

interface ActionFile {
  inputs: Record<string, { description: string; default?: string; required: boolean }>
}

const actionFile = (folder: string) =>
  parse(readFileSync(path.join(folder, 'action.yml'), 'utf8')) as ActionFile
const actions: Record<ActionName, ActionFile> = {
  'load-test': actionFile('.'),
  judge: actionFile('judge'),
  merge: actionFile('merge'),
  history: actionFile('history'),
}
const given = {
  'base-url': 'https://loadtest.example.com',
  'client-id': 'id',
  'client-secret': 'secret',
  organization: 'acme',
  project: 'webshop',
  'load-test': '17',
}

type Reasons = Partial<Occasion>

function readOf(
  action: ActionName,
  values: Record<string, string>,
  env: Record<string, string> = {},
  reasons: Reasons = {},
) {
  const asked = new Set<string>()
  const inputs = readInputs(
    action,
    (name) => {
      asked.add(name)
      return values[name] ?? actions[action].inputs[name]?.default ?? ''
    },
    { workspace: '/w', env, ...reasons },
  )
  return { inputs, asked }
}

/** The inputs of a load test. */
function read(changes: Record<string, string> = {}, env?: Record<string, string>, reasons?: Reasons) {
  const { inputs, asked } = readOf('load-test', { ...given, ...changes }, env, reasons)
  if (!('credentials' in inputs)) throw new Error(`They are those of ${inputs.mode}.`)
  return { inputs, asked }
}

/** The mistakes in the inputs of a load test. */
function faults(changes: Record<string, string>, env?: Record<string, string>, reasons?: Reasons) {
  return faultsIn(read(changes, env, reasons).inputs)
}

function faultsIn(inputs: ActionInputs) {
  const all = [...inputs.faults.inputs, ...inputs.faults.gates]
  expect(areRefused(inputs)).toBe(inputs.mode !== 'check' && all.length > 0)
  return all
}

/** Of an action without a service. */
const ownFaults = (action: OwnAction, values: Record<string, string>) =>
  faultsIn(readOf(action, values).inputs)

test('the defaults of action.yml are inputs without a fault', () => {
  expect(read().inputs).toEqual({
    baseUrl: 'https://loadtest.example.com',
    credentials: { clientId: 'id', clientSecret: 'secret' },
    project: { organization: 'acme', project: 'webshop' },
    mode: 'run',
    template: { number: 17 },
    source: '/w',
    exclude: [],
    upload: true,
    deleteArchive: false,
    resume: false,
    timeout: 345 * 60_000,
    reportTimeout: 30 * 60_000,
    reportArtifact: 'load-test-report',
    outcomeArtifact: 'load-test-outcome',
    retentionDays: 0,
    gates: [],
    confirm: false,
    faults: { inputs: [], gates: [] },
    warnings: [],
    comment: 'auto',
    commentKey: '',
    githubToken: '${{ github.token }}',
    failOn: 'failed',
  })
})

test.each([
  ...modes.map((mode) => ['load-test', mode] as const),
  ...ownActions.map((action) => [action, ''] as const),
])('the action %s reads every input of its action.yml, and no other: %s', (action, mode) => {
  const names = Object.keys(actions[action].inputs)
  const env = handedOver(Object.fromEntries(names.map((name) => [name, 'x'])))
  const { asked, inputs } = readOf(action, { mode }, env)
  expect([...asked].sort()).toEqual([...names].sort())
  expect(inputs.warnings).toEqual([])
  expect(inputs.faults.inputs.filter((fault) => fault.includes('not an input'))).toEqual([])
})

test.each(Object.entries(actions))('each input of %s that is required has a sentence', (name, { inputs }) => {
  const required = Object.keys(inputs).filter((input) => inputs[input]?.required)
  const found = faultsIn(readOf(actionOf(name), { 'load-test': '17' }).inputs)
  expect(found.map((fault) => fault.split(' ')[0])).toEqual(required)
  // The runner gives no default to an input without one.
  for (const [input, { default: preset }] of Object.entries(inputs)) {
    expect([input, preset === undefined]).toEqual([input, required.includes(input)])
  }
})

test.each(ownActions)('mode: %s is a separate action', (own) => {
  expect(faults({ mode: own })).toEqual([
    `mode is "${own}", which is a separate action: write uses: load-test-action/load-test-action/${own}@v1, without mode.`,
  ])
})

test('an action is known by the file that starts it', () => {
  expect(['index', 'judge', 'merge', 'history', 'toString', ''].map(actionOf)).toEqual([
    'load-test',
    ...['judge', 'merge', 'history'],
    ...['load-test', 'load-test'],
  ])
})

/** Like the runner. */
function handedOver(inputs: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  )
}

describe('names that are not inputs', () => {
  test.each([
    ['gate', 'gates'],
    ['gatse', 'gates'],
    ['load_test', 'load-test'],
    ['loadtests', 'load-test'],
    ['time-out', 'timeout'],
    ['organisation', 'organization'],
    ['retentiondays', 'retention-days'],
    ['Fail_On', 'fail-on'],
  ])('%s is refused, and %s is suggested', (name, meant) => {
    expect(faults({}, handedOver({ [name]: 'x' }))).toEqual([
      `${name.toLowerCase()} is not an input of this action. Did you mean ${meant}?`,
    ])
  })

  test.each([
    ['token', 'x', ' Did you mean github-token?'],
    ['node-version', '24', ''],
    ['include', 'src', ' Did you mean exclude?'],
    ['gate', '', ' Did you mean gates?'],
  ])('%s: %j is a warning', (name, value, hint) => {
    const { inputs } = read({}, handedOver({ [name]: value }))
    expect(inputs.warnings).toEqual([`${name} is not an input of this action and has no effect.${hint}`])
    expect(inputs.faults.inputs).toEqual([])
  })

  test('an unknown name is accepted if it has the value of the input that it resembles', () => {
    const env = handedOver({ 'load-test': '17', load_test: '17' })
    expect(faults({}, env)).toEqual([])
  })

  test('a hostile name becomes one line', () => {
    const { inputs } = read({}, { 'INPUT_\n::error::X': '1' })
    expect(inputs.warnings.join()).not.toMatch(/\n/)
  })
})

test.each<[string, Record<string, string>, object]>([
  ['a name', { 'load-test': 'Webshop regression' }, { template: { name: 'Webshop regression' } }],
  ['collect', { mode: 'collect', 'run-number': '18', 'load-test': '' }, { mode: 'collect', runNumber: 18 }],
  ['start', { mode: 'start' }, { mode: 'start' }],
  ['a source', { source: 'perf/suite' }, { source: '/w/perf/suite' }],
  ['an archive', { archive: 'out/suite.zip' }, { archive: '/w/out/suite.zip' }],
  ['patterns', { exclude: '*.har\n\n!keep.har \n' }, { exclude: ['*.har', '!keep.har '] }],
  [
    'properties',
    { properties: '# the preview\n\n a.b = c = d \n e=', 'properties-file': './config/ci.properties' },
    {
      properties: {
        file: 'config/ci.properties',
        entries: [
          ['a.b', 'c = d'],
          ['e', ''],
        ],
      },
    },
  ],
  ['no upload', { upload: 'false' }, { upload: false }],
  ['deleting', { 'delete-archive': 'true' }, { deleteArchive: true }],
  ['an interval', { 'poll-interval': '15s' }, { pollInterval: 15_000 }],
  ['results', { 'results-artifact': 'results' }, { resultsArtifact: 'results' }],
  ['retention', { 'retention-days': '7' }, { retentionDays: 7 }],
  ['taking up', { resume: 'true' }, { resume: true }],
  ['gates', { gates: 'requests p95 < 1 s' }, { gates: [{ text: 'requests p95 < 1 s' }] }],
  ['a baseline', { baseline: 'load-test:7' }, { baseline: { kind: 'load-test', number: 7 } }],
  ['runs', { baseline: 'artifact', 'baseline-runs': '3' }, { baseline: { kind: 'artifact', runs: 3 } }],
  ['comments', { comment: 'never', 'comment-key': 'k' }, { comment: 'never', commentKey: 'k' }],
  ['a verdict that warns', { 'fail-on': 'error' }, { failOn: 'error' }],
  ['a page', { 'run-page': 'https://x.example/{number}' }, { runPage: 'https://x.example/{number}' }],
])('%s', (_, changes, expected) => {
  expect(read(changes).inputs).toMatchObject(expected)
})

test.each<[string, Record<string, string>, string]>([
  [
    'base-url',
    { 'base-url': '' },
    'base-url is required: the address of the service, such as https://loadtest.example.com',
  ],
  ['base-url', { 'base-url': 'http://example.com' }, 'base-url must start with https://'],
  ['base-url', { 'base-url': 'loadtest.example.com:443' }, 'base-url must start with https://'],
  [
    'client-id',
    { 'client-id': ' ' },
    'client-id is empty: add the secret to the repository (Settings, Secrets and variables, Actions)',
  ],
  ['client-secret', { 'client-secret': '' }, 'client-secret is empty: add the secret to the repository'],
  ['organization', { organization: 'a/b' }, 'organization is "a/b": write its short name'],
  ['project', { project: '..' }, 'project is "..": write its short name'],
  ['load-test', { 'load-test': '' }, 'load-test is required in mode run'],
  ['mode', { mode: 'Run' }, 'mode is "Run": write one of run, start, collect, check.'],
  ['run-number', { mode: 'collect' }, 'run-number is required in mode collect'],
  ['run-number', { mode: 'collect', 'run-number': 'x' }, 'run-number is "x": write a whole number'],
  ['run-number', { 'run-number': '5' }, 'run-number is only for mode collect'],
  ['run-page', { 'run-page': 'https://x.example' }, 'run-page must be an address with {number} in it'],
  ['archive', { archive: 'a.zip', exclude: '*.log' }, 'exclude has no effect on archive'],
  ['archive', { archive: 'a.zip', upload: 'false' }, 'archive has no effect with upload: false'],
  ['properties', { properties: 'a = 1\nb' }, 'properties, line 2: write it as key = value.'],
  ['properties', { properties: '= b' }, 'properties, line 1: write it as key = value.'],
  ['properties', { properties: 'a = 1\rb = 2' }, 'properties, line 1: a value is one line.'],
  ['properties', { properties: 'a = 1\na=2' }, 'properties, line 2: a is set twice.'],
  ['properties', { properties: 'a = 1', archive: 'a.zip' }, 'properties has no effect on archive'],
  ['properties', { properties: 'a = 1', upload: 'false' }, 'properties has no effect with upload: false'],
  [
    'properties',
    { properties: 'a = 1', mode: 'collect', 'run-number': '7', 'load-test': '' },
    'properties has no effect in mode collect: remove one of them.',
  ],
  [
    'properties-file',
    { 'properties-file': 'x.properties' },
    'properties-file has no effect without properties',
  ],
  ['properties-file', { properties: 'a = 1', 'properties-file': '../x' }, 'must be in the packed folder'],
  ['properties-file', { properties: 'a = 1', 'properties-file': '/x' }, 'must be in the packed folder'],
  ['upload', { upload: 'no' }, 'upload is "no": write true or false.'],
  ['delete-archive', { 'delete-archive': 'yes' }, 'delete-archive is "yes": write true or false.'],
  ['delete-archive', { 'delete-archive': 'true', mode: 'start' }, 'needs mode: run and upload: true'],
  ['poll-interval', { 'poll-interval': '15' }, 'poll-interval is "15": write a duration such as'],
  ['timeout', { timeout: '' }, 'timeout is empty: write a duration such as'],
  ['timeout', { timeout: '1d' }, 'timeout is "1d"'],
  ['report-timeout', { 'report-timeout': '0s' }, 'report-timeout is "0s"'],
  ['report-artifact', { 'report-artifact': '' }, 'report-artifact is empty'],
  ['report-artifact', { 'report-artifact': 'a/b' }, 'must not contain any of'],
  ['results-artifact', { 'results-artifact': 'load-test-report' }, 'must be different names'],
  ['outcome-artifact', { 'outcome-artifact': '' }, 'outcome-artifact is empty'],
  ['resume', { resume: '1' }, 'resume is "1": write true or false.'],
  ['gates', { gates: 'requests p95 < 1' }, 'gates, line 1, column'],
  ['gates-file', { 'gates-file': 'none.yml' }, 'gates-file is "none.yml", which does not exist'],
  ['baseline', { baseline: 'load-test:x' }, 'write load-test:17'],
  ['baseline', { baseline: 'no/such/folder' }, 'there is no such file or folder in the workspace'],
  ['comment', { comment: 'yes' }, 'write one of auto, always, never.'],
  ['fail-on', { 'fail-on': 'all' }, 'write one of failed, error, never.'],
  ['retention-days', { 'retention-days': '-1' }, 'write a whole number from 0 to 400'],
])('%s: a fault is reported in a sentence', (_, changes, sentence) => {
  const found = faults(changes)
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(sentence)
})

describe('the action judge', () => {
  test.each<[string, Record<string, string>, object]>([
    ['a path', { report: 'results/*' }, { kind: 'path', path: '/w/results/*' }],
    [
      'an artifact',
      { report: 'artifact: load-test-report ' },
      { kind: 'artifact', name: 'load-test-report' },
    ],
    [
      'of another run, by a number as GitHub gives them',
      { report: 'artifact:a', 'report-run': '19234567890' },
      { kind: 'artifact', name: 'a', run: 19_234_567_890 },
    ],
    [
      'of the newest run of the commit',
      { report: 'artifact:a', 'report-run': 'same-commit' },
      { kind: 'artifact', name: 'a', run: 'same-commit' },
    ],
  ])('%s, and nothing about a service', (_, values, report) => {
    const { inputs } = readOf('judge', values)
    expect(inputs.faults).toEqual({ inputs: [], gates: [] })
    expect(inputs).toMatchObject({ mode: 'judge', report })
    expect(inputs).not.toHaveProperty('baseUrl')
  })

  test.each<[Record<string, string>, string]>([
    [{}, 'report is required: a path of the report, or artifact:NAME.'],
    [{ report: 'artifact:' }, 'report names no artifact: write its name'],
    [{ report: 'artifact:a', 'report-run': 'x' }, 'report-run is "x": write a whole number'],
    [{ report: 'results', 'report-run': '5' }, 'report-run has no effect on a path'],
    [{ report: 'results', baseline: 'load-test:7' }, 'baseline: load-test:7 needs the service'],
    [{ report: 'results', baseline: 'artifact\nload-test:7' }, 'baseline: load-test:7 needs the service'],
    [{ report: 'r', 'report-artifact': 'x', 'outcome-artifact': 'x' }, 'must be different names.'],
    [{ report: 'r', gates: 'requests p95 < 1' }, 'gates, line 1, column'],
  ])('%j: a fault is reported in a sentence', (values, sentence) => {
    expect(ownFaults('judge', values)).toEqual([expect.stringContaining(sentence)])
  })
})

describe('the action merge', () => {
  const merged = (values: Record<string, string> = {}) => {
    const { inputs } = readOf('merge', values)
    expect(inputs.faults).toEqual({ inputs: [], gates: [] })
    return inputs.mode === 'merge' ? inputs.merge : undefined
  }

  test('needs no input', () => {
    expect(merged()).toMatchObject({ outcomes: [{ pattern: 'load-test-outcome-*' }], legs: [], needs: {} })
  })

  test('legs are lines or a JSON list, and needs is the JSON that GitHub makes of the context', () => {
    expect(merged({ legs: ' search \n\nlogin\nsearch' })?.legs).toEqual(['search', 'login'])
    expect(merged({ legs: '["search", "a b"]' })?.legs).toEqual(['search', 'a b'])
    const needs =
      '{"load-test": {"result": "failure", "outputs": {"x": "1"}}, "build": {"result": "success"}}'
    expect(merged({ needs })?.needs).toEqual({ 'load-test': 'failure', build: 'success' })
  })

  test.each<[Record<string, string>, string]>([
    [{ outcomes: ' ' }, 'outcomes is empty: write the names of the outcome artifacts'],
    [{ outcomes: 'load-test-*' }, 'outcome-artifact is load-test-outcome, which outcomes matches'],
    [{ outcomes: 'x-*', 'outcome-artifact': 'x-all' }, 'which outcomes matches: in a re-run'],
    [{ legs: '["a", 1]' }, 'legs is not a list of names'],
    [{ legs: '[a' }, 'legs is not a list of names'],
    [{ legs: Array.from({ length: 257 }, (_, index) => index).join('\n') }, 'legs names more than 256 legs'],
    [{ needs: 'load-test' }, 'needs does not say how the jobs ended'],
    [{ needs: '{"load-test": "failure"}' }, 'needs does not say how the jobs ended'],
  ])('%j: a fault is reported in a sentence', (values, sentence) => {
    expect(ownFaults('merge', values)).toEqual([expect.stringContaining(sentence)])
  })
})

describe('the action history', () => {
  test('the number of runs and the name of the page', () => {
    const { inputs } = readOf('history', { 'history-runs': '7', 'history-artifact': 'pages' })
    expect(inputs).toMatchObject({ mode: 'history', history: { runs: 7, artifact: 'pages' } })
    expect(faultsIn(inputs)).toEqual([])
  })

  test.each<[Record<string, string>, string]>([
    [{ 'history-artifact': '' }, 'history-artifact is empty: write the name of the artifact.'],
    [
      { 'history-artifact': 'x', 'outcome-artifact': 'x' },
      'history-artifact and outcome-artifact must be different names.',
    ],
    [{ 'history-runs': '201' }, 'history-runs is "201": write a whole number from 1 to 200.'],
  ])('%j: a fault is reported in a sentence', (values, sentence) => {
    expect(ownFaults('history', values)).toEqual([sentence])
  })
})

test.each<[ActionName, string, string]>([
  ['judge', 'base-url', ''],
  ['judge', 'confirm', ''],
  ['merge', 'gates', ''],
  ['merge', 'report', ' Did you mean report-artifact?'],
  ['history', 'comment', ''],
  ['load-test', 'outcomes', ''],
  ['load-test', 'on-cancel', ''],
])('%s: the input %s of another action has no effect, and a warning says so', (action, name, hint) => {
  const { inputs } = readOf(action, { ...given, report: 'r' }, handedOver({ [name]: 'x' }))
  expect(inputs.warnings).toEqual([`${name} is not an input of this action and has no effect.${hint}`])
  expect(inputs.faults.inputs).toEqual([])
})

test('the runner says which leg of the matrix this is', () => {
  const place = (text: string, job = 'load-test') =>
    read({ 'matrix-leg': text }, { GITHUB_JOB: job }).inputs.place
  expect(place('2 of 3')).toEqual({ job: 'load-test', index: 2, total: 3 })
  for (const unknown of ['', ' of ', '2', '-1 of 3']) expect(place(unknown)).toBeUndefined()
  expect(read({ 'matrix-leg': '2 of 3' }).inputs.place).toBeUndefined()
})

test('after a fault each input still has a value of the right shape, never NaN or 0', () => {
  const wrong = { 'retention-days': 'x', timeout: '0s', mode: 'check' }
  const { inputs } = read({ ...wrong, 'baseline-runs': '99', baseline: 'artifact' })
  expect(inputs).toMatchObject({ retentionDays: 0, timeout: 1000, baseline: { kind: 'artifact', runs: 1 } })
  expect(inputs.faults.inputs).toHaveLength(3)
})

test('mode check gets the faults together with the inputs', () => {
  const wrong = {
    mode: 'check',
    'load-test': '',
    timeout: 'soon',
    gates: 'requests p95th < 1 s\nrequests p95 < 1 s',
  }
  const { inputs } = read(wrong)
  expect(inputs).toMatchObject({ baseUrl: given['base-url'], mode: 'check' })
  expect(inputs).not.toHaveProperty('template')
  expect(inputs.gates).toHaveLength(1)
  expect(inputs.faults).toEqual({
    inputs: [expect.stringContaining('timeout is "soon"')],
    gates: [expect.stringContaining('p95th')],
  })
})

test('all faults are reported at once', () => {
  const found = faults({ 'base-url': 'x', 'client-id': '', timeout: 'soon', upload: 'maybe', project: 'a b' })
  expect(found.map((fault) => fault.split(' ')[0])).toEqual([
    'base-url',
    'client-id',
    'project',
    'upload',
    'timeout',
  ])
})

test('a secret that a fork does not get is explained', () => {
  const [id, secret] = faults(
    { 'client-id': '', 'client-secret': '' },
    {},
    { withoutSecrets: 'GitHub gives no secrets to forks.' },
  )
  expect(id).toBe('client-id is empty: GitHub gives no secrets to forks.')
  expect(secret).toBe('client-secret is empty: GitHub gives no secrets to forks.')
})

test('certificates are always verified', () => {
  expect(faults({}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })[0]).toContain('NODE_EXTRA_CA_CERTS')
})

test('a gates-file that is not UTF-8 is a mistake: its names would match no timer', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'inputs-test-')), 'gates.yml')
  try {
    writeFileSync(file, Buffer.from('gates:\n  - request "Käse" p95 < 1 s\n', 'latin1'))
    expect(faults({ 'gates-file': file })).toContainEqual(
      expect.stringMatching(/^gates-file is .*which could not be read: .*utf-8/),
    )
    writeFileSync(file, '\ufeffgates:\n  - request "Käse" p95 < 1 s\n')
    expect(faults({ 'gates-file': file })).toEqual([])
  } finally {
    rmSync(path.dirname(file), { recursive: true })
  }
})

test.each(['gates-file', 'baseline', 'source', 'archive'])(
  '%s leads out of the workspace by no link in any of its parts, but may go through one inside',
  (name) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'inputs-test-'))
    const workspace = path.join(folder, 'work')
    const at = (file: string) => path.join(workspace, file)
    try {
      mkdirSync(at('own/below'), { recursive: true })
      mkdirSync(path.join(folder, 'out/below'), { recursive: true })
      for (const place of ['work/own/below/file', 'out/below/file', 'workfile'])
        writeFileSync(path.join(folder, place), 'gates:\n  - requests p95 < 1 s\n')
      symlinkSync('../out', at('parent'))
      symlinkSync(path.join(folder, 'out/below'), at('own/inner'))
      symlinkSync('../../../workfile', at('own/below/last'))
      symlinkSync('chain2', at('chain'))
      symlinkSync('parent', at('chain2'))
      symlinkSync('own', at('inside'))
      const faultsOf = (text: string) => faults({ [name]: text }, {}, { workspace })
      const own = (all: string[]) => all.filter((fault) => fault.startsWith(name))
      for (const [given, link] of [
        ['parent/below/file', 'parent'],
        [at('parent/below/file'), 'parent'],
        ['own/../parent/below', 'parent'],
        ['own/inner/file', 'own/inner'],
        ['inside/inner/file', 'inside/inner'],
        ['own/below/last', 'own/below/last'],
        ['chain/below/file', 'chain'],
      ] as const) {
        expect(own(faultsOf(given))).toEqual([
          `${name} leads out of the workspace through ${link}, which is a link. Name the file or folder that is meant.`,
        ])
      }
      for (const given of ['inside/below/file', 'own/below/file', path.join(folder, 'out/below/file')])
        expect(own(faultsOf(given))).toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)

test.each(['gates-file', 'baseline'])('%s must not be a pipe or a device', async (name) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'inputs-test-'))
  const at = (file: string) => path.join(folder, file)
  try {
    execFileSync('mkfifo', [at('pipe')])
    symlinkSync('/dev/zero', at('device'))
    for (const file of ['pipe', 'device']) {
      const [fault, ...others] = faults({ [name]: at(file) })
      expect(others).toEqual([])
      expect(fault).toContain(
        name === 'baseline'
          ? 'there is no such file or folder in the workspace'
          : `which could not be read: it is a ${file}, not a file`,
      )
    }
    writeFileSync(at('large'), '')
    truncateSync(at('large'), 2e6)
    writeFileSync(at('gates.yml'), 'gates:\n  - requests p95 < 1 s\n')
    symlinkSync('gates.yml', at('link'))
    expect(faults({ 'gates-file': at('large') })).toEqual([
      expect.stringContaining('which could not be read: it has 2.0 MB, and at most 1.0 MB are read'),
    ])
    expect(faults({ [name]: at('link') })).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each<[string, Record<string, string>, boolean]>([
  ['run', {}, true],
  ['start', { mode: 'start' }, true],
  ['a given ZIP', { archive: 'suite.zip' }, false],
  ['no upload', { upload: 'false' }, false],
  ['collect', { mode: 'collect', 'run-number': '7', 'load-test': '' }, false],
])('nothing is packed from the head of a fork if there are secrets: %s', (_, changes, refused) => {
  const reason = 'Nothing is packed on pull_request_target for the head of octo/fork.'
  const asked: string[] = []
  const whyNotPacked = (folder: string) => {
    asked.push(folder)
    return reason
  }
  const found = faults({ ...changes, source: 'suite' }, {}, { whyNotPacked })
  expect(found).toEqual(refused ? [reason] : [])
  expect(asked).toEqual(refused ? ['/w/suite'] : [])
})

describe('what only some texts of an input are allowed for', () => {
  /** Those sentences about an input that the defaults of action.yml, with these texts, lead to. */
  const faultsOf = (about: string, given: Record<string, string>) =>
    readInputs('load-test', (name) => given[name] ?? '', {
      workspace: '.',
      env: {},
    }).faults.inputs.filter((sentence) => sentence.startsWith(about))

  test.each<[string, string, string, boolean]>([
    ['run', 'true', 'load-test: 17', true],
    ['check', 'true', 'load-test: 17', true],
    ['start', 'true', 'load-test: 17', false],
    ['collect', 'true', 'load-test: 17', false],
    ['start', 'false', 'load-test: 17', true],
  ])('mode %s with confirm: %s', (mode, confirm, baseline, isAllowed) => {
    const said = faultsOf('confirm: true needs mode', { mode, confirm, baseline })
    expect(said).toHaveLength(isAllowed ? 0 : 1)
  })

  test.each([
    ['https://x.test/{number}', true],
    ['http://x.test/{number}', true],
    ['https://x.test/', false],
    ['ftp://x.test/{number}', false],
    ['see https://x.test/{number}', false],
    ['https://{number}:x', false],
  ])('run-page: %s', (page, isAllowed) => {
    expect(faultsOf('run-page must be', { mode: 'run', 'run-page': page })).toHaveLength(isAllowed ? 0 : 1)
  })

  test('mode check reports mistakes, and is not refused for them', () => {
    const faults = { inputs: ['a'], gates: [] }
    expect(areRefused({ mode: 'check', faults })).toBe(false)
    expect(areRefused({ mode: 'run', faults })).toBe(true)
    expect(areRefused({ mode: 'run', faults: { inputs: [], gates: ['a'] } })).toBe(true)
    expect(areRefused({ mode: 'run', faults: { inputs: [], gates: [] } })).toBe(false)
  })
})
