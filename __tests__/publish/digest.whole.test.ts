import { DigestReader, expectFits, expectPlain, show, views, type Opened } from './digest-reader.js'
import { everyDigested } from './outcomes.js'

/** Every digest, on a light phone. The other windows are tried with a regression, in digest.test.ts. */

let reader: DigestReader
beforeAll(async () => {
  reader = await DigestReader.arrive()
})
afterAll(() => (reader as DigestReader | undefined)?.leave())

describe.each(Object.entries(everyDigested))('%s', (name, make) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await reader.open(name, make())
  })
  afterAll(() => opened.page.context().close())

  test('the verdict is on the first screen, and nothing is too wide', async () => {
    await show(opened, name, views['a light phone'])
    await expectFits(opened, make(), views['a light phone'])
  })

  test('has no script, no picture, no form and no handler', () => expectPlain(opened))
})
