import type { Github } from '../github/github.js'
import type { Permissions } from '../github/access.js'
import { type Contexts, holds, interpolate, type Value } from './expressions.js'
import { startJob } from './job.js'
import { DEFAULT_GITHUB, type GitHubOptions, type JobOptions } from './job-options.js'
import { githubContext } from './job-state.js'
import { ConcurrencyGroups } from './concurrency-groups.js'
import { type KnownActions, stepOptions } from './known-actions.js'
import { type Leg, legsOf } from './matrix.js'
import type { StepConclusion, StepResult } from './step-result.js'
import { type Happening, happeningOf, type Origin, type WorkflowEvent } from './workflow-event.js'
import {
  type Concurrency,
  type JobFile,
  readWorkflow,
  textsOf,
  WorkflowFault,
  type WorkflowFile,
} from './workflow-file.js'

/** Where a workflow runs. */
export interface WorkflowWorld {
  /** Keeps the runs, artifacts and comments; a run has a token with the permissions of its job. */
  github: Github
  /** What is checked out. */
  origin: Origin
  /** In addition to the stand-ins of the local runner. */
  actions: KnownActions
  /** An empty folder for the caches of all runs. */
  caches: string
  secrets?: Readonly<Record<string, string>>
  /** What a pull request of Dependabot gets instead of the secrets. */
  dependabotSecrets?: Readonly<Record<string, string>>
  vars?: Readonly<Record<string, string>>
  /** Variables of the machine, such as proxies. */
  machineEnv?: Readonly<Record<string, string>>
  /** Those of the repository, for runs beside each other. */
  groups?: ConcurrencyGroups
  /** Somebody cancels the run at the first line of a log for which it returns true. */
  cancelOn?: (line: string) => boolean
}

export interface WorkflowResult {
  runId: number
  attempt: number
  happening: Happening
  conclusion: StepConclusion
  /** Its value for this run. */
  concurrency?: Concurrency
  /** One for each leg of a matrix. */
  jobs: JobResult[]
}

export interface JobResult {
  id: string
  name: string
  matrix: Leg
  conclusion: StepConclusion
  permissions: Permissions
  concurrency?: Concurrency
  outputs: Record<string, string>
  /** In order, with the post steps last. */
  steps: StepResult[]
}

/**
 * Runs a workflow file for an event as GitHub would: its jobs in the order of `needs`, the legs of a matrix one after
 * the other. The run is listed on the local GitHub, with its conclusion at the end.
 *
 * @param file its name, such as load-test.yml
 * @returns undefined if the event does not start the workflow
 * @throws WorkflowFault if the file uses something that the local runner does not support
 */
export async function runWorkflow(
  file: string,
  text: string,
  event: WorkflowEvent,
  world: WorkflowWorld,
): Promise<WorkflowResult | undefined> {
  const workflow = readWorkflow(text)
  const happening = happeningOf(workflow.on, event, world.origin)
  if (happening === undefined) return undefined
  const { branch, commit, headRepository, refs = {} } = happening
  for (const [ref, head] of Object.entries(refs)) world.github.seed.ref(ref, head)
  const listed = world.github.seed.run({
    ...{ workflow: file, event: event.name, branch, commit, headRepository, conclusion: null },
    createdAt: new Date(),
  })
  return listedRun(listed, new WorkflowRun(file, workflow, happening, world, listed.id))
}

/**
 * Another attempt of a run: "Re-run all jobs", or "Re-run failed jobs", which are those that did not succeed and those
 * that need them. It has the event and the commit of the first one.
 */
export async function runAgain(
  file: string,
  text: string,
  { runId, attempt, happening, jobs }: WorkflowResult,
  what: 'all' | 'failed',
  world: WorkflowWorld,
): Promise<WorkflowResult> {
  const listed = world.github.store.run(runId)
  if (!listed) throw new WorkflowFault(`There is no run ${runId}.`)
  const againAt = [...(listed.againAt ?? []), new Date()]
  Object.assign(listed, { attempt: attempt + 1, conclusion: null, againAt })
  const kept = what === 'all' ? [] : jobs.filter(({ conclusion }) => conclusion === 'success')
  return listedRun(
    listed,
    new WorkflowRun(file, readWorkflow(text), happening, world, runId, attempt + 1, kept),
  )
}

async function listedRun(listed: { conclusion: string | null }, run: WorkflowRun): Promise<WorkflowResult> {
  try {
    const result = await run.result()
    listed.conclusion = result.conclusion
    return result
  } finally {
    listed.conclusion ??= 'failure'
  }
}

class WorkflowRun {
  readonly #done: JobResult[] = []
  readonly #groups: ConcurrencyGroups
  #isCancelled = false

  /** @param kept jobs of the attempt before that need not run again */
  constructor(
    private readonly file: string,
    private readonly workflow: WorkflowFile,
    private readonly happening: Happening,
    private readonly world: WorkflowWorld,
    private readonly runId: number,
    private readonly attempt = 1,
    private readonly kept: readonly JobResult[] = [],
  ) {
    this.#groups = world.groups ?? new ConcurrencyGroups()
  }

  async result(): Promise<WorkflowResult> {
    const { runId, attempt, happening } = this
    const placed = interpolated(this.workflow.concurrency, this.#contexts({ id: '' }))
    const inTurn = await this.#groups.inTurn(placed.concurrency, async () => {
      for (const job of inOrder(this.workflow.jobs)) await this.#runJob(job)
      return this.#done.filter(({ conclusion }) => conclusion !== 'skipped')
    })
    const conclusion = !inTurn ? 'cancelled' : inTurn.length === 0 ? 'skipped' : worst(inTurn)
    return { runId, attempt, happening, conclusion, ...placed, jobs: this.#done }
  }

  async #runJob(job: JobFile): Promise<void> {
    const needed = this.#done.filter(({ id }) => job.needs.includes(id))
    const contexts = this.#contexts(job)
    const permissions = this.#granted(job.permissions)
    const shared = { id: job.id, permissions, outputs: {}, steps: [] }
    const status = this.#isCancelled ? 'cancelled' : worst(needed)
    if (!holds(job.if ?? '', { contexts, status })) {
      this.#done.push({ ...shared, name: job.name ?? job.id, matrix: {}, conclusion: 'skipped' })
      return
    }
    const legs = job.strategy === undefined ? [{}] : legsOf(job.strategy.matrix, { contexts })
    const { 'fail-fast': failFast = true, 'max-parallel': maxParallel = legs.length } = job.strategy ?? {}
    for (const [index, matrix] of legs.entries()) {
      const scope = { ...contexts, matrix }
      const name = interpolate(job.name ?? job.id, { contexts: scope })
      const placed = { ...shared, name, matrix, ...interpolated(job.concurrency, scope) }
      const failed = this.#done.some(({ id, conclusion }) => id === job.id && conclusion === 'failure')
      if ((failed && failFast) || (this.#isCancelled && status !== 'cancelled')) {
        this.#done.push({ ...placed, conclusion: 'cancelled' })
        continue
      }
      const before = this.kept.find((one) => one.id === job.id && one.name === name)
      if (before && needed.every((one) => this.kept.includes(one))) {
        this.#done.push(before)
        continue
      }
      const strategy = {
        ...{ 'job-index': index, 'job-total': legs.length },
        ...{ 'fail-fast': failFast, 'max-parallel': maxParallel },
      }
      const run = () => this.#runLeg(job, placed, { matrix, strategy })
      this.#done.push(
        (await this.#groups.inTurn(placed.concurrency, run)) ?? { ...placed, conclusion: 'cancelled' },
      )
    }
  }

  async #runLeg(
    file: JobFile,
    placed: Omit<JobResult, 'conclusion'>,
    leg: { matrix: Leg; strategy: Value },
  ): Promise<JobResult> {
    const { github, actions, origin } = this.world
    const known = { '.': origin.folder, ...actions }
    const steps = await Promise.all(file.steps.map((step) => stepOptions(step, known)))
    const job = await startJob({
      ...(await this.#jobOptions(file, placed)),
      ...leg,
      github: { ...this.#githubOptions(file), token: github.token(placed.permissions), apiUrl: github.url },
    })
    const timer = setTimeout(() => job.cancel(), file.minutes * 60_000)
    try {
      const results: StepResult[] = []
      const cancelOn = (line: string) => {
        const isCancelled = !this.#isCancelled && this.world.cancelOn?.(line) === true
        this.#isCancelled ||= isCancelled
        return isCancelled
      }
      for (const step of steps) results.push(await job.runStep({ ...step, cancelOn }).done)
      const outputs = Object.fromEntries(
        Object.entries(file.outputs ?? {}).map(([name, text]) => [
          name,
          interpolate(text, { contexts: job.contexts }),
        ]),
      )
      const posts = await job.finish()
      return { ...placed, conclusion: job.status, outputs, steps: [...results, ...posts] }
    } finally {
      clearTimeout(timer)
      await job.remove()
    }
  }

  async #jobOptions(
    file: JobFile,
    { name, permissions }: Omit<JobResult, 'conclusion'>,
  ): Promise<JobOptions> {
    const { github, secrets = {}, dependabotSecrets = {}, vars = {}, machineEnv, origin, caches } = this.world
    const own = this.happening.github.actor === 'dependabot[bot]' ? dependabotSecrets : secrets
    return {
      // GitHub gives no secrets to pull requests from forks.
      secrets: this.#isForeign() ? {} : own,
      vars,
      env: { ...textsOf(this.workflow.env), ...textsOf(file.env) },
      inputs: this.happening.inputs,
      needs: this.#needs(file),
      machineEnv: {
        ...machineEnv,
        SANDBOX_ORIGIN: origin.folder,
        SANDBOX_CACHES: caches,
        SANDBOX_PERMISSIONS: JSON.stringify(permissions),
      },
      artifactService: await github.artifactService(this.runId, this.attempt, name),
    }
  }

  /** What an expression sees before the job has a runner. */
  #contexts(job: Pick<JobFile, 'id'> & Partial<Pick<JobFile, 'needs'>>): Contexts {
    return {
      github: githubContext({ ...DEFAULT_GITHUB, ...this.#githubOptions(job) }, '', ''),
      needs: this.#needs(job),
      vars: this.world.vars ?? {},
      inputs: this.happening.inputs,
    }
  }

  #needs({ needs = [] }: Partial<Pick<JobFile, 'needs'>>): Value {
    const needed = this.#done.filter(({ id }) => needs.includes(id))
    return Object.fromEntries(
      needed.map(({ id, outputs }) => [
        id,
        { outputs, result: worst(needed.filter((one) => one.id === id)) },
      ]),
    )
  }

  #githubOptions({ id }: Pick<JobFile, 'id'>): Partial<GitHubOptions> {
    return {
      ...this.happening.github,
      workflow: this.workflow.name ?? 'Workflow',
      workflowFile: this.file,
      job: id,
      runId: this.runId,
      runAttempt: this.attempt,
      serverUrl: this.world.github.serverUrl,
    }
  }

  /** A pull request from a fork can read at most. */
  #granted(permissions: Permissions): Permissions {
    if (!this.#isForeign()) return permissions
    return Object.fromEntries(
      Object.entries(permissions).map(([scope, access]) => [scope, access === 'write' ? 'read' : access]),
    )
  }

  #isForeign(): boolean {
    return this.happening.headRepository !== this.world.origin.repository
  }
}

function interpolated(
  concurrency: Concurrency | undefined,
  contexts: Contexts,
): { concurrency?: Concurrency } {
  if (concurrency === undefined) return {}
  return { concurrency: { ...concurrency, group: interpolate(concurrency.group, { contexts }) } }
}

/** The jobs, each after those that it needs. */
function inOrder(jobs: readonly JobFile[]): JobFile[] {
  const ordered: JobFile[] = []
  for (let rest = [...jobs]; rest.length > 0; rest = rest.filter((job) => !ordered.includes(job))) {
    const ready = rest.filter(({ needs }) => needs.every((id) => ordered.some((job) => job.id === id)))
    if (ready.length === 0) {
      throw new WorkflowFault(
        `The jobs ${rest.map(({ id }) => id).join(', ')} need each other, or one that is not there.`,
      )
    }
    ordered.push(...ready)
  }
  return ordered
}

/** The combined conclusion of several jobs. */
function worst(jobs: readonly JobResult[]): StepConclusion {
  const order: StepConclusion[] = ['failure', 'cancelled', 'skipped']
  return order.find((conclusion) => jobs.some((job) => job.conclusion === conclusion)) ?? 'success'
}
