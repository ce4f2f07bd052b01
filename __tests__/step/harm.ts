import { readFileSync } from 'node:fs'
import { contentOf } from './published.js'
import { type Ran, type Sandbox } from './sandbox.js'

/** Each would do harm somewhere if shown unchanged. */
export const hostile = {
  'a cell': 'a|b || c',
  'an element': '<img src=x onerror=alert(1)><script>alert(2)</script></details></table>',
  'a mention': '@team @octocat/team #1 GH-7 ghost@example.com',
  'code marks': '`` ` ``` @code',
  'a command': '::error title=FORGED,file=a.ts::FORGED',
  'a command in brackets': '##[error]FORGED',
  'commands on separate lines':
    'x\n::error::FORGED\r\n::set-output name=verdict::FORGED\n::add-mask::the\r##[add-mask]load\n::stop-commands::FORGED',
  'a command after escapes': '%0A::error::FORGED%0D%0A##[warning]FORGED',
  'a line for Markdown':
    '\n# FORGED heading\n\n| FORGED | row |\n|---|---|\n- [x] FORGED\n<!-- load-test-action: x -->',
  'a link': '[click](javascript:alert(1)) ![](https://evil.example/x.png) https://evil.example',
  'bidirectional controls': 'abc\u202egnp.exe\u2066\u200b\u2029def',
  'escape sequences': 'a\u001b[2J\u001b]8;;https://evil.example\u0007b\u0000',
  'its length': 'w'.repeat(5000),
  'its marks': `Z${'\u0301'.repeat(500)}algo`,
  'all at once': 'all|<img src=x onerror=alert(1)>`@team`::error::FORGED\n::error::FORGED ##[error]FORGED',
}

/** The project of the tests. */
export function webshopOf({ service }: Sandbox) {
  const project = service.world.organizations.get('demo-org')?.projects.get('webshop')
  if (!project) throw new Error('There is no webshop.')
  return project
}

/** The load test that is copied. */
export function templateOf(sandbox: Sandbox) {
  const [template] = webshopOf(sandbox).loadTests
  if (!template) throw new Error('There is no load test.')
  return template
}

/** What is published, as a runner, GitHub and a browser interpret it. */
export function expectHarmless({ github }: Pick<Sandbox, 'github'>, ran: Ran): void {
  const { store } = github
  const bodies = store.commentsOf(7).flatMap((comment) => comment.bodies)
  for (const stage of [ran, ...ran.post]) {
    expectOwnCommands(stage.rawStdout + stage.rawStderr)
    for (const { title = '', message, file = '' } of stage.annotations) {
      expect(title).not.toMatch(/^FORGED/)
      expect(message).not.toMatch(/^FORGED/)
      expect(file).toBe('')
    }
    expect(stage.masks.filter((mask) => /^(the|load)$/.test(mask))).toEqual([])
    expect(stage.log).not.toMatch(/^(##\[error\])?FORGED/m)
    expect(withoutColours(stage.log)).not.toMatch(invisible)
    expect(Math.max(...stage.log.split('\n').map(({ length }) => length))).toBeLessThan(4200)
    expect(stage.log.length).toBeLessThan(64 * 1024)
    expectMarkdown(stage.summary)
  }
  for (const value of Object.values(ran.outputs)) {
    expect(value).not.toBe('FORGED')
    expect(value.length).toBeLessThanOrEqual(100_000)
  }
  expect(ran.outputs['state'] ?? '').toMatch(/^[^\n]{0,100}$/)
  expect(bodies.length).toBeGreaterThan(0)
  for (const body of bodies) expectMarkdown(body)
  for (const artifact of store.artifacts) {
    if (artifact.name.endsWith('.html')) expectHtml(contentOf(artifact))
    if (artifact.name.endsWith('outcome.json')) JSON.parse(readFileSync(artifact.path, 'utf8'))
  }
}

// Control characters except line breaks, and characters that reorder or hide the text around them.
const invisible = /[\u0000-\u0009\u000b-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/

/** The step's own colours, around whole lines. */
const withoutColours = (log: string) => log.replace(/^\u001b\[(?:31|32|33|90)m(.*)\u001b\[0m$/gm, '$1')

/** No line of the output is a command that did not come from this action. */
export function expectOwnCommands(output: string): void {
  const commands = output
    .split(/\r\n|\n|\r/)
    .map((line) => /^\s*::(\S+).*?::/.exec(line)?.[1] ?? /##\[(\w+)/.exec(line)?.[1])
    .filter((name) => name !== undefined)
  const own = 'add-mask group endgroup debug notice warning error save-state set-output'.split(' ')
  expect(commands.filter((name) => !own.includes(name.toLowerCase()))).toEqual([])
  expect(output).not.toMatch(/##\[/)
  expect(output).not.toMatch(/^\s*::\w[^:]*::FORGED/m)
}

export function expectMarkdown(markdown: string): void {
  if (markdown === '') return
  expect(markdown).not.toMatch(invisible)
  const lines = markdown.split('\n')
  // Every row has as many cells as its table's head.
  let columns: number | undefined
  for (const line of lines) {
    const cells = line.startsWith('|') ? line.split(/(?<!\\)\|/).length : undefined
    if (cells !== undefined && columns !== undefined)
      expect([line.slice(0, 200), cells]).toEqual([line.slice(0, 200), columns])
    columns = cells
  }
  expect(lines.filter((line) => /^\s*(#+|-|\||>) *(\[x\] )?FORGED/.test(line))).toEqual([])
  // The only HTML is the action's own.
  const own = /^<(\/?(details|summary|code|w?br|sub|sup|b|strong|em|bdi)|!--|https?:)/
  const elements = markdown.match(/<[!/a-z][^\s>]*/gi) ?? []
  expect(elements.filter((element) => !own.test(element))).toEqual([])
  expect(markdown.match(/<!--[^]*?-->/g)?.length ?? 0).toBeLessThanOrEqual(1)
  expect(count(markdown, '<details')).toBe(count(markdown, '</details>'))
  expect(count(markdown, '```') % 2).toBe(0)
  // GitHub looks for mentions and links in decoded text, but not in code.
  const prose = markdown
    .replace(/```[^]*?```/g, '')
    .replace(/<code>[^]*?<\/code>/g, '')
    .replace(/\]\(<[^>]*>\)/g, ']')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
  expect(prose).not.toMatch(/@(team|octocat|code)/)
  expect(prose).not.toMatch(/evil\.example/)
  for (const [, address] of markdown.matchAll(/\]\(<?([^)>\s]*)/g))
    expect(address).toMatch(/^https?:\/\/(127\.0\.0\.1|github\.com)/)
}

export function expectHtml(html: string): void {
  expect(html).not.toMatch(/<(img|script|iframe|a href="(?!https?:\/\/(127\.0\.0\.1|github\.com)))/i)
  expect(html.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^<>]*\son\w+=/i)
  for (const tag of ['table', 'details', 'section'])
    expect(count(html, `<${tag}[ >]`)).toBe(count(html, `</${tag}>`))
}

function count(text: string, what: string): number {
  return text.match(new RegExp(what, 'g'))?.length ?? 0
}
