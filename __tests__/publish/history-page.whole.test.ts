import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { renderHistory } from '../../src/publish/history/history-page.js'
import { contrasts, launchBrowser } from '../browser.js'
import { tried } from './historied.js'

/** The page of a history in a real browser. */

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
let browser: Browser
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'history-page-'))
  browser = await launchBrowser()
  const outcome = await tried()
  if (outcome.history)
    await writeFile(path.join(folder, 'history.html'), renderHistory(outcome, outcome.history))
})
afterAll(async () => {
  await (browser as Browser | undefined)?.close()
  if ((folder as string | undefined) !== undefined) await rm(folder, { recursive: true, force: true })
})

const looks = [
  ['light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ['a phone', { viewport: { width: 390, height: 800 }, colorScheme: 'light' }],
] as const

async function look(options: (typeof looks)[number][1], see: (page: Page, told: string[]) => Promise<void>) {
  const page = await browser.newPage(options)
  const told: string[] = []
  const address = pathToFileURL(path.join(folder, 'history.html')).href
  page.on('request', (request) => request.url() === address || told.push(request.url()))
  page.on('console', (message) => told.push(message.text()))
  page.on('pageerror', (fault) => told.push(fault.message))
  try {
    await page.goto(address)
    await see(page, told)
  } finally {
    await page.close()
  }
}

test.each(looks)(
  '%s: the page requests nothing, nothing is too wide, and everything can be read',
  async (_, options) => {
    await look(options, async (page, told) => {
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate(overflow)).toBe(0)
      expect(await page.evaluate(contrasts)).toEqual([])
      await page.evaluate(axe)
      const found = await page.evaluate<string[]>(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))',
      )
      expect(found).toEqual([])
      expect(told).toEqual([])
    })
  },
)
