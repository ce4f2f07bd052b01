import { UserError } from '../../src/errors.js'
import { collectInputs, loadTestInputs, rootInputs } from '../load-test-inputs.js'
import { toldOutcome } from '../told.js'
import type { Run } from '../../src/outcome/outcome.js'
import { scopesFor } from '../../src/inputs/scopes.js'
import type { Client } from '../../src/service/service.js'
import type { LoadTest } from '../../src/service/wire.js'
import type { StartNote } from '../../src/start/earlier-start.js'
import { attachTo, facts, pageOf, start, startAgain } from '../../src/start/start.js'
import { answered, calls, fakeService, simulatedClock } from '../fake-service.js'
import { keptLog } from '../kept-log.js'

/* What a step starts, what it continues with, and what it keeps about that. Nothing is packed here. */

const service = 'https://x.test'
const project = { organization: 'acme', project: 'shop' }
const inputs = {
  ...loadTestInputs(),
  ...{ baseUrl: service, project, template: { number: 1 }, upload: false, resume: true },
}
const template: LoadTest = { number: 1, name: 'Webshop', state: 'FINISHED' }
const copy: LoadTest = { number: 9, state: 'NEW' }
const note: StartNote = { service, ...project, template: 1, run: 8, attempt: 1, commit: 'c0ffee01' }

type Kept = [name: string, ...unknown[]]

async function launched(
  {
    attempt = 1,
    notes = [],
    resume = true,
    confirms,
  }: {
    attempt?: number
    notes?: StartNote[] | (() => Promise<StartNote[]>)
    resume?: boolean
    confirms?: number
  },
  answers: Partial<Client> = {},
) {
  const tests: Record<number, LoadTest> = { 1: template, 8: { number: 8, state: 'RUNNING' } }
  const { client, asked } = fakeService({
    details: async (number) => tests[number] ?? Promise.reject(answered(404)),
    startMethod: async () => 'POST',
    list: async () => [template],
    authenticate: async () => undefined,
    runCopy: async () => ({ is: 'named', copy }),
    ...answers,
  })
  const { log, lines } = keptLog()
  const kept: Kept[] = []
  let read = 0
  const world = {
    ...{ attempt, clock: simulatedClock(), log, signal: new AbortController().signal, temp: '.' },
    deflateWorker: new URL('file:///none'),
    step: { actionVersion: '1.0.0', startedAt: '2026-11-22T10:00:00Z', head: 'c0ffee01' },
    earlierStarts: async () => {
      read++
      return typeof notes === 'function' ? notes() : notes
    },
    keep: {
      starting: (...given: unknown[]) => void kept.push(['starting', ...given]),
      run: ({ number }: Run, ...more: unknown[]) => void kept.push(['run', number, ...more]),
      archive: () => void kept.push(['archive']),
      settled: () => void kept.push(['settled']),
      measured: () => undefined,
    },
  }
  const wanted = { ...inputs, resume }
  const step = { ...world.step, seconds: 0, commit: 'c0ffee01' }
  const session = { inputs: wanted, world, client, ...toldOutcome(step) }
  const { run, own } =
    confirms === undefined
      ? await start(session)
      : await startAgain(session, { template, method: 'POST' }, confirms)
  return { outcome: session.told(), asked, lines, kept, read, run: run.number, own }
}

const starts = (asked: string[]) => asked.filter((call) => call.startsWith('runCopy'))

test('a first attempt starts one copy, keeps what existed before that, and the run as soon as it is known', async () => {
  const { outcome, asked, kept, read, run, own } = await launched({ notes: [note] })
  expect({ run, read }).toEqual({ run: 9, read: 0 })
  expect(starts(asked)).toEqual(['runCopy 1 POST'])
  expect(outcome.run).toMatchObject({ number: 9, state: 'NEW', template: { number: 1, name: 'Webshop' } })
  expect(own).toEqual({ template, before: [1] })
  expect(kept).toEqual([
    ['starting', 1, [1], undefined],
    ['run', 9, { note: { ...note, run: 9 } }],
  ])
})

test('a re-run continues with the run of an earlier attempt, and starts none', async () => {
  const { asked, kept, lines, run, own, outcome } = await launched({ attempt: 2, notes: [note] })
  expect({ run, own }).toEqual({ run: 8, own: undefined })
  expect(starts(asked)).toEqual([])
  expect(kept).toEqual([['run', 8, {}]])
  expect(outcome.run).toMatchObject({ number: 8, state: 'RUNNING' })
  expect(lines).toContainEqual(
    'notice: Continuing with load test 8, which attempt 1 of this job started; it is RUNNING.',
  )
})

test('a re-run that must not start twice ends if the notes of earlier attempts cannot be read', async () => {
  const notes = () => Promise.reject(new UserError('The notes could not be read.'))
  await expect(launched({ attempt: 2, notes })).rejects.toThrow(
    'The notes could not be read. A load test that an earlier attempt started may still be running, so nothing was started.',
  )
  const { asked, lines, run } = await launched({ attempt: 2, notes, resume: false })
  expect(run).toBe(9)
  expect(starts(asked)).toHaveLength(1)
  expect(lines).toContain('warning: The notes could not be read.')
})

test('a re-run that must not continue warns about the run of an earlier attempt, and starts one', async () => {
  const { asked, lines, run } = await launched({ attempt: 2, notes: [note], resume: false })
  expect(run).toBe(9)
  expect(starts(asked)).toHaveLength(1)
  expect(lines.filter((line) => line.startsWith('warning'))).toEqual([
    expect.stringMatching(
      /^warning: Attempt 1 of this job started load test 8 .*RUNNING\. .*resume: true\. .*run-number: 8;/,
    ),
  ])
})

test.each<[string, StartNote[]]>([
  ['nothing', []],
  ['a start of another template', [{ ...note, template: 2 }]],
  ['a second run', [{ ...note, confirms: 7 }]],
])('a re-run of a job that left %s starts one', async (_, notes) => {
  const { asked, kept, run } = await launched({ attempt: 2, notes })
  expect(run).toBe(9)
  expect(starts(asked)).toHaveLength(1)
  expect(kept.at(-1)).toEqual(['run', 9, { note: { ...note, run: 9, attempt: 2 } }])
})

test('a second run says which one it confirms, and does not look for the template again', async () => {
  const { asked, kept, run } = await launched({ confirms: 8 })
  expect(run).toBe(9)
  expect(asked).toEqual(['list', 'authenticate', 'runCopy 1 POST'])
  expect(kept).toEqual([
    ['starting', 1, [1], 8],
    ['run', 9, { note: { ...note, run: 9, confirms: 8 }, confirms: 8 }],
  ])
})

test('a re-run continues with the second run of an earlier attempt, and not with the first in its place', async () => {
  const tests = { 7: 'FINISHED', 8: 'RUNNING' }
  const details = async (number: number) => ({ number, state: tests[number === 7 ? 7 : 8] })
  const notes = [
    { ...note, run: 7 },
    { ...note, confirms: 7 },
  ]
  const { asked, kept, run } = await launched({ attempt: 2, notes, confirms: 7 }, { details })
  expect(run).toBe(8)
  expect(asked).toEqual(['details 8'])
  expect(kept).toEqual([['run', 8, { confirms: 7 }]])
  const none = await launched({ attempt: 2, notes: [{ ...note, run: 7 }], confirms: 7 }, { details })
  expect(starts(none.asked)).toHaveLength(1)
})

test('a template that does not exist starts nothing', async () => {
  const details = () => Promise.reject(answered(404, calls.details(1)))
  await expect(launched({}, { details })).rejects.toThrow('the service answered 404')
})

test('to collect a run is to read it, and to keep it', async () => {
  const { client, asked } = fakeService({
    details: async (number) => ({ number, state: 'RUNNING', name: 'x' }),
  })
  const kept: number[] = []
  const unused = () => undefined
  const keep = {
    starting: unused,
    archive: unused,
    settled: unused,
    measured: unused,
    run: ({ number }: Run) => void kept.push(number),
  }
  const { log } = keptLog()
  const session = { inputs: collectInputs({ 'run-number': '8' }), world: { keep, log }, client }
  const run = await attachTo({ ...session, ...toldOutcome() })
  expect([run, asked, kept]).toEqual([{ number: 8, state: 'RUNNING', name: 'x' }, ['details 8'], [8]])
})

test.each<[Partial<LoadTest>, ReturnType<typeof facts>]>([
  [{ state: 'RUNNING' }, { state: 'RUNNING' }],
  [
    { startTime: 1000, endTime: 61_600 },
    { startTime: '1970-01-01T00:00:01.000Z', endTime: '1970-01-01T00:01:01.600Z', durationSeconds: 61 },
  ],
  [{ startTime: 5000, endTime: 5000 }, { durationSeconds: 0 }],
  // Clocks that differ are no duration.
  [
    { startTime: 5000, endTime: 4000 },
    { startTime: '1970-01-01T00:00:05.000Z', endTime: '1970-01-01T00:00:04.000Z' },
  ],
  [
    { endTime: 4000, revision: 'c0ffee' },
    { endTime: '1970-01-01T00:00:04.000Z', revision: 'c0ffee' },
  ],
])('of %j, an outcome has %j', (test, due) => {
  const read = facts({ number: 8, ...test })
  expect(read).toMatchObject(due)
  expect('durationSeconds' in read).toBe('durationSeconds' in due)
})

test('the page of a run is that of the service, else that of the input, else none', () => {
  const runPage = 'https://x.test/{organization}/{project}/{number}?n={number}'
  const spaced = { project: { organization: 'a b', project: 'c/d' } }
  expect(pageOf({ number: 8, page: 'https://x.test/8' }, { ...spaced, runPage })).toBe('https://x.test/8')
  expect(pageOf({ number: 8 }, { ...spaced, runPage })).toBe('https://x.test/a%20b/c%2Fd/8?n=8')
  expect(pageOf({ number: 8 }, spaced)).toBeUndefined()
})

const [details, list, runCopy] = ['LOADTEST_DETAILS', 'LOADTEST_LIST', 'LOADTEST_COPY_RUN']
const [status, report, results] = ['LOADTEST_STATUS', 'LOADTEST_REPORT_DOWNLOAD', 'LOADTEST_RESULT_DOWNLOAD']
const [upload, remove] = ['CODEARCHIVE_UPLOAD', 'CODEARCHIVE_DELETE']

test.each<[Record<string, string>, string[]]>([
  [
    { mode: 'run', upload: 'true', 'delete-archive': 'false' },
    [details, list, runCopy, upload, status, report],
  ],
  [{ mode: 'run', upload: 'false', 'delete-archive': 'false' }, [details, list, runCopy, status, report]],
  [
    { mode: 'check', upload: 'true', 'delete-archive': 'true', 'results-artifact': 'r' },
    [details, list, runCopy, upload, remove, status, report, results],
  ],
  [
    { mode: 'start', upload: 'true', 'delete-archive': 'false', 'results-artifact': 'r' },
    [details, list, runCopy, upload],
  ],
  [
    { mode: 'collect', upload: 'true', 'delete-archive': 'true', 'results-artifact': 'r' },
    [details, status, report, results],
  ],
])('with %j the token has only the scopes that are needed', (wanted, scopes) => {
  expect([...scopesFor(rootInputs(wanted))].sort()).toEqual([...scopes].sort())
})
