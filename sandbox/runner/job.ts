import { rm } from 'node:fs/promises'
import type { JobStatus } from './expressions.js'
import type { JobOptions } from './job-options.js'
import { createJobState, type JobFolders, type JobState, TRACKING_VARIABLE } from './job-state.js'
import { killMarked } from './process-tree.js'
import { type PlacedStep, runStage, stageMayRun, type Step } from './stage.js'
import { StepLog } from './step-log.js'
import type { StepResult } from './step-result.js'

export interface StepOptions extends Step {
  /** Called with each line of the log as it is shown. */
  onLine?(line: string): void
  /** Cancels the job at the first line of the log for which it returns true. */
  cancelOn?(line: string): boolean
}

export interface StepHandle {
  /** Cancels the job, like somebody who watches it. */
  cancel(): void
  done: Promise<StepResult>
}

export interface FinishOptions {
  /** Called with each line of each post step's log; `id` is the step's. */
  onLine?(line: string, id: string): void
}

/** The parts of a running stage that a cancellation needs. */
interface Current {
  placed: PlacedStep
  stage: 'main' | 'post'
  cancel: AbortController
}

/** Starts a job: its folders, its event file, its variables. */
export async function startJob(options: JobOptions = {}): Promise<Job> {
  return new Job(await createJobState(options))
}

/** One job: its steps one after the other, then their post steps in reverse order. */
export class Job {
  readonly #state: JobState
  readonly #posts: PlacedStep[] = []
  readonly #over = new AbortController()
  #current: Current | undefined
  #deadline: NodeJS.Timeout | undefined
  readonly #unnamed = new Map<string, number>()

  constructor(state: JobState) {
    this.#state = state
  }

  get status(): JobStatus {
    return this.#state.status
  }

  get folders(): JobFolders {
    return this.#state.folders
  }

  /** What later expressions of this job see, such as those of an `if:`. */
  get contexts(): ReturnType<JobState['contexts']> {
    return this.#state.contexts({}, {})
  }

  /** Starts a step; the previous one must be done. The step is skipped if its condition is false. */
  runStep(step: StepOptions): StepHandle {
    const id = step.id
    if (id !== undefined && (id.startsWith('__') || !/^[A-Za-z_][\w-]*$/.test(id))) {
      throw new Error(
        `The step id '${id}' is not valid: use letters, digits, - and _, and do not begin with __.`,
      )
    }
    if (id !== undefined && id in this.#state.steps) throw new Error(`This job already has a step '${id}'.`)
    const placed: PlacedStep = {
      step,
      actionName: id ?? this.#nextName(step.uses),
      displayName: step.name ?? `Run ${step.uses ?? './'}`,
      state: new Map(),
    }
    const onLine = (line: string): void => {
      step.onLine?.(line)
      if (step.cancelOn?.(line) === true) this.cancel()
    }
    return { cancel: () => this.cancel(), done: this.#run(placed, 'main', onLine) }
  }

  /**
   * Cancels the job. The running step is signalled unless its condition is also true for a cancelled job; from now on
   * all post steps share `timings.afterCancel`.
   */
  cancel(): void {
    if (this.#state.status === 'cancelled') return
    this.#state.status = 'cancelled'
    this.#deadline = setTimeout(() => this.#over.abort(), this.#state.timings.afterCancel)
    this.#deadline.unref() // If nothing is left to kill, the timer keeps nothing alive.
    const current = this.#current
    if (current === undefined) return
    stageMayRun(this.#state, current).then(
      (mayRun) => {
        if (!mayRun) current.cancel.abort()
      },
      () => current.cancel.abort(), // A condition that can no longer be evaluated does not keep a step alive.
    )
  }

  /** Runs the post steps, the last step's first, and kills leftover processes of the job. */
  async finish(options: FinishOptions = {}): Promise<StepResult[]> {
    const results: StepResult[] = []
    for (let post = this.#posts.pop(); post !== undefined; post = this.#posts.pop()) {
      const id = post.actionName
      results.push(await this.#run(post, 'post', (line) => options.onLine?.(line, id)))
    }
    clearTimeout(this.#deadline)
    killMarked(TRACKING_VARIABLE, this.#state.trackingId)
    return results
  }

  /** Deletes the job's own folder, but not a workspace that was given. */
  async remove(): Promise<void> {
    await rm(this.#state.folders.root, { recursive: true, force: true })
  }

  async #run(
    placed: PlacedStep,
    stage: 'main' | 'post',
    onLine: (line: string) => void,
  ): Promise<StepResult> {
    if (this.#current !== undefined) {
      throw new Error(
        `Step '${placed.actionName}' cannot start: '${this.#current.placed.actionName}' is still running.`,
      )
    }
    const current: Current = { placed, stage, cancel: new AbortController() }
    this.#current = current
    const log = new StepLog(this.#state.masker, this.#state.debug, onLine)
    try {
      const result = await runStage(this.#state, {
        placed,
        stage,
        log,
        cancel: current.cancel.signal,
        over: this.#over.signal,
        registerPost: () => this.#posts.push(placed),
      })
      this.#book(placed, result)
      return result
    } finally {
      this.#current = undefined
    }
  }

  #book(placed: PlacedStep, result: StepResult): void {
    const state = this.#state
    for (const [name, value] of Object.entries(result.env)) state.env.set(name, value)
    for (const folder of result.paths) {
      const at = state.paths.indexOf(folder)
      if (at >= 0) state.paths.splice(at, 1)
      state.paths.push(folder)
    }
    if (result.stage === 'main' && placed.step.id !== undefined) {
      const { outputs, outcome, conclusion } = result
      state.steps[placed.step.id] = { outputs, outcome, conclusion }
    }
    if (result.conclusion === 'failure' && state.status === 'success') state.status = 'failure'
  }

  // As the real runner names steps without an id: __self, __actions_checkout, __actions_checkout_2.
  #nextName(uses = './'): string {
    const path = /^([\w-]+\/[^@]+)@/.exec(uses)?.[1] ?? 'self'
    const name = `__${path.replaceAll('/', '_')}`
    const count = (this.#unnamed.get(name) ?? 0) + 1
    this.#unnamed.set(name, count)
    return count === 1 ? name : `${name}_${count}`
  }
}
