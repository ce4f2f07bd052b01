import type { Value } from './expressions.js'
import type { Timings } from './step-process.js'

/** The event and the run that a job belongs to, as in the github context. */
export interface GitHubOptions {
  /** owner/name */
  repository: string
  sha: string
  /** Full, such as refs/heads/main. */
  ref: string
  /** Empty unless the event is a pull request. */
  headRef: string
  baseRef: string
  eventName: string
  /** The event's payload, written to GITHUB_EVENT_PATH. */
  event: { readonly [key: string]: Value }
  runId: number
  runNumber: number
  runAttempt: number
  workflow: string
  /** Name of the workflow's file. */
  workflowFile: string
  /** The job's id in the workflow file. */
  job: string
  actor: string
  serverUrl: string
  apiUrl: string
  /** github.token and secrets.GITHUB_TOKEN; hidden in logs. */
  token: string
  retentionDays: number
}

export interface JobOptions {
  github?: Partial<GitHubOptions>
  /** An existing folder; by default the job gets an empty one. */
  workspace?: string
  /** Where the job's own folder is created; default: the system's temporary folder. */
  parent?: string
  secrets?: Readonly<Record<string, string>>
  vars?: Readonly<Record<string, string>>
  /** `env:` of the job, seen by all its steps; values may contain expressions. */
  env?: Readonly<Record<string, string>>
  matrix?: Value
  strategy?: Value
  needs?: Value
  inputs?: Value
  /** Variables of the machine besides PATH and HOME, such as NODE_EXTRA_CA_CERTS or proxies. */
  machineEnv?: Readonly<Record<string, string>>
  /**
   * Where @actions/artifact finds its service, and the runner's own services; `url` means both. An Enterprise Server
   * has only `runtimeUrl`. The token is hidden in logs.
   */
  artifactService?: { url?: string; runtimeUrl?: string; token: string }
  /** Like ACTIONS_STEP_DEBUG among the secrets or variables. */
  stepDebug?: boolean
  timings?: Partial<Timings>
  /** The Node to run actions on; by default it is found. */
  node?: string
}

export const DEFAULT_GITHUB: GitHubOptions = {
  repository: 'sandbox/project',
  sha: '8f5e1c3a7b9d2046e8a1c5f3b7d9024681ace357',
  ref: 'refs/heads/main',
  headRef: '',
  baseRef: '',
  eventName: 'push',
  event: {},
  runId: 1,
  runNumber: 1,
  runAttempt: 1,
  workflow: 'Load test',
  workflowFile: 'load-test.yml',
  job: 'load-test',
  actor: 'sandbox',
  serverUrl: 'https://github.com',
  apiUrl: 'https://api.github.com',
  token: 'ghs_sandboxSandboxSandboxSandboxSand',
  retentionDays: 90,
}
