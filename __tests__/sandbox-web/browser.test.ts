import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../browser.js'
import { call, type Caller } from './caller.js'

/** The pages in a real browser. */

const webshop = '/orgs/demo-org/projects/webshop'
const hostileName = `<img src=x onerror="document.title='owned'"> "quoted" & ${'unbroken'.repeat(20)}`

let browser: Browser
let caller: Caller
beforeAll(async () => {
  browser = await launchBrowser()
  caller = await call()
  const [template] = caller.webshop.loadTests
  if (template) caller.webshop.loadTests.push({ ...template, number: 900, name: hostileName })
})
afterAll(async () => {
  await browser.close()
  await caller.service.close()
})

/** Opens a page, and checks that the browser requested nothing from elsewhere and reported no errors. */
async function look(address: string, see: (page: Page) => Promise<void>): Promise<void> {
  const { url } = caller.service
  const context = await browser.newContext()
  const complaints: string[] = []
  try {
    const page = await context.newPage()
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (fault) => complaints.push(fault.message))
    page.on('dialog', (dialog) => {
      complaints.push(dialog.message())
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(`${url}/`)) complaints.push(request.url())
    })
    await page.goto(`${url}${address}`)
    await see(page)
    expect(complaints).toEqual([])
  } finally {
    await context.close()
  }
}

test('the page of a run keeps itself up to date until the run has ended', async () => {
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

test('a hostile name of a load test is plain text everywhere', async () => {
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
