import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Job, startJob, type StepOptions } from '../../sandbox/runner/job.js'
import type { JobOptions } from '../../sandbox/runner/job-options.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'

/** Scripts of a small action; `yaml` goes before its `runs:`. */
export interface LittleAction {
  main: string
  post?: string
  postIf?: string
  yaml?: string
}

const PRELUDE = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
const say = (...lines) => process.stdout.write(lines.map((l) => l + '\\n').join(''))
const file = (name, text) => appendFileSync(process.env['GITHUB_' + name], text)
const env = process.env
`

/** Real actions in a separate folder, and the jobs that run them. `remove` deletes everything. */
export class Bench {
  readonly #jobs: Job[] = []
  #count = 0
  private constructor(readonly folder: string) {}

  static async open(): Promise<Bench> {
    return new Bench(await mkdtemp(join(tmpdir(), 'bench-')))
  }

  /** Writes the action and returns its folder. */
  async action({ main, post, postIf, yaml = '' }: LittleAction): Promise<string> {
    const folder = join(this.folder, `action-${++this.#count}`)
    await mkdir(folder)
    const runs = ['runs:', '  using: node24', '  main: main.mjs']
    await writeFile(join(folder, 'main.mjs'), PRELUDE + main)
    if (post !== undefined) {
      runs.push('  post: post.mjs')
      await writeFile(join(folder, 'post.mjs'), PRELUDE + post)
    }
    if (postIf !== undefined) runs.push(`  post-if: ${postIf}`)
    await writeFile(join(folder, 'action.yml'), `name: Little\n${yaml}\n${runs.join('\n')}\n`)
    return folder
  }

  async job(options: JobOptions = {}): Promise<Job> {
    const job = await startJob({ parent: this.folder, ...options })
    this.#jobs.push(job)
    return job
  }

  /** Runs one action as the only step of a job. */
  async run(
    action: LittleAction,
    step: Omit<StepOptions, 'action'> = {},
    options: JobOptions = {},
  ): Promise<{ main: StepResult; posts: StepResult[]; job: Job }> {
    const job = await this.job(options)
    const main = await job.runStep({ action: await this.action(action), ...step }).done
    return { main, posts: await job.finish(), job }
  }

  async remove(): Promise<void> {
    await Promise.all(this.#jobs.map((job) => job.remove()))
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** The log without the first lines, about inputs and variables. */
export function body(result: StepResult): string[] {
  const lines = result.log.split('\n')
  return lines.slice(result.stage === 'post' ? 1 : lines.indexOf('##[endgroup]') + 1)
}
