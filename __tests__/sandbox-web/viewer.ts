import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from '../browser.js'
import { call, type Caller } from './caller.js'

export const webshop = '/orgs/demo-org/projects/webshop'
export const phone = { viewport: { width: 360, height: 740 } }
export const hostileName = `<img src=x onerror="document.title='owned'"> "quoted" & ${'unbroken'.repeat(20)}`

/** Shows the pages of a service in a real browser. */
export class Viewer {
  private constructor(
    readonly caller: Caller,
    private readonly browser: Browser,
  ) {}

  static async arrive(): Promise<Viewer> {
    const browser = await launchBrowser()
    const caller = await call()
    const [template] = caller.webshop.loadTests
    if (template) caller.webshop.loadTests.push({ ...template, number: 900, name: hostileName })
    const run = caller.webshop.loadTests.find(({ number }) => number === 9)
    if (run) run.name = hostileName
    return new Viewer(caller, browser)
  }

  async leave(): Promise<void> {
    await this.browser.close()
    await this.caller.service.close()
  }

  /** Opens a page, and checks that the browser requested nothing from elsewhere and reported only expected errors. */
  async look(
    address: string,
    see: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
    expected: readonly string[] = [],
  ): Promise<void> {
    const { url } = this.caller.service
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    const complaints: string[] = []
    try {
      const page = await context.newPage()
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (fault) => complaints.push(fault.message))
      page.on('dialog', (dialog) => {
        complaints.push(dialog.message())
        void dialog.dismiss()
      })
      page.on('request', (request) => {
        if (!request.url().startsWith(`${url}/`)) complaints.push(request.url())
      })
      await page.goto(`${url}${address}`)
      await see(page)
      expect(complaints.filter((text) => !expected.some((meant) => text.includes(meant)))).toEqual([])
    } finally {
      await context.close()
    }
  }
}
