import { escaped } from '../../sandbox/report/xml.js'
import { testReportXml } from '../../sandbox/report/archive.js'
import { quietRun } from '../../sandbox/report/simulated-run.js'
import { tarGzOf } from '../unpack/archives.js'
import { serveBefore, type Front } from './front.js'
import {
  expectHarmless,
  expectHtml,
  expectMarkdown,
  expectOwnCommands,
  hostile,
  templateOf,
  webshopOf,
} from './harm.js'
import { onPull, startSandbox, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
let front: Front | undefined
beforeEach(async () => {
  sandbox = await startSandbox({ reportsField: 'reports' })
})
afterEach(async () => {
  await Promise.all([sandbox.close(), front?.close()])
  front = undefined
})

const all = Object.values(hostile).join(' ')

test('the search for harm finds each kind of harm', () => {
  for (const text of [
    'an element',
    'a mention',
    'a line for Markdown',
    'a link',
    'bidirectional controls',
  ] as const)
    expect(() => expectMarkdown(`Name ${hostile[text]}`)).toThrow()
  expect(() => expectMarkdown(`| a | b |\n| --- | --- |\n| ${hostile['a cell']} | 1 |`)).toThrow()
  for (const text of ['a command', 'a command in brackets', 'commands on separate lines'] as const)
    expect(() => expectOwnCommands(hostile[text])).toThrow()
  expect(() => expectHtml(`<p>${hostile['an element']}</p>`)).toThrow()
})

test('an invented state at the end', async () => {
  const state = hostile['all at once'] + hostile['its length']
  sandbox.service.settings.faults = [
    { operation: 'status', times: 'always', fault: { kind: 'state', state, ended: true } },
    { operation: 'details', skip: 1, times: 'always', fault: { kind: 'state', state, ended: true } },
  ]
  const ran = await sandbox.run({ timeout: '4s' }, { job: { github: onPull }, withPost: true })
  expect(ran.outputs['verdict']).toBe('load-test-failed')
  expectHarmless(sandbox, ran)
})

test('a hostile reason for a failure', async () => {
  sandbox.service.settings.ends = 'ERROR'
  const ran = await sandbox.run(
    { timeout: '10s' },
    {
      job: { github: onPull },
      withPost: true,
      step: {
        onLine(line) {
          const run = webshopOf(sandbox).loadTests.at(-1)?.run
          if (line.includes('Started load test') && run) run.message = all
        },
      },
    },
  )
  expect(ran.outputs['verdict']).toBe('load-test-failed')
  expect(ran.summary).toContain('a&#124;b')
  expectHarmless(sandbox, ran)
})

test('a template, a project and a report in which every name is hostile, all the way to the verdict', async () => {
  Object.assign(templateOf(sandbox), { name: `${hostile['all at once']} 1`, description: all })
  webshopOf(sandbox).name = all
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
  const ran = await sandbox.run(
    { 'base-url': front.url, gates, baseline: 'load-test:9' },
    { job: { github: onPull }, withPost: true },
  )
  expect(ran.outputs['verdict']).toBe('failed')
  expect(ran.annotations.filter(({ kind }) => kind === 'error').length).toBeLessThanOrEqual(10)
  // They are shown as text.
  expect(ran.summary).toContain('<code>a&#124;b &#124;&#124; c')
  expectHarmless(sandbox, ran)
})

/** A report of the sandbox in which hostile names and messages replace the original ones, one after the other. */
function spoilt(names: readonly string[]): string {
  const known = new Map<string, string>()
  const replaced = (plain: string) => {
    if (!known.has(plain)) known.set(plain, `${names[known.size % names.length]} ${known.size}`)
    return escaped(known.get(plain) ?? '')
  }
  const xml = testReportXml({ ...quietRun, errorRate: 0.05 })
  const spoiltXml = xml.replace(
    /<(name|message|label|statusText|projectName|comment|testCaseName)>([^<]+)</g,
    (_, tag: string, text: string) => `<${tag}>${replaced(text)}<`,
  )
  expect(known.size).toBeGreaterThan(names.length)
  return spoiltXml
}
