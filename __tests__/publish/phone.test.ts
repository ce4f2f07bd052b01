import type { Browser } from 'playwright-core'
import { commentPage } from '../../scripts/comment-page.js'
import { renderComment } from '../../src/publish/markdown/comment.js'
import { launchBrowser } from '../browser.js'
import { share } from '../daily.js'
import { everyOutcome } from './outcomes.js'

/** Comments as a phone shows them, with GitHub's sizes. */

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => (browser as Browser | undefined)?.close())

/** Cells whose text reaches beyond the right edge of their table, so that it would have to be scrolled. */
const hidden = `[...document.querySelectorAll('table')].flatMap((table) => {
  const edge = table.getBoundingClientRect().right
  return [...table.querySelectorAll('th, td')].flatMap((cell) => {
    const range = document.createRange()
    range.selectNodeContents(cell)
    return [...range.getClientRects()].some(({ right }) => right > edge) ? [cell.textContent] : []
  })
})`

// Hostile names may be as wide as they like, as long as they stay text.
const kind = Object.entries(everyOutcome).filter(([name]) => !/^(huge|hostile)/.test(name))

test.each(share(kind, 6))(
  '%s: no table hides text at its right, and the page does not scroll sideways',
  async (_, make) => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    try {
      await page.setContent(await commentPage(renderComment(make(), 'key')))
      await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })')
      expect(await page.evaluate(hidden)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    } finally {
      await page.close()
    }
  },
)
