import path from 'node:path'
import type { Page } from 'playwright-core'
import { contrasts } from '../browser.js'
import { compareTwo, expectNames, openDetails, openDialog, pages, tooWide, wider } from './every-page.js'
import { phone, Viewer } from './viewer.js'

/** Every page on phones and on a screen, light and dark. Screenshots are kept where SANDBOX_SCREENSHOTS names a folder. */

const screenshots = process.env['SANDBOX_SCREENSHOTS']

let viewer: Viewer
beforeAll(async () => {
  viewer = await Viewer.arrive()
})
afterAll(() => (viewer as Viewer | undefined)?.leave())

const look: Viewer['look'] = (...args) => viewer.look(...args)

async function keep(page: Page, name: string): Promise<void> {
  if (screenshots !== undefined) await page.screenshot({ path: path.join(screenshots, `${name}.png`) })
}

describe.each(pages)('%s', (name, address) => {
  beforeAll(async () => {
    if (name === 'comparison') await compareTwo(viewer.caller)
  })

  test('fits into a phone, with its details open and its dialog too', async () => {
    await look(
      address,
      async (page) => {
        expect(await page.evaluate(tooWide)).toBe(0)
        await keep(page, `${name} on a phone`)
        await openDetails(page)
        for (const width of [360, 320]) {
          await page.setViewportSize({ ...phone.viewport, width })
          expect(await page.evaluate(tooWide)).toBe(0)
        }
        if (!(await openDialog(page))) return
        expect(await page.evaluate(tooWide)).toBe(0)
        expect(await page.locator('dialog').evaluate(wider)).toBe(0)
      },
      phone,
    )
  })

  test('has texts of contrast 4.5, light and dark', async () => {
    await look(address, async (page) => {
      await openDetails(page)
      for (const open of [false, true]) {
        if (open && !(await openDialog(page))) return
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await keep(page, `${name}${open ? ' with its dialog' : ''}, ${colorScheme}`)
          expect(await page.evaluate(contrasts)).toEqual([])
        }
      }
    })
  })

  test('names everything: landmarks, one heading, controls, tables, on a phone too', async () => {
    for (const options of [{}, phone]) await look(address, expectNames, options)
  })
})
