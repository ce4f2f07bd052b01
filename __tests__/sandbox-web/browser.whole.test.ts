import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { styles } from '../../sandbox/web/assets.js'
import { launchBrowser } from '../browser.js'
import { call, type Caller } from './caller.js'
import { styleUse, type StyleUse } from './style-check.js'

/**
 * Every page in light, in dark and at 390 px: axe-core finds nothing, nothing is wider than the page, and each part of
 * the style is served where something needs it. Pictures are kept where SANDBOX_SCREENSHOTS names a folder.
 */

const screenshots = process.env['SANDBOX_SCREENSHOTS']
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const webshop = '/orgs/demo-org/projects/webshop'
const everything = '{}'
const colours = `{ runOnly: ['color-contrast'] }`
/** Where colours alone differ, they alone are looked at. */
const looks: [string, BrowserContextOptions, string][] = [
  ['light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }, everything],
  ['dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }, colours],
  ['narrow', { viewport: { width: 390, height: 800 }, colorScheme: 'light' }, everything],
]

interface View {
  address: string
  /** What somebody does there first. */
  act?: (page: Page) => Promise<void>
  /** Something that the page can show is missing here, so that it may not need all parts of its style. */
  sparse?: true
}

const views: Record<string, View> = {
  home: { address: '/' },
  'all projects': { address: '/projects' },
  organization: { address: '/orgs/demo-org' },
  profile: { address: '/user' },
  'picture that is refused': {
    address: '/user',
    async act(page) {
      const file = { name: 'page.png', mimeType: 'image/png', buffer: Buffer.from('<html>') }
      await page.getByLabel('Picture').setInputFiles(file)
      await page.getByRole('button', { name: 'Upload avatar' }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  project: { address: webshop },
  'empty project': { address: '/orgs/demo-org/projects/private-shop', sparse: true },
  'load test': { address: `${webshop}/load-tests/9` },
  template: { address: `${webshop}/load-tests/1`, sparse: true },
  'comparison form': { address: `${webshop}/comparisons/new` },
  comparison: { address: `${webshop}/comparisons/1` },
  'trend form': { address: `${webshop}/trends/new` },
  trend: { address: `${webshop}/trends/1` },
  'credentials of the organization': { address: '/orgs/demo-org/credentials' },
  'credentials of a project': { address: `${webshop}/credentials` },
  'new credentials': {
    address: `${webshop}/credentials/new?scopes=action`,
    async act(page) {
      await page.getByLabel('Name').fill('<b>whole</b>')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByText('Copy the client secret now').waitFor()
    },
  },
  'credentials that are refused': {
    address: `${webshop}/credentials/new`,
    async act(page) {
      await page.getByLabel('Name').fill('without scopes')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  'not found': { address: '/orgs/nobody/credentials' },
}

let browser: Browser
let caller: Caller
/** By the page's name. */
const used = new Map<string, StyleUse>()
beforeAll(async () => {
  browser = await launchBrowser()
  caller = await call({ history: true })
  await caller.send(`${webshop}/comparisons`, [
    ['first', '9'],
    ['second', '20'],
  ])
  await caller.send(`${webshop}/trends`, [
    ['report', '9'],
    ['report', '20'],
  ])
})
afterAll(async () => {
  await (browser as Browser | undefined)?.close()
  await (caller as Caller | undefined)?.service.close()
})

test.each(Object.entries(views))('%s', async (name, { address, act, sparse }) => {
  for (const [look, options, rules] of looks) {
    const context = await browser.newContext(options)
    try {
      const page = await context.newPage()
      await page.goto(`${caller.service.url}${address}`)
      await act?.(page)
      await inspect(page, `${name}, ${look}`, rules)
      if (look !== 'light') continue
      const use = await styleUse(page)
      used.set(name, use)
      const needed = styles.filter((part) => part === 'frame' || use.matched[part]?.length)
      if (sparse) expect(needed.filter((part) => !use.linked.includes(part))).toEqual([])
      else expect(use.linked).toEqual(needed)
    } finally {
      await context.close()
    }
  }
})

test('no rule of the style is dead', () => {
  expect(used.size).toBe(Object.keys(views).length)
  const alive = new Set([...used.values()].flatMap(({ matched }) => Object.values(matched).flat()))
  const all = used.get('home')?.all ?? {}
  // States that no load test of the history is in, a change for the worse, and buttons before their script has run.
  const rare = /^(\.of-(scheduled|provisioning|starting|stopping|deprovisioning)|\.bad|button\[hidden\])$/
  const dead = Object.values(all)
    .flat()
    .filter((selector) => !alive.has(selector) && !rare.test(selector))
  expect(dead).toEqual([])
})

/** The page as it is, with its details open, and with its dialog where it has one. */
async function inspect(page: Page, name: string, rules: string): Promise<void> {
  await page.evaluate(axe)
  await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true })`)
  await agrees(page, name, rules)
  const opener = page.locator('a[data-dialog]')
  if ((await opener.count()) === 0) return
  await opener.click()
  await agrees(page, `${name}, with its dialog`, rules)
}

async function agrees(page: Page, name: string, rules: string): Promise<void> {
  if (screenshots !== undefined)
    await page.screenshot({ path: path.join(screenshots, `${name}.png`), fullPage: true })
  const found = await page.evaluate<string[]>(
    `axe.run(${rules}).then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html }) => id + ': ' + help + ': ' + html.slice(0, 200))))`,
  )
  expect(found).toEqual([])
  const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(tooWide)).toBe(0)
}
