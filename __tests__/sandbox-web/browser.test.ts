import { daily, thorough } from '../draws.js'
import { contrasts } from '../browser.js'
import { type Caller } from './caller.js'
import { expectNames, pages, tooWide } from './every-page.js'
import { hostileName, phone, Viewer, webshop } from './viewer.js'

/** The pages in a real browser. */

let viewer: Viewer
let caller: Caller
beforeAll(async () => {
  viewer = await Viewer.arrive()
  caller = viewer.caller
})
afterAll(() => (viewer as Viewer | undefined)?.leave())

const look: Viewer['look'] = (...args) => viewer.look(...args)

thorough('Refresh shows the run that was started in the meantime, and how it ended', async () => {
  await look(webshop, async (page) => {
    const newest = page.getByRole('table', { name: 'Load tests, the newest first' }).getByRole('row').nth(1)
    expect((await caller.api('loadTests/1/runCopy')).status).toBe(200)
    expect(await newest.textContent()).toContain('#9')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await newest.getByText('Webshop regression (copy)').waitFor()
    expect(await newest.textContent()).toMatch(/NEW.*ca-1.*none/)
    caller.pass(60)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await newest.getByText('FINISHED').waitFor()
    await newest.getByRole('link', { name: 'Final report' }).click()
    await page.getByRole('link', { name: 'Download report 1' }).waitFor()
  })
})

daily('the page of a run keeps itself up to date until the run has ended', async () => {
  await caller.api('loadTests/1/runCopy')
  const { number } = caller.service.books.starts.at(-1) ?? { number: 0 }
  await look(`${webshop}/load-tests/${number}`, async (page) => {
    await page.clock.install()
    await page.reload()
    await page.getByText('NEW').waitFor()
    caller.pass(5)
    await page.clock.runFor(2000)
    await page.getByText('RUNNING').waitFor()
    caller.pass(60)
    await page.clock.runFor(2000)
    await page.getByRole('link', { name: 'Download report 1' }).waitFor()
    expect(await page.locator('[data-live]').count()).toBe(0)
  })
})

daily('a hostile name of a load test is plain text everywhere', async () => {
  const shown = hostileName.replace(/\s+/g, ' ')
  for (const address of [webshop, `${webshop}/load-tests/900`]) {
    await look(address, async (page) => {
      expect(await page.title()).not.toBe('owned')
      expect(await page.evaluate('document.body.textContent')).toContain(shown.slice(0, 60))
      expect(
        await page
          .locator('img:not([src^="/"]), iframe, script:not([src^="/web/"]), [onerror], [style]')
          .count(),
      ).toBe(0)
    })
  }
})

// npm run test:whole shows each of them in all sizes and colours.
describe.each(pages.filter(([name]) => name === 'home' || name === 'project'))('%s', (_, address) => {
  daily('fits a phone, has texts with a contrast of 4.5, and names every control', async () => {
    await look(
      address,
      async (page) => {
        expect(await page.evaluate(tooWide)).toBe(0)
        await expectNames(page)
        expect(await page.evaluate(contrasts)).toEqual([])
      },
      phone,
    )
  })
})

daily('the first Tab leads past the header', async () => {
  await look(webshop, async (page) => {
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to content' })
    expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true)
  })
})
