import type { FaultRule, Fault, OperationName } from '../../sandbox/service/faults.js'
import type { ServiceSettings } from '../../sandbox/service/settings.js'
import type { Verdict } from '../../src/outcome/outcome.js'

/** One fault in one phase of a step, and the expected result. */
export interface Row {
  fault: string
  phase: OperationName
  /** By default they affect the calls of the phase. */
  faults: FaultRule[]
  settings?: Partial<ServiceSettings>
  inputs?: Record<string, string>
  /** The disk has this many bytes left when the phase begins, apart from what the step has put aside. */
  left?: number
  /** The test suite is so large that its upload takes many portions. */
  large?: true
  /** It waits for a long time without using the processor: such rows run side by side. */
  waits?: true
  expected: Seen
}

/** The result of a step, by its own claims and by the service's books. */
export interface Seen {
  verdict: Verdict
  /** Runs that the step started, by the books. */
  starts: number
  /**
   * What run-number names; `listed`: it is empty, and the log names the step's own run among the candidates; `may run`:
   * it is empty, and the log says that there may be a run; `and the second`: the summary names both.
   */
  told: 'own run' | 'own run, and the second' | "another job's run" | 'listed' | 'may run' | 'nothing'
  /** Code archives that arrived from the step. */
  uploads: number
  lost: 'nothing' | 'the run' | 'the report, for now' | 'the result, for now' | 'the code, which did not run'
}

type Expectation = Partial<Seen>
type More = Pick<Row, 'settings' | 'inputs' | 'waits' | 'large' | 'left'>

export const phases = [
  'token',
  'list',
  'details',
  'upload',
  'runCopy',
  'status',
  'report',
  'result',
  'delete',
] as const
type Phase = (typeof phases)[number]

const passed: Seen = { verdict: 'passed', starts: 1, told: 'own run', uploads: 1, lost: 'nothing' }
const nothing: Expectation = { verdict: 'error', starts: 0, told: 'nothing' }
const timedOut: Expectation = { verdict: 'timed-out', lost: 'the report, for now' }
const noReport: Expectation = { verdict: 'error', lost: 'the report, for now' }

const noResult: Expectation = { lost: 'the result, for now' }

const wanted: Partial<Record<OperationName, Record<string, string>>> = {
  result: { results: 'true' },
  delete: { 'delete-archive': 'true' },
}

function row(
  fault: string,
  phase: Phase | 'openapi',
  faults: Fault | FaultRule[],
  expected: Expectation,
  more: More = {},
): Row {
  return {
    fault,
    phase,
    faults: Array.isArray(faults) ? faults : [{ operation: phase, fault: faults }],
    ...more,
    inputs: { ...wanted[phase], ...more.inputs },
    expected: { ...passed, ...expected },
  }
}

const again = (operation: OperationName, fault: Fault, times: FaultRule['times'] = 'always'): FaultRule[] => [
  { operation, fault, times },
]

/**
 * Faults of any call. If the result in a phase is not the usual one (the step passes, as without a fault), it is
 * given here.
 */
const anywhere: [string, Fault, Partial<Record<Phase, Expectation & More>>][] = [
  ['dropped before', { kind: 'drop-before' }, { runCopy: { waits: true } }],
  ['dropped after', { kind: 'drop-after' }, { upload: { uploads: 2 } }],
  ['half an answer', { kind: 'half' }, { upload: { uploads: 2 } }],
  ['429, Retry-After 1 s', { kind: 'status', status: 429, retryAfter: 1 }, {}],
  ['503, Retry-After 1 s', { kind: 'status', status: 503, retryAfter: 1 }, { runCopy: { waits: true } }],
  ['502, not done', { kind: 'status', status: 502 }, { runCopy: { waits: true } }],
  ['504, yet done', { kind: 'status', status: 504, executed: true }, { upload: { uploads: 2 } }],
  [
    'HTML page with 200, not done',
    { kind: 'html', status: 200 },
    { runCopy: { ...nothing, told: 'may run', waits: true } },
  ],
  ['wrong JSON', { kind: 'wrong-json' }, { upload: { uploads: 2 } }],
  ['tokens expired', { kind: 'expire-tokens' }, {}],
  ['tokens revoked', { kind: 'revoke-tokens' }, {}],
]

/** The client treats these like 503 or a lost answer wherever it only reads: tried where something starts or is sent. */
const alike = ['dropped before', '429, Retry-After 1 s', '502, not done', '504, yet done', 'tokens expired']
const changing = ['upload', 'runCopy'] as const
/** One call of each kind, beside: each read is repeated alike, and __tests__/service tries that in process. */
const kinds = ['token', 'upload', 'runCopy', 'status', 'report', 'delete'] as const

function anywhereRows(): Row[] {
  return anywhere.flatMap(([name, fault, unusual]) =>
    (alike.includes(name) ? changing : kinds).map((phase) => {
      const { waits, settings, inputs, ...expected } = unusual[phase] ?? {}
      return row(name, phase, fault, expected, {
        ...(waits ? { waits } : {}),
        ...(settings ? { settings } : {}),
        ...(inputs ? { inputs } : {}),
      })
    }),
  )
}

const briefly: More = { inputs: { timeout: '3s' } }
const soon: More = { inputs: { timeout: '10s' } }
const ended = (state: string): FaultRule[] => [
  { operation: 'status', times: 'always', fault: { kind: 'state', state, ended: true } },
  { operation: 'details', skip: 1, times: 'always', fault: { kind: 'state', state, ended: true } },
]

function stateRows(): Row[] {
  return [
    row('state sticks for good', 'status', again('status', { kind: 'stuck' }), timedOut, {
      ...briefly,
      // Long enough for the first look to come before its end, even on a slow machine.
      settings: { secondsRunning: 600 },
    }),
    row('unknown state, ended', 'status', ended('EVAPORATED'), { verdict: 'load-test-failed' }, soon),
    row('vanished template (404)', 'details', { kind: 'vanish' }, { ...nothing, uploads: 0 }),
    row('vanished template (404)', 'runCopy', { kind: 'vanish' }, nothing),
    row('vanished run (404) for good', 'status', again('status', { kind: 'vanish' }), {}),
    row('run not shown (404) for a minute', 'status', again('status', { kind: 'vanish' }, 60), {}),
    row(
      'details of the new run not there (404), three looks',
      'details',
      [{ operation: 'details', skip: 1, times: 3, fault: { kind: 'vanish' } }],
      {},
    ),
    row(
      'first answer after 26 s, then 502',
      'details',
      [
        // The step's clock runs five times as fast until then.
        { operation: 'token', fault: { kind: 'latency', milliseconds: 26_000 / 5 } },
        { operation: 'details', fault: { kind: 'status', status: 502 } },
      ],
      {},
    ),
    row('vanished run (404)', 'report', again('report', { kind: 'vanish' }), noReport, soon),
    row(
      'service lost for good (503)',
      'status',
      again('status', { kind: 'status', status: 503 }),
      timedOut,
      briefly,
    ),
  ]
}

function archiveRows(): Row[] {
  const cut: Fault = { kind: 'cut-archive' }
  const corrupt: Fault = { kind: 'corrupt-archive' }
  const zip: More = { settings: { reportFormat: 'zip' } }
  return [
    row('report late by 2 s', 'report', [], {}, { settings: { reportDelay: 2 } }),
    row('report never comes', 'report', again('report', { kind: 'report-late' }), noReport, soon),
    row(
      'result never comes',
      'result',
      again('result', { kind: 'report-late' }),
      { lost: 'the result, for now' },
      soon,
    ),
    row('archive cut short, once', 'report', cut, {}),
    row('archive cut short, always', 'report', again('report', cut), noReport),
    row('ZIP archive cut short, always', 'report', again('report', cut), noReport, zip),
    row('archive corrupt, once', 'report', corrupt, {}),
    row('archive corrupt, always', 'report', again('report', corrupt), noReport),
    // The report is judged and attached; the verdict says what is missing.
    row('archive corrupt, always', 'result', again('result', corrupt), noResult),
  ]
}

function downloadRows(): Row[] {
  const breaks = [true, false].map((ranges) =>
    row(
      `download breaks at byte 5000, ${ranges ? 'ranges' : 'no ranges'}`,
      'report',
      { kind: 'half', bytes: 5000 },
      {},
      { settings: { ranges } },
    ),
  )
  const stuck = again('report', { kind: 'half', bytes: 3000 })
  return [
    ...breaks,
    row('download always breaks at byte 3000, no ranges', 'report', stuck, noReport, {
      ...{ settings: { ranges: false }, waits: true },
    }),
  ]
}

function otherJobRows(): Row[] {
  const start = (when: 'before' | 'after', template?: number): Fault => {
    return { kind: 'foreign-start', when, ...(template === undefined ? {} : { template }) }
  }
  const upload = (when: 'before' | 'after'): Fault => ({ kind: 'foreign-upload', when })
  const shown: More = { settings: { archiveShown: true } }
  const both = (first: Fault, second: Fault): FaultRule[] => [
    { operation: 'runCopy', fault: first },
    { operation: 'runCopy', fault: second },
  ]
  const listed: Expectation = { verdict: 'error', told: 'listed', lost: 'the report, for now' }
  const foreignCode: Expectation = { lost: 'the code, which did not run' }
  const dropped: Fault = { kind: 'drop-after' }
  return [
    row(
      'upload breaks at byte 1000000',
      'upload',
      { kind: 'upload-breaks', bytes: 1_000_000 },
      {},
      { large: true },
    ),
    row(
      'upload breaks three times',
      'upload',
      again('upload', { kind: 'upload-breaks', bytes: 300_000 }, 3),
      {},
      { large: true },
    ),
    row('upload breaks at its last byte', 'upload', { kind: 'upload-breaks', bytes: 100 }, { uploads: 2 }),
    row('another upload after ours', 'upload', upload('after'), foreignCode),
    row(
      'another upload after ours, archive shown',
      'upload',
      upload('after'),
      { ...foreignCode, verdict: 'error' },
      shown,
    ),
    row('another upload before the start', 'runCopy', upload('before'), foreignCode),
    row(
      'another upload before the start, archive shown',
      'runCopy',
      upload('before'),
      { ...foreignCode, verdict: 'error' },
      shown,
    ),
    row('another upload after the start', 'runCopy', upload('after'), {}, shown),
    row('another start before ours', 'list', start('before', 1), {}),
    row('another start before ours', 'runCopy', start('before'), {}),
    row('another start after ours', 'runCopy', start('after'), {}),
    row('another start before ours, answer dropped', 'runCopy', both(start('before'), dropped), listed),
    row('another start after ours, answer dropped', 'runCopy', both(start('after'), dropped), listed),
    row(
      'another start, of another template, answer dropped',
      'runCopy',
      both(start('after', 3), dropped),
      {},
    ),
    row('another start, ours dropped before', 'runCopy', both(start('before'), { kind: 'drop-before' }), {
      starts: 0,
      told: "another job's run",
    }),
    row('no number in the answer', 'runCopy', [], {}, { settings: { runCopyAnswer: 'nothing' } }),
    row('no number in the answer, another start', 'runCopy', start('after'), listed, {
      settings: { runCopyAnswer: 'nothing' },
    }),
  ]
}

/** Time runs twenty times as fast for the step as for the service. */
const hurried = (seconds: number) => seconds / 20

/** What a service does with a start, whatever it answers. */
function startRows(): Row[] {
  const start = (name: string, faults: Fault[], expected: Expectation, settings?: Row['settings']) =>
    row(
      name,
      'runCopy',
      faults.map((fault) => ({ operation: 'runCopy', fault })),
      expected,
      { waits: true, ...(settings ? { settings } : {}) },
    )
  const then = (name: string, more: FaultRule[], expected: Expectation, first: Fault = dropped) =>
    row(name, 'runCopy', [{ operation: 'runCopy', fault: first }, ...more], expected, { waits: true })
  const says = (status: number, executed: boolean): Fault => ({ kind: 'status', status, executed })
  const dropped: Fault = { kind: 'drop-after' }
  const listed: Expectation = { verdict: 'error', told: 'listed', lost: 'the report, for now' }
  const both: Expectation = { starts: 2, told: 'own run, and the second' }
  const open: Expectation = { ...nothing, told: 'may run' }
  const next = (fault: Fault): FaultRule => ({ operation: 'runCopy', skip: 1, fault })
  return [
    // Each other status, delay and list that is away is tried in __tests__/start/once.test.ts.
    start('401, yet done', [says(401, true)], listed),
    // After all looks, even on a busy machine.
    start('answer dropped, listed after 300 s', [dropped], both, {
      listLag: hurried(300),
      secondsRunning: hurried(600),
    }),
    start('504, done 40 s later', [{ kind: 'late', seconds: hurried(40) }, says(504, true)], {}),
    start('answer dropped, list in pages', [dropped], { ...noReport, told: 'may run' }, { listPage: 3 }),
    then(
      'answer dropped, no token (503) in the look',
      [
        // The first two looks are before the upload and before the start.
        { operation: 'list', skip: 2, fault: { kind: 'revoke-tokens' } },
        { operation: 'token', skip: 1, times: 2, fault: { kind: 'status', status: 503 } },
      ],
      {},
    ),
    then('dropped before, then after', [next(dropped)], {}, { kind: 'drop-before' }),
    then('503, then 403', [next(says(403, false))], open, says(503, false)),
    start(
      'two starts at once, both answers lost, archives shown',
      [{ kind: 'foreign-upload', when: 'before' }, { kind: 'foreign-start', when: 'before' }, dropped],
      { ...listed, lost: 'the code, which did not run' },
      { archiveShown: true },
    ),
  ]
}

/** The OpenAPI document only says what else the service offers: no step depends on it. */
function documentRows(): Row[] {
  const document = (name: string, fault: Fault) => row(name, 'openapi', again('openapi', fault), {})
  return [document('HTML page instead of the OpenAPI document', { kind: 'html', status: 200 })]
}

/** The report has some 20 kB, its testreport.xml 130 kB. */
function diskRows(): Row[] {
  const full = (phase: Phase, expected: Expectation, name = 'disk full', left = 0, settings = {}) =>
    row(name, phase, [], expected, { left, settings })
  // Nothing is started whose report could not be kept.
  const notStarted: Expectation = { ...nothing, told: 'nothing' }
  const notJudged: Expectation = { verdict: 'error' }
  const formats = (['tar.gz', 'zip'] as const).flatMap((reportFormat) => [
    full('report', noReport, `disk full within the .${reportFormat}`, 8192, { reportFormat }),
    full('report', notJudged, `disk full within testreport.xml, .${reportFormat}`, 65_536, { reportFormat }),
  ])
  return [
    full('token', notStarted),
    full('runCopy', noReport),
    full('report', noReport),
    ...formats,
    full('result', noResult),
    // What there is to say fits into the room that was put aside.
    full('delete', {}),
  ]
}

function clockRows(): Row[] {
  const jump = (seconds: number): Fault => ({ kind: 'clock-jump', seconds })
  return [
    row('clock jumps by +2 h', 'runCopy', jump(7200), {}),
    row('clock jumps by +2 h', 'status', jump(7200), {}),
    row('clock jumps by -2 h', 'runCopy', jump(-7200), {}),
    row('clock jumps by -2 h: the run seems not to have begun', 'status', jump(-7200), timedOut, briefly),
    row('clock jumps by -2 h: the report seems not to be there', 'report', jump(-7200), noReport, soon),
    row('tokens that live for 1 s', 'token', [], {}, { settings: { tokenSeconds: 1 } }),
    row('tokens revoked at two looks in a row', 'status', again('status', { kind: 'revoke-tokens' }, 2), {}),
  ]
}

export const rows: Row[] = [
  ...anywhereRows(),
  ...stateRows(),
  ...archiveRows(),
  ...downloadRows(),
  ...otherJobRows(),
  ...startRows(),
  ...diskRows(),
  ...clockRows(),
  ...documentRows(),
]

/** A lost start, a broken archive and a full disk, which npm test runs. */
const daily = [
  'dropped after: runCopy',
  'archive corrupt, always: report',
  'disk full within testreport.xml, .tar.gz: report',
]

/** Places of rows in the table: those of npm run test:whole, and those of npm test. */
export const places = {
  whole: rows.map((_, place) => place),
  daily: daily.map((name) => rows.findIndex(({ fault, phase }) => `${fault}: ${phase}` === name)),
}
