import { daily, thorough } from '../draws.js'
import { contrasts } from '../browser.js'
import { type Caller } from './caller.js'
import { expectNames, openDetails, pages, tooWide } from './every-page.js'
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

const focused = 'document.activeElement.name || document.activeElement.textContent.trim()'

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

daily(
  'credentials can be created with the keyboard alone; their secret is shown once, and it works',
  async () => {
    await look(`${webshop}/credentials`, async (page) => {
      await page.getByRole('link', { name: 'Add' }).focus()
      await page.keyboard.press('Enter')
      await page.getByLabel('Name').focus()
      await page.keyboard.type('from the keyboard')
      while ((await page.evaluate(focused)) !== 'scope') await page.keyboard.press('Tab')
      await page.keyboard.press('Space')
      await page.keyboard.press('Enter')
      await page.getByText('Copy the client secret now: this page shows it only once.').waitFor()
      expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Client secret')
      const secret = await page.getByLabel('Client secret').inputValue()
      const id = await page.getByLabel('Client ID').inputValue()
      expect((await caller.token(id, secret)).status).toBe(200)
      expect(caller.service.credentials('from the keyboard').scopes).toEqual(['LOADTEST_LIST'])
    })
  },
)

thorough('a preset ticks the scopes that this action needs, and a button copies the secret', async () => {
  const permissions = ['clipboard-read', 'clipboard-write']
  await look(
    '/orgs/demo-org/credentials',
    async (page) => {
      await page.getByRole('link', { name: 'Add' }).click()
      await page.getByRole('link', { name: 'What this action needs' }).click()
      await page.getByLabel('Name').fill('copied')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('button', { name: 'Copy Client secret' }).click()
      await page.getByText('Copied', { exact: true }).waitFor()
      const { clientSecret, scopes } = caller.service.credentials('copied')
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(clientSecret)
      expect(scopes).toHaveLength(6)
      expect(scopes).not.toContain('CODEARCHIVE_DELETE')
    },
    { permissions },
  )
})

thorough('without scripts the same forms have their own pages', async () => {
  const options = { javaScriptEnabled: false }
  await look(
    '/orgs/demo-org/credentials',
    async (page) => {
      await page.getByRole('link', { name: 'Add' }).click()
      await page.getByLabel('Name').fill('no scripts')
      await page.getByRole('button', { name: 'Create' }).click()
      // The browser does not know that a scope is required; the service does.
      expect(await page.getByRole('alert').textContent()).toContain('Choose at least one scope.')
      expect(await page.getByLabel('Name').inputValue()).toBe('no scripts')
    },
    options,
    ['status of 400'],
  )
  await look(
    '/orgs/demo-org/credentials/new',
    async (page) => {
      await page.getByLabel('Name').fill('no scripts')
      await page.getByLabel('LOADTEST_LIST').check()
      await page.getByRole('button', { name: 'Create' }).click()
      expect(await page.getByLabel('Client secret').inputValue()).toHaveLength(32)
    },
    options,
  )
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
        await openDetails(page)
        expect(await page.evaluate(tooWide)).toBe(0)
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
