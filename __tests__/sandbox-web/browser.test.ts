import type { Page } from 'playwright-core'
import { daily, share } from '../daily.js'
import { contrasts } from '../browser.js'
import { type Caller } from './caller.js'
import { hostileName, phone, Viewer, webshop } from './viewer.js'

const pages = [
  ['home', '/'],
  ['project', webshop],
  ['empty project', '/orgs/demo-org/projects/private-shop'],
  ['load test', `${webshop}/load-tests/9`],
  ['template', `${webshop}/load-tests/900`],
] as const

const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** The pages in a real browser. */

let viewer: Viewer
let caller: Caller
beforeAll(async () => {
  viewer = await Viewer.arrive()
  caller = viewer.caller
})
afterAll(() => (viewer as Viewer | undefined)?.leave())

const look: Viewer['look'] = (...args) => viewer.look(...args)

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

describe.each(share(pages, 2))('%s', (_, address) => {
  test('fits a phone, has texts with a contrast of 4.5, and names every control', async () => {
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

/** There are landmarks and one heading; controls and tables have names; ids are unique. */
async function expectNames(page: Page): Promise<void> {
  const tree = await page.locator('body').ariaSnapshot()
  for (const role of ['banner', 'main', 'contentinfo', 'navigation "Main"', 'heading .* \\[level=1\\]']) {
    expect(tree.match(new RegExp(`- ${role}`, 'g'))).toHaveLength(1)
  }
  const roles =
    'link|button|textbox|combobox|checkbox|img|table|region|dialog|navigation|columnheader|rowheader'
  expect(tree.match(new RegExp(`- (${roles})(:|$| \\[)`, 'gm'))).toBeNull()
  const tables = await page.evaluate<
    { caption: string; columns: string[]; rows: number[]; heads: boolean }[]
  >(
    `[...document.querySelectorAll('table')].map((table) => ({
      caption: table.caption.textContent,
      columns: [...table.tHead.rows[0].cells].map((cell) => cell.scope),
      rows: [...table.tBodies[0].rows].map((row) => row.cells.length),
      heads: [...table.tBodies[0].rows].every((row) => row.cells[0].scope === 'row'),
    }))`,
  )
  for (const { caption, columns, rows, heads } of tables) {
    expect(caption).toMatch(/\w/)
    expect(heads).toBe(true)
    expect(columns).toEqual(columns.map(() => 'col'))
    expect(rows).toEqual(rows.map(() => columns.length))
  }
  const shown = await page.locator('table:visible').count()
  expect(tree.match(/- table "/g) ?? []).toHaveLength(shown)
  const ids = `[...document.querySelectorAll('[id]')].map((one) => one.id)
    .filter((id, index, all) => all.indexOf(id) !== index)`
  expect(await page.evaluate(ids)).toEqual([])
}
