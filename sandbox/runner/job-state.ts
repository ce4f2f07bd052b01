import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { arch, platform, tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { interpolate, type Contexts, type JobStatus, type Value } from './expressions.js'
import { DEFAULT_GITHUB, type GitHubOptions, type JobOptions } from './job-options.js'
import { node24 } from './node24.js'
import { SecretMasker } from './secret-masker.js'
import { RUNNER_TIMINGS, type Timings } from './step-process.js'

/** Marks the processes of a job, to find those left over at its end. */
export const TRACKING_VARIABLE = 'RUNNER_TRACKING_ID'

/** Secrets that only switch debugging on: their values hide nothing. */
const SWITCHES = ['ACTIONS_STEP_DEBUG', 'ACTIONS_RUNNER_DEBUG']

const SYSTEMS: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'X64',
  arm64: 'ARM64',
  ia32: 'X86',
  arm: 'ARM',
}

/** What the steps of one job share. */
export class JobState {
  status: JobStatus = 'success'
  readonly masker = new SecretMasker()
  /** From the job's `env:` and from GITHUB_ENV. */
  readonly env = new Map<string, string>()
  /** From GITHUB_PATH, the latest last. */
  readonly paths: string[] = []
  /** By id: outputs, outcome and conclusion. */
  readonly steps: Record<string, Value> = {}
  readonly trackingId = `github_${randomUUID()}`
  readonly timings: Timings
  readonly debug: boolean

  constructor(
    readonly options: JobOptions,
    readonly github: Readonly<Record<string, Value>>,
    readonly folders: JobFolders,
    readonly node: string,
  ) {
    this.timings = { ...RUNNER_TIMINGS, ...options.timings }
    const asked = { ...options.vars, ...options.secrets }['ACTIONS_STEP_DEBUG']
    this.debug = options.stepDebug ?? asked?.toLowerCase() === 'true'
    for (const [name, value] of Object.entries(this.#secrets())) {
      if (!SWITCHES.includes(name.toUpperCase())) this.masker.addWithLines(value.trim())
    }
    this.masker.add(options.artifactService?.token ?? '')
    const scope = { contexts: this.contexts({}, {}) }
    for (const [name, value] of Object.entries(options.env ?? {}))
      this.env.set(name, interpolate(value, scope))
  }

  get workspace(): string {
    return this.folders.workspace
  }

  /** The contexts that a step's expressions see. */
  contexts(env: Readonly<Record<string, string>>, githubOfStep: Readonly<Record<string, string>>): Contexts {
    const { vars, matrix, strategy, needs, inputs } = this.options
    return {
      github: { ...this.github, ...githubOfStep },
      env: { ...Object.fromEntries(this.env), ...env },
      vars: vars ?? {},
      secrets: this.#secrets(),
      inputs: inputs ?? {},
      steps: this.steps,
      job: { status: this.status },
      runner: this.#runner(),
      strategy: strategy ?? {},
      matrix: matrix ?? {},
      needs: needs ?? {},
    }
  }

  /** All variables of a step's process except its inputs and state, which are in `own`. */
  processEnv(
    own: Readonly<Record<string, string>>,
    githubOfStep: Readonly<Record<string, string>>,
  ): Record<string, string> {
    const { machineEnv, artifactService } = this.options
    const env: Record<string, string> = { ...inherited('PATH', 'HOME'), ...machineEnv, ...own }
    env['CI'] ??= 'true'
    env['GITHUB_ACTIONS'] = 'true'
    if (this.paths.length > 0) {
      env['PATH'] = [...this.paths.toReversed(), env['PATH'] ?? '']
        .filter((part) => part !== '')
        .join(delimiter)
    }
    Object.assign(env, prefixed('GITHUB_', exported({ ...this.github, ...githubOfStep })))
    Object.assign(env, prefixed('RUNNER_', this.#runner()))
    env[TRACKING_VARIABLE] = this.trackingId
    if (artifactService !== undefined) {
      env['ACTIONS_RUNTIME_TOKEN'] = artifactService.token
      const { url, runtimeUrl = url } = artifactService
      if (runtimeUrl !== undefined) env['ACTIONS_RUNTIME_URL'] = runtimeUrl
      if (url !== undefined) env['ACTIONS_RESULTS_URL'] = url
    }
    return env
  }

  #secrets(): Record<string, string> {
    const token = this.github['token']
    return { GITHUB_TOKEN: typeof token === 'string' ? token : '', ...this.options.secrets }
  }

  #runner(): Record<string, string> {
    return {
      ...(this.debug ? { debug: '1' } : {}),
      os: SYSTEMS[platform()] ?? 'Linux',
      arch: ARCHITECTURES[arch()] ?? 'X64',
      name: 'sandbox',
      environment: 'github-hosted',
      tool_cache: this.folders.tools,
      temp: this.folders.temp,
      workspace: dirname(this.workspace),
    }
  }
}

export interface JobFolders {
  /** Contains everything that belongs to the job. */
  root: string
  workspace: string
  temp: string
  tools: string
}

/** Creates the job's folders and its event file. */
export async function createJobState(options: JobOptions): Promise<JobState> {
  const github = { ...DEFAULT_GITHUB, ...options.github }
  const node = options.node ?? node24()
  const root = await realpath(await mkdtemp(join(options.parent ?? tmpdir(), 'runner-')))
  const repository = basename(github.repository)
  const folders: JobFolders = {
    root,
    workspace: options.workspace ?? join(root, 'work', repository, repository),
    temp: join(root, 'work', '_temp'),
    tools: join(root, 'tools'),
  }
  const eventPath = join(folders.temp, '_github_workflow', 'event.json')
  for (const folder of [folders.workspace, folders.temp, folders.tools, dirname(eventPath)]) {
    await mkdir(folder, { recursive: true })
  }
  await writeFile(eventPath, JSON.stringify(github.event, null, 2))
  return new JobState(options, githubContext(github, folders.workspace, eventPath), folders, node)
}

/** The github context of a job, without the parts of a single step. */
export function githubContext(
  given: GitHubOptions,
  workspace: string,
  eventPath: string,
): Record<string, Value> {
  const owner = given.repository.split('/')[0] ?? ''
  const workflowRef = `${given.repository}/.github/workflows/${given.workflowFile}@${given.ref}`
  return {
    actor: given.actor,
    actor_id: '1',
    api_url: given.apiUrl,
    base_ref: given.baseRef,
    event: given.event,
    event_name: given.eventName,
    event_path: eventPath,
    graphql_url: `${given.apiUrl}/graphql`,
    head_ref: given.headRef,
    job: given.job,
    ref: given.ref,
    ref_name: given.ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    ref_protected: 'false',
    ref_type: given.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    repository: given.repository,
    repository_id: '1',
    repository_owner: owner,
    repository_owner_id: '1',
    retention_days: String(given.retentionDays),
    run_attempt: String(given.runAttempt),
    run_id: String(given.runId),
    run_number: String(given.runNumber),
    server_url: given.serverUrl,
    sha: given.sha,
    token: given.token,
    triggering_actor: given.actor,
    workflow: given.workflow,
    workflow_ref: workflowRef,
    workflow_sha: given.sha,
    workspace,
  }
}

// The token and the event are in the context, never in the environment.
function exported(github: Readonly<Record<string, Value>>): Record<string, string> {
  const pairs = Object.entries(github).flatMap(([name, value]) =>
    typeof value === 'string' && name !== 'token' ? [[name, value] as const] : [],
  )
  return Object.fromEntries(pairs)
}

function prefixed(prefix: string, values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [prefix + name.toUpperCase(), value]),
  )
}

function inherited(...names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}
