import { DigestReader, expectFits, expectPlain, show, views, type Opened } from './digest-reader.js'
import { everyDigested } from './outcomes.js'

/** Every digest, on a light phone and in a wide dark window. */

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

  // The other windows are tried with a regression, by npm test; 5,000 requests look the same in each.
  const windows = name === 'huge' ? ['a light phone'] : ['a light phone', 'a wide dark window']
  const shown = Object.entries(views).filter(([window]) => windows.includes(window))
  test.each(shown)('on %s: the verdict is on the first screen, and nothing is too wide', async (_, view) => {
    await show(opened, name, view)
    await expectFits(opened, make(), view)
  })

  test('has no script, no picture, no form and no handler', () => expectPlain(opened))
})
