import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { usualPercentiles } from '../../src/language/gate.js'
import { areRefused, goesRed, readInputs, type ActionInputs, type Occasion } from '../../src/inputs/inputs.js'
import {
  actionOf,
  modes,
  ownActions,
  verdicts,
  type ActionName,
  type OwnAction,
} from '../../src/outcome/outcome.js'
import { ownFolder } from '../own-folder.js'

const temporary = ownFolder()

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
    percentiles: usualPercentiles,
    resume: false,
    timeout: 345 * 60_000,
    reportTimeout: 60 * 60_000,
    name: 'load-test',
    results: false,
    retentionDays: 0,
    gates: [],
    confirm: false,
    faults: { inputs: [], gates: [] },
    warnings: [],
    comment: 'auto',
    status: false,
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
    ['token', 'x'],
    ['node-version', '24'],
    ['gate', ''],
  ])('%s: %j is no mistake: the runner warns of it', (name, value) => {
    const { inputs } = read({}, handedOver({ [name]: value }))
    expect([inputs.warnings, inputs.faults.inputs]).toEqual([[], []])
  })

  test('an unknown name is accepted if it has the value of the input that it resembles', () => {
    const env = handedOver({ 'load-test': '17', load_test: '17' })
    expect(faults({}, env)).toEqual([])
  })

  test('a hostile name becomes one line', () => {
    expect(faults({}, { 'INPUT_GATES-\n::error::X': '1' })).toEqual([
      'gates- ::error::x is not an input of this action. Did you mean gates?',
    ])
  })
})

test.each<[string, Record<string, string>, object]>([
  ['a name', { 'load-test': 'Webshop regression' }, { template: { name: 'Webshop regression' } }],
  ['collect', { mode: 'collect', 'run-number': '18', 'load-test': '' }, { mode: 'collect', runNumber: 18 }],
  ['start', { mode: 'start' }, { mode: 'start' }],
  ['a source', { source: 'perf/suite' }, { source: '/w/perf/suite' }],
  ['a ZIP', { source: 'out/suite.zip' }, { source: '/w', archive: '/w/out/suite.zip', upload: true }],
  ['patterns', { exclude: '*.har\n\n!keep.har \n' }, { exclude: ['*.har', '!keep.har '] }],
  [
    'properties',
    { properties: '# the preview\n\n a.b = c = d \n e=' },
    {
      properties: {
        file: 'config/project.properties',
        entries: [
          ['a.b', 'c = d'],
          ['e', ''],
        ],
      },
    },
  ],
  ['no upload', { source: 'none' }, { source: '/w', upload: false }],
  ['deleting', { 'delete-archive': 'true' }, { deleteArchive: true }],
  ['a short wait', { timeout: '90s' }, { timeout: 90_000, reportTimeout: 90_000 }],
  ['results', { results: 'true' }, { results: true }],
  ['retention', { 'retention-days': '7' }, { retentionDays: 7 }],
  ['taking up', { resume: 'true' }, { resume: true }],
  ['gates', { gates: 'requests p95 < 1 s' }, { gates: [{ text: 'requests p95 < 1 s' }] }],
  ['a baseline', { baseline: 'load-test:7' }, { baseline: [{ kind: 'load-test', number: 7 }] }],
  ['runs', { baseline: 'artifact' }, { baseline: [{ kind: 'artifact', runs: 5 }] }],
  ['a name', { name: 'k', status: 'true' }, { name: 'k', commentKey: 'k', status: true }],
  ['a verdict that warns', { 'fail-on': 'error' }, { failOn: 'error' }],
  ['a page', { 'run-page': 'https://x.example/{number}' }, { runPage: 'https://x.example/{number}' }],
])('%s', (_, changes, expected) => {
  expect(read(changes).inputs).toMatchObject(expected)
})

test.each<[Record<string, string>, string]>([
  [{ 'base-url': 'http://example.com' }, 'base-url must start with https://'],
  [{ 'base-url': 'loadtest.example.com:443' }, 'base-url must start with https://'],
  [
    { 'client-id': ' ' },
    'client-id is empty: add the secret to the repository. It belongs under Settings, Secrets and variables, Actions',
  ],
  [{ 'client-secret': '' }, 'client-secret is empty: add the secret to the repository'],
  [{ organization: 'a/b' }, 'organization is "a/b": write its short name'],
  [{ project: '..' }, 'project is "..": write its short name'],
  [{ 'load-test': '' }, 'load-test is required in mode run'],
  [{ mode: 'Run' }, 'mode is "Run": write one of run, start, collect, check.'],
  [{ mode: 'collect' }, 'run-number is required in mode collect'],
  [{ mode: 'collect', 'run-number': 'x' }, 'run-number is "x": write a whole number'],
  [{ 'run-number': '5' }, 'run-number is only for mode collect'],
  [{ 'run-page': 'https://x.example' }, 'run-page must be an address with {number} in it'],
  [{ source: 'none', exclude: '*.log' }, 'exclude has no effect with source: none, where nothing'],
  [{ properties: 'a = 1\nb' }, 'properties, line 2: write it as key = value.'],
  [{ properties: '= b' }, 'properties, line 1: write it as key = value.'],
  [{ properties: 'a = 1\rb = 2' }, 'properties, line 1: a value is one line.'],
  [{ properties: 'a = 1\na=2' }, 'properties, line 2: a is set twice.'],
  [{ properties: 'a = 1', source: 'a.zip' }, 'properties has no effect with source: a.zip'],
  [{ properties: 'a = 1', source: 'none' }, 'properties has no effect with source: none'],
  [
    { properties: 'a = 1', mode: 'collect', 'run-number': '7', 'load-test': '' },
    'properties has no effect in mode collect: remove one of them.',
  ],
  [{ status: 'load-test' }, 'status is "load-test": write true or false.'],
  [{ 'delete-archive': 'yes' }, 'delete-archive is "yes": write true or false.'],
  [{ 'delete-archive': 'true', mode: 'start' }, 'needs mode: run and a source'],
  [{ timeout: '' }, 'timeout is empty: write a duration such as'],
  [{ timeout: '0s' }, 'timeout is "0s"'],
  [{ name: 'a/b' }, 'name is "a/b": the name of an artifact must not contain any of'],
  [{ name: 'load\u202etest' }, 'name must be at most 100 characters without control characters.'],
  [{ name: 'n'.repeat(101) }, 'name must be at most 100 characters'],
  [{ gates: 'requests p95 < 1' }, 'gates, line 1, column'],
  [{ baseline: 'load-test:x' }, 'write load-test:17'],
  [{ baseline: 'no/such/folder' }, 'there is no such file or folder in the workspace'],
  [{ comment: 'yes' }, 'write one of auto, always, never.'],
  [{ 'fail-on': 'all' }, 'write one of failed, error, never.'],
  [{ 'retention-days': '-1' }, 'write a whole number from 0 to 400'],
])('%j: a fault is reported in a sentence', (changes, sentence) => {
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
    [{ report: 'r', gates: 'requests p95 < 1' }, 'gates, line 1, column'],
  ])('%j: a fault is reported in a sentence', (values, sentence) => {
    expect(ownFaults('judge', values)).toEqual([expect.stringContaining(sentence)])
  })
})

describe('the action merge', () => {
  const merged = (values: Record<string, string> = {}) => {
    const { inputs } = readOf('merge', values)
    expect(inputs.faults).toEqual({ inputs: [], gates: [] })
    return inputs.mode === 'merge' ? inputs : undefined
  }

  test('legs are lines or a JSON list, and needs is the JSON that GitHub makes of the context', () => {
    expect(merged({ legs: ' search \n\nlogin\nsearch' })?.legs).toEqual(['search', 'login'])
    expect(merged({ legs: '["search", "a b"]' })?.legs).toEqual(['search', 'a b'])
    const needs =
      '{"load-test": {"result": "failure", "outputs": {"x": "1"}}, "build": {"result": "success"}}'
    expect(merged({ needs })?.needs).toEqual({ 'load-test': 'failure', build: 'success' })
  })

  test.each<[Record<string, string>, string]>([
    [{ legs: '["a", 1]' }, 'legs is not a list of names'],
    [{ legs: '[a' }, 'legs is not a list of names'],
    [{ legs: Array.from({ length: 257 }, (_, index) => index).join('\n') }, 'legs names more than 256 legs'],
    [{ needs: 'load-test' }, 'needs does not say how the jobs ended'],
    [{ needs: '{"load-test": "failure"}' }, 'needs does not say how the jobs ended'],
  ])('%j: a fault is reported in a sentence', (values, sentence) => {
    expect(ownFaults('merge', values)).toEqual([expect.stringContaining(sentence)])
  })
})

test('the action history reads at most 200 runs', () => {
  expect(ownFaults('history', { 'history-runs': '201' })).toEqual([
    'history-runs is "201": write a whole number from 1 to 200.',
  ])
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
  const { inputs } = read(wrong)
  expect(inputs).toMatchObject({ retentionDays: 0, timeout: 1000 })
  expect(inputs.faults.inputs).toHaveLength(2)
})

test('a secret that a fork does not get is explained', () => {
  const withoutSecrets = 'GitHub gives no secrets to forks.'
  const given = faults({ 'client-id': '', 'client-secret': '' }, {}, { withoutSecrets })
  expect(given).toEqual([`client-id is empty: ${withoutSecrets}`])
})

test('certificates are always verified', () => {
  expect(faults({}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })[0]).toContain('NODE_EXTRA_CA_CERTS')
})

test('a file of gates that is not UTF-8 is a mistake: its names would match no timer', () => {
  const file = path.join(mkdtempSync(path.join(temporary, 'w-')), 'gates.yml')
  writeFileSync(file, Buffer.from('gates:\n  - request "Käse" p95 < 1 s\n', 'latin1'))
  expect(faults({ gates: file })).toContainEqual(
    expect.stringMatching(/^gates names .*which could not be read: .*utf-8/),
  )
  writeFileSync(file, '\ufeffgates:\n  - request "Käse" p95 < 1 s\n')
  expect(faults({ gates: file })).toEqual([])
})

test.each([
  ['gates', '.yml'],
  ['baseline', ''],
  ['source', ''],
])(
  '%s leads out of the workspace by no link in any of its parts, but may go through one inside',
  (name, end) => {
    const folder = mkdtempSync(path.join(temporary, 'w-'))
    const workspace = path.join(folder, 'work')
    const at = (file: string) => path.join(workspace, file)
    mkdirSync(at('own/below'), { recursive: true })
    mkdirSync(path.join(folder, 'out/below'), { recursive: true })
    for (const place of ['work/own/below/file', 'out/below/file', 'workfile'])
      writeFileSync(path.join(folder, `${place}${end}`), 'gates:\n  - requests p95 < 1 s\n')
    symlinkSync('../out', at('parent'))
    symlinkSync(path.join(folder, 'out/below'), at('own/inner'))
    symlinkSync(`../../../workfile${end}`, at(`own/below/last${end}`))
    symlinkSync('chain2', at('chain'))
    symlinkSync('parent', at('chain2'))
    symlinkSync('own', at('inside'))
    const faultsOf = (text: string) => faults({ [name]: text }, {}, { workspace })
    const own = (all: string[]) => all.filter((fault) => fault.startsWith(name))
    for (const [given, link] of [
      [`parent/below/file${end}`, 'parent'],
      [at(`parent/below/file${end}`), 'parent'],
      [`own/../parent/below${end}`, 'parent'],
      [`own/inner/file${end}`, 'own/inner'],
      [`inside/inner/file${end}`, 'inside/inner'],
      [`own/below/last${end}`, `own/below/last${end}`],
      [`chain/below/file${end}`, 'chain'],
    ] as const) {
      expect(own(faultsOf(given))).toEqual([
        `${name} leads out of the workspace through ${link}, which is a link. Name the file or folder that is meant.`,
      ])
    }
    for (const given of ['inside/below/file', 'own/below/file', path.join(folder, 'out/below/file')])
      expect(own(faultsOf(`${given}${end}`))).toEqual([])
  },
)

test.each(['gates', 'baseline'])('%s must not be a pipe or a device', async (name) => {
  const folder = mkdtempSync(path.join(temporary, 'w-'))
  const at = (file: string) => path.join(folder, file)
  execFileSync('mkfifo', [at('pipe.yml')])
  symlinkSync('/dev/zero', at('device.yml'))
  for (const file of ['pipe', 'device']) {
    const [fault, ...others] = faults({ [name]: at(`${file}.yml`) })
    expect(others).toEqual([])
    expect(fault).toContain(
      name === 'baseline'
        ? 'there is no such file or folder in the workspace'
        : `which could not be read: it is a ${file}, not a file`,
    )
  }
  writeFileSync(at('large.yml'), '')
  truncateSync(at('large.yml'), 2e6)
  writeFileSync(at('gates.yml'), 'gates:\n  - requests p95 < 1 s\n')
  symlinkSync('gates.yml', at('link.yml'))
  expect(faults({ gates: at('large.yml') })).toEqual([
    expect.stringContaining('which could not be read: it has 2.0 MB, and at most 1.0 MB are read'),
  ])
  expect(faults({ [name]: at('link.yml') })).toEqual([])
})

test.each<[string, Record<string, string>, boolean]>([
  ['run', {}, true],
  ['start', { mode: 'start' }, true],
  ['a given ZIP', { source: 'suite.zip' }, false],
  ['no upload', { source: 'none' }, false],
  ['collect', { mode: 'collect', 'run-number': '7', 'load-test': '' }, false],
])('nothing is packed from the head of a fork if there are secrets: %s', (_, changes, refused) => {
  const reason = 'Nothing is packed on pull_request_target for the head of octo/fork.'
  const asked: string[] = []
  const whyNotPacked = (folder: string) => {
    asked.push(folder)
    return reason
  }
  const found = faults({ source: 'suite', ...changes }, {}, { whyNotPacked })
  expect(found).toEqual(refused ? [reason] : [])
  expect(asked).toEqual(refused ? ['/w/suite'] : [])
})

describe('a percentile that no report will have', () => {
  const setting = 'com.xceptance.xlt.reportgenerator.runtimePercentiles'
  const said = (has: string) =>
    `gates, line 2: The report will have no p90, but ${has} The suite asks for others with ${setting} in config/project.properties.`
  const usual = said('p50, p95, p99, p99.9. Did you mean p95?')

  /** The faults, or else the warnings, with such files in `config`. */
  function told(files: Record<string, string>, changes: Record<string, string>): string[] {
    const workspace = mkdtempSync(path.join(temporary, 'w-'))
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(workspace, 'config', name)), { recursive: true })
      writeFileSync(path.join(workspace, 'config', name), text)
    }
    const gates = 'requests p95 <= 1 s\nrequests p90 <= 1 s'
    const { inputs } = read({ gates, ...changes }, {}, { workspace })
    return [...faultsIn(inputs), ...inputs.warnings.map((warning) => `warning: ${warning}`)]
  }

  test.each<[string, Record<string, string>, Record<string, string>, string[]]>([
    ['the suite asks for none', { 'project.properties': `# ${setting} = 90\na = b` }, {}, [usual]],
    ['there is no configuration', {}, {}, [usual]],
    ['it asks for it', { 'project.properties': `${setting}=90,95` }, {}, []],
    ['on two lines', { 'x/more.properties': `${setting} : 95, \\\n  90.0` }, {}, []],
    ['it asks for others', { 'a.properties': `${setting} 95 99` }, {}, [said('p95, p99. Did you mean p95?')]],
    [
      'the input asks for it',
      { 'a.properties': `${setting} = 95` },
      { properties: `${setting} = 90;95` },
      [],
    ],
    ['a placeholder', { 'a.properties': `${setting} = \${some}` }, {}, [`warning: ${usual}`]],
    ['nothing is packed', {}, { source: 'none' }, [`warning: ${usual}`]],
    ['a gate that warns', {}, { gates: '\nwarn: requests p90 <= 1 s' }, [`warning: ${usual}`]],
    ['a baseline, which is read before the start', {}, { baseline: 'load-test:7' }, []],
    ['mode start, which reads none', {}, { baseline: 'load-test:7', mode: 'start' }, [usual]],
    ['a run that there is already', {}, { mode: 'collect', 'run-number': '7', 'load-test': '' }, []],
  ])('%s', (_, files, changes, due) => {
    expect(told(files, changes)).toEqual(due)
  })

  test('none at all', () => {
    expect(told({ 'a.properties': `${setting} =` }, { gates: '\nrequests p90 <= 1 s' })).toEqual([
      said('none.'),
    ])
  })
})

describe('what only some texts of an input are allowed for', () => {
  const faultsOf = (about: string, changes: Record<string, string>) =>
    faults(changes).filter((sentence) => sentence.startsWith(about))

  test.each([
    ['run', 'true', 'load-test: 17', ''],
    ['check', 'true', 'load-test: 17', ''],
    ['run', 'true', '', 'a baseline'],
    ['start', 'true', 'load-test: 17', 'mode: run'],
    ['collect', 'true', '', 'mode: run'],
    ['start', 'false', 'load-test: 17', ''],
  ])('mode %s with confirm: %s, baseline: %s', (mode, confirm, baseline, lacks) => {
    const said = faultsOf('confirm: true needs', { mode, confirm, baseline })
    expect(said).toEqual(lacks === '' ? [] : [expect.stringContaining(`confirm: true needs ${lacks}`)])
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

test.each([
  ['failed', ['invalid', 'failed', 'load-test-failed', 'timed-out', 'cancelled', 'error']],
  ['error', ['load-test-failed', 'timed-out', 'cancelled', 'error']],
  ['never', []],
] as const)('with fail-on: %s a step is red if it is %j', (failOn, red) => {
  expect(verdicts.filter((verdict) => goesRed(verdict, failOn)).sort()).toEqual([...red].sort())
})
