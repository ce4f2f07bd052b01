import type { LoadTest } from '../../src/service/wire.js'
import { checkTakesUpload, findTemplate } from '../../src/start/template.js'

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

test('a number is looked up directly', async () => {
  await expect(findTemplate(client(), { number: 9 })).resolves.toEqual({
    number: 9,
    description: 'all of it',
  })
})

test('a name is exact, and its details are read', async () => {
  const wanted = { name: 'Webshop regression' }
  await expect(findTemplate(client(), wanted)).resolves.toEqual({ number: 1, description: 'all of it' })
})

test.each([
  ['Search', 'Several load tests are named "Search": 2 ("Search"), 3 ("Search"). Write the number'],
  ['webshop', 'There are similar ones: 1 ("Webshop regression").'],
  ['Checkout', 'There are: 1 ("Webshop regression"), 2 ("Search"), 3 ("Search"), 4 ("without a name").'],
])('%s is an error that lists candidates', async (name, sentence) => {
  await expect(findTemplate(client(), { name })).rejects.toThrow(sentence)
})

test('of many candidates ten are listed', async () => {
  const many = Array.from({ length: 25 }, (_, i) => ({ number: i + 1, name: `Test ${i + 1}` }))
  await expect(findTemplate(client(many), { name: 'x' })).rejects.toThrow(/10 \("Test 10"\) and 15 more/)
})

test('a project without load tests is reported as such', async () => {
  await expect(findTemplate(client([]), { name: 'x' })).rejects.toThrow('The project has no load tests.')
})

test.each<[Omit<LoadTest, 'number'>, string | undefined]>([
  [{}, undefined],
  [{ useLatest: true }, undefined],
  [{ useLatest: true, archiveEnabled: true }, undefined],
  [
    { useLatest: true, archiveEnabled: false },
    'Load test 3 does not enable its code archive: what this step uploads would not be run. Enable the code archive on the service, or set upload: false.',
  ],
  [{ useLatest: false }, 'Load test 3 builds from Git: what this step uploads would not be run.'],
  [{ useLatest: false, archiveId: 'ca-7' }, 'Load test 3 is set to the code archive ca-7: what this step'],
])('a template with %j accepts an upload, or not', (source, refusal) => {
  const check = () => checkTakesUpload({ number: 3, ...source })
  if (refusal === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(refusal)
})
