import path from 'node:path'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { build } from 'esbuild'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import type { Comment } from '../../sandbox/github/store.js'
import { startJob } from '../../sandbox/runner/job.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import type { LoadTestOutcome, Outcome } from '../../src/outcome/outcome.js'
import { headline, verdictMeaning, wordsFor } from '../../src/publish/words/words.js'
import { checked, green, regression, started } from './outcomes.js'
import { decode } from './markdown-reader.js'

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
  local: Outcome | undefined
}

let runId = 0

/** @param full the files that the disk has no room for */
async function published(outcome: Outcome, full: string[] = []): Promise<Published> {
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
    const own = github.store.artifacts.filter((artifact) => artifact.runId === runId)
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

/** With its files on disk, and nothing attached yet. */
function withFiles(outcome: LoadTestOutcome): LoadTestOutcome {
  const archive = { number: 1, path: file, ending: '.tar.gz', bytes: 6 } as const
  return { ...outcome, report: archive, results: archive }
}

const [report, results] = ['report.tar.gz', 'results.tar.gz']
const [digest, own] = ['digest.html', 'outcome.json']

test.each<[string, () => Outcome, string[], Outcome['verdict'], string[]]>([
  ['a green run', () => withFiles(green()), [], 'passed', [digest, own, report, results]],
  ['one without its report', () => withFiles(green()), [report], 'error', [digest, own, results]],
  ['one without its results', () => withFiles(green()), [results], 'error', [digest, own, report]],
  ['a red run', () => withFiles(regression()), [digest, own], 'failed', [report, results]],
  ['a run that goes on', started, [], 'started', []],
  ['a check', checked, [], 'error', []],
])('%s: summary, comment, digest and log agree', async (name, make, refused, verdict, attached) => {
  github.settings.refusedArtifacts = refused.map((one) => `generated-${one}`)
  const mayComment = name !== 'a red run'
  github.permit({ 'pull-requests': mayComment ? 'write' : 'read' })
  const { artifacts, comment, summary, local, ...ran } = await published(make())
  if (!local) throw new Error(`${ran.log}\n${ran.rawStderr}`)
  expect([...artifacts.keys()].sort()).toEqual(attached.map((one) => `generated-${one}`))
  expect(comment !== undefined).toBe(mayComment && local.kind !== 'check')
  expect([local.verdict, ran.outputs['verdict']]).toEqual([verdict, verdict])
  const kept = JSON.parse(artifacts.get('generated-outcome.json') ?? '{}') as Partial<Outcome>
  expect(local).toMatchObject({ ...kept, step: {} })
  expect(ran.outputs['report-artifact-id'] !== undefined).toBe(attached.includes(report))
  for (const page of [summary, comment?.body, artifacts.get('generated-digest.html')]) {
    if (page === undefined) continue
    const text = plain(decode(page.replace(/<[^>]*>/g, '')))
    expect(text).toContain(plain(headline(local)))
    expect(text).toContain(plain(verdictMeaning(local)))
  }
  const isRed = verdict !== 'passed' && verdict !== 'started'
  const notices = ran.annotations.filter(({ kind }) => kind === 'notice').map(({ title }) => title)
  expect(notices).toEqual(isRed ? [] : [`${wordsFor(local).icon} ${headline(local)}`])
  expect([ran.conclusion, ran.annotations.some(({ kind }) => kind === 'error')]).toEqual([
    ...[isRed ? 'failure' : 'success', isRed],
  ])
})

const plain = (text: string) => text.replaceAll('*', '').replace(/\s+/g, ' ')

test('a disk without room for the outcome and the digest: the step is red, and says the rest', async () => {
  github.settings.refusedArtifacts = []
  const passed: LoadTestOutcome = { ...green(), report: { path: file, ending: '.tar.gz', bytes: 6 } }
  const ran = await published(passed, ['outcome.json', 'digest.html'])
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs).toMatchObject({ verdict: 'error', 'run-number': String(passed.run?.number) })
  expect([...ran.artifacts.keys()]).toEqual(['generated-report.tar.gz'])
  expect(ran.summary).toContain('Free some disk space')
  expect(ran.summary).toContain(`oad test ${passed.run?.number}`)
  const [first] = ran.annotations.filter(({ kind }) => kind === 'error')
  expect(first?.message).toMatch(/^The outcome file could not be written: The disk of the runner is full/)
})
