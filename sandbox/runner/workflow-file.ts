import { parse } from 'yaml'
import type { Permissions } from '../github/access.js'

/** A workflow that the local runner cannot run; the message names the place and what is supported. */
export class WorkflowFault extends Error {
  override name = 'WorkflowFault'
}

/** A workflow file, as far as the local runner supports the language. Texts may contain expressions. */
export interface WorkflowFile {
  name?: string
  on: Triggers
  permissions: Permissions
  env?: Scalars
  concurrency?: Concurrency
  jobs: JobFile[]
}

/** YAML has numbers and booleans where a workflow means texts. */
export type Scalars = Readonly<Record<string, string | number | boolean | null>>

/** What starts the workflow. An event that is absent does not. */
export interface Triggers {
  push?: { branches?: string[] }
  /** Base branches, changed files, and the activities that start the workflow. */
  pull_request?: { branches?: string[]; paths?: string[]; types?: string[] }
  /** Nothing to choose. */
  merge_group?: object
  /** The activities of a comment that start the workflow. */
  issue_comment?: { types?: string[] }
  schedule?: { cron: string }[]
  workflow_dispatch?: { inputs?: Readonly<Record<string, { default?: string }>> }
}

export interface Concurrency {
  group: string
  cancelInProgress: boolean
  /** How many wait: one, or up to 100. */
  queue: 'single' | 'max'
}

export interface JobFile extends Pick<WrittenJob, 'name' | 'if' | 'env' | 'strategy' | 'outputs' | 'steps'> {
  id: string
  needs: string[]
  permissions: Permissions
  concurrency?: Concurrency
  minutes: number
}

/** A step that uses an action, or one that runs a script. */
export interface StepFile {
  id?: string
  name?: string
  if?: string
  env?: Scalars
  uses?: string
  with?: Scalars
  run?: Scalars[string]
  shell?: string
  'working-directory'?: string
  'continue-on-error'?: boolean
  'timeout-minutes'?: number
}

/** What the YAML of a file has: the language service checks its shape for each workflow that people get. */
interface Written extends Pick<WorkflowFile, 'name' | 'env'> {
  on: string | string[] | { [event in keyof Triggers]?: Triggers[event] | null }
  permissions?: Permissions
  concurrency?: WrittenConcurrency
  jobs: Readonly<Record<string, WrittenJob>>
}

type WrittenConcurrency = string | { group: string; 'cancel-in-progress'?: boolean; queue?: 'single' | 'max' }

interface WrittenJob {
  name?: string
  needs?: string | string[]
  if?: string
  permissions?: Permissions
  env?: Scalars
  concurrency?: WrittenConcurrency
  /** The matrix as in the file: lists, or `include`, or an expression. */
  strategy?: { 'fail-fast'?: boolean; 'max-parallel'?: number; matrix: unknown }
  outputs?: Readonly<Record<string, string>>
  'timeout-minutes'?: number
  steps: StepFile[]
}

const fileKeys = ['name', 'on', 'permissions', 'env', 'concurrency', 'jobs']
const events = ['push', 'pull_request', 'issue_comment', 'merge_group', 'schedule', 'workflow_dispatch']
/** Deployment environments are GitHub's business. */
const jobKeys = [
  ...['name', 'needs', 'if', 'runs-on', 'permissions', 'env', 'concurrency', 'strategy', 'outputs'],
  ...['environment', 'timeout-minutes', 'steps'],
]
const stepKeys = [
  ...['id', 'name', 'if', 'env', 'uses', 'with', 'run', 'shell', 'working-directory'],
  ...['continue-on-error', 'timeout-minutes'],
]

/** Reads a workflow file. What the local runner does not support is a fault, never ignored. @throws WorkflowFault */
export function readWorkflow(text: string): WorkflowFile {
  const file = parse(text) as Written
  checkKeys(file, 'the workflow', fileKeys)
  const { on, permissions, concurrency, jobs, ...shared } = file
  if (permissions === undefined) {
    throw new WorkflowFault('The workflow sets no permissions: then they would depend on the repository.')
  }
  return {
    ...shared,
    permissions,
    on: triggersOf(on),
    ...concurrencyOf(concurrency),
    jobs: Object.entries(jobs).map(([id, job]) => jobOf(id, job, permissions)),
  }
}

/** An event that is only named has nothing to choose. */
function triggersOf(on: Written['on']): Triggers {
  const named = typeof on === 'string' ? [on] : on
  const given = Array.isArray(named) ? Object.fromEntries(named.map((event) => [event, null])) : named
  checkKeys(given, 'on', events)
  return Object.fromEntries(Object.entries(given).map(([event, choice]) => [event, choice ?? {}]))
}

function jobOf(id: string, job: WrittenJob, inherited: Permissions): JobFile {
  checkKeys(job, `job ${id}`, jobKeys)
  for (const [index, step] of job.steps.entries()) checkStep(step, `step ${index + 1} of job ${id}`)
  const { needs = [], permissions = inherited, concurrency, 'timeout-minutes': minutes = 360, ...rest } = job
  return { ...rest, id, needs: [needs].flat(), permissions, ...concurrencyOf(concurrency), minutes }
}

function checkStep(step: StepFile, at: string): void {
  checkKeys(step, at, stepKeys)
  const { uses, run, shell = 'bash' } = step
  if ((uses === undefined) === (run === undefined))
    throw new WorkflowFault(`${at} needs one of uses and run.`)
  if (shell !== 'bash') throw new WorkflowFault(`${at}: the local runner has no shell but bash.`)
}

function concurrencyOf(written: WrittenConcurrency | undefined): { concurrency?: Concurrency } {
  if (written === undefined) return {}
  const given = typeof written === 'string' ? { group: written } : written
  const { group, 'cancel-in-progress': cancelInProgress = false, queue = 'single' } = given
  if (queue === 'max' && cancelInProgress) {
    throw new WorkflowFault('GitHub refuses queue: max with cancel-in-progress: true.')
  }
  return { concurrency: { group, cancelInProgress, queue } }
}

function checkKeys(given: object, at: string, known: readonly string[]): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new WorkflowFault(
    `${at}: the local runner does not know ${unknown.join(', ')}, only ${known.join(', ')}.`,
  )
}

/** Nothing counts as an empty text. */
export function textsOf(scalars: Scalars = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(scalars).map(([name, value]) => [name, String(value ?? '')]))
}
