import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { daily, thorough } from '../daily.js'
import { packSource } from '../../src/archive/archive.js'
import { startSandbox, type Sandbox } from './sandbox.js'

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
    expect(ran.post[0]?.log).not.toContain('is still running')

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
