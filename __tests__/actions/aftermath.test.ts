import { aftermath, ownStart } from '../../src/post.js'
import type { Plan } from '../../src/plan.js'
import type { Client } from '../../src/service/service.js'
import type { LoadTest } from '../../src/service/project.js'
import { nothingYet } from '../../src/outcome/outcome.js'
import { answered, calls, fakeService, simulatedClock } from '../fake-service.js'
import { keptLog } from '../kept-log.js'
import { worded } from '../told.js'

/* What the post step finds out about a step that was cut off: a run is never lost, and never more than guessed at. */

const begun = nothingYet('run', { actionVersion: '1', startedAt: '', seconds: 0 })
const project = { organization: 'acme', project: 'shop' }
const keeping = { baseUrl: 'https://x.test', project, scopes: [], deletesArchive: false }
const deleting = { ...keeping, deletesArchive: true }

type Remains = Pick<Plan, 'start' | 'run' | 'confirms' | 'archive' | 'service'>

async function found(remains: Remains, answers: Partial<Client>, service = keeping) {
  const { client, asked } = fakeService(answers)
  const { log, lines } = keptLog()
  const clock = simulatedClock()
  const outcome = await aftermath({ remains: { service, ...remains }, client, log, clock }, begun)
  if (outcome.kind !== 'load-test') throw new Error('It is about a load test.')
  return { ...worded(outcome), asked, lines, pauses: clock.pauses }
}

const at = (state: string, more: Partial<LoadTest> = {}) => ({
  details: async (number: number): Promise<LoadTest> => ({ number, state, ...more }),
})
const interrupted = 'The step was interrupted: the job was cancelled, or its process was killed.'
const collect = (number: number) =>
  expect.stringContaining(`mode: collect and run-number: ${number};`) as unknown
const start = {
  ...{ service: keeping.baseUrl, ...project, template: 1, attempt: 1 },
  ...{ id: 'a', highest: 1, at: '2026-11-22T10:00:00Z' },
}
const template = { number: 1, name: 'Webshop' }
const copy = { number: 2, name: 'Webshop (copy)' }
const archive = { sha512: 'a'.repeat(128), id: 'ca-2' }
const list = (...tests: LoadTest[]) => ({
  list: async () => [template, ...tests],
})

test('before a start nothing runs', async () => {
  const { verdict, reasons, advice, asked } = await found({}, {})
  expect({ verdict, reasons, advice, asked }).toEqual({
    ...{ verdict: 'cancelled', reasons: [interrupted, 'No load test was started.'], advice: [], asked: [] },
  })
})

test('without a service nothing is said about load tests', async () => {
  const { log } = keptLog()
  const cut = { remains: { service: keeping }, log, clock: simulatedClock() }
  expect(await aftermath(cut, begun)).toMatchObject({
    verdict: 'cancelled',
    reasons: [{ about: 'step', text: interrupted }],
    notes: [],
  })
})

test.each([
  ['NEW', 'is still'],
  ['RUNNING', 'is still'],
  ['PAUSED', 'may still be'],
])('a run that is %s %s running', async (state, verb) => {
  const { run, reasons, advice, notes, asked } = await found({ run: { number: 2 } }, at(state))
  expect(run).toMatchObject({ number: 2, state })
  expect({ reasons, notes, asked }).toEqual({ reasons: [interrupted], notes: [], asked: ['details 2'] })
  expect(advice).toEqual([expect.stringContaining(`Load test 2 ${verb} running.`), collect(2)])
})

test.each(['FINISHED', 'ABORTED', 'ERROR'])('a run that is %s has ended', async (state) => {
  const { reasons, advice } = await found({ run: { number: 2, url: 'https://x.test/2' } }, at(state))
  expect(reasons).toEqual([interrupted, `Load test 2 ended in ${state}: https://x.test/2`])
  expect(advice).toEqual([collect(2)])
  const bare = await found({ run: { number: 2 } }, at(state))
  expect(bare.reasons[1]).toBe(`Load test 2 ended in ${state}.`)
})

test('a run whose state cannot be read may be running', async () => {
  const details = () => Promise.reject(answered(503))
  const { run, notes, advice } = await found({ run: { number: 2 } }, { details })
  expect(run).toEqual({ number: 2, state: 'unknown' })
  expect(notes).toEqual([expect.stringMatching(/^The run's state could not be read\. /)])
  expect(advice).toContainEqual(collect(2))
})

test('of a second run, the first is named too: it can still be judged', async () => {
  const { reasons, advice } = await found({ run: { number: 2 }, confirms: 8 }, at('RUNNING'))
  expect(reasons[1]).toMatch(/^Gates that compare failed in load test 8; /)
  expect(advice.slice(1)).toEqual([collect(2), collect(8)])
})

describe('a start that was under way', () => {
  const own = { start, archive }

  test('is found by the archive, at the first look', async () => {
    const { run, notes, pauses } = await found(own, {
      ...list({ ...copy, archiveId: 'ca-1' }, { ...copy, number: 3, archiveId: 'ca-2' }),
      ...at('RUNNING'),
    })
    expect(run).toMatchObject({ number: 3, state: 'RUNNING' })
    expect({ notes, pauses }).toEqual({ notes: [], pauses: [0] })
  })

  test('is found as the only copy, with a warning that this is a guess, after all looks', async () => {
    const { run, notes, pauses, advice } = await found({ start }, { ...list(copy), ...at('RUNNING') })
    expect(run).toMatchObject({ number: 2 })
    expect(notes).toEqual([expect.stringContaining('Load test 2 is the only new copy of load test 1')])
    expect(pauses).toEqual([0, 5000, 10_000, 20_000, 20_000])
    expect(advice).toContainEqual(collect(2))
  })

  test.each<[string, Remains, LoadTest[]]>([
    ['two copies', { start }, [copy, { ...copy, number: 3 }]],
    [
      'two of our archive',
      own,
      [
        { ...copy, archiveId: 'ca-2' },
        { ...copy, number: 3, archiveId: 'ca-2' },
      ],
    ],
    ['one that is unlikely', own, [{ ...copy, archiveId: 'ca-1' }]],
  ])('is not guessed if there are %s: all are named', async (_, remains, tests) => {
    const { run, reasons, advice } = await found(remains, { ...list(...tests), ...at('RUNNING') })
    expect(run).toBeUndefined()
    expect(reasons[1]).toMatch(/^It is not known which load test this step started, if any: 2 /)
    expect(advice).toContainEqual(collect(2))
  })

  test('may still appear', async () => {
    const { reasons, advice, asked } = await found({ start }, list())
    expect(reasons[1]).toBe('No new copy of load test 1 is in the list yet, although one was requested.')
    expect(advice).toEqual([expect.stringMatching(/^A copy of load test 1 may be running all the same/)])
    expect(asked).toHaveLength(5)
  })

  test('is not known if the list cannot be read at the last look', async () => {
    let looks = 0
    const { reasons, advice } = await found(
      { start },
      {
        list: async () => {
          if (++looks > 1) throw answered(503, calls.list())
          return [template]
        },
      },
    )
    expect(looks).toBe(5)
    expect(reasons[1]).toMatch(/^It is not known whether a copy of load test 1 was started\. .* 503\./)
    expect(advice).toHaveLength(1)
  })

  test('is found although the list fails in between', async () => {
    let looks = 0
    const failing = async () => {
      if (++looks < 5) throw answered(503, calls.list())
      return [template, copy]
    }
    expect((await found({ start }, { list: failing, ...at('RUNNING') })).run).toMatchObject({ number: 2 })
  })

  test('a copy beside the run is named', async () => {
    const { notes } = await found(
      { start, run: { number: 2 } },
      { ...list(copy, { ...copy, number: 3 }), ...at('RUNNING') },
    )
    expect(notes).toEqual([expect.stringMatching(/^Load test 3 is a copy of load test 1 that appeared/)])
  })
})

describe('the code archive, if it is to be deleted', () => {
  const removed: string[] = []
  const remove = { deleteArchive: async (id: string) => void removed.push(id) }
  beforeEach(() => void (removed.length = 0))
  const run = { number: 2 }

  test.each([
    ['NEW', false],
    ['PROVISIONING', false],
    ['PAUSED', false],
    ['RUNNING', true],
    ['STOPPING', true],
    ['FINISHED', true],
    ['ERROR', true],
  ])('of a run that is %s is deleted: %s', async (state, isDeleted) => {
    const { notes } = await found({ run, archive }, { ...at(state), ...remove }, deleting)
    expect(removed).toEqual(isDeleted ? ['ca-2'] : [])
    expect(notes).toEqual(
      isDeleted ? [] : [expect.stringMatching(/^The code archive ca-2 was not deleted, because/)],
    )
    // Nobody wants it: any deletion would be a fault.
    expect((await found({ run, archive }, at(state))).notes).toEqual([])
  })

  test('is deleted if nothing was started, and kept if something may have been', async () => {
    await found({ archive }, remove, deleting)
    expect(removed).toEqual(['ca-2'])
    await found({ archive, start }, { ...list(), ...remove }, deleting)
    expect(removed).toEqual(['ca-2'])
    await found({ archive: { sha512: archive.sha512 } }, remove, deleting)
    expect(removed).toEqual(['ca-2'])
  })

  test('that cannot be deleted is reported', async () => {
    const deleteArchive = () => Promise.reject(answered(403, calls.deleteArchive('ca-2')))
    const { notes } = await found({ archive }, { deleteArchive }, deleting)
    expect(notes).toEqual([expect.stringMatching(/^The code archive was not deleted\. .* 403\./)])
  })
})

test('what the list shows about a start needs a start', () => {
  expect(ownStart({ archive })).toBeUndefined()
  expect(ownStart({ start })).toEqual({ template: { number: 1 }, highest: 1 })
  expect(ownStart({ start, archive })).toEqual({
    template: { number: 1 },
    highest: 1,
    archiveId: 'ca-2',
  })
})
