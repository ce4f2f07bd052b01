import type { LoadTest } from '../../src/service/project.js'
import { readStartNote, type StartNote } from '../../src/run/run.js'
import { findEarlier, startNote } from '../../src/start/earlier-start.js'
import { answered, fakeService, simulatedClock } from '../fake-service.js'
import { keptLog } from '../kept-log.js'

/* Which run of an earlier attempt a step may continue with: to take another one would judge other code. */

const sha512 = 'a'.repeat(128)
const other = 'b'.repeat(128)
const place = { service: 'https://x.test', organization: 'acme', project: 'shop' }
const uploaded = { id: 'ca-1', sha512 }
const noted = (
  run: number,
  attempt: number,
  archive: { id?: string; sha512: string } | undefined = uploaded,
) => ({
  ...startNote({ ...place, template: 1, attempt, ...uploadOf(archive) }, 5),
  ...{ id: `of ${run}`, at: '2026-11-22T10:00:00Z', run },
})
const uploadOf = (archive: { id?: string; sha512: string } | undefined) => ({
  ...(archive && { archiveSha512: archive.sha512 }),
  ...(archive?.id !== undefined && { archiveId: archive.id }),
})
const ours = noted(0, 3)
/** Another step has noted that it started this one. */
const theirs = 60
const startOf = async (run: number) => (run === theirs ? {} : undefined)

async function found(
  notes: StartNote[],
  states: Record<number, string | undefined>,
  own: StartNote = ours,
  { resume = false, status = 404 } = {},
) {
  const { client, asked } = fakeService({
    details: async (number): Promise<LoadTest> => {
      if (!(number in states)) throw answered(status)
      const state = states[number]
      return { number, ...(state === undefined ? {} : { state }) }
    },
  })
  const { log, lines } = keptLog()
  const earlier = await findEarlier(notes, own, {
    ...{ client, log, resume, clock: simulatedClock(), signal: new AbortController().signal, startOf },
  })
  return { run: earlier?.test.number, attempt: earlier?.note.attempt, asked, lines }
}

const note = noted(8, 2)
const withStep: StartNote = { ...note, step: 'c0ffee', confirms: 7 }

test.each<[unknown, boolean]>([
  [note, true],
  [withStep, true],
  [{ ...note, archiveId: undefined, archiveSha512: undefined }, true],
  ...['service', 'organization', 'project', 'template', 'attempt', 'id', 'highest', 'at'].flatMap(
    (name): [unknown, boolean][] => [
      [{ ...note, [name]: undefined }, false],
      [{ ...note, [name]: [7] }, false],
    ],
  ),
  ...['archiveId', 'archiveSha512', 'step'].map((name): [unknown, boolean] => [
    { ...note, [name]: 7 },
    false,
  ]),
  [{ ...note, confirms: '7' }, false],
  [{ ...note, judged: 'no' }, false],
  [{ ...note, commit: 7 }, false],
  [{ ...note, commit: 'c0ffee01' }, true],
  [{ ...note, run: '8' }, false],
  [{ ...note, run: null }, true],
  [{ ...note, run: undefined }, true],
  [null, false],
  ['note', false],
  [8, false],
  [[], false],
])('%j is a note: %s', (value, isNote) => {
  expect(readStartNote(JSON.stringify(value))).toEqual(isNote ? JSON.parse(JSON.stringify(value)) : undefined)
})

test.each([
  ['NEW', true],
  ['RUNNING', true],
  ['DEPROVISIONING', true],
  ['FINISHED', true],
  ['PAUSED', true],
  [undefined, true],
  ['ABORTED', false],
  ['ERROR', false],
])('the run of an earlier attempt in the state %s counts: %s', async (state, counts) => {
  expect(await found([note], { 8: state })).toMatchObject({
    ...{ run: counts ? 8 : undefined, asked: ['details 8'], lines: [] },
  })
})

test.each<[string, Partial<StartNote>]>([
  ['service', { service: 'https://y.test' }],
  ['organization', { organization: 'other' }],
  ['project', { project: 'other' }],
  ['template', { template: 2 }],
  ['source', { archiveSha512: other }],
  ['run to confirm', { confirms: 7 }],
  ['time: this attempt itself', { attempt: 3 }],
  ['time: an attempt after this one', { attempt: 4 }],
])('a note with another %s does not count, and its run is not even read', async (_, changed) => {
  expect(await found([{ ...note, ...changed }], { 8: 'RUNNING' })).toMatchObject({
    run: undefined,
    asked: [],
  })
  expect(await found([{ ...note, ...changed }, noted(9, 1)], { 8: 'RUNNING', 9: 'RUNNING' })).toMatchObject({
    run: 9,
    asked: ['details 9'],
  })
})

const told = (run: number, attempt: number, judged: boolean): StartNote[] => [
  noted(run, attempt),
  { ...noted(run, attempt), run: null, judged },
]

test.each<[string, StartNote[], number | undefined]>([
  ['told of, not judged', told(8, 1, false), 8],
  ['judged', told(8, 1, true), undefined],
  ['collected and judged by the attempt after it', [...told(8, 1, false), ...told(8, 1, true)], undefined],
  ['judged, and measured anew since', [...told(8, 1, true), noted(9, 2)], 9],
  ['judged, and its first note is gone', told(8, 1, true).slice(1), undefined],
])('a finished run that an earlier attempt has %s is continued as the record says', async (_, notes, run) => {
  const states = { 8: 'FINISHED', 9: 'RUNNING' }
  for (const resume of [true, false])
    expect(await found(notes, states, ours, { resume })).toMatchObject({ run, lines: [] })
})

test.each([
  ['is gone', {}],
  ['was aborted', { 8: 'ABORTED' }],
])('one of two that %s leaves the other', async (_, states) => {
  expect(await found([noted(8, 1), noted(9, 2)], { ...states, 9: 'RUNNING' })).toMatchObject({
    ...{ run: 9, attempt: 2 },
  })
})

test.each(['FINISHED', 'RUNNING'])(
  'of two that count, one of them %s, none is chosen: one that nobody was told of lets nothing be started',
  async (state) => {
    const notes = [noted(8, 1), noted(9, 2)]
    const told = notes.map((one) => ({ ...one, run: null }))
    const states = { 8: state, 9: 'RUNNING' }
    const several =
      /^Earlier attempts of this job started several load tests .* nothing was started: 8, 9\. Collect/
    await expect(found([...notes, ...told], states, ours, { resume: true })).rejects.toThrow(several)
    await expect(found([...notes, ...told.slice(1)], states)).rejects.toThrow(several)
    expect(await found([...notes, ...told], states)).toMatchObject({
      run: undefined,
      lines: [
        expect.stringMatching(
          /^warning: Earlier attempts of this job started several .*: 8, 9\. The step starts another one/,
        ),
      ],
    })
  },
)

test.each<[string, Partial<LoadTest>, number | undefined]>([
  ['its own archive', { archiveId: 'ca-1' }, 8],
  ['another archive, by its id', { archiveId: 'ca-2' }, undefined],
  ['another archive, by its sum', { revision: 'f'.repeat(128) }, undefined],
  ['another archive, and runs', { archiveId: 'ca-2', state: 'RUNNING' }, 8],
  ['another archive, and whose state nobody knows', { archiveId: 'ca-2', state: 'HM' }, 8],
])('a run that was built from %s', async (_, built, run) => {
  const { client } = fakeService({
    details: (number): Promise<LoadTest> => Promise.resolve({ number, state: 'FINISHED', ...built }),
  })
  for (const resume of [true, false]) {
    const { log, lines } = keptLog()
    const { signal } = new AbortController()
    const looking = { client, log, clock: simulatedClock(), signal, startOf, resume }
    expect((await findEarlier([note], ours, looking))?.test.number).toBe(run)
    const told = expect.stringContaining(
      'Load test 8 of attempt 2 was built from another upload, so the step does not continue',
    ) as string
    expect(lines).toEqual(run === undefined ? [told] : [])
  }
})

test('a run for which nothing was uploaded is continued, whatever it was built from', async () => {
  const { archiveSha512: _, ...bare } = note
  const { archiveSha512: __, ...own } = ours
  expect(await found([bare], { 8: 'FINISHED' }, own)).toMatchObject({ run: 8 })
})

test('a run that cannot be read is reported, and none is found', async () => {
  const { run, lines } = await found([note], {})
  expect(run).toBeUndefined()
  expect(lines).toEqual([expect.stringMatching(/^Load test 8 of attempt 2 could not be read\. /)])
})

test.each([403, 500, 503])(
  'a run that cannot be read (%d) may be alive: nothing is started beside it, but if it was told of, and without resume',
  async (status) => {
    const told = { ...note, run: null }
    for (const notes of [[note], [note, told]])
      await expect(found(notes, {}, ours, { resume: notes.includes(told), status })).rejects.toThrow(
        /^Load test 8 of attempt 2 could not be read\. .* It may still be running, so nothing was started\./,
      )
    expect(await found([note, told], {}, ours, { status })).toMatchObject({
      run: undefined,
      lines: [
        expect.stringMatching(
          /^warning: Load test 8 of attempt 2 could not be read\. .* Load test 8 may still be running\. .* A new one is started now\.$/,
        ),
      ],
    })
  },
)

describe('an attempt that was lost before it knew its run', () => {
  const intent = (more: Partial<StartNote> = {}): StartNote => {
    const { run: _, ...start } = noted(0, 1)
    return { ...start, ...more }
  }
  const copy = (number: number, more: Partial<LoadTest> = {}): LoadTest => ({
    ...{ number, name: 'Webshop', state: 'RUNNING', ...more },
  })
  const late = Date.parse('2026-11-22T11:00:00.001Z')

  /** @param fails at which look, from 1 on, the list cannot be read */
  async function looked(notes: StartNote[], listed: LoadTest[], fails: readonly number[] = []) {
    const tests = [copy(1), copy(5), ...listed]
    let looks = 0
    const { client, asked } = fakeService({
      list: async () => (fails.includes(++looks) ? Promise.reject(answered(503)) : tests),
      details: async (number) =>
        tests.find((test) => test.number === number) ?? Promise.reject(answered(404)),
    })
    const { log, lines } = keptLog()
    const clock = simulatedClock()
    const signal = new AbortController().signal
    const earlier = await findEarlier(notes, ours, { client, log, clock, signal, startOf, resume: false })
    return { run: earlier?.test.number, isLost: earlier?.isLost, asked, lines, pauses: clock.pauses }
  }

  test.each<[string, LoadTest[], number | undefined]>([
    ['none', [], undefined],
    ['one of its archive', [copy(6, { archiveId: 'ca-0' }), copy(7, { archiveId: 'ca-1' })], 7],
    ['the only copy', [copy(6)], 6],
    ['that of another step', [copy(theirs)], undefined],
    ['the only copy beside that of another step', [copy(6), copy(theirs)], 6],
    ['one of its archive that has failed', [copy(7, { archiveId: 'ca-1', state: 'ERROR' })], undefined],
    ['one of another archive', [copy(6, { archiveId: 'ca-0' })], undefined],
    ['one of its archive, by another clock', [copy(6, { archiveId: 'ca-1', startTime: late })], 6],
    ['one that ran within the hour', [copy(6, { startTime: late - 1 })], 6],
    ['one within the hour, and one after it', [copy(6), copy(7, { startTime: late })], 6],
    [
      'one of its archive that began since, of any number',
      [copy(4, { archiveId: 'ca-1', startTime: late - 1 })],
      4,
    ],
    ['that of another step, of another name', [copy(theirs, { name: 'Search' })], undefined],
    ['another load test after the hour', [copy(6, { name: 'Search', startTime: late })], undefined],
  ])('is continued by what is new: %s', async (_, listed, run) => {
    const { lines, ...found } = await looked([intent()], listed)
    expect(found).toMatchObject({ run, isLost: run === undefined ? undefined : true })
    const isGuess = run !== undefined && !listed.some(({ archiveId }) => archiveId === 'ca-1')
    expect(lines.filter((line) => line.includes('is the only new copy'))).toHaveLength(isGuess ? 1 : 0)
  })

  test.each([{}, { archiveId: 'ca-1' }])(
    'is not that of another attempt, whose run is known: %j',
    async (more) => {
      expect(await looked([intent(), noted(6, 2)], [copy(6, more)])).toMatchObject({ run: 6, isLost: true })
    },
  )

  test.each([[[7]], [[1, 2, 3, 4, 5, 6, 7]]])('is not known if the list fails at look %j', async (fails) => {
    const end = looked([intent()], [], fails)
    await expect(end).rejects.toThrow(
      /^Attempt 1 .*, and whether it did is not known: .* Nothing was started\. Run/,
    )
  })

  test('starts no other one beside a copy that is late by a clock that may be wrong', async () => {
    await expect(looked([intent()], [copy(6, { startTime: late })])).rejects.toThrow(
      /: 6 .* is new since then\. Nothing was started: /,
    )
  })

  test('names those that it may be, and nothing is started', async () => {
    const end: unknown = await looked([intent()], [copy(6), copy(7)]).catch((error: unknown) => error)
    expect(end).toMatchObject({
      message: expect.stringMatching(/: 6 .*, 7 .* Nothing was started: /) as string,
      advice: expect.arrayContaining([expect.stringContaining('run-number: 6')]) as string[],
    })
    for (const one of [copy(6, { name: 'Search' }), copy(5, { startTime: late - 1 })])
      await expect(looked([intent()], [one])).rejects.toThrow(/: [56] .* is new since then/)
  })

  test('is one of any archive, where what was uploaded has no id', async () => {
    const { archiveId: _, ...nameless } = intent()
    expect(await looked([nameless], [copy(6, { archiveId: 'ca-0' })])).toMatchObject({ run: 6, isLost: true })
  })

  test('is waited for as long as a step waits for its own', async () => {
    const { pauses, run } = await looked([intent()], [])
    expect(run).toBeUndefined()
    expect(pauses).toEqual([0, 2000, 5000, 10_000, 20_000, 40_000, 60_000])
  })

  test.each<[string, Partial<StartNote>[], RegExp[]]>([
    ['its run is not known', [{}], [/^warning: Attempt 1 .* another source\. A copy of load test 1 may be/]],
    ['its run is known', [{ run: 6 }, {}], [/^warning: Attempt 1 .* Load test 6 may still be running\./]],
    ['it has told all', [{ run: 6 }, {}, { run: null }], []],
    ['it has told of a run that was judged', [{ run: 6 }, { run: null, judged: true }], []],
  ])('with another source is named, and not waited for: %s', async (_, notes, said) => {
    const theirs = notes.map((more) => intent({ archiveSha512: other, ...more }))
    const { asked, lines, run } = await looked(theirs, [copy(6)])
    expect({ asked, run }).toEqual({ asked: [], run: undefined })
    expect(lines).toEqual(said.map((one): unknown => expect.stringMatching(one)))
  })

  test('is not looked for if it has told what became of the start, or if the run is known', async () => {
    expect(await looked([intent(), intent({ run: null })], [copy(6)])).toMatchObject({ asked: [] })
    const known = await looked([intent(), intent({ run: 6 })], [copy(6), copy(7)])
    expect(known).toMatchObject({ run: 6, isLost: true, asked: ['details 6'] })
  })
})
