import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { contrasts } from '../browser.js'
import { expectNames, pages, tooWide } from './every-page.js'
import { Viewer } from './viewer.js'

/**
 * Every page in light, in dark and on phones: axe-core finds nothing, and nothing is wider than the page. Pictures are
 * kept if SANDBOX_SCREENSHOTS names a folder.
 */

const screenshots = process.env['SANDBOX_SCREENSHOTS']
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const desktop = { width: 1280, height: 800 }
const looks = [
  { look: 'light', viewport: desktop, colorScheme: 'light' },
  { look: 'dark', viewport: desktop, colorScheme: 'dark' },
  { look: 'phone', viewport: { width: 390, height: 800 }, colorScheme: 'light' },
] as const
type Look = (typeof looks)[number]['look']

let viewer: Viewer
beforeAll(async () => {
  viewer = await Viewer.arrive()
})
afterAll(() => (viewer as Viewer | undefined)?.leave())

test.each([...pages, ['not found', '/orgs/nobody/projects/none']] as const)('%s', async (name, address) => {
  const see = async (page: Page) => {
    await page.evaluate(axe)
    await inEachLook(page, async (look) => {
      await inspect(page, name, look)
      await withoutFindings(page, look)
    })
  }
  await viewer.look(address, see, {}, ['status of 404'])
})

/** The same page, so it need not be loaded or prepared again; in the end it looks as before. */
async function inEachLook(page: Page, see: (look: Look) => Promise<void>): Promise<void> {
  for (const { look, viewport, colorScheme } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    await see(look)
  }
  await page.setViewportSize(desktop)
}

async function inspect(page: Page, name: string, look: Look): Promise<void> {
  if (screenshots !== undefined)
    await page.screenshot({ path: path.join(screenshots, `${name}, ${look}.png`), fullPage: true })
  expect(await page.evaluate(contrasts)).toEqual([])
  if (look !== 'dark') await expectNames(page)
  if (look !== 'phone') return
  for (const width of [320, 360, 390]) {
    await page.setViewportSize({ width, height: 740 })
    expect(await page.evaluate(tooWide)).toBe(0)
  }
}

/** By axe-core. */
async function withoutFindings(page: Page, look: Look): Promise<void> {
  // Dark mode changes only colours.
  const rules = look === 'dark' ? `{ runOnly: ['color-contrast'] }` : '{}'
  const found = await page.evaluate<string[]>(
    `axe.run(${rules}).then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html }) => id + ': ' + help + ': ' + html.slice(0, 200))))`,
  )
  expect(found).toEqual([])
}
