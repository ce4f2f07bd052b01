import { readFileSync } from 'node:fs'
import { escaped } from '../../sandbox/report/xml.js'
import { testReportXml } from '../../sandbox/report/archive.js'
import { tarGzOf } from '../report/archives.js'
import { serveBefore, type Front } from './front.js'
import { contentOf } from './published.js'
import { hurried, startSandbox, type Ran, type Sandbox } from './sandbox.js'

/** Each would do harm in one place or another, were it shown as it is. */
const hostile = {
  'a cell': 'a|b || c',
  'an element': '<img src=x onerror=alert(1)><script>alert(2)</script></details></table>',
  'a mention': '@team @octocat/team #1 GH-7 ghost@example.com',
  'code marks': '`` ` ``` @code',
  'a command': '::error title=FORGED,file=a.ts::FORGED',
  'a command in brackets': '##[error]FORGED',
  'commands on lines of their own':
    'x\n::error::FORGED\r\n::set-output name=verdict::FORGED\n::add-mask::the\r##[add-mask]load\n::stop-commands::FORGED',
  'a command behind escapes': '%0A::error::FORGED%0D%0A##[warning]FORGED',
  'a line for Markdown':
    '\n# FORGED heading\n\n| FORGED | row |\n|---|---|\n- [x] FORGED\n<!-- load-test-action: x -->',
  'a link': '[click](javascript:alert(1)) ![](https://evil.example/x.png) https://evil.example',
  'bidirectional controls': 'abc\u202egnp.exe\u2066\u200b\u2029def',
  'escape sequences': 'a\u001b[2J\u001b]8;;https://evil.example\u0007b\u0000',
  'its length': 'w'.repeat(5000),
  'its marks': `Z${'\u0301'.repeat(500)}algo`,
  'all at once': 'all|<img src=x onerror=alert(1)>`@team`::error::FORGED\n::error::FORGED ##[error]FORGED',
}

let sandbox: Sandbox
let front: Front | undefined
beforeEach(async () => {
  sandbox = await startSandbox({ reportsListed: true })
})
afterEach(async () => {
  await Promise.all([sandbox.close(), front?.close()])
  front = undefined
})

const webshop = () => {
  const project = sandbox.service.world.organizations.get('demo-org')?.projects.get('webshop')
  if (!project) throw new Error('There is no webshop.')
  return project
}
const onPull = {
  github: {
    eventName: 'pull_request',
    event: { pull_request: { number: 7, head: { sha: 'abc' }, base: { ref: 'main' } } },
  },
}
const all = Object.values(hostile).join(' ')
const comments = () => sandbox.github.store.commentsOf(7).flatMap(({ bodies }) => bodies)

test('the search for harm finds each kind of it', () => {
  for (const text of [
    'an element',
    'a mention',
    'a line for Markdown',
    'a link',
    'bidirectional controls',
  ] as const)
    expect(() => expectMarkdown(`Name ${hostile[text]}`)).toThrow()
  expect(() => expectMarkdown(`| a | b |\n| --- | --- |\n| ${hostile['a cell']} | 1 |`)).toThrow()
  for (const text of ['a command', 'a command in brackets', 'commands on lines of their own'] as const)
    expect(() => expectOwnCommands(hostile[text])).toThrow()
  expect(() => expectHtml(`<p>${hostile['an element']}</p>`)).toThrow()
})

test.each(Object.entries(hostile))('a load test whose name and description are %s', async (_, text) => {
  const [template] = webshop().loadTests
  Object.assign(template ?? {}, { name: text, description: text })
  const ran = await sandbox.run({ mode: 'start' }, { job: onPull })
  expect(ran.outputs['verdict']).toBe('started')
  expectHarmless(ran)
})

test('names, description, label and project all the way to the verdict', async () => {
  const [template] = webshop().loadTests
  Object.assign(template ?? {}, { name: `${hostile['all at once']} 1`, description: all })
  webshop().name = all
  const ran = await sandbox.run({ gates: 'requests p95 < 1 ms' }, { job: onPull })
  expect(ran.outputs['verdict']).toBe('failed')
  expectHarmless(ran)
})

test.each([false, true])('a state that the service makes up, ended: %s', async (ended) => {
  const state = hostile['all at once']
  sandbox.service.settings.faults = [
    { operation: 'status', times: 'always', fault: { kind: 'state', state, ended } },
    { operation: 'details', skip: 1, times: 'always', fault: { kind: 'state', state, ended } },
  ]
  const ran = await sandbox.run({ timeout: '2s', 'report-timeout': '1s' }, { job: onPull })
  expect(ran.outputs['verdict']).toBe(ended ? 'load-test-failed' : 'timed-out')
  expectHarmless(ran)
})

test('the reason of a failure', async () => {
  sandbox.service.settings.ends = 'ERROR'
  const ran = await sandbox.run(
    { 'report-timeout': '1s' },
    {
      job: onPull,
      step: {
        onLine(line) {
          const run = webshop().loadTests.at(-1)?.run
          if (line.includes('Started load test') && run) run.message = all
        },
      },
    },
  )
  expect(ran.outputs['verdict']).toBe('load-test-failed')
  expect(ran.summary).toContain('a&#124;b')
  expectHarmless(ran)
})

test.each([
  ['JSON', JSON.stringify({ message: all })],
  ['HTML', `<html><body>${all}</body></html>`],
  ['text', all],
])('an error page of %s', async (_, page) => {
  const details = /\/loadTests\/1$/
  front = await serveBefore(sandbox.service.url, (path) =>
    details.test(path) ? { status: 403, body: page } : undefined,
  )
  const ran = await sandbox.run({ 'base-url': front.url }, { job: onPull })
  expect(ran.outputs['verdict']).toBe('error')
  expectHarmless(ran)
})

test('a report in which every name is hostile', async () => {
  const names = Object.values(hostile)
  const report = spoilt(names)
  const archive = await tarGzOf([['20260101-000000/testreport.xml', report]])
  front = await serveBefore(sandbox.service.url, (path) =>
    /\/reports\/1\/download$/.test(path) ? { body: archive } : undefined,
  )
  const gates = [
    'requests p95 < 1 ms',
    'request "*" p95 < 1 ms',
    'action "*" mean < 1 ms',
    'transaction "*" max < 1 ms',
    'custom-timer "*" p99 < 1 ms',
    'web-vitals "*" lcp < 1 ms',
  ].join('\n')
  const ran = await sandbox.run({ 'base-url': front.url, gates, baseline: 'load-test:9' }, { job: onPull })
  expect(ran.outputs['verdict']).toBe('failed')
  expect(ran.annotations.filter(({ kind }) => kind === 'error').length).toBeLessThanOrEqual(10)
  // They are shown, each as text.
  expect(ran.summary).toContain('<code>a&#124;b &#124;&#124; c')
  expectHarmless(ran)
})

test.each(['..', '.', '../../..', 'a/b', '%2e%2e', '?x=1', '#', ''])(
  'a code archive whose id is %j: nothing is deleted at another address',
  async (id) => {
    const seen: string[] = []
    front = await serveBefore(sandbox.service.url, (path, { method = '' }) => {
      seen.push(`${method} ${path}`)
      const isUpload = method === 'POST' && path.endsWith('/code-archives')
      return isUpload ? { body: JSON.stringify({ success: true, data: { id } }) } : undefined
    })
    const inputs = { 'base-url': front.url, 'delete-archive': 'after-run' }
    const ran = await sandbox.run(inputs, { job: { machineEnv: hurried } })
    expect(ran.outputs['verdict']).toBe('passed')
    expect(seen.filter((call) => !/^(GET|POST) /.test(call))).toEqual([])
    expect(ran.summary).toContain('The code archive was not deleted: the service did not name its id.')
  },
)

/** A report of the sandbox whose names and messages are replaced by hostile ones, one after the other. */
function spoilt(names: readonly string[]): string {
  const run = {
    ...{ seed: 1, number: 10, name: 'Webshop', description: '', engineVersion: '9.2.0' },
    ...{ startTime: Date.UTC(2026, 0, 1), endTime: Date.UTC(2026, 0, 1, 0, 10) },
    ...{ slowdown: 1, errorRate: 0.05, scorecard: 'none' as const },
  }
  const known = new Map<string, string>()
  const replaced = (plain: string) => {
    if (!known.has(plain)) known.set(plain, `${names[known.size % names.length]} ${known.size}`)
    return escaped(known.get(plain) ?? '')
  }
  const xml = testReportXml(run)
  const spoiltXml = xml.replace(
    /<(name|message|label|statusText|projectName|comment|testCaseName)>([^<]+)</g,
    (_, tag: string, text: string) => `<${tag}>${replaced(text)}<`,
  )
  expect(known.size).toBeGreaterThan(names.length)
  return spoiltXml
}

/** The faces as a runner, GitHub and a browser take them. */
function expectHarmless(ran: Ran): void {
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
  for (const value of Object.values(ran.outputs)) expect(value).not.toBe('FORGED')
  expect(comments().length).toBeGreaterThan(0)
  for (const body of comments()) expectMarkdown(body)
  for (const artifact of sandbox.github.store.artifacts) {
    if (artifact.name.endsWith('.html')) expectHtml(contentOf(artifact))
    if (artifact.name.endsWith('outcome.json')) JSON.parse(readFileSync(artifact.path, 'utf8'))
  }
}

// Without the line break: controls, and what turns or hides the text around it.
const invisible = /[\u0000-\u0009\u000b-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/

/** The step's own colours, which stand around whole lines. */
const withoutColours = (log: string) => log.replace(/^\u001b\[(?:31|32|33|90)m(.*)\u001b\[0m$/gm, '$1')

/** No line of the output is a command that this action does not give. */
function expectOwnCommands(output: string): void {
  const commands = output
    .split(/\r\n|\n|\r/)
    .map((line) => /^\s*::(\S+).*?::/.exec(line)?.[1] ?? /##\[(\w+)/.exec(line)?.[1])
    .filter((name) => name !== undefined)
  const own = [
    'add-mask',
    'group',
    'endgroup',
    'debug',
    'notice',
    'warning',
    'error',
    'save-state',
    'set-output',
  ]
  expect(commands.filter((name) => !own.includes(name.toLowerCase()))).toEqual([])
  expect(output).not.toMatch(/##\[/)
  expect(output).not.toMatch(/^\s*::\w[^:]*::FORGED/m)
}

function expectMarkdown(markdown: string): void {
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
  const own = /^<(\/?(details|summary|code|br|sub|sup|b|strong|em|bdi)|!--|https?:)/
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

function expectHtml(html: string): void {
  expect(html).not.toMatch(/<(img|script|iframe|a href="(?!https?:\/\/(127\.0\.0\.1|github\.com)))/i)
  expect(html.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^<>]*\son\w+=/i)
  for (const tag of ['table', 'details', 'section'])
    expect(count(html, `<${tag}[ >]`)).toBe(count(html, `</${tag}>`))
}

function count(text: string, what: string): number {
  return text.match(new RegExp(what, 'g'))?.length ?? 0
}
