import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startJob, type Job, type StepOptions } from '../../sandbox/runner/job.js'
import type { JobOptions } from '../../sandbox/runner/job-options.js'
import { action, inputsFor, machineEnv, type Sandbox } from './sandbox.js'

/** A job whose steps and post steps are run by the test. */
export interface OwnJob {
  job: Job
  /** The step with the inputs that reach the sandbox. */
  step: (inputs?: Record<string, string>, more?: Partial<StepOptions>) => StepOptions
}

/** Starts a job in the sandbox; its folder is removed at the end of the scope. */
export async function inJob<T>(
  { service, github, workspace, commit }: Sandbox,
  options: JobOptions,
  use: (own: OwnJob) => Promise<T>,
): Promise<T> {
  const runId = options.github?.runId ?? 900
  const job = await startJob({
    workspace,
    ...options,
    machineEnv: { ...machineEnv, ...options.machineEnv },
    github: {
      sha: commit,
      ...{ runId, token: github.token(), apiUrl: github.url, serverUrl: github.serverUrl },
      ...options.github,
    },
    artifactService: await github.artifactService(runId),
  })
  const step: OwnJob['step'] = (inputs = {}, more = {}) => ({
    action,
    ...more,
    inputs: { ...inputsFor(service), ...inputs },
  })
  try {
    return await use({ job, step })
  } finally {
    await job.remove()
  }
}

/** Waits until the condition is true, checking every few milliseconds. @throws Error after half a minute */
export async function until(holds: () => boolean): Promise<void> {
  const late = performance.now() + 30_000
  while (!holds()) {
    if (performance.now() > late) throw new Error('What the test waits for has not come.')
    await sleep(10)
  }
}

/** Kills the step's process, a child of this one, like a machine that is out of memory. */
export function killMain(): void {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => isOwnStep(pid))
  expect(found).toHaveLength(1)
  for (const pid of found) process.kill(Number(pid), 'SIGKILL')
}

function isOwnStep(pid: string): boolean {
  try {
    const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return (
      parent === String(process.pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('dist/index.js')
    )
  } catch {
    return false // It has ended in the meantime.
  }
}
