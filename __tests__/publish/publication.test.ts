import path from 'node:path'
import fc from 'fast-check'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { build } from 'esbuild'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import type { Artifact, Comment } from '../../sandbox/github/store.js'
import { startJob } from '../../sandbox/runner/job.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import { gateOutcomes, type GateResult } from '../../src/gates/result.js'
import type { LoadTestOutcome, Outcome } from '../../src/outcome/outcome.js'
import { quantity } from '../../src/figures/numbers.js'
import { headline, verdictMeaning, wordsFor } from '../../src/publish/words/words.js'
import { gateWords } from '../../src/publish/words/verdict-words.js'
import { arbitraryOutcome } from './arbitrary-outcome.js'
import { green } from './outcomes.js'
import { decode, readMarkdown } from './markdown-reader.js'

let github: Github
let folder: string
let file: string
beforeAll(async () => {
  github = await startGithub()
  folder = mkdtempSync(path.join(tmpdir(), 'publisher-'))
  file = path.join(folder, 'archive')
  writeFileSync(file, 'report')
  writeFileSync(
    path.join(folder, 'action.yml'),
    'name: Publisher\ninputs:\n  outcome: {}\n  github-token: {}\nruns:\n  using: node24\n  main: main.mjs\n',
  )
  await build({
    entryPoints: ['__tests__/github/publisher.ts'],
    outfile: path.join(folder, 'main.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Older packages need it.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url)",
    },
    logLevel: 'silent',
  })
})
afterAll(async () => {
  await github.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Published extends StepResult {
  artifacts: Map<string, string>
  comment: Comment | undefined
  /** The file named by the output `outcome`. */
  local: Outcome
}

let runId = 0

async function published(outcome: Outcome, refused: string[], mayComment: boolean): Promise<Published> {
  github.settings.refusedArtifacts = refused
  github.permit({ 'pull-requests': mayComment ? 'write' : 'read' })
  const ran = await publishedIn(outcome)
  const { local } = ran
  if (local === undefined) throw new Error(`${ran.log}\n${ran.rawStderr}`)
  return { ...ran, local }
}

/** @param full the files that the disk has no room for */
async function publishedIn(
  outcome: Outcome,
  full: string[] = [],
): Promise<Omit<Published, 'local'> & { local: Outcome | undefined }> {
  runId++
  const given = path.join(folder, `outcome-${runId}.json`)
  writeFileSync(given, JSON.stringify(outcome))
  const job = await startJob({
    machineEnv: { NODE_COMPILE_CACHE: path.join(folder, 'compiled') },
    github: {
      runId,
      token: github.token(),
      apiUrl: github.url,
      eventName: 'pull_request',
      event: { pull_request: { number: runId, head: { sha: 'c0ffee' }, base: { ref: 'main' } } },
    },
    artifactService: await github.artifactService(runId),
  })
  try {
    for (const name of full) symlinkSync('/dev/full', path.join(job.folders.temp, name))
    const inputs = { outcome: given, 'github-token': github.token() }
    const ran = await job.runStep({ action: folder, inputs }).done
    const own = github.store.artifacts.filter((artifact: Artifact) => artifact.runId === runId)
    return {
      ...ran,
      artifacts: new Map(own.map((one) => [one.name, readFileSync(one.path, 'utf8')])),
      comment: github.store.commentsOf(runId)[0],
      local: ran.outputs['outcome']
        ? (JSON.parse(readFileSync(ran.outputs['outcome'], 'utf8')) as Outcome)
        : undefined,
    }
  } finally {
    await job.remove()
  }
}

const refusable = [
  'generated-report.tar.gz',
  'generated-results.tar.gz',
  'generated-digest.html',
  'generated-outcome.json',
]
const cases = () =>
  fc.record({
    outcome: arbitraryOutcome(file),
    refused: fc.subarray(refusable),
    mayComment: fc.boolean(),
  })

test('summary, comment, digest and log agree, whatever cannot be attached or written', async () => {
  await fc.assert(
    fc.asyncProperty(cases(), async ({ outcome, refused, mayComment }) => {
      const faces = await published(outcome, refused, mayComment)
      const { artifacts, comment, summary } = faces
      const lacksEvidence =
        (ofRun(outcome).report && refused.includes('generated-report.tar.gz')) ||
        (ofRun(outcome).results && refused.includes('generated-results.tar.gz'))
      const expected: Outcome = {
        ...outcome,
        verdict: outcome.verdict === 'passed' && lacksEvidence ? 'error' : outcome.verdict,
      }
      const digest = artifacts.get('generated-digest.html')
      const attached = artifacts.get('generated-outcome.json')
      expect(digest !== undefined).toBe(
        isWanted('generated-digest.html', ofRun(outcome).figures !== undefined),
      )
      expect(attached !== undefined).toBe(
        isWanted('generated-outcome.json', outcome.verdict !== 'started' && outcome.kind !== 'check'),
      )
      expect(comment !== undefined).toBe(mayComment && outcome.kind !== 'check')

      checkFile(faces.local, expected)
      if (attached !== undefined) checkFile(JSON.parse(attached) as Outcome, expected)
      checkOutputs(faces, expected)
      for (const page of [summary, comment?.body, digest]) {
        if (page !== undefined) checkPage(page, faces.local)
      }
      const { gates = [] } = ofRun(outcome)
      checkGateRows(summary, gates, gateOutcomes)
      // The comment is the summary in short: it leaves out what passed, and what could not be compared.
      const open = gateOutcomes.filter((result) => result !== 'passed' && result !== 'left-out')
      if (comment) checkGateRows(comment.body, gates, open)
      checkAnnotations(faces, expected)

      function isWanted(name: string, has: boolean): boolean {
        return has && !refused.includes(name)
      }
    }),
    // A smaller example takes longer than the test may.
    { numRuns: 4, endOnFailure: true },
  )
}, 180_000)

test('a disk without room for the outcome and the digest: the step is red, and says the rest', async () => {
  github.settings.refusedArtifacts = []
  const passed: LoadTestOutcome = { ...green(), report: { path: file, ending: '.tar.gz', bytes: 6 } }
  const ran = await publishedIn(passed, ['outcome.json', 'digest.html'])
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs).toMatchObject({ verdict: 'error', 'run-number': String(passed.run?.number) })
  expect([...ran.artifacts.keys()]).toEqual(['generated-report.tar.gz'])
  expect(ran.summary).toContain('Free some disk space')
  expect(ran.summary).toContain(`oad test ${passed.run?.number}`)
  const [first] = ran.annotations.filter(({ kind }) => kind === 'error')
  expect(first?.message).toMatch(/^The outcome file could not be written: The disk of the runner is full/)
})

function ofRun(outcome: Outcome): Partial<LoadTestOutcome> {
  return outcome.kind === 'load-test' ? outcome : {}
}

/** The outcome file, on disk or attached. */
function checkFile(read: Outcome, expected: Outcome): void {
  const { kind, verdict, reasons } = expected
  expect(read).toMatchObject({ kind, verdict })
  const { run, gates, figures } = ofRun(expected)
  expect(ofRun(read).gates).toEqual(gates)
  expect(ofRun(read).run).toEqual(run)
  expect(ofRun(read).figures).toEqual(figures)
  expect(read.reasons.slice(0, reasons.length)).toEqual(reasons)
}

function checkOutputs({ outputs, artifacts, local }: Published, expected: Outcome): void {
  const { run, gates = [], figures } = ofRun(expected)
  expect(outputs['verdict']).toBe(expected.verdict)
  expect(outputs['run-number']).toBe(run && String(run.number))
  const key = ({ line, result, value = 0 }: GateResult) => `${line} ${result} ${value}`
  const told = JSON.parse(outputs['gates'] ?? '') as GateResult[]
  expect(told.map(key).sort()).toEqual(gates.map(key).sort())
  const metrics = JSON.parse(outputs['metrics'] ?? '') as { requests?: { p95: number } }
  expect(metrics.requests?.p95).toBe(figures?.timers.requests.summary?.percentiles['p95'])
  expect(outputs['report-artifact-id'] !== undefined).toBe(artifacts.has('generated-report.tar.gz'))
  expect(ofRun(local).results?.artifact !== undefined).toBe(artifacts.has('generated-results.tar.gz'))
  expect(ofRun(local).digest !== undefined).toBe(artifacts.has('generated-digest.html'))
}

/** The words of a page in Markdown or HTML. */
function checkPage(page: string, outcome: Outcome): void {
  const text = plain(decode(page.replace(/<[^>]*>/g, '')))
  expect(text).toContain(plain(headline(outcome)))
  expect(text).toContain(plain(verdictMeaning(outcome)))
  const { run, figures } = ofRun(outcome)
  if (run?.url !== undefined) expect(page).toContain(run.url)
  const p95 = figures?.timers.requests.summary?.percentiles['p95']
  if (p95 !== undefined) expect(text).toContain(quantity(p95, 'ms'))
}

const plain = (text: string) => text.replaceAll('*', '').replace(/\s+/g, ' ')

function checkGateRows(
  page: string,
  gates: readonly GateResult[],
  shown: readonly GateResult['result'][],
): void {
  // Those that were excused stand a second time before the folds.
  const once = page.replace(/^#+ .*Over the limit, but not failed.*\n+(?:\|.*\n?)+/m, '')
  const tables = readMarkdown(once).tables.filter(([head]) => head?.[0]?.startsWith('Gate'))
  const count = (results: readonly GateResult['result'][]) =>
    gates.filter(({ result }) => results.includes(result)).length
  // Those that failed and those that warned share a table, and from the seventh on a second one.
  const order = [['failed', 'warned'], ['not-measured'], ['not-compared'], ['left-out'], ['passed']] as const
  const kept = order.map((results) => results.filter((result) => shown.includes(result)))
  const [open = 0, ...others] = kept.map(count)
  const sizes = [Math.min(open, 6), open - Math.min(open, 6), ...others]
  expect(tables.map((rows) => rows.length - 1)).toEqual(sizes.filter((rows) => rows > 0))
  const icons = kept.flat().flatMap((result) => Array<string>(count([result])).fill(gateWords[result].icon))
  const read = tables.map(([, ...rows]) => rows.map(([gate = '']) => gate.split(' ', 1)[0] ?? ''))
  expect(read.flat().sort()).toEqual(icons.toSorted())
  for (const one of read) expect(one).toEqual(one.toSorted((a, b) => icons.indexOf(a) - icons.indexOf(b)))
}

function checkAnnotations({ annotations, conclusion, local }: Published, { verdict }: Outcome): void {
  const notices = annotations.filter(({ kind }) => kind === 'notice')
  const isRed = verdict !== 'passed' && verdict !== 'started'
  expect(notices.map(({ title }) => title)).toEqual(
    isRed ? [] : [`${wordsFor(local).icon} ${headline(local)}`],
  )
  expect(conclusion).toBe(isRed ? 'failure' : 'success')
  expect(annotations.some(({ kind }) => kind === 'error')).toBe(isRed)
}
