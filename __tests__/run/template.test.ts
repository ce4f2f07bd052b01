import type { LoadTest } from '../../src/service/project.js'
import {
  checkEngine,
  checkTakesUpload,
  checkTookUpload,
  findTemplate,
  templateAmong,
} from '../../src/run/template.js'
import { keptLog } from '../kept-log.js'

const { log } = keptLog()

const tests: LoadTest[] = [
  { number: 1, name: 'Webshop regression' },
  { number: 2, name: 'Search' },
  { number: 3, name: 'Search' },
  { number: 4 },
]

function client(list = tests) {
  return {
    list: async () => list,
    details: async (number: number): Promise<LoadTest> => ({ number, description: 'all of it' }),
  }
}

test('a name is exact, and its details are read', async () => {
  const wanted = { name: 'Webshop regression' }
  await expect(findTemplate(client(), wanted, { log })).resolves.toEqual({
    number: 1,
    description: 'all of it',
  })
})

test.each([
  ['Search', 'Several load tests are named "Search": 2 ("Search"), 3 ("Search"). Write the number'],
  ['webshop', 'There are similar ones: 1 ("Webshop regression").'],
  [' WEBSHOP', 'There are similar ones: 1 ("Webshop regression").'],
  ['search, the new one', 'There are similar ones: 2 ("Search"), 3 ("Search").'],
  ['Checkout', 'There are: 1 ("Webshop regression"), 2 ("Search"), 3 ("Search"), 4 ("without a name").'],
])('%s is an error that lists candidates', async (name, sentence) => {
  await expect(findTemplate(client(), { name }, { log })).rejects.toThrow(sentence)
})

test.each([
  [25, ' and 15 more.'],
  [11, ' and 1 more.'],
  [10, '.'],
])('of %i candidates ten are listed', async (count, end) => {
  const many = Array.from({ length: count }, (_, i) => ({ number: i + 1, name: `Test ${i + 1}` }))
  await expect(findTemplate(client(many), { name: 'x' }, { log })).rejects.toThrow(`10 ("Test 10")${end}`)
})

test('a project without load tests is reported as such', async () => {
  await expect(findTemplate(client([]), { name: 'x' }, { log })).rejects.toThrow(
    'The project has no load tests.',
  )
})

describe('a template and its copies, which have the same name', () => {
  const fresh = (number: number): LoadTest => ({ number, name: 'Shop', state: 'NEW' })
  const ran = (number: number, state = 'FINISHED'): LoadTest => ({
    number,
    name: 'Shop',
    state,
    startTime: 5,
  })

  test.each<[string, LoadTest[], number | undefined]>([
    ['one that never ran, then runs', [fresh(1), ran(10), ran(11, 'ERROR')], 1],
    [
      'a copy that is being prepared has been started',
      [fresh(1), ran(10), { ...fresh(11), state: 'SCHEDULED' }],
      1,
    ],
    ['a copy that was started after one that ran', [fresh(1), ran(10), fresh(11)], undefined],
    ['two that never ran', [fresh(6), fresh(7)], undefined],
    ['a copy that was started a moment ago', [fresh(1), fresh(10)], undefined],
    ['a template that has run itself', [ran(1), ran(10)], undefined],
    ['a new one after runs of an older one', [ran(1), fresh(10)], undefined],
    [
      'states that are unknown',
      [
        { number: 1, name: 'Shop' },
        { number: 10, name: 'Shop' },
      ],
      undefined,
    ],
    ['a state that is unknown among the runs', [fresh(1), { number: 10, name: 'Shop' }], undefined],
    ['one that is NEW, but has a start time', [{ ...fresh(1), startTime: 5 }, ran(10)], undefined],
  ])('%s', (_, named, template) => {
    expect(templateAmong(named)?.number).toBe(template)
  })

  const listed = (tests: LoadTest[], details: LoadTest[] = []) => ({
    list: async () => tests,
    details: async (number: number): Promise<LoadTest> =>
      [...details, ...tests].find((test) => test.number === number) ?? { number },
  })

  test('the template is found, whatever the order of the list', async () => {
    const found = findTemplate(listed([ran(10), fresh(1), ran(11)]), { name: 'Shop' }, { log })
    await expect(found).resolves.toMatchObject({ number: 1 })
  })

  test.each([
    [10, [...Array.from({ length: 10 }, (_, i) => i + 1), 1]],
    [11, []],
  ])('of %i with unknown states, these are read: %j', async (count, due) => {
    const all = [fresh(1), ...Array.from({ length: count - 1 }, (_, i) => ran(i + 2))]
    const asked: number[] = []
    const { log: kept, lines } = keptLog()
    const client = {
      list: async () => all.map(({ number }) => ({ number, name: 'Shop' })),
      details: async (number: number) => {
        asked.push(number)
        return all[number - 1] ?? { number }
      },
    }
    const found = findTemplate(client, { name: 'Shop' }, { log: kept })
    const end = await found.catch((error: unknown) => String(error))
    expect(asked).toEqual(due)
    if (due.length === 0) expect(end).toMatch(/Several load tests are named "Shop"/)
    else expect(lines.join()).toMatch(/^Several load tests are named "Shop": .* 1 is the oldest/)
  })
})

test.each<[string | undefined, boolean]>([
  ['6.x', true],
  ['6', true],
  ['XLT 6.2.4', true],
  ['v6', true],
  ['9.x', false],
  ['9.6.1', false],
  ['10.x', false],
  ['16.x', false],
  ['60', false],
  ['', false],
  [undefined, false],
])('engine %s is retired: %s', (environment, isRetired) => {
  const check = () => checkEngine({ number: 4, ...(environment === undefined ? {} : { environment }) })
  if (isRetired) expect(check).toThrow(`Load test 4 runs on engine ${environment ?? ''}, which is retired.`)
  else expect(check).not.toThrow()
})

test.each<[string, [Partial<LoadTest>, Partial<LoadTest>, string | undefined], string | undefined]>([
  ['no archive is named', [{}, {}, 'ca-2'], undefined],
  ['it names ours now', [{ archiveId: 'ca-1' }, { archiveId: 'ca-2' }, 'ca-2'], undefined],
  [
    'it named ours before, which was sent twice',
    [{ archiveId: 'ca-2' }, { archiveId: 'ca-2' }, 'ca-2'],
    undefined,
  ],
  [
    'it is fixed',
    [{ archiveId: 'ca-1' }, { archiveId: 'ca-1' }, 'ca-2'],
    'Load test 3 is set to the code archive ca-1, and still was after this step had uploaded ca-2, which would not be run. Nothing was started. Set it to Use Latest on the service, or set source: none.',
  ],
  [
    'it is fixed, and our id is unknown',
    [{ archiveId: 'ca-1' }, { archiveId: 'ca-1' }, undefined],
    'still was after this step had uploaded its own, which',
  ],
  [
    'it may name what it was built from itself',
    [{ archiveId: 'ca-1' }, { archiveId: 'ca-1', startTime: 5 }, 'ca-2'],
    'If ca-1 is only what load test 3 itself was built from, use a copy of it that has never run as the template.',
  ],
  [
    'it takes the latest, and names what it was built from itself',
    [{ archiveId: 'ca-1', useLatest: true }, { archiveId: 'ca-1', useLatest: true }, 'ca-2'],
    undefined,
  ],
  [
    'another job has uploaded since then',
    [{ archiveId: 'ca-1', useLatest: true }, { archiveId: 'ca-3', useLatest: true }, 'ca-2'],
    'Load test 3 would be built from the code archive ca-3, not from ca-2, which this step uploaded: another upload came in between. Nothing was started. Let only one job',
  ],
  [
    'it names a new one, and our id is unknown',
    [{ archiveId: 'ca-1' }, { archiveId: 'ca-2' }, undefined],
    undefined,
  ],
  ['it no longer names one', [{ archiveId: 'ca-1' }, {}, 'ca-2'], undefined],
])('after the upload: %s', (_, [before, after, uploaded], refusal) => {
  const check = () => checkTookUpload(before, { number: 3, ...after }, uploaded)
  if (refusal === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(refusal)
})

test.each<[Omit<LoadTest, 'number'>, string | undefined]>([
  [{}, undefined],
  [{ useLatest: true }, undefined],
  [{ useLatest: true, archiveEnabled: true }, undefined],
  [
    { useLatest: true, archiveEnabled: false },
    'Load test 3 does not enable its code archive: what this step uploads would not be run. Enable the code archive on the service, or set source: none.',
  ],
  [{ useLatest: false }, 'Load test 3 builds from Git: what this step uploads would not be run.'],
  [{ useLatest: false, archiveId: 'ca-7' }, 'Load test 3 is set to the code archive ca-7: what this step'],
])('a template with %j accepts an upload, or not', (source, refusal) => {
  const check = () => checkTakesUpload({ number: 3, ...source })
  if (refusal === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(refusal)
})
