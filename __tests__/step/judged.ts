import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { startJob, type Job, type StepOptions } from '../../sandbox/runner/job.js'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { validateOutcome } from '../outcome-validator.js'
import { machineEnv, own } from './sandbox.js'

/** The engine's own reports. */
export const golden = '__tests__/engine/golden/10.0.0-beta-1'
export const gates = 'requests p95 <= 10 s\ntransactions error-rate <= 1 %'

/** A step of the action judge. */
export const judging = (inputs: Record<string, string>): StepOptions => ({
  action: own('judge'),
  inputs,
})

/** The action judge through dist/, with GitHub, a workspace with a report, and without a service. */
export class JudgeSandbox {
  private constructor(
    readonly github: Github,
    private readonly workspace: string,
  ) {}

  static async open(): Promise<JudgeSandbox> {
    const sandbox = new JudgeSandbox(await startGithub(), mkdtempSync(path.join(tmpdir(), 'judged-')))
    sandbox.put('normal', 'results/20261121-1200')
    return sandbox
  }

  async close(): Promise<void> {
    await this.github.close()
    rmSync(this.workspace, { recursive: true, force: true })
  }

  at(...names: string[]): string {
    return path.join(this.workspace, ...names)
  }

  put(name: string, folder: string): void {
    mkdirSync(this.at(folder, 'results'), { recursive: true })
    for (const file of ['testreport.xml', 'scorecard.xml']) {
      cpSync(path.join(golden, name, file), this.at(folder, file))
    }
    writeFileSync(this.at(folder, 'index.html'), '<!doctype html>\n')
    writeFileSync(this.at(folder, 'results', `${'long-'.repeat(40)}name.txt`), 'x'.repeat(300_000))
  }

  /** The report of a folder as an archive, as the engine makes them. */
  tarOf(folder: string): Buffer {
    return execFileSync('tar', ['-czf', '-', '-C', this.at(path.dirname(folder)), path.basename(folder)])
  }

  async inJob<T>(options: Partial<GitHubOptions>, use: (job: Job) => Promise<T>): Promise<T> {
    const { github, workspace } = this
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

  /** Runs only the step, without its post step. */
  judge(inputs: Record<string, string>, options: Partial<GitHubOptions> = {}): Promise<StepResult> {
    return this.inJob(options, (job) => job.runStep(judging(inputs)).done)
  }

  outcomeOf(runId = 100): LoadTestOutcome {
    const file = this.github.store.artifact('load-test-outcome.json', runId)?.path ?? ''
    const outcome = JSON.parse(readFileSync(file, 'utf8')) as LoadTestOutcome
    expect(validateOutcome(outcome)).toEqual([])
    return outcome
  }
}

/** Ways to pass the same report, and the ending of the attached file. */
export const ways: Record<string, { give: (sandbox: JudgeSandbox) => string; ending: string }> = {
  'a .tar.gz': {
    give: (sandbox) => {
      writeFileSync(sandbox.at('r.tar.gz'), sandbox.tarOf('results/20261121-1200'))
      return 'r.tar.gz'
    },
    ending: '.tar.gz',
  },
  'a .zip': {
    give: (sandbox) => {
      execFileSync('zip', ['-qr', sandbox.at('r.zip'), '.'], { cwd: sandbox.at('results') })
      return 'r.zip'
    },
    ending: '.zip',
  },
  'a testreport.xml': { give: () => 'results/20261121-1200/testreport.xml', ending: '.tar.gz' },
  'a pattern that one folder matches': { give: () => 'results/2026*', ending: '.tar.gz' },
  'a pattern for the file': { give: () => '**/testreport.xml', ending: '.tar.gz' },
  'an absolute path': { give: (sandbox) => sandbox.at('results', '20261121-1200'), ending: '.tar.gz' },
}

export async function expectTaken(sandbox: JudgeSandbox, way: string): Promise<void> {
  const { give, ending } = ways[way] ?? {}
  const ran = await sandbox.judge({ report: give?.(sandbox) ?? '', gates: `${gates}\nscorecard passes` })
  expect(ran.outputs['verdict']).toBe('passed')
  expect(sandbox.outcomeOf()).toMatchObject({ report: { ending }, scorecard: { verdict: 'passed' } })
  expect(sandbox.github.store.artifact(`load-test-report${ending}`, 100)).toBeDefined()
}

/** Each with its inputs and its sentence. */
export const mistakes: readonly (readonly [string, Record<string, string>, RegExp])[] = [
  ['nothing given', {}, /report is required: a path/],
  [
    'a path without anything',
    { report: 'no/such' },
    /report is "no\/such", but there is no such file or folder/,
  ],
  [
    'a pattern without a match',
    { report: 'out/*' },
    /report is "out\/\*", but there is no such file or folder/,
  ],
  [
    'a pattern with several',
    { report: 'results/*' },
    /which 2 files and folders match, such as results\/20261121-1200, /,
  ],
  [
    'a folder with several reports',
    { report: 'results' },
    /^results: The report folder contains 2 reports, such as .*\. Name one of them/,
  ],
  [
    'a folder without a report',
    { report: 'results/20261121-1200/results' },
    /folder contains no report that can be read\. Looked for XLT/,
  ],
  [
    'an archive of something else',
    { report: 'other.tar.gz' },
    /^other.tar.gz: The report archive contains no report that can be read/,
  ],
  ['text', { report: 'notes.txt' }, /^notes.txt: It is text, and is no report or archive of one/],
  ['a folder with a link in it', { report: 'linked' }, /is refused: its entry "linked\/etc" is a link/],
  ['a link', { report: 'to-git' }, /^report leads through to-git, which is a link/],
  [
    'a path through a link',
    { report: 'to-results/20261121-1200' },
    /^report leads through to-results, which is a link/,
  ],
  [
    'a pattern through a link',
    { report: 'to-results/2026*' },
    /^report is "to-results\/2026\*", which 2 files|^report leads through to-results, which is a link/,
  ],
  ["Git's own folder", { report: '.git' }, /^report lies in \.git, the folder of Git itself/],
  [
    'a link beside the file',
    { report: 'beside/testreport.xml' },
    /is refused: its entry "scorecard.xml" is a link/,
  ],
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
    'a baseline of the service',
    { report: 'results', baseline: 'load-test:9' },
    /load-test:9 needs the service/,
  ],
]

/** Creates the files that the mistakes need, and makes the mistakes one after the other. */
export async function expectSentences(sandbox: JudgeSandbox, made: typeof mistakes): Promise<void> {
  sandbox.put('normal', 'results/20261121-1300')
  sandbox.put('normal', 'linked')
  symlinkSync('/etc', sandbox.at('linked/etc'))
  sandbox.put('normal', '.git')
  symlinkSync('.git', sandbox.at('to-git'))
  symlinkSync('results', sandbox.at('to-results'))
  sandbox.put('normal', 'beside')
  rmSync(sandbox.at('beside/scorecard.xml'), { force: true })
  symlinkSync('/etc/hostname', sandbox.at('beside/scorecard.xml'))
  writeFileSync(sandbox.at('notes.txt'), 'to do')
  writeFileSync(sandbox.at('other.tar.gz'), sandbox.tarOf('results/20261121-1200/results'))
  const expiresAt = new Date(Date.now() - 1000)
  await sandbox.github.seed.artifact({ runId: 40, name: 'old', expiresAt, files: { 'testreport.xml': '' } })
  for (const [index, [, inputs, sentence]] of made.entries()) {
    const ran = await sandbox.judge(inputs, { runId: 300 + index })
    expect(ran.outputs['verdict']).toBe('error')
    const errors = ran.annotations.filter(({ kind }) => kind === 'error').map(({ message }) => message)
    expect(errors.join('\n')).toMatch(sentence)
  }
}
