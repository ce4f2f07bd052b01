import type { LoadTest } from '../../src/service/project.js'
import {
  candidates,
  guess,
  lookAgain,
  newCopies,
  sortOut,
  stray,
  strayCopies,
  unnoted,
  whose,
  type NewCopies,
  type SoughtCopy,
} from '../../src/run/new-copies.js'
import { answered, fakeService } from '../fake-service.js'
import { keptLog } from '../kept-log.js'

const template = { number: 1, name: 'Webshop' }
const start: SoughtCopy = { template: 1, templateName: 'Webshop', highest: 1 }
const ours = 'ca-2'
const copy: LoadTest = { number: 2, name: 'Webshop (copy)' }

/** What is new in a list, by its numbers, and what was asked to find out. */
async function found(listed: LoadTest[], own: SoughtCopy = start, details: LoadTest[] = []) {
  const { client, asked } = fakeService({
    list: async () => listed,
    details: async (number) => {
      const test = details.find((one) => one.number === number)
      if (!test) throw answered(404)
      return test
    },
  })
  const { log, lines } = keptLog()
  const { certain, possible, unlikely, isPartial } = await newCopies({ client, log }, own)
  const numbers = (tests: LoadTest[]) => tests.map(({ number }) => number)
  return {
    ...{ certain: numbers(certain), possible: numbers(possible), unlikely: numbers(unlikely) },
    ...{ isPartial, asked, lines, tests: [...certain, ...possible, ...unlikely] },
  }
}

const kin = (kind: keyof NewCopies | undefined) => ({
  certain: kind === 'certain' ? [2] : [],
  possible: kind === 'possible' ? [2] : [],
  unlikely: kind === 'unlikely' ? [2] : [],
})

test('a list that lacks the template may lack a copy as well', async () => {
  expect(await found([])).toMatchObject({ isPartial: true })
  expect(await found([copy])).toMatchObject({ isPartial: true, possible: [2] })
  expect(await found([template])).toMatchObject({ isPartial: false })
})

describe('a new load test without a word about its archive', () => {
  test.each<[string | undefined, keyof NewCopies]>([
    ['Webshop', 'possible'],
    ['Webshop (copy)', 'possible'],
    ['Webshop #2', 'possible'],
    // The service does not show how it names copies.
    ['Copy of Webshop', 'possible'],
    ['2026-11-22 Webshop, copied', 'possible'],
    [undefined, 'possible'],
    ['', 'possible'],
    ['Search', 'unlikely'],
    ['Webs', 'unlikely'],
    ['webshop', 'unlikely'],
  ])('named %j is %s', async (name, kind) => {
    const test = { number: 2, ...(name === undefined ? {} : { name }) }
    expect(await found([template, test])).toMatchObject(kin(kind))
    expect(await found([template, test], { ...start, archiveId: ours }, [test])).toMatchObject(kin(kind))
  })
})

test.each<[string, number[], string | undefined, keyof NewCopies | undefined]>([
  ['was there before', [1, 2, 9], ours, undefined],
  ['was not there before', [1, 9], undefined, 'unlikely'],
  ['was not there before, and our archive', [1, 9], ours, 'certain'],
])('a number below the highest that %s', async (_, numbers, archiveId, kind) => {
  const own = { ...start, highest: 9, numbers: new Set(numbers), ...(archiveId && { archiveId }) }
  expect(await found([template, { ...copy, archiveId: ours }], own)).toMatchObject(kin(kind))
})

test.each<[string, LoadTest, string | undefined, keyof NewCopies]>([
  ['ours', { ...copy, archiveId: ours }, ours, 'certain'],
  ['ours, without a name', { number: 2, archiveId: ours }, ours, 'certain'],
  ['another', { ...copy, archiveId: 'ca-1' }, ours, 'unlikely'],
  ['ours, under a foreign name', { number: 2, name: 'Search', archiveId: ours }, ours, 'unlikely'],
  ['one, and nothing was uploaded', { ...copy, archiveId: 'ca-1' }, undefined, 'possible'],
])('a copy built from %s', async (_, test, archiveId, kind) => {
  const own = { ...start, ...(archiveId === undefined ? {} : { archiveId }) }
  expect(await found([template, test], own)).toMatchObject({ ...kin(kind), asked: ['list'] })
  const { archiveId: detail, ...listed } = test
  const inDetails = await found([template, listed], own, [{ ...test }])
  expect(inDetails).toMatchObject(kin(detail === undefined ? 'possible' : kind))
  // Details are read for the archive only.
  expect(inDetails.asked).toEqual(['list', ...(archiveId === undefined ? [] : ['details 2'])])
})

test('ten new ones are read one by one, eleven are not', async () => {
  const own = { ...start, archiveId: ours }
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ ...copy, number: 10 + i }))
  expect((await found(many(10), own)).asked).toHaveLength(11)
  const eleven = await found(many(11), own)
  expect(eleven.asked).toEqual(['list'])
  expect(eleven.possible).toHaveLength(11)
  const read: number[] = []
  const left = await unnoted(many(11), async (run) => read.push(run) > 1)
  expect([read.length, left.map(({ number }) => number)]).toEqual([10, [10, 20]])
})

test('looks end with a certain copy; a fault leaves what an earlier one has shown', async () => {
  const seen = (...certain: LoadTest[]): NewCopies => ({ certain, possible: [], unlikely: [] })
  const looked = async (...looks: Promise<NewCopies>[]) => {
    const found = await lookAgain(
      () => looks.shift() ?? Promise.reject(new Error('gone')),
      [0, 1, 2],
      async () => {},
    )
    return [looks.length, found.copies?.certain.length, found.fault?.message]
  }
  expect(await looked(...[seen(), seen(copy), seen()].map((one) => Promise.resolve(one)))).toEqual([
    1,
    1,
    undefined,
  ])
  expect(await looked(Promise.resolve(seen()))).toEqual([0, 0, 'gone'])
})

const one = (number: number): LoadTest => ({ number })

test.each<[NewCopies, number[]]>([
  [{ certain: [one(1)], possible: [one(2)], unlikely: [one(3)] }, [1, 2]],
  [{ certain: [one(1)], possible: [], unlikely: [one(3)] }, [1]],
  [{ certain: [], possible: [one(2)], unlikely: [one(3)] }, [2]],
  [{ certain: [], possible: [], unlikely: [one(3)] }, [3]],
])('of %j, %j are candidates', (copies, numbers) => {
  expect(candidates(copies).map(({ number }) => number)).toEqual(numbers)
})

test('all candidates are named, even of a matrix, with the way to collect three', () => {
  const many = Array.from({ length: 12 }, (_, i) => one(i + 1))
  expect(whose([copy])).toMatch(/: 2 \("Webshop \(copy\)"\) is new since then\.$/)
  expect(whose([one(2), { number: 3, name: 'x\n::error::' }])).toMatch(
    /: 2, 3 \("x ?:.*"\) are new since then\.$/,
  )
  expect(whose(many)).toContain(': 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 are new')
  const numbersIn = (copies: NewCopies) =>
    sortOut(copies, 17).map((line) => /run-number: (\d+)/.exec(line)?.[1])
  expect(numbersIn({ certain: [], possible: many, unlikely: [one(13)] })).toEqual([undefined, '1', '2', '3'])
  // Where all are unlikely, the copy may still appear.
  const maybe = 'A copy of load test 17 may be running all the same'
  expect(sortOut({ certain: [], possible: [], unlikely: [one(2)] }, 17).at(-1)).toContain(maybe)
})

test('a stray copy is one of the template beside our own run', async () => {
  const listed: LoadTest[] = [
    ...[template, copy, { number: 3, name: 'Search' }],
    ...[
      { ...copy, number: 4 },
      { ...copy, number: 6, archiveId: ours },
    ],
    { ...copy, number: 7, archiveId: 'ca-1' },
    // As another step has noted.
    { ...copy, number: 8 },
  ]
  const { client } = fakeService({
    list: async () => listed,
    details: async () => Promise.reject(answered(404)),
  })
  const strays = async (run?: number) => {
    const startOf = async (number: number) => number === 8 || undefined
    const looking = { client, log: keptLog().log, startOf }
    const all = await strayCopies(looking, { ...start, archiveId: ours }, run)
    return all.map(({ number }) => number)
  }
  expect(await strays(2)).toEqual([6, 4])
  expect(await strays(6)).toEqual([2, 4])
  expect(await strays()).toEqual([6, 2, 4])
  expect(stray(copy, start)).toMatch(
    /^Load test 2 is a copy of load test 1 that appeared during this step.* set concurrency in the workflow; else stop it on the service\.$/,
  )
  expect(guess(copy, 1)).toMatch(
    /If another job started one in the same minutes, .* concurrency .* rules that out\.$/,
  )
})
