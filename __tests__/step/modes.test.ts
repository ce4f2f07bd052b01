import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { daily, thorough, share } from '../daily.js'
import { packSource } from '../../src/archive/archive.js'
import { startSandbox, hurried, type Sandbox, type RunOptions } from './sandbox.js'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

/** Without the records of the start, whose names contain a digest. */
const artifactNames = () =>
  sandbox.github.store.artifacts
    .map(({ name }) => name)
    .filter((name) => !/^load-test-(?:run|start)-/.test(name))
    .sort()
const starts = () => sandbox.service.books.starts

daily(
  'a whole run: packed, uploaded, started once, followed, downloaded, judged, attached, written to its outcome file',
  async () => {
    const ran = await sandbox.run({ results: 'true' }, { withPost: true })
    expect(ran.conclusion).toBe('success')
    const { outputs } = ran
    expect(outputs).toMatchObject({ verdict: 'passed', state: 'FINISHED', 'report-number': '1' })
    expect(starts()).toHaveLength(1)
    expect(outputs['run-number']).toBe(String(starts()[0]?.number))
    // The run's page is not known: an address of the interface would be of no use to a reader.
    expect(outputs['run-url']).toBeUndefined()
    // What the artifact client says about each of its steps is only for debugging.
    expect(ran.log).not.toMatch(
      /Artifact name is valid|Beginning upload|Uploaded bytes|SHA256 digest|Finalizing/,
    )
    expect(ran.log).toContain('Attached load-test-results.tar.gz: https://')
    // Addresses can be clicked: nothing follows them without a space.
    expect(ran.log).not.toMatch(/https?:\/\/\S+[.,;:](?:\s|$)/)
    expect(artifactNames()).toEqual([
      'load-test-digest.html',
      'load-test-outcome.json',
      'load-test-report.tar.gz',
      'load-test-results.tar.gz',
    ])

    const report = sandbox.github.store.artifacts.find(({ name }) => name === 'load-test-report.tar.gz')
    const listed = execFileSync('tar', ['-tzf', report?.path ?? ''], { encoding: 'utf8' })
    expect(listed).toMatch(/testreport\.xml/)
    expect(ran.post).toMatchObject([{ conclusion: 'success', summary: '' }])
    expect(ran.post[0]?.log).not.toContain('was still running')

    // The outcome's path is gone with the job's folder; its copy is the artifact.
    const artifact = sandbox.github.store.artifacts.find(({ name }) => name === 'load-test-outcome.json')
    const outcome: unknown = JSON.parse(readFileSync(artifact?.path ?? '', 'utf8'))
    expect(outcome).toMatchObject({
      format: 1,
      verdict: 'passed',
      run: { number: Number(outputs['run-number']), state: 'FINISHED', template: { number: 1 } },
      report: { number: 1, ending: '.tar.gz' },
      kind: 'load-test',
      mode: 'run',
    })
    expect(outputs['outcome']).toMatch(/outcome\.json$/)
    expect(outputs['report-path']).toMatch(/report-\d+-1$/)
  },
)

thorough('a large suite is packed by the threads of dist/ to the same bytes as by one thread', async () => {
  const { workspace } = sandbox
  for (const name of ['a', 'b', 'c', 'd']) {
    const lines = Array.from({ length: 100_000 }, (_, i) => `${name} has ${i * 37} of ${i}\n`)
    writeFileSync(path.join(workspace, `${name}.txt`), lines.join(''))
  }
  const started = await sandbox.run({ mode: 'start' })
  expect(started.conclusion).toBe('success')
  const [upload] = sandbox.uploads()
  const target = path.join(mkdtempSync(path.join(tmpdir(), 'packed-')), 'archive.zip')
  try {
    const topLevel = sandbox.github.settings.repository
    const packed = await packSource({ source: workspace, exclude: [], target, topLevel })
    // Large enough for threads.
    expect(packed.uncompressedBytes).toBeGreaterThan(6e6)
    expect(upload?.sha512).toBe(packed.sha512)
  } finally {
    rmSync(path.dirname(target), { recursive: true })
  }
})

test('invalid: a gate could not be measured; xpath gates run beside the bundle, whatever they do', async () => {
  // More than memory can hold, in one piece.
  const abort =
    'string-length(string-join(fold-left(1 to 27, "abcdefghijklmnop", function($a, $b) { string-join(($a, $a, "x")) })))'
  const given = `xpath(${abort}) > 0\nxpath(count(/testreport/requests/request)) > 3\nxpath(/testreport/nothing) = 1\nrequest "NoSuchRequest" p95 < 1 s`
  // A real clock: in a hurried step the expressions have a second and a half, the start of their process included.
  const ran = await sandbox.run({ gates: given }, { job: { machineEnv: { NODE_OPTIONS: '' } } })
  const gates = JSON.parse(ran.outputs['gates'] ?? '') as { gate: string; result: string }[]
  expect(Object.fromEntries(gates.map(({ gate, result }) => [gate.slice(0, 11), result]))).toEqual({
    'xpath(strin': 'not-measured',
    'xpath(count': 'passed',
    'xpath(/test': 'not-measured',
    'request "No': 'not-measured',
  })
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('invalid')
  expect(ran.outputs['report-artifact-id']).toBeDefined()
  expect(ran.summary).toMatch(/It was stopped because it needs more than 256\.0\sMB of memory/)
})

const broken = pathToFileURL(path.resolve('__tests__/step/broken.js')).href

const ways = [
  ['loudly', 'Nobody expects this'],
  ['silently', 'The step has come to a standstill. This is a mistake in the action: please report it.'],
] as const

test.each(share(ways, 1))(
  'a step that breaks down %s is an error that names its run',
  async (how, reason) => {
    const machineEnv = { NODE_OPTIONS: `${hurried.NODE_OPTIONS} --import=${broken}`, BROKEN: how }
    const ran = await sandbox.run({}, { job: { machineEnv }, withPost: true })
    const [{ number } = { number: 0 }] = sandbox.service.books.starts.slice(-1)
    expect(ran).toMatchObject({ conclusion: 'failure', exitCode: 1, outputs: { verdict: 'error' } })
    expect(ran.outputs['run-number']).toBe(String(number))
    const [first] = ran.annotations.filter(({ kind }) => kind === 'error')
    for (const text of [ran.summary, first?.message]) {
      expect(text).toContain(reason)
      expect(text).toContain(`run-number: ${number}`)
    }
    expect(ran.post.map(({ annotations }) => annotations)).toEqual([[]])
  },
)

const commit = 'c0ffee0123456789c0ffee0123456789c0ffee01'

const onPull: Partial<GitHubOptions> = {
  eventName: 'pull_request',
  event: { pull_request: { number: 7, head: { sha: commit, ref: 'faster' }, base: { ref: 'main' } } },
}
const pull = (inputs: Record<string, string>) => sandbox.run(inputs, { job: { github: onPull } })
const commentsOf = () => sandbox.github.store.commentsOf(7)

// What each face says of a verdict is in publish/each-verdict.test.ts.
daily('log, annotations and digest of a failed gate, as the runner gets them', async () => {
  writeFileSync(
    path.join(sandbox.workspace, 'gates.yml'),
    '# budgets\ngates:\n  - requests p95 < 60 s\n  - gate: requests mean < 1 ms\n    name: Mean of all requests\n',
  )
  const ran = await pull({ gates: 'gates.yml\nwarn: requests max < 1 ms' })
  expect(ran.outputs['verdict']).toBe('failed')

  const [, inLog = ''] = /##\[group\]Gates\n([^]*?)##\[endgroup\]/.exec(ran.log) ?? []
  expect(inLog.trim().split('\n')).toEqual([expect.stringMatching(/passed: requests p95 < 60 s: value/)])
  const end = ran.log.slice(ran.log.lastIndexOf('##[endgroup]'))
  expect(end).toMatch(
    /##\[warning\]warn: requests max < 1 ms: value[^]*##\[error\]Mean of all requests: .*limit < 1 ms/,
  )
  expect(ran.log.match(/Mean of all requests/g)).toHaveLength(1)
  expect(ran.log).not.toMatch(/##\[group\].*\n##\[endgroup\]/)
  expect(ran.log).toContain('\u001b[31mLoad test: requests too slow (mean ')

  const errors = ran.annotations.filter(({ kind }) => kind === 'error')
  expect(errors).toEqual([expect.objectContaining({ file: 'gates.yml', line: 4 })])
  const digest = sandbox.github.store.artifacts.find(({ name }) => name === 'load-test-digest.html')
  expect(digest?.mimeType).toMatch(/^text\/html/)
  const page = readFileSync(digest?.path ?? '', 'utf8')
  expect(page).toMatch(/^<!doctype html>/i)
  // Everything is in one file: nothing is fetched or run.
  expect(page.match(/<(script|link|img|iframe)\b|\bsrc=|@import|url\(/gi)).toBeNull()
})

thorough(
  'a comment does not stay green if the next step is refused but its own inputs can be read',
  async () => {
    await pull({ mode: 'start' })
    const refused = await pull({ mode: 'start', gates: 'requests p95th < 1 s', comment: 'always, please' })
    expect(refused.outputs['verdict']).toBe('error')
    const [comment, ...others] = commentsOf()
    expect(others).toEqual([])
    expect(comment?.body).toMatch(/⚠️ Load test: no verdict\. comment /)
    expect(comment?.body).toContain('Did you mean')
    const without = await pull({ mode: 'start', gates: 'requests p95th < 1 s', 'github-token': '' })
    expect(without.summary).toContain('⚠️ Load test: no verdict. gates, line 1')
    expect(without.conclusion).toBe('failure')
    // A title has the name that the step was given, but none that is refused.
    const named = (name: string) => pull({ mode: 'start', gates: 'requests p95th < 1 s', name })
    expect((await named('search')).summary).toContain('⚠️ search: no verdict. gates, line 1')
    expect((await named('a:b')).summary).toMatch(/⚠️ Load test: no verdict\. name /)
  },
)

/** The step is red with this sentence, and nothing was started. */
async function refused(inputs: Record<string, string>, sentence: string | RegExp, options: RunOptions = {}) {
  const ran = await sandbox.run(inputs, options)
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('error')
  const errors = ran.annotations.filter(({ kind }) => kind === 'error').map(({ message }) => message)
  expect(errors.join('\n')).toMatch(sentence)
  // Readers of the log click addresses: nothing may follow them without a space.
  expect(errors.join('\n')).not.toMatch(/https?:\/\/\S+[.,;:](?:\s|$)/)
  expect(ran.summary).toMatch(/^## ⚠️ Load test: no verdict\. /)
  expect(ran.outputs['outcome']).toMatch(/outcome\.json$/)
  expect(sandbox.service.books.starts).toEqual([])
  expect(ran.outputs['run-number']).toBeUndefined()
  return ran
}

const nothingUploaded = () => expect(sandbox.uploads()).toEqual([])

/** What only shows in the workspace, on the service or on GitHub; __tests__/inputs/misuses.test.ts has the others. */
const misuses: [Record<string, string>, RegExp][] = [
  [{ source: 'perf' }, /The folder to pack, "perf", does not exist/],
  [{ mode: 'collect', 'run-number': '1' }, /Load test 1 has never been started/],
]

thorough.each(misuses)('%j', async (inputs, sentence) => {
  const ran = await refused(inputs, sentence)
  expect(ran.annotations.map(({ message }) => message).join('\n')).not.toContain(sandbox.workspace)
  nothingUploaded()
})

thorough('https where plain http is spoken, in words', async () => {
  const url = sandbox.service.url.replace('http:', 'https:')
  await refused({ 'base-url': url }, /it answers plain http, not https/)
})

thorough('what is most likely not meant gets a warning, and a run', async () => {
  const gates = [
    'requests error-rate <= 100%',
    'warn: requests p95 <= baseline + 10%',
    'requests p95 >= 1 ms',
    'warn: requests p59 <= 1 s',
    'requests p95 = 500 ms',
  ].join('\n')
  const ran = await sandbox.run({ mode: 'start', gates, exclude: 'confg/', properties: 'webshop.url = ' })
  expect(ran.outputs['verdict']).toBe('started')
  const told = ran.annotations.map(({ kind, message }) => `${kind}: ${message}`)
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 1: Every figure passes this gate/))
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 2: .*input baseline is empty/))
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 3: .* Did you mean <=\?/))
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 4: The report will have no p59/))
  expect(told).toContainEqual(
    expect.stringMatching(/^warning: gates, line 5: Hardly any run has exactly this/),
  )
  expect(told).toContain('warning: properties, line 1: webshop.url is set to nothing.')
  expect(told).toContainEqual(expect.stringMatching(/^notice: exclude: "confg\/" .* Did you mean config\?/))
})
