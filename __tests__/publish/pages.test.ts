import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { commentPage } from '../../scripts/comment-page.js'
import type { LoadTestOutcome, MergeOutcome } from '../../src/outcome/outcome.js'
import { renderDigest } from '../../src/publish/digest/digest.js'
import { digestWithCharts } from '../../src/publish/digest/digest.js'
import { renderHistory } from '../../src/publish/history/history-page.js'
import { renderComment } from '../../src/publish/markdown/comment.js'
import { headline } from '../../src/publish/words/words.js'
import { contrasts, launchBrowser } from '../browser.js'
import { daily, share, thorough } from '../daily.js'
import { tried } from './historied.js'
import {
  everyDigested,
  everyOutcome,
  green,
  hostile,
  hostileNames,
  huge,
  invalid,
  overTime,
  regression,
  started,
} from './outcomes.js'
import { picture } from './webp.js'

/** Digest, comment and history in a real browser. npm run test:whole shows them in all windows. */

let folder: string
let browser: Browser
let page: Page
/** Requests of the page, console messages, dialogs and errors: there should be none. */
const events: string[] = []
beforeAll(async () => {
  browser = await launchBrowser()
  folder = await mkdtemp(path.join(tmpdir(), 'pages-'))
  page = await browser.newPage()
  page.on('request', (request) => request.isNavigationRequest() || events.push(request.url()))
  page.on('console', (message) => events.push(message.text()))
  page.on('pageerror', (fault) => events.push(fault.message))
  page.on('dialog', (dialog) => {
    events.push(dialog.message())
    void dialog.dismiss()
  })
})
// A failed launch leaves nothing behind; then the test's own sentence should be shown.
afterAll(async () => {
  await (browser as Browser | undefined)?.close()
  if ((folder as string | undefined) !== undefined) await rm(folder, { recursive: true })
})

interface View {
  width?: number
  height?: number
  scheme?: 'light' | 'dark'
}

/** The windows that pages are shown in, largest first. */
const views = {
  'a wide light window': {},
  'a wide dark window': { scheme: 'dark' },
  'a light phone': { width: 390, height: 844 },
  'a dark phone': { width: 390, height: 844, scheme: 'dark' },
  'a very small phone': { width: 320, height: 640 },
} as const satisfies Record<string, View>

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const unfold = 'document.querySelectorAll("details").forEach((one) => { one.open = true })'

async function show(html: string, { width = 1280, height = 800, scheme = 'light' }: View): Promise<void> {
  const file = path.join(folder, 'page.html')
  await writeFile(file, html)
  events.length = 0
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: scheme })
  await page.goto(pathToFileURL(file).href)
}

/** The verdict is on the first screen, nothing is wider than the page or its card, nothing is requested. */
async function look(
  outcome: LoadTestOutcome | MergeOutcome,
  view: View,
  see?: () => Promise<void>,
): Promise<void> {
  await show(renderDigest(outcome), view)
  const heading = page.locator('h1')
  expect((await heading.textContent())?.replaceAll('\u00a0', ' ')).toBe(headline(outcome))
  const box = await heading.boundingBox()
  expect(box).not.toBeNull()
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(view.height ?? 800)
  await page.evaluate(unfold)
  expect(await page.evaluate(overflow)).toBe(0)
  // On a phone, rows are cards, which need no scrolling.
  const wider = `[...document.querySelectorAll('table')].map((one) => one.parentElement)
    .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.ariaLabel)`
  if ((view.width ?? 1280) <= 640) expect(await page.evaluate(wider)).toEqual([])
  await see?.()
  expect(events).toEqual([])
}

/** No script, no picture, no form and no handler. */
async function expectPlain(): Promise<void> {
  const foreign = 'script,img,iframe,object,embed,form,input,link,base,audio,video,foreignObject,use,animate'
  expect(await page.locator(foreign).count()).toBe(0)
  expect(await page.locator('style').count()).toBe(1)
  expect(await page.locator('h1').count()).toBe(1)
  const handlers = `[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes].map(({ name }) => name))
    .filter((name) => /^on|^style$/i.test(name))`
  expect(await page.evaluate(handlers)).toEqual([])
  const links = await page.evaluate(`[...document.querySelectorAll('a')].map((one) => one.protocol)`)
  expect(links).toEqual(expect.not.arrayContaining(['javascript:', 'data:', 'file:']))
  expect(await page.evaluate('document.body.dataset.owned ?? null')).toBeNull()
}

/** Tables have a caption, headings with a scope, and the same number of cells in each row. @returns how many */
async function expectTables(): Promise<number> {
  const faulty = `[...document.querySelectorAll('table')].filter(({ caption, tHead, tBodies: [body] }) => {
    const columns = [...tHead.rows[0].cells]
    return !/\\w/.test(caption.textContent) || columns.some(({ scope }) => scope !== 'col') ||
      [...body.rows].some(({ cells }) => cells.length !== columns.length || cells[0].scope !== 'row')
  }).map(({ caption }) => caption.textContent)`
  expect(await page.evaluate(faulty)).toEqual([])
  return page.locator('table').count()
}

daily('a regression on a phone: tables, tiles, and bars of what was slowest', async () => {
  await look(regression(), views['a light phone'], async () => {
    await expectPlain()
    expect(await expectTables()).toBeGreaterThan(8)
    const bars = await page.locator('.bars li').allTextContents()
    expect(bars[0]?.replaceAll('\u00a0', ' ')).toBe('Checkout.PlaceOrder890 → 1,240 ms')
    // Only a difference beyond noise is coloured.
    expect(await page.locator('.tile .bad').allTextContents()).toEqual([
      expect.stringMatching(/^\+140\sms \(\+34%\) worse$/),
      expect.stringMatching(/^\+67\sms \(\+34%\) worse$/),
    ])
  })
})

daily('hostile names on a phone are shown as plain text', async () => {
  await look(hostile(), views['a light phone'], async () => {
    await expectPlain()
    expect(await expectTables()).toBeGreaterThan(8)
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

const others = Object.entries(everyDigested).filter(([name]) => !/^(regression|hostile)$/.test(name))
thorough.each(others)('%s on a phone', async (_, make) => {
  await look(make(), views['a light phone'], async () => {
    await expectPlain()
    await expectTables()
  })
})

thorough.each(Object.entries(views))('a regression on %s', (_, view) => look(regression(), view))

test.each(
  share(
    [
      ['regression', regression, 'light'],
      ['invalid', invalid, 'dark'],
      ['green', green, 'dark'],
      ['regression', regression, 'dark'],
      ['green', green, 'light'],
      ['started', started, 'light'],
      ['started', started, 'dark'],
    ] as const,
    2,
  ),
)(
  'every text of %s has a contrast of 4.5, and it is as the reader wants it (%#)',
  async (_, make, scheme) => {
    await look(make(), { scheme }, async () => {
      expect(await page.evaluate(contrasts)).toEqual([])
      const colour = 'getComputedStyle(document.body).backgroundColor'
      expect(await page.evaluate(colour)).toBe(scheme === 'light' ? 'rgb(245, 246, 248)' : 'rgb(14, 18, 23)')
    })
  },
)

daily('nothing of a green run is coloured', () => {
  const coloured = /<li class="tile">.*class="(?:bad|good)"/
  expect(renderDigest(regression())).toMatch(coloured)
  expect(renderDigest(green())).not.toMatch(coloured)
})

daily('the policy blocks a script, a picture or a style that got in all the same', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const apart = await browser.newPage()
  try {
    const { port } = server.address() as AddressInfo
    const inserted =
      `<script>document.title = "owned"</script><img src="http://127.0.0.1:${port}/img">` +
      `<style>h1 { display: none } body { background: url(http://127.0.0.1:${port}/style) }</style>`
    const withChart = await digestWithCharts(regression(), async (_, chart) =>
      chart === 'charts/Errors.webp' ? picture : undefined,
    )
    const html = withChart.join('').replace('<main>', `<main>${inserted}`)
    const open = async (name: string, text: string) => {
      const file = path.join(folder, name)
      await writeFile(file, text)
      await apart.goto(pathToFileURL(file).href)
      return { title: await apart.title(), heading: await apart.locator('h1').isVisible() }
    }
    const stopped = await open('stopped.html', html)
    expect(stopped.title).toContain('requests 34% slower')
    expect(stopped.heading).toBe(true)
    expect(asked).toEqual([])
    // The page's own picture is drawn.
    expect(await apart.evaluate('[...document.images].map((one) => one.naturalWidth)')).toEqual([0, 1, 1])
    // The same page without the policy, to show that the test would see it.
    const free = await open('free.html', html.replace(/<meta http-equiv[^>]*>/, ''))
    expect(free).toEqual({ title: 'owned', heading: false })
    expect(asked).toContain('/img')
  } finally {
    await apart.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

test.each(share(['a light phone', 'a wide dark window'] as const, 1))(
  'the run over time, on %s',
  async (name) => {
    await look(overTime(), views[name], async () => {
      expect(await page.evaluate(contrasts)).toEqual([])
      const texts = await page.locator('svg.plot > title').allTextContents()
      expect(texts.map((text) => text.replaceAll('\u00a0', ' ').replace(/ over time.*/, ''))).toEqual([
        ...['Requests per second', 'Median time of a request', 'p95 of the requests'],
        'Error rate of the requests',
      ])
      expect(texts[2]?.replaceAll('\u00a0', ' ')).toMatch(
        / from 330 ms to 551 ms, highest 671 ms after 11 min 28 s; before: from 322 ms to 362 ms, highest 363 ms/,
      )
      // What never changes is a line of text.
      expect(await page.locator('.steady').allTextContents()).toEqual(['Users: 28 all the time'])
      const [before, now] = await page
        .locator('figure:has-text("p95") path:is(.before, .line)')
        .evaluateAll<string[], Element>((all) => all.map((one) => one.getAttribute('d') ?? ''))
      // On one axis of 800 s: the baseline's 70 steps of 10 s end at 695.
      expect([before, now].map((line) => /([\d.]+),[\d.]+$/.exec(line ?? '')?.[1])).toEqual(['868.8', '995'])
      const crowded = `[...document.querySelectorAll('svg.plot')].flatMap((svg) => {
      const boxes = [...svg.querySelectorAll('text')].map((one) => one.getBoundingClientRect())
      return boxes.filter((one, at) => boxes.some((other, index) => index > at && one.left < other.right &&
        other.left < one.right && one.top < other.bottom - 2 && other.top < one.bottom - 2))
    }).length`
      expect(await page.evaluate(crowded)).toBe(0)
    })
  },
)

daily('of 1,500 requests, 1,000 are shown, and a note counts the rest', () => {
  const html = renderDigest(huge())
  expect(html).toContain('The first 1,000\u00a0of\u00a01,501 rows are shown. The outcome file has them all.')
  expect(html.length).toBeLessThan(5_000_000)
})

// Hostile names may be as wide as they like, as long as they stay text.
const comments = Object.entries(everyOutcome).filter(([name]) => !/^(huge|hostile)/.test(name))

test.each(share(comments, 2))(
  'the comment of %s on a phone, with the sizes of GitHub: no table hides text, nothing scrolls sideways',
  async (_, make) => {
    await show(await commentPage(renderComment(make(), 'key')), views['a light phone'])
    await page.evaluate(unfold)
    /** Cells whose text reaches beyond the right edge of their table. */
    const hidden = `[...document.querySelectorAll('table')].flatMap((table) => {
      const edge = table.getBoundingClientRect().right
      return [...table.querySelectorAll('th, td')].flatMap((cell) => {
        const range = document.createRange()
        range.selectNodeContents(cell)
        return [...range.getClientRects()].some(({ right }) => right > edge) ? [cell.textContent] : []
      })
    })`
    expect(await page.evaluate(hidden)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  },
)

thorough(
  'a history, light, dark and on a phone: nothing is too wide, and everything can be read',
  async () => {
    const outcome = await tried()
    if (!outcome.history) throw new Error('There is a history.')
    const html = renderHistory(outcome, outcome.history)
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    for (const view of [{}, views['a wide dark window'], views['a light phone']]) {
      await show(html, view)
      expect(await page.evaluate(overflow)).toBe(0)
      expect(await page.evaluate(contrasts)).toEqual([])
      await page.evaluate(axe)
      const found = await page.evaluate<string[]>(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))',
      )
      expect(found).toEqual([])
      expect(events).toEqual([])
    }
  },
)
