import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { startJob, type Job, type StepOptions } from '../../sandbox/runner/job.js'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { outcomeIn } from './published.js'
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
      machineEnv,
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
    return outcomeIn('load-test', this.github, runId)
  }
}
