import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import type { Outcome } from '../../src/outcome.js'
import { renderDigest } from '../../src/publish/digest.js'
import { headline } from '../../src/publish/headline.js'
import { contrasts, launchBrowser } from '../browser.js'
import { everyOutcome, green, hostile, hostileNames, huge, invalid, regression, started } from './outcomes.js'

/** The digest in a real browser. Screenshots are kept where DIGEST_SCREENSHOTS names a folder. */

const screenshots = process.env['DIGEST_SCREENSHOTS']
let browser: Browser
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'digest-'))
  browser = await launchBrowser()
})

// A launch that failed leaves neither behind; the test's own sentence is to be read then.
afterAll(async () => {
  await (browser as Browser | undefined)?.close()
  if ((folder as string | undefined) !== undefined) await rm(folder, { recursive: true, force: true })
})

interface Opened {
  page: Page
  /** All that the page asked for, besides itself. */
  requests: string[]
  /** Console messages, dialogs and errors. */
  events: string[]
}

interface View {
  width?: number
  height?: number
  scheme?: 'light' | 'dark'
}

async function look(name: string, outcome: Outcome, view: View, see: (opened: Opened) => Promise<void>) {
  const opened = await open(name, outcome)
  try {
    await show(opened, name, view)
    await see(opened)
  } finally {
    await opened.page.context().close()
  }
}

/** The digest in a page of its own, which notes what it asks for and tells. */
async function open(name: string, outcome: Outcome): Promise<Opened> {
  const file = path.join(folder, `${name}.html`)
  await writeFile(file, renderDigest(outcome))
  const address = pathToFileURL(file).href
  const context = await browser.newContext()
  const page = await context.newPage()
  const requests: string[] = []
  const events: string[] = []
  page.on('request', (request) => {
    if (request.url() !== address) requests.push(request.url())
  })
  page.on('console', (message) => events.push(message.text()))
  page.on('pageerror', (fault) => events.push(fault.message))
  page.on('dialog', (dialog) => {
    events.push(dialog.message())
    void dialog.dismiss()
  })
  await page.goto(address)
  return { page, requests, events }
}

async function show({ page }: Opened, name: string, view: View): Promise<void> {
  const { width = 1280, height = 800, scheme = 'light' } = view
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: scheme })
  if (screenshots !== undefined) {
    await page.screenshot({ path: path.join(screenshots, `${name}-${width}-${scheme}.png`) })
  }
}

const views: [string, View][] = [
  ['a wide light window', {}],
  ['a wide dark window', { scheme: 'dark' }],
  ['a light phone', { width: 390, height: 844 }],
  ['a dark phone', { width: 390, height: 844, scheme: 'dark' }],
  ['a very small phone', { width: 320, height: 640 }],
]

describe.each(Object.entries(everyOutcome))('%s', (name, make) => {
  // 5,000 requests look the same in each window, and take their time.
  const shown = name === 'huge' ? views.slice(2, 3) : views
  let opened: Opened
  beforeAll(async () => {
    opened = await open(name, make())
  })
  afterAll(() => opened.page.context().close())

  test.each(shown)('on %s: verdict in the first screen, nothing beside the page', async (_, view) => {
    const { page, requests, events } = opened
    await show(opened, name, view)
    const heading = page.locator('h1')
    expect((await heading.textContent())?.replaceAll('\u00a0', ' ')).toBe(headline(make()))
    const box = await heading.boundingBox()
    expect(box).not.toBeNull()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(view.height ?? 800)
    await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })')
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow)).toBe(0)
    expect(requests).toEqual([])
    expect(events).toEqual([])
  })

  test('holds no script, no picture, no form and no handler', async () => {
    const { page } = opened
    const foreign =
      'script,img,iframe,object,embed,form,input,link,base,audio,video,foreignObject,use,animate'
    expect(await page.locator(foreign).count()).toBe(0)
    expect(await page.locator('style').count()).toBe(1)
    expect(await page.locator('h1').count()).toBe(1)
    const handlers = `[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes].map(({ name }) => name))
      .filter((name) => /^on|^style$/i.test(name))`
    expect(await page.evaluate(handlers)).toEqual([])
    const links = await page.evaluate(`[...document.querySelectorAll('a')].map((one) => one.protocol)`)
    expect(links).toEqual(expect.not.arrayContaining(['javascript:', 'data:', 'file:']))
    expect(await page.evaluate('document.body.dataset.owned ?? null')).toBeNull()
  })
})

test.each([
  ['regression', regression, 'light'],
  ['regression', regression, 'dark'],
  ['green', green, 'light'],
  ['green', green, 'dark'],
  ['invalid', invalid, 'dark'],
  ['started', started, 'light'],
  ['started', started, 'dark'],
] as const)('every text of %s has a contrast of 4.5 (%#)', async (name, make, scheme) => {
  await look(name, make(), { scheme }, async ({ page }) => {
    await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })')
    expect(await page.evaluate(contrasts)).toEqual([])
  })
})

test('light and dark follow the reader', async () => {
  const colour = 'getComputedStyle(document.body).backgroundColor'
  const seen: unknown[] = []
  for (const scheme of ['light', 'dark'] as const) {
    await look('regression', regression(), { scheme }, async ({ page }) => {
      seen.push(await page.evaluate(colour))
    })
  }
  expect(seen).toEqual(['rgb(245, 246, 248)', 'rgb(14, 18, 23)'])
})

test('the policy stops what got in all the same: a script, a picture, a style', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const page = await browser.newPage()
  try {
    const { port } = server.address() as AddressInfo
    const inserted =
      `<script>document.title = "owned"</script><img src="http://127.0.0.1:${port}/img">` +
      `<style>h1 { display: none } body { background: url(http://127.0.0.1:${port}/style) }</style>`
    const html = renderDigest(regression()).replace('<main>', `<main>${inserted}`)
    const open = async (name: string, text: string) => {
      const file = path.join(folder, name)
      await writeFile(file, text)
      await page.goto(pathToFileURL(file).href)
      return { title: await page.title(), heading: await page.locator('h1').isVisible() }
    }
    const stopped = await open('stopped.html', html)
    expect(stopped.title).toContain('2 of 7 gates failed')
    expect(stopped.heading).toBe(true)
    expect(asked).toEqual([])
    // The same page without the policy, to show that the test would see it.
    const free = await open('free.html', html.replace(/<meta http-equiv[^>]*>/, ''))
    expect(free).toEqual({ title: 'owned', heading: false })
    expect(asked).toContain('/img')
  } finally {
    await page.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

test('tables are tables: a caption, headings with their scope, as many cells in each row', async () => {
  for (const outcome of [regression(), hostile()]) {
    await look('tables', outcome, {}, async ({ page }) => {
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
      expect(tables.length).toBeGreaterThan(8)
      for (const { caption, columns, rows, heads } of tables) {
        expect(caption).toMatch(/\w/)
        expect(heads).toBe(true)
        expect(columns).toEqual(columns.map(() => 'col'))
        expect(rows).toEqual(rows.map(() => columns.length))
      }
    })
  }
})

test('charts have a title and a description, and bars inside their chart', async () => {
  const outside = `[...document.querySelectorAll('figure svg')].flatMap((svg) => {
      const box = svg.getBoundingClientRect()
      return [...svg.querySelectorAll('rect,text')].map((one) => one.getBoundingClientRect())
        .filter((one) => one.left < box.left - 1 || one.right > box.right + 1 || one.bottom > box.bottom + 1)
    }).length`
  await look('charts', hostile(), { width: 390, height: 844 }, async ({ page }) => {
    expect(await page.evaluate(outside)).toBe(0)
  })
  await look('regression', regression(), { width: 390, height: 844 }, async ({ page }) => {
    const charts = page.locator('figure svg[role=img]')
    expect(await charts.count()).toBe(4)
    expect((await charts.first().locator('> desc').textContent())?.replaceAll('\u00a0', ' ')).toContain(
      'Checkout.PlaceOrder: 1,240 ms against 890 ms',
    )
    expect(await page.evaluate(outside)).toBe(0)
    const collisions = `[...document.querySelectorAll('figure svg g')].filter((bar) => {
      const [label, value] = [...bar.querySelectorAll('text')].map((one) => one.getBoundingClientRect())
      return label.right > value.left
    }).length`
    expect(await page.evaluate(collisions)).toBe(0)
  })
})

test('hostile names are shown as what they are', async () => {
  await look('hostile', hostile(), {}, async ({ page }) => {
    const text = await page.evaluate('document.body.textContent')
    for (const name of [
      '<img src=x onerror="document.title=1">',
      'a|b',
      '@team',
      '[x](javascript:alert(1))',
      '&lt;b&gt;',
    ]) {
      expect(hostileNames.some((one) => one.includes(name))).toBe(true)
      expect(text).toContain(name)
    }
    expect(text).not.toContain('x'.repeat(1001))
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  })
})

test('only a difference that is more than noise is coloured', async () => {
  await look('green', green(), {}, async ({ page }) => {
    expect(await page.locator('.tile .bad, .tile .good').count()).toBe(0)
  })
  await look('regression', regression(), {}, async ({ page }) => {
    expect(await page.locator('.tile .bad').allTextContents()).toEqual([
      expect.stringMatching(/^\+140\sms \(\+34\s%\) worse$/),
      expect.stringMatching(/^\+67\sms \(\+34\s%\) worse$/),
    ])
  })
})

test('of 5,000 requests, 1,000 are shown and the rest is named', () => {
  const html = renderDigest(huge())
  expect(html).toContain('The first 1,000 of 5,001 rows are shown. The report has them all.')
  expect(html.length).toBeLessThan(5_000_000)
})

test('invalid says what it means', () => {
  expect(renderDigest(invalid())).toContain('Something that was asked for could not be measured')
})

test('sections without content are left out', () => {
  const html = renderDigest(started())
  for (const title of [
    'Key figures',
    'Charts',
    'Everything that was measured',
    'Notes',
    'Failed gates',
    'Gates ',
    'Biggest changes',
  ]) {
    expect(html).not.toContain(`<h2>${title}`)
  }
})
