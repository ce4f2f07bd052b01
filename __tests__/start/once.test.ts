import type { Log } from '../../src/log.js'
import { ServiceError } from '../../src/service/failure.js'
import { operations } from '../../src/service/operations.js'
import type { LoadTest } from '../../src/service/wire.js'
import { StartError, startOnce } from '../../src/start/once.js'

const operation = operations({ organization: 'o', project: 'p' }).runCopy(1)
const template: LoadTest = { number: 1, name: 'Webshop' }
const dropped = new ServiceError(operation, { executed: 'unknown', broke: 'the connection broke' })
const refused = new ServiceError(operation, { status: 403, executed: 'no' })

const log: Log = {
  info: () => undefined,
  notice: () => undefined,
  warning: () => undefined,
  debug: () => undefined,
  group: (_, body) => body(),
}

/** A service whose starts go as the script says: what the caller hears, and what has appeared in the list. */
function world(
  script: { hears: LoadTest | undefined | Error; appears: LoadTest[] }[],
  details: LoadTest[] = [],
) {
  const tests: LoadTest[] = [template]
  let starts = 0
  const saved: number[][] = []
  const notes: string[] = []
  return {
    get starts() {
      return starts
    },
    saved,
    notes,
    start: {
      client: {
        list: async () => [...tests],
        details: async (number: number) => {
          const found = details.find((test) => test.number === number)
          if (!found) throw new Error(`Load test ${number} has no details.`)
          return found
        },
        runCopy: async () => {
          const act = script[starts++]
          if (!act) throw new Error('one start too many')
          tests.push(...act.appears)
          if (act.hears instanceof Error) throw act.hears
          return act.hears
        },
      },
      template,
      clock: { now: () => 0, sleep: async () => undefined },
      log,
      onStarting: (before: readonly number[]) => saved.push([...before]),
      onAdopted: (note: string) => notes.push(note),
    },
  }
}

const copy: LoadTest = { number: 2, name: 'Webshop (copy)' }
const other: LoadTest = { number: 3, name: 'Search' }
const twin: LoadTest = { number: 4, name: 'Webshop (copy)' }

test('the copy that the service names is the run', async () => {
  const w = world([{ hears: copy, appears: [copy] }])
  await expect(startOnce(w.start)).resolves.toBe(copy)
  expect(w.starts).toBe(1)
  expect(w.saved).toEqual([[1]])
})

test.each<[string, LoadTest[]]>([
  ['alone', [copy]],
  ["beside another template's copy", [copy, other]],
])('a start whose answer was lost is adopted when its copy is there %s', async (_, appears) => {
  const w = world([{ hears: dropped, appears }])
  await expect(startOnce(w.start)).resolves.toEqual(copy)
  expect(w.starts).toBe(1)
  expect(w.notes).toEqual([expect.stringContaining('Load test 2 is the only new copy of load test 1')])
})

test('a start that was never executed is asked for again', async () => {
  const w = world([
    { hears: dropped, appears: [] },
    { hears: copy, appears: [copy] },
  ])
  await expect(startOnce(w.start)).resolves.toBe(copy)
  expect(w.starts).toBe(2)
})

test('it is not asked for without end', async () => {
  const lost = { hears: dropped, appears: [] }
  const w = world([lost, lost, lost, lost])
  await expect(startOnce(w.start)).rejects.toBe(dropped)
  expect(w.starts).toBe(3)
})

test.each<[string, LoadTest[], string]>([
  ['two copies', [copy, twin], '2 ("Webshop (copy)"), 4 ("Webshop (copy)") are new'],
  ['only a load test of another name', [other], '3 ("Search") is new'],
])('with %s nothing more is started, and they are named', async (_, appears, sentence) => {
  const w = world([{ hears: dropped, appears }])
  await expect(startOnce(w.start)).rejects.toThrow(StartError)
  await expect(startOnce(world([{ hears: dropped, appears }]).start)).rejects.toThrow(sentence)
  expect(w.starts).toBe(1)
})

test('the code archive tells two copies apart', async () => {
  const w = world([
    {
      hears: dropped,
      appears: [
        { ...copy, archiveId: 'theirs' },
        { ...twin, archiveId: 'ours' },
      ],
    },
  ])
  await expect(startOnce({ ...w.start, archiveId: 'ours' })).resolves.toMatchObject({ number: 4 })
})

test('the details tell two copies apart where the list does not', async () => {
  const w = world(
    [{ hears: dropped, appears: [copy, twin] }],
    [
      { ...copy, archiveId: 'theirs' },
      { ...twin, archiveId: 'ours' },
    ],
  )
  await expect(startOnce({ ...w.start, archiveId: 'ours' })).resolves.toMatchObject({ number: 4 })
})

test("another job's copy is not adopted where its details name another code archive", async () => {
  const w = world([{ hears: dropped, appears: [copy] }], [{ ...copy, archiveId: 'theirs' }])
  await expect(startOnce({ ...w.start, archiveId: 'ours' })).rejects.toThrow(StartError)
  expect(w.starts).toBe(1)
})

test('details that do not come keep nothing from being adopted', async () => {
  const w = world([{ hears: dropped, appears: [copy] }])
  await expect(startOnce({ ...w.start, archiveId: 'ours' })).resolves.toEqual(copy)
})

test('a refused start is not looked for', async () => {
  const w = world([{ hears: refused, appears: [] }])
  await expect(startOnce(w.start)).rejects.toBe(refused)
  expect(w.starts).toBe(1)
})

test.each([
  ['no number', undefined],
  ["the template's number", template],
])('an answer with %s is looked up in the list', async (_, hears) => {
  const w = world([{ hears, appears: [copy] }])
  await expect(startOnce(w.start)).resolves.toEqual(copy)
})

test('an accepted start without a new load test is never repeated', async () => {
  const w = world([{ hears: undefined, appears: [] }])
  await expect(startOnce(w.start)).rejects.toThrow('Look for the copy on the service before you start again.')
  expect(w.starts).toBe(1)
})
