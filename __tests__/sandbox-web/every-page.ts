import type { Page } from 'playwright-core'
import { webshop } from './viewer.js'

export const pages = [
  ['home', '/'],
  ['project', webshop],
  ['empty project', '/orgs/demo-org/projects/private-shop'],
  ['load test', `${webshop}/load-tests/9`],
  ['template', `${webshop}/load-tests/900`],
] as const

export const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** There are landmarks and one heading; controls and tables have names; ids are unique. */
export async function expectNames(page: Page): Promise<void> {
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
