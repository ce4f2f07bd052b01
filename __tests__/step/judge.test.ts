import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { startJob, type Job } from '../../sandbox/runner/job.js'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import type { Outcome } from '../../src/outcome.js'
import { validateOutcome } from '../outcome-validator.js'
import { action, machineEnv } from './sandbox.js'

/* Mode judge through dist/, with GitHub and no service at all. The reports are the engine's own. */

const golden = '__tests__/engine/golden/10.0.0-beta-1'
const gates = 'requests p95 <= 10 s\ntransactions error-rate <= 1 %'

let github: Github
let workspace: string
beforeEach(async () => {
  github = await startGithub()
  workspace = mkdtempSync(path.join(tmpdir(), 'judged-'))
  put('normal', 'results/20261121-1200')
})
afterEach(async () => {
  await github.close()
  rmSync(workspace, { recursive: true, force: true })
})

const at = (...names: string[]) => path.join(workspace, ...names)

function put(name: string, folder: string): void {
  mkdirSync(at(folder, 'results'), { recursive: true })
  for (const file of ['testreport.xml', 'scorecard.xml']) {
    cpSync(path.join(golden, name, file), at(folder, file))
  }
  writeFileSync(at(folder, 'index.html'), '<!doctype html>\n')
  writeFileSync(at(folder, 'results', `${'long-'.repeat(40)}name.txt`), 'x'.repeat(300_000))
}

/** The report of a folder as an archive: the engine's own are made so. */
function tarOf(folder: string): Buffer {
  return execFileSync('tar', ['-czf', '-', '-C', at(path.dirname(folder)), path.basename(folder)])
}

async function inJob<T>(options: Partial<GitHubOptions>, use: (job: Job) => Promise<T>): Promise<T> {
  const runId = options.runId ?? 100
  const job = await startJob({
    workspace,
    machineEnv: {
      ...machineEnv,
      GITHUB_WORKFLOW_REF: `${github.settings.repository}/.github/workflows/load-test.yml@refs/heads/main`,
    },
    github: { token: github.token(), apiUrl: github.url, ...options, runId },
    artifactService: await github.artifactService(runId),
  })
  try {
    return await use(job)
  } finally {
    await job.remove()
  }
}

const step = (inputs: Record<string, string>) => ({ action, inputs: { mode: 'judge', ...inputs } })

function judge(inputs: Record<string, string>, options: Partial<GitHubOptions> = {}): Promise<StepResult> {
  return inJob(options, async (job) => {
    const ran = await job.runStep(step(inputs)).done
    await job.finish()
    return ran
  })
}

/** As plain text. */
const headlineOf = ({ annotations }: StepResult) => annotations.find(({ kind }) => kind === 'notice')?.title

function outcomeOf(runId = 100): Outcome {
  const file = github.store.artifact('load-test-outcome.json', runId)?.path ?? ''
  const outcome = JSON.parse(readFileSync(file, 'utf8')) as Outcome
  expect(validateOutcome(outcome)).toEqual([])
  return outcome
}

const onPull = {
  eventName: 'pull_request',
  event: { pull_request: { number: 7, head: { sha: 'c0ffee01' }, base: { ref: 'main' } } },
}

test('a folder: judged, attached whole, and named in every face', async () => {
  const ran = await judge({ report: 'results/20261121-1200', gates }, onPull)
  expect(ran.conclusion).toBe('success')
  expect(ran.outputs).toMatchObject({ verdict: 'passed' })
  expect(ran.outputs['run-number']).toBeUndefined()
  expect(Number(ran.outputs['duration-seconds'])).toBeGreaterThan(0)
  const outcome = outcomeOf()
  expect(outcome).toMatchObject({
    verdict: 'passed',
    step: { mode: 'judge' },
    report: { given: { name: 'results/20261121-1200' }, ending: '.tar.gz' },
  })
  expect(outcome.run).toBeUndefined()
  const report = github.store.artifact('load-test-report.tar.gz', 100)
  const unpacked = at('unpacked')
  mkdirSync(unpacked)
  execFileSync('tar', ['-xzf', report?.path ?? '', '-C', unpacked])
  execFileSync('diff', ['-r', at('results/20261121-1200'), path.join(unpacked, '20261121-1200')])
  const digest = readFileSync(github.store.artifact('load-test-report-digest.html', 100)?.path ?? '', 'utf8')
  for (const text of [ran.summary, github.store.commentsOf(7)[0]?.body, digest]) {
    expect(text).toMatch(/2 gates passed/)
    expect(text).toContain('results/20261121-1200')
    expect(text).not.toMatch(/load test finished|undefined/)
  }
})

test('without gates the scorecard decides, and the headline says which report it was', async () => {
  const passed = await judge({ report: 'results/20261121-1200' })
  expect(passed.outputs['verdict']).toBe('passed')
  expect(headlineOf(passed)).toContain('Report results/20261121-1200 passed')
  const failed = path.join(golden, 'scorecard-failed-by-rule', 'scorecard.xml')
  cpSync(failed, at('results/20261121-1200/scorecard.xml'))
  const red = await judge({ report: 'results/20261121-1200' }, { runId: 101 })
  expect(red.conclusion).toBe('failure')
  expect(headlineOf(red)).toContain('The scorecard of report results/20261121-1200 failed')
})

test.each<[string, () => string, string]>([
  ['a .tar.gz', () => (writeFileSync(at('r.tar.gz'), tarOf('results/20261121-1200')), 'r.tar.gz'), '.tar.gz'],
  ['a .zip', () => (execFileSync('zip', ['-qr', at('r.zip'), '.'], { cwd: at('results') }), 'r.zip'), '.zip'],
  ['a testreport.xml', () => 'results/20261121-1200/testreport.xml', '.tar.gz'],
  ['a pattern that one folder matches', () => 'results/2026*', '.tar.gz'],
  ['a pattern for the file', () => '**/testreport.xml', '.tar.gz'],
  ['an absolute path', () => at('results', '20261121-1200'), '.tar.gz'],
])('%s', async (_, report, ending) => {
  const ran = await judge({ report: report(), gates: `${gates}\nscorecard passes` })
  expect(ran.outputs['verdict']).toBe('passed')
  expect(outcomeOf()).toMatchObject({ report: { ending }, scorecard: { verdict: 'passed' } })
  expect(github.store.artifact(`load-test-report${ending}`, 100)).toBeDefined()
})

test('an archive is attached as it was given', async () => {
  const bytes = tarOf('results/20261121-1200')
  writeFileSync(at('report.tar.gz'), bytes)
  await judge({ report: 'report.tar.gz' })
  expect(readFileSync(github.store.artifact('load-test-report.tar.gz', 100)?.path ?? '')).toEqual(bytes)
})

test('an artifact of this run: judged again with other gates, and not attached twice', async () => {
  await judge({ report: 'results/20261121-1200', gates })
  const attached = github.store.artifact('load-test-report.tar.gz', 100)
  rmSync(at('results'), { recursive: true })
  github.permit({ 'pull-requests': 'write' })
  const again = await judge({
    report: 'artifact:load-test-report',
    gates: 'requests p95 <= 1 ms',
    'outcome-artifact': 'again',
    'report-artifact': 'another',
  })
  expect(again.outputs['verdict']).toBe('failed')
  expect(again.outputs['report-artifact-id']).toBe(String(attached?.id))
  expect(again.outputs['report-artifact-url']).toMatch(new RegExp(`/runs/100/artifacts/${attached?.id}$`))
  expect(again.summary).toContain('load-test-report.tar.gz')
  const names = github.store.artifactsOf(100).map(({ name }) => name)
  expect(names).toContain('again.json')
  expect(names).not.toContain('another.tar.gz')
})

test('an artifact of another run, which holds a folder, is attached here too', async () => {
  const file = (name: string) => readFileSync(at('results/20261121-1200', name))
  const files = { 'testreport.xml': file('testreport.xml'), 'scorecard.xml': file('scorecard.xml') }
  await github.seed.artifact({ runId: 40, name: 'from-elsewhere', files })
  const ran = await judge({ report: 'artifact:from-elsewhere', 'report-run': '40' })
  expect(ran.outputs['verdict']).toBe('passed')
  expect(headlineOf(ran)).toContain('Report from-elsewhere of workflow run 40 passed')
  expect(outcomeOf().report).toMatchObject({
    given: { name: 'from-elsewhere of workflow run 40', url: expect.stringMatching(/\/runs\/40$/) as string },
  })
  expect(github.store.artifact('load-test-report.zip', 100)).toBeDefined()
})

test('an artifact that holds an archive in a ZIP, as upload-artifact makes one', async () => {
  const files = { 'report.tar.gz': tarOf('results/20261121-1200') }
  await github.seed.artifact({ runId: 100, name: 'zipped', files })
  const ran = await judge({ report: 'artifact:zipped', gates })
  expect(ran.outputs['verdict']).toBe('passed')
})

test('gates that compare: with a path, with the outcome of a judged report, and with artifacts', async () => {
  put('slow', 'results/slow')
  const compared = 'requests mean <= baseline + 20 %'
  const first = await judge({ report: 'results/20261121-1200', gates })
  expect(first.outputs['verdict']).toBe('passed')
  github.seed.run({ id: 100 })
  renameSync(at('results/20261121-1200'), at('normal'))
  for (const [index, baseline] of ['normal', 'artifact'].entries()) {
    const ran = await judge(
      { report: 'results/slow', gates: compared, baseline },
      { ...onPull, runId: 200 + index },
    )
    expect(ran.outputs['verdict']).toBe('failed')
    const name = baseline === 'normal' ? 'normal' : 'the latest run of main'
    expect(outcomeOf(200 + index).comparison?.baseline.name).toBe(name)
  }
})

const mistakes: [string, Record<string, string>, RegExp][] = [
  ['nothing given', {}, /report is required in mode judge/],
  ['a path without anything', { report: 'no/such' }, /report is "no\/such", and no file or folder is there/],
  ['a pattern without a match', { report: 'out/*' }, /report is "out\/\*", and no file or folder is there/],
  [
    'a pattern with several',
    { report: 'results/*' },
    /2 files and folders match, such as results\/20261121-1200, /,
  ],
  [
    'a folder with several reports',
    { report: 'results' },
    /2 of its folders contain a testreport.xml, such as/,
  ],
  [
    'a folder without a report',
    { report: 'results/20261121-1200/results' },
    /the folder contains no testreport.xml/,
  ],
  [
    'an archive of something else',
    { report: 'other.tar.gz' },
    /^other.tar.gz: The report archive contains no testreport/,
  ],
  ['text', { report: 'notes.txt' }, /^notes.txt: The report archive begins with the bytes/],
  ['a folder with a link in it', { report: 'linked' }, /is refused: its entry "linked\/etc" is a link/],
  [
    'an artifact that is not there',
    { report: 'artifact:nothing' },
    /this workflow run does not have: nothing. It has none/,
  ],
  [
    'one of another run',
    { report: 'artifact:old', 'report-run': '40' },
    /old of workflow run 40 has expired/,
  ],
  ['a misspelt one', { report: 'artifact:odl', 'report-run': '40' }, /does not have: odl. It has old/],
  [
    'a run that is not there',
    { report: 'artifact:x', 'report-run': '41' },
    /workflow run 41 could not be read.*actions: read/,
  ],
  [
    'no token',
    { report: 'artifact:x', 'report-run': '40', 'github-token': '' },
    /could not be read: github-token is empty/,
  ],
  ['a run for a path', { report: 'results', 'report-run': '40' }, /report-run has no effect on a path/],
  [
    'what only a load test needs',
    { report: 'results', 'base-url': 'https://x.example', upload: 'false' },
    /no effect: base-url, upload\. Remove them/,
  ],
  [
    'a baseline of the service',
    { report: 'results', baseline: 'load-test:9' },
    /load-test:9 needs the service/,
  ],
]

test('every mistake has its sentence', async () => {
  put('normal', 'results/20261121-1300')
  put('normal', 'linked')
  symlinkSync('/etc', at('linked/etc'))
  writeFileSync(at('notes.txt'), 'to do')
  writeFileSync(at('other.tar.gz'), tarOf('results/20261121-1200/results'))
  const expiresAt = new Date(Date.now() - 1000)
  await github.seed.artifact({ runId: 40, name: 'old', expiresAt, files: { 'testreport.xml': '' } })
  for (const [index, [, inputs, sentence]] of mistakes.entries()) {
    const ran = await judge(inputs, { runId: 300 + index })
    expect(ran.outputs['verdict']).toBe('error')
    const errors = ran.annotations.filter(({ kind }) => kind === 'error').map(({ message }) => message)
    expect(errors.join('\n')).toMatch(sentence)
  }
}, 120_000)

test('the permission that other runs need is named', async () => {
  github.settings.private = true
  github.permit({ 'pull-requests': 'write' })
  await github.seed.artifact({ runId: 40, name: 'old', files: { 'testreport.xml': '' } })
  const ran = await judge({ report: 'artifact:old', 'report-run': '40' })
  expect(ran.outputs['verdict']).toBe('error')
  expect(ran.log).toMatch(/workflow run 40 could not be read: .*actions: read/)
})

test('cut off: told as that, without a word of a load test', async () => {
  // Takes its time to be packed.
  writeFileSync(at('results/20261121-1200/recording.bin'), randomBytes(40e6))
  const { main, post } = await inJob(onPull, async (job) => {
    const running = job.runStep({
      ...step({ report: 'results/20261121-1200' }),
      cancelOn: (line) => line.includes('Read the report'),
    })
    const main = await running.done
    const [post] = await job.finish()
    return { main, post }
  })
  expect(main.outputs['verdict']).toBe('cancelled')
  for (const text of [post?.summary, github.store.commentsOf(7)[0]?.body]) {
    expect(text).toContain('Cancelled before the report was judged')
    expect(text).not.toContain('oad test was')
  }
})
