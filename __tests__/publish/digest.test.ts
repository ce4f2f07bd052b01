import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { renderDigest } from '../../src/publish/digest/digest.js'
import { digestWithCharts } from '../../src/publish/digest/engine-charts.js'
import { contrasts } from '../browser.js'
import { daily, share } from '../daily.js'
import { DigestReader, expectFits, expectPlain, views } from './digest-reader.js'
import {
  everyDigested,
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

/** The digest in a real browser. */

let reader: DigestReader
beforeAll(async () => {
  reader = await DigestReader.arrive()
})
// A failed launch leaves nothing behind; then the test's own sentence should be shown.
afterAll(() => (reader as DigestReader | undefined)?.leave())

const look: DigestReader['look'] = (...args) => reader.look(...args)

// npm run test:whole shows them in all windows, and the one with 5,000 requests. The others are in
// digest.whole.test.ts.
daily.each(Object.entries(everyDigested).filter(([name]) => /^(regression|hostile)$/.test(name)))(
  '%s on a phone, in light mode: the verdict is on the first screen, nothing is too wide, and there is no script or handler',
  async (name, make) => {
    const view = views['a light phone']
    await look(name, make(), view, async (opened) => {
      await expectFits(opened, make(), view)
      await expectPlain(opened)
    })
  },
)

test.each(share(Object.entries(views), 1))('a regression on %s', async (_, view) => {
  await look('regression', regression(), view, (opened) => expectFits(opened, regression(), view))
})

test.each(
  share(
    [
      ['regression', regression, 'light'],
      ['green', green, 'dark'],
      ['invalid', invalid, 'dark'],
      ['regression', regression, 'dark'],
      ['green', green, 'light'],
      ['started', started, 'light'],
      ['started', started, 'dark'],
    ] as const,
    3,
  ),
)('every text of %s has a contrast of 4.5 (%#)', async (name, make, scheme) => {
  await look(name, make(), { scheme }, async ({ page }) => {
    await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })')
    expect(await page.evaluate(contrasts)).toEqual([])
  })
})

daily("light or dark follows the reader's setting", async () => {
  const colour = 'getComputedStyle(document.body).backgroundColor'
  const seen: unknown[] = []
  for (const scheme of ['light', 'dark'] as const) {
    await look('regression', regression(), { scheme }, async ({ page }) => {
      seen.push(await page.evaluate(colour))
    })
  }
  expect(seen).toEqual(['rgb(245, 246, 248)', 'rgb(14, 18, 23)'])
})

daily('the policy blocks a script, a picture or a style that got in all the same', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const page = await reader.browser.newPage()
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
      const file = path.join(reader.folder, name)
      await writeFile(file, text)
      await page.goto(pathToFileURL(file).href)
      return { title: await page.title(), heading: await page.locator('h1').isVisible() }
    }
    const stopped = await open('stopped.html', html)
    expect(stopped.title).toContain('3 of 12\u00a0requests slower')
    expect(stopped.heading).toBe(true)
    expect(asked).toEqual([])
    // The page's own picture is drawn.
    expect(await page.evaluate('[...document.images].map((one) => one.naturalWidth)')).toEqual([0, 1, 1])
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

daily('tables have a caption, headings with a scope, and the same number of cells in each row', async () => {
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

daily('charts have a title and a description, and their bars stay inside', async () => {
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
    expect(await charts.count()).toBe(2)
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

daily.each(['a light phone', 'a wide dark window'] as const)('the run over time, on %s', async (name) => {
  await look('over-time', overTime(), views[name], async (opened) => {
    const { page } = opened
    await expectFits(opened, overTime(), views[name])
    await expectPlain(opened)
    expect(await page.evaluate(contrasts)).toEqual([])
    const texts = await page.locator('svg.plot > title').allTextContents()
    expect(texts.map((text) => text.replaceAll('\u00a0', ' '))).toEqual([
      expect.stringMatching(
        /^Requests per second over time: from 0 \/s to \d+ \/s, highest \d+ \/s after \d+ min/,
      ),
      expect.stringMatching(/^Median time of a request over time: from 120 ms to 1\d\d ms, highest 209 ms/),
      'p95 of the requests over time: from 330 ms to 551 ms, highest 671 ms after 11 min 28 s; before: from 322 ms to 362 ms, highest 363 ms after 1 min 40 s',
      expect.stringMatching(
        /^Error rate of the requests over time: from 0% to 2%, highest 2% after 8 min 48 s$/,
      ),
    ])
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
})

daily('hostile names are shown as plain text', async () => {
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

daily('only a difference beyond noise is coloured', async () => {
  await look('green', green(), {}, async ({ page }) => {
    expect(await page.locator('.tile .bad, .tile .good').count()).toBe(0)
  })
  await look('regression', regression(), {}, async ({ page }) => {
    expect(await page.locator('.tile .bad').allTextContents()).toEqual([
      expect.stringMatching(/^\+140\sms \(\+34%\) worse$/),
      expect.stringMatching(/^\+67\sms \(\+34%\) worse$/),
    ])
  })
})

daily('of 5,000 requests, 1,000 are shown, and a note counts the rest', () => {
  const html = renderDigest(huge())
  expect(html).toContain('The first 1,000 of 5,001 rows are shown. The report has them all.')
  expect(html.length).toBeLessThan(5_000_000)
})
