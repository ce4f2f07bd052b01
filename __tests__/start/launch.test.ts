import { buffer } from 'node:stream/consumers'
import { BaselineError, NoRecordError, UserError, LostError, StartError } from '../../src/errors.js'
import { collectInputs, loadTestInputs, rootInputs } from '../load-test-inputs.js'
import { toldOutcome, worded } from '../told.js'
import type { Run } from '../../src/outcome/outcome.js'
import { scopesFor, type StartInputs } from '../../src/inputs/inputs.js'
import type { Client } from '../../src/service/service.js'
import type { LoadTest } from '../../src/service/project.js'
import { attachTo, facts, brokenOff, type StartNote } from '../../src/run/run.js'
import { start, startAgain, type Source } from '../../src/start/start.js'
import { defined, fieldsOf } from '../../src/text/fields.js'
import { report as earlierReport } from '../gates/example-report.js'
import type { FoundBaseline } from '../../src/baseline/baseline.js'
import { Folder } from '../archive/folder.js'
import { answered, fakeService, simulatedClock } from '../fake-service.js'
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
const subject = { service, ...project, template: 1, attempt: 1, commit: 'c0ffee01' }
const note: StartNote = { ...subject, run: 8, id: 'a', highest: 7, at: '2026-11-22T10:00:00Z' }
const any: unknown = expect.any(String)
/** What is recorded about a start. */
const noted = { ...subject, templateName: 'Webshop', id: any, at: any, highest: 1 }

type Kept = [name: string, ...unknown[]]

async function launched(
  {
    attempt = 1,
    notes = [],
    resume = true,
    confirms,
    packed,
    found = template,
    baseline,
    signal = new AbortController().signal,
    kept = [],
    wanted: named = inputs.template,
    source: of = { template },
    deleteArchive = false,
    checkNew = () => undefined,
    others = [],
  }: {
    attempt?: number
    notes?: StartNote[] | (() => Promise<StartNote[] | undefined>)
    resume?: boolean
    confirms?: number
    /** The folder with what is uploaded, in `w`; absent = nothing is. */
    packed?: Folder
    found?: LoadTest
    baseline?: FoundBaseline
    signal?: AbortSignal
    /** Filled even if it ends with a fault. */
    kept?: Kept[]
    wanted?: StartInputs['template']
    /** Of a second run. */
    source?: Source
    deleteArchive?: boolean
    checkNew?: () => void
    /** What other steps have noted. */
    others?: StartNote[]
  },
  answers: Partial<Client> = {},
) {
  const tests: Record<number, LoadTest> = { 1: found, 8: { number: 8, state: 'RUNNING' }, 9: copy }
  const { client, asked } = fakeService({
    details: async (number) => tests[number] ?? Promise.reject(answered(404)),
    startMethod: async () => 'POST',
    list: async () => [template],
    authenticate: async () => undefined,
    runCopy: async () => ({ is: 'named', copy }),
    upload: async (archive) => {
      await buffer(archive.open())
      return 'ca-2'
    },
    ...answers,
  })
  const { log, lines } = keptLog()
  let read = 0
  const world = {
    ...{ attempt, clock: simulatedClock(), log, signal, temp: packed?.path ?? '.' },
    step: { actionVersion: '1.0.0', startedAt: '2026-11-22T10:00:00Z', head: 'c0ffee01' },
    earlierStarts: async () => {
      read++
      return typeof notes === 'function' ? notes() : notes
    },
    startOf: async (of: number) => others.find(({ run }) => run === of),
    keep: {
      starting: async (start: StartNote) => void kept.push(['starting', start]),
      tellsOf: () => undefined,
      notStarted: (start: StartNote) => void kept.push(['not started', start]),
      run: ({ number }: Run, ...more: unknown[]) => void kept.push(['run', number, ...more]),
      archive: ({ id }: { id?: string }) => void kept.push(['archive', id]),
      settled: () => void kept.push(['settled']),
      measured: () => undefined,
    },
  }
  const wanted = {
    ...{ ...inputs, resume, deleteArchive, template: named, upload: packed !== undefined },
    ...(packed ? { source: packed.at('w') } : {}),
  }
  const step = { ...world.step, seconds: 0, commit: 'c0ffee01' }
  const session = { inputs: wanted, world, client, ...defined({ baseline }), ...toldOutcome(step) }
  const {
    run,
    own,
    uploaded: ours,
    source,
  } = confirms === undefined
    ? await start(session, checkNew)
    : { ...(await startAgain(session, of, confirms)), source: undefined }
  return { outcome: session.told(), asked, lines, kept, read, run: run.number, own, ours, source }
}

/** A call that always answers the same, and how often it was made. */
function counted<T>(answer: T) {
  let calls = 0
  const call = async () => {
    calls++
    return answer
  }
  return { call, count: () => calls }
}

const starts = (asked: string[]) => asked.filter((call) => call.startsWith('runCopy'))

test('a first attempt starts one copy, keeps what existed before that, and the run as soon as it is known', async () => {
  const { outcome, asked, kept, read, run, own } = await launched({ notes: [note] })
  expect({ run, read }).toEqual({ run: 9, read: 0 })
  expect(starts(asked)).toEqual(['runCopy 1 POST'])
  expect(outcome.run).toMatchObject({ number: 9, state: 'NEW', template: { number: 1, name: 'Webshop' } })
  expect(own).toEqual({ ...noted, isOpen: false })
  expect(kept).toEqual([
    ['starting', noted],
    ['run', 9, { note: { ...noted, run: 9 } }],
  ])
})

test('a fault of the token before the request records no start', async () => {
  const kept: Kept[] = []
  const { count, call: runCopy } = counted({ is: 'named' as const, copy })
  const authenticate = () => Promise.reject(answered(401))
  await expect(launched({ kept }, { authenticate, runCopy })).rejects.toThrow('401')
  expect([kept, count()]).toEqual([[], 0])
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
  // So does one that is alive although its attempt has told what became of it, as mode start does.
  const told = await launched({ attempt: 2, notes: [note, { ...note, run: null }] })
  expect([told.run, starts(told.asked)]).toEqual([8, []])
})

test('what keeps a new run from being started keeps none from being followed', async () => {
  const kept: Kept[] = []
  const checkNew = () => {
    throw new BaselineError('There is no baseline.')
  }
  expect((await launched({ attempt: 2, notes: [note], checkNew })).run).toBe(8)
  await expect(launched({ kept, checkNew })).rejects.toThrow('There is no baseline.')
  expect(kept).toEqual([])
})

test('a re-run continues with a run that nobody was told of, although it is not asked to', async () => {
  const { asked, kept, run } = await launched({ attempt: 2, notes: [note], resume: false })
  expect([run, starts(asked), kept]).toEqual([8, [], [['run', 8, {}]]])
})

test('a re-run that must not start twice ends if the notes of earlier attempts cannot be read', async () => {
  const notes = () => Promise.reject(new NoRecordError('The notes could not be read.'))
  await expect(launched({ attempt: 2, notes })).rejects.toThrow(
    'The notes could not be read. A load test that an earlier attempt started may still be running, so nothing was started. Set resume: false',
  )
  const { asked, lines, run } = await launched({ attempt: 2, notes, resume: false })
  expect(run).toBe(9)
  expect(starts(asked)).toHaveLength(1)
  expect(lines).toContain('warning: The notes could not be read.')
})

test('no re-run starts anything while GitHub cannot say what an earlier attempt has started', async () => {
  const notes = () => Promise.reject(new UserError('The notes could not be read.'))
  const kept: Kept[] = []
  await expect(launched({ attempt: 2, notes, resume: false, kept })).rejects.toThrow(
    'so nothing was started. If that does not help, start a new workflow run for a new load test.',
  )
  expect(kept).toEqual([])
})

test('a re-run that must not continue warns about the run of an earlier attempt, and starts one', async () => {
  const { asked, lines, run } = await launched({
    ...{ attempt: 2, notes: [note, { ...note, run: null }], resume: false },
  })
  expect(run).toBe(9)
  expect(starts(asked)).toHaveLength(1)
  expect(lines.filter((line) => line.startsWith('warning'))).toEqual([
    expect.stringMatching(
      /^warning: Attempt 1 of this job started load test 8 .*RUNNING\. .*resume: true\. .*run-number: 8\./,
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
  expect(kept.at(-1)).toEqual(['run', 9, { note: { ...noted, run: 9, attempt: 2 } }])
})

test('a re-run continues with the second run of an earlier attempt, and not with the first in its place', async () => {
  const tests = { 7: 'FINISHED', 8: 'RUNNING' }
  const details = async (number: number) => ({ number, state: tests[number === 7 ? 7 : 8] })
  const notes = [
    { ...note, run: 7 },
    { ...note, confirms: 7 },
  ]
  const { asked, kept, run, outcome } = await launched({ attempt: 2, notes, confirms: 7 }, { details })
  expect([run, outcome.run?.number]).toEqual([8, 8])
  expect(asked).toEqual(['details 8'])
  expect(kept).toEqual([['run', 8, { confirms: 7 }]])
  const none = await launched({ attempt: 2, notes: [{ ...note, run: 7 }], confirms: 7 }, { details })
  expect(starts(none.asked)).toHaveLength(1)
})

test.each<[string, LoadTest, string]>([
  [
    'a retired engine',
    { ...template, environment: '6.x' },
    'Load test 1 runs on engine 6.x, which is retired.',
  ],
  ['no engine that is known', template, 'The service does not say which engine it runs on.'],
  ['a known engine', { ...template, environment: '9.x' }, ''],
])('a template with %s says so before anything is started', async (_, found, sentence) => {
  if (sentence.includes('retired')) {
    await expect(launched({ found })).rejects.toThrow(sentence)
    return
  }
  const { lines } = await launched({ found })
  expect(lines[0]).toBe('The template is load test 1, "Webshop"')
  expect(lines.includes('The service does not say which engine it runs on.')).toBe(sentence !== '')
})

test('the log says by which method a copy is started, and which one it is', async () => {
  const method = (startMethod: Client['startMethod']) => launched({}, { startMethod })
  expect((await method(async () => 'POST')).lines).toContain(
    'By the OpenAPI document, a copy is started by POST.',
  )
  const { asked, lines, source } = await method(async () => undefined)
  expect(lines).toContain(
    'The OpenAPI document does not say how a copy is started: by GET, or by POST if that is refused and the list shows no new one.',
  )
  expect(lines).toContain('Started load test 9')
  expect(source).toEqual({ template })
  expect(asked).toContain('startMethod 1')
  const page = 'https://x.test/9'
  const { lines: named, outcome } = await launched(
    {},
    { runCopy: async () => ({ is: 'named', copy: { ...copy, page } }) },
  )
  expect(named).toContain('Started load test 9: https://x.test/9')
  expect(outcome.run?.url).toBe(page)
})

describe('how long a run is expected to take', () => {
  const times = (startTime?: number, endTime?: number) => ({
    ...template,
    ...defined({ startTime, endTime }),
  })
  const baseline = (duration?: number): FoundBaseline => ({
    ...{ notes: [], advice: [] },
    runs: {
      reports: [earlierReport({ general: duration === undefined ? {} : { duration } })],
      ...{ origins: [], info: { name: 'x', runs: 1 } },
    },
  })

  test.each<[string, LoadTest, FoundBaseline | undefined, number | undefined]>([
    ['as long as the last run of the template', times(1000, 61_000), baseline(30), 60_000],
    ['as long as that of the baseline, if the template never ran', times(), baseline(30), 30_000],
    ['as long as that of the baseline, if the template is running', times(1000), baseline(30), 30_000],
    ['as long as that of the baseline, if the clocks differ', times(2000, 1000), baseline(30), 30_000],
    ['as long as that of the baseline, if it took no time', times(2000, 2000), baseline(30), 30_000],
    ['unknown, if the report of the baseline does not say', times(), baseline(), undefined],
    ['unknown without a baseline', times(), undefined, undefined],
  ])('%s', async (_, found, known, due) => {
    const earliest = Date.now()
    const { kept } = await launched({ found, ...defined({ baseline: known }) })
    const [, , more] = kept.at(-1) ?? []
    const end = Date.parse(String(fieldsOf(more).expectedEnd))
    if (due === undefined) expect(end).toBeNaN()
    else expect([end >= earliest + due, end <= Date.now() + due]).toEqual([true, true])
  })

  test('so long that no calendar has its end: the run is kept all the same', async () => {
    const { kept } = await launched({ found: times(), baseline: baseline(9e12) })
    expect(kept.at(-1)).toEqual(['run', 9, { note: { ...noted, run: 9 } }])
  })
})

describe('a step that is cancelled', () => {
  const cancelled = () => {
    const controller = new AbortController()
    return { signal: controller.signal, cancel: () => controller.abort(new Error('cancelled')) }
  }

  test('before the start, it starts nothing', async () => {
    const { signal, cancel } = cancelled()
    const startMethod = async () => {
      cancel()
      return undefined
    }
    const { count, call: runCopy } = counted({ is: 'named' as const, copy })
    await expect(launched({ signal }, { startMethod, runCopy })).rejects.toThrow('cancelled')
    expect(count()).toBe(0)
  })

  test('once the service has refused the start, it keeps that', async () => {
    const { signal, cancel } = cancelled()
    const kept: Kept[] = []
    const fault = answered(405)
    const runCopy = async () => {
      cancel()
      return { is: 'refused' as const, fault }
    }
    await expect(launched({ signal, kept }, { runCopy })).rejects.toThrow('405')
    expect(kept.map(([name]) => name)).toEqual(['starting', 'not started'])
  })

  test('once the copy exists, it has kept it', async () => {
    const { signal, cancel } = cancelled()
    const kept: Kept[] = []
    const runCopy = async () => {
      cancel()
      return { is: 'named' as const, copy }
    }
    await expect(launched({ signal, kept }, { runCopy })).rejects.toThrow('cancelled')
    expect(kept.map(([name]) => name)).toEqual(['starting', 'run'])
  })
})

describe('with an upload', () => {
  let packed: Folder
  beforeEach(async () => {
    packed = await Folder.make()
    await packed.write({ 'w/pom.xml': '<project/>' })
  })
  afterEach(() => packed.remove())
  const ofRun = (over: Partial<LoadTest>): Partial<Client> => ({
    runCopy: async () => ({ is: 'named', copy: { ...copy, ...over } }),
  })

  test('the archive is packed, uploaded, kept and told before the copy is started', async () => {
    const { asked, kept, outcome, ours, own, source, lines } = await launched(
      { packed },
      ofRun({ archiveId: 'ca-2' }),
    )
    const { sha512 = '' } = outcome.archive ?? {}
    expect(sha512).toMatch(/^[0-9a-f]{128}$/)
    expect(asked).toEqual([
      ...['details 1', 'list', 'startMethod 1', `upload ${sha512}`, 'startMethod 1', 'list', 'authenticate'],
      ...['runCopy 1 POST', 'details 9'],
    ])
    expect(kept).toEqual([
      ['archive', 'ca-2'],
      ['starting', { ...noted, archiveId: 'ca-2', archiveSha512: sha512 }],
      ['run', 9, { note: { ...noted, run: 9, archiveId: 'ca-2', archiveSha512: sha512 } }],
    ])
    expect(outcome.archive).toMatchObject({ id: 'ca-2', files: 1 })
    expect(ours).toEqual(outcome.archive)
    expect(own).toMatchObject({ highest: 1, isOpen: false, archiveId: 'ca-2' })
    expect(source).toEqual({ template, archive: outcome.archive })
    expect(lines).toContain('Uploaded as code archive ca-2')
  })

  test.each<[string, Partial<LoadTest>, boolean]>([
    ['runs', { state: 'RUNNING' }, false],
    ['runs by its times', { startTime: 1 }, false],
    ['has ended', { state: 'FINISHED' }, true],
    ['waits for its start', { state: 'NEW' }, true],
    ['is planned for later', { state: 'SCHEDULED' }, true],
    ['is in no known state, and has no times', {}, true],
    ['is of another load test', { state: 'RUNNING', name: 'Search' }, true],
    ['was built from another upload', { state: 'RUNNING', revision: 'f'.repeat(128) }, true],
  ])('a re-run without a record, and another copy that %s', async (_, more, isStarted) => {
    const other = { number: 8, name: 'Webshop (copy)', ...more }
    const answers = {
      list: async () => [template, other],
      details: async (at: number) => (at === 8 ? other : template),
    }
    const unread = () => Promise.reject(new NoRecordError('The notes could not be read.'))
    const hidden = () => Promise.resolve(undefined)
    const others = [{ ...note, run: 8 }]
    expect((await launched({ attempt: 2, notes: hidden, packed, others }, answers)).run).toBe(9)
    // Artifacts that are shown, and none of this step, say that it has started nothing.
    expect((await launched({ attempt: 2, notes: [], packed }, answers)).run).toBe(9)
    // The number of the template says nothing.
    for (const [notes, number] of [
      [hidden, 1],
      [unread, 1],
      [hidden, 20],
    ] as const) {
      const found = { ...template, number }
      const more = { found, wanted: { number }, packed, resume: false }
      const details = async (at: number) => (at === 8 ? other : found)
      const run = launched({ attempt: 2, notes, ...more }, { list: async () => [found, other], details })
      if (isStarted) expect((await run).run).toBe(9)
      else
        await expect(run).rejects.toThrow(
          `this copy of load test ${number} still runs: 8 ("Webshop (copy)"). It may be`,
        )
    }
  })

  test('a re-run without a record, and several copies that run: all are named, but those that other steps have noted', async () => {
    const running = [12, 8, 10, 11].map((number) => ({ number, name: 'Webshop (copy)', state: 'RUNNING' }))
    const answers = {
      list: async () => [template, ...running, { ...copy, number: 7, state: 'ERROR' }],
      details: async (at: number) => running.find(({ number }) => number === at) ?? template,
    }
    const others = [{ ...note, run: 10 }]
    const end: unknown = await launched(
      { attempt: 2, notes: async () => undefined, packed, others },
      answers,
    ).catch((error: unknown) => error)
    if (!(end instanceof StartError)) throw new Error(`It ended with ${String(end)}.`)
    expect(end.message).toMatch(
      / these copies of load test 1 still run: 8 .*, 11 .*, 12 [^,]*\. One of them may/,
    )
    expect(end.advice.map((one) => /run-number: (\d+)|If that/.exec(one)?.[0])).toEqual([
      ...['If that', 'run-number: 8', 'run-number: 11', 'run-number: 12'],
    ])
    // A second run is one of this very attempt, and where nothing is listed, nothing can be seen.
    const again = { attempt: 2, notes: async () => undefined, packed }
    expect((await launched({ ...again, confirms: 7 }, answers)).run).toBe(9)
    const list = () => Promise.reject(answered(403))
    const status = async () => template
    const { lines, run } = await launched(again, { ...answers, list, status })
    expect([run, lines.filter((line) => line.includes('may be running all the same'))]).toEqual([9, [any]])
  })

  test('an archive without an id is known by its SHA-512', async () => {
    const { lines, kept, outcome } = await launched(
      { packed },
      { upload: async () => undefined, list: async () => [template] },
    )
    expect(lines).toContain('Uploaded; the service did not name its id')
    expect(kept[0]).toEqual(['archive', undefined])
    expect(outcome.archive).not.toHaveProperty('id')
  })

  test('an archive that is to be deleted, and cannot be, is told of at its upload, whatever comes then', async () => {
    const upload = async () => undefined
    const started = async (more: object) => (await launched({ packed, ...more }, { upload })).outcome
    const nameless: unknown = expect.stringMatching(
      /^The code archive was not deleted: .* did not name its id/,
    )
    const { archive, notes } = await started({ deleteArchive: true })
    expect(notes).toEqual([nameless])
    expect((await started({})).notes).toEqual([])
    const same = { ...note, ...defined({ archiveSha512: archive?.sha512 }) }
    const again = { attempt: 2, notes: [same] }
    expect((await started({ ...again, deleteArchive: true })).notes).toEqual([nameless])
  })

  test.each([
    [503, true],
    [429, false],
  ])(
    'beside an upload whose first try ended with %s, another archive may be left: %s',
    async (status, isLeft) => {
      let tries = 0
      const upload = async () => (tries++ === 0 ? Promise.reject(answered(status)) : 'ca-2')
      const patiently: Client['patiently'] = (call) => call().catch(call)
      const { notes } = (await launched({ packed, deleteArchive: true }, { upload, patiently })).outcome
      expect(notes).toEqual(isLeft ? [expect.stringMatching(/^The answer to an upload was lost: /)] : [])
      const { outcome } = await launched({ packed }, { upload, patiently })
      expect(outcome.notes).toEqual([])
    },
  )

  test.each<[string, LoadTest]>([
    ['builds from Git', { ...template, useLatest: false }],
    ['does not enable its code archive', { ...template, archiveEnabled: false }],
  ])('a template that %s is refused before anything is uploaded', async (sentence, found) => {
    const { count, call: upload } = counted(undefined)
    await expect(launched({ packed, found }, { upload })).rejects.toThrow(sentence)
    expect(count()).toBe(0)
    expect((await launched({ found })).run).toBe(9)
  })

  test.each<[string, string, boolean]>([
    ['still names another archive', 'ca-1', false],
    ['names the uploaded one now', 'ca-2', true],
  ])('a template that %s after the upload: a copy is started, or not', async (_, archiveId, isStarted) => {
    const found = { ...template, archiveId: 'ca-1' }
    const { count, call: runCopy } = counted({
      is: 'named' as const,
      copy: { ...copy, archiveId: 'ca-2' },
    })
    let asked = 0
    const details = async () => (asked++ === 0 ? found : { ...found, archiveId })
    const going = launched({ packed, found }, { details, runCopy })
    if (isStarted) await going
    else await expect(going).rejects.toThrow('Load test 1 is set to the code archive ca-1, and still was')
    expect([asked, count()]).toEqual(isStarted ? [3, 1] : [2, 0])
  })

  test('a run that is built from another archive ends the step, which has kept it', async () => {
    const kept: Kept[] = []
    await expect(launched({ packed, kept }, ofRun({ archiveId: 'ca-7' }))).rejects.toThrow(
      'Load test 9 is built from the code archive ca-7, not from ca-2, which was uploaded for it',
    )
    expect(kept.map(([name]) => name)).toEqual(['archive', 'starting', 'run'])
  })

  test('a re-run continues with the run of the same archive, whose id it has from the note', async () => {
    const { outcome: first } = await launched({ packed })
    const archiveSha512 = first.archive?.sha512 ?? ''
    const same = { ...note, archiveId: 'ca-1', archiveSha512 }
    const { asked, kept, outcome, ours, source, run } = await launched({ packed, attempt: 2, notes: [same] })
    expect(run).toBe(8)
    expect(asked.filter((call) => /^(?:upload|runCopy)/.test(call))).toEqual([])
    expect(outcome.archive).toEqual({ ...first.archive, id: 'ca-1' })
    expect([ours, source]).toMatchObject([outcome.archive, { template, archive: outcome.archive }])
    expect(kept).toEqual([
      ['archive', 'ca-1'],
      ['run', 8, {}],
    ])
    const bare = await launched({ packed, attempt: 2, notes: [{ ...note, archiveSha512 }] })
    expect(bare.kept).toEqual([['run', 8, {}]])
    const other = await launched({ packed, attempt: 2, notes: [{ ...same, archiveSha512: 'another' }] })
    expect(other.run).toBe(9)
  })

  test.each([false, true])(
    'beside a run that a re-run continues with, the second is of the same code: it is uploaded anew; delete-archive %s',
    async (deleteArchive) => {
      const first = await launched({ packed })
      expect(first.source?.packed).toBeUndefined()
      const same = {
        ...note,
        archiveId: 'ca-1',
        ...defined({ archiveSha512: first.outcome.archive?.sha512 }),
      }
      const { source } = await launched({ packed, attempt: 2, notes: [same] })
      const deleteIt = { deleteArchive: () => Promise.reject(answered(404)) }
      const again = { ...defined({ source }), confirms: 8, deleteArchive }
      const { asked, outcome, ours } = await launched(again, deleteIt)
      expect(asked.filter((call) => /^(?:upload|runCopy|delete)/.test(call))).toEqual([
        expect.stringMatching(/^upload /),
        ...(deleteArchive ? ['deleteArchive ca-1'] : []),
        'runCopy 1 POST',
      ])
      expect([outcome.archive?.id, ours?.id]).toEqual(['ca-2', 'ca-2'])
    },
  )
})

test('to collect a run is to read it, and to keep it', async () => {
  const { client, asked } = fakeService({
    details: async (number) => ({ number, state: 'RUNNING', name: 'x' }),
  })
  const kept: number[] = []
  const keep = { run: ({ number }: Run) => void kept.push(number) }
  const { log } = keptLog()
  const clock = { now: () => 0, sleep: () => Promise.resolve() }
  const world = { clock, keep, log, signal: new AbortController().signal }
  const session = { inputs: collectInputs({ 'run-number': '8' }), world, client }
  const run = await attachTo({ ...session, ...toldOutcome() }, note)
  expect([run, asked, kept]).toEqual([
    { number: 8, state: 'RUNNING', name: 'x', template: { number: note.template } },
    ['details 8'],
    [8],
  ])
  const named = await attachTo({ ...session, ...toldOutcome() }, { ...note, templateName: 'Shop' })
  expect(named.template).toEqual({ number: note.template, name: 'Shop' })
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

const [details, list, runCopy] = ['LOADTEST_DETAILS', 'LOADTEST_LIST', 'LOADTEST_COPY_RUN']
const [status, report, results] = ['LOADTEST_STATUS', 'LOADTEST_REPORT_DOWNLOAD', 'LOADTEST_RESULT_DOWNLOAD']
const [upload, remove] = ['CODEARCHIVE_UPLOAD', 'CODEARCHIVE_DELETE']

test.each<[Record<string, string>, string[]]>([
  [{ mode: 'run', 'delete-archive': 'false' }, [details, list, runCopy, upload, status, report]],
  [{ mode: 'run', source: 'none', 'delete-archive': 'false' }, [details, list, runCopy, status, report]],
  [
    { mode: 'check', 'delete-archive': 'true', results: 'true' },
    [details, list, runCopy, upload, remove, status, report, results],
  ],
  [{ mode: 'start', 'delete-archive': 'false', results: 'true' }, [details, list, runCopy, upload]],
  [{ mode: 'collect', 'delete-archive': 'true', results: 'true' }, [details, status, report, results]],
])('with %j the token has only the scopes that are needed', (wanted, scopes) => {
  expect([...scopesFor(rootInputs(wanted))].sort()).toEqual([...scopes].sort())
})

/* What a step that was broken off says about the run that it leaves. */

const going = new AbortController().signal
const fault = new Error('The connection broke.')
const collect =
  'To judge it later without a new load test, run this step with the inputs mode: collect and run-number: 10.'
const unknown =
  'Load test 10 may still be running. If it is, and you no longer need it, stop it on the service.'
const run = (state: string, url?: string) => ({ number: 10, state, ...(url === undefined ? {} : { url }) })

test.each<[string, unknown, ReturnType<typeof run> | undefined, string[]]>([
  ['without a run', fault, undefined, []],
  [
    'a start of which nobody knows',
    new StartError('No answer.', { advice: ['It may appear.'] }),
    undefined,
    ['It may appear.'],
  ],
  [
    'a run that goes on',
    fault,
    run('RUNNING'),
    ['Load test 10 was still running. Stop it on the service if you no longer need it.', collect],
  ],
  [
    'a run with a page',
    new StartError('Gone.', { advice: ['It may appear.'] }),
    run('STARTING', 'https://x/10'),
    ['Load test 10 was still running. Stop it at https://x/10 if you no longer need it.', collect],
  ],
  ['a run of other code', new UserError('Other.', { advice: ['Stop it.'] }), run('RUNNING'), ['Stop it.']],
  ['a run that has ended', fault, run('FINISHED'), [collect]],
  ['a run that could not be seen any more', new LostError('Gone.'), run('RUNNING'), [unknown, collect]],
  ['a run in an unknown state', fault, run('CANCELED'), [unknown, collect]],
  [
    'a run in an unknown state, with a page',
    fault,
    run('CANCELED', 'https://x/10'),
    [unknown.replace('on the service', 'at https://x/10'), collect],
  ],
])('%s', (_, error, left, advice) => {
  const reasons = [error instanceof Error ? error.message : '']
  expect(worded(brokenOff(error, left, going))).toEqual({ verdict: 'error', reasons, advice })
  const cancelled = { verdict: 'cancelled', reasons: ['The job was cancelled.'], advice }
  expect(worded(brokenOff(error, left, AbortSignal.abort()))).toEqual(cancelled)
})
