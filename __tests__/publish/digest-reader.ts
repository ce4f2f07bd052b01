import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import type { LoadTestOutcome, MergeOutcome } from '../../src/outcome/outcome.js'
import { renderDigest } from '../../src/publish/digest/digest.js'
import { headline } from '../../src/publish/words/words.js'
import { launchBrowser } from '../browser.js'

/** Screenshots are kept if DIGEST_SCREENSHOTS names a folder. */
const screenshots = process.env['DIGEST_SCREENSHOTS']

/** Every request of the page, and console messages, dialogs and errors. */
export interface Opened {
  page: Page
  requests: string[]
  events: string[]
}

export interface View {
  width?: number
  height?: number
  scheme?: 'light' | 'dark'
}

/** The windows that digests are shown in, largest first. */
export const views = {
  'a wide light window': {},
  'a wide dark window': { scheme: 'dark' },
  'a light phone': { width: 390, height: 844 },
  'a dark phone': { width: 390, height: 844, scheme: 'dark' },
  'a very small phone': { width: 320, height: 640 },
} as const satisfies Record<string, View>

/** Shows digests in a real browser. */
export class DigestReader {
  private constructor(
    readonly folder: string,
    readonly browser: Browser,
  ) {}

  static async arrive(): Promise<DigestReader> {
    const browser = await launchBrowser()
    return new DigestReader(await mkdtemp(path.join(tmpdir(), 'digest-')), browser)
  }

  async leave(): Promise<void> {
    await this.browser.close()
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Opens a digest in a new page, and closes it afterwards. */
  async look(
    name: string,
    outcome: LoadTestOutcome | MergeOutcome,
    view: View,
    see: (opened: Opened) => Promise<void>,
  ) {
    const opened = await this.open(name, outcome)
    try {
      await show(opened, name, view)
      await see(opened)
    } finally {
      await opened.page.context().close()
    }
  }

  /** The digest in a new page, which records its requests and messages. */
  async open(name: string, outcome: LoadTestOutcome | MergeOutcome): Promise<Opened> {
    const file = path.join(this.folder, `${name}.html`)
    await writeFile(file, renderDigest(outcome))
    const address = pathToFileURL(file).href
    const context = await this.browser.newContext()
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
}

export async function show({ page }: Opened, name: string, view: View): Promise<void> {
  const { width = 1280, height = 800, scheme = 'light' } = view
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: scheme })
  if (screenshots !== undefined) {
    await page.screenshot({ path: path.join(screenshots, `${name}-${width}-${scheme}.png`) })
  }
}

/** The verdict is on the first screen, nothing is wider than the page or its card, nothing is requested. */
export async function expectFits(
  { page, requests, events }: Opened,
  outcome: LoadTestOutcome | MergeOutcome,
  view: View,
): Promise<void> {
  const heading = page.locator('h1')
  expect((await heading.textContent())?.replaceAll('\u00a0', ' ')).toBe(headline(outcome))
  const box = await heading.boundingBox()
  expect(box).not.toBeNull()
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(view.height ?? 800)
  await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })')
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(overflow)).toBe(0)
  // On a phone, rows are cards, which need no scrolling.
  const wider = `[...document.querySelectorAll('table')].map((one) => one.parentElement)
    .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.ariaLabel)`
  if ((view.width ?? 1280) <= 640) expect(await page.evaluate(wider)).toEqual([])
  expect(requests).toEqual([])
  expect(events).toEqual([])
}

/** No script, no picture, no form and no handler. */
export async function expectPlain({ page }: Opened): Promise<void> {
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
