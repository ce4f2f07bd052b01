import { parse } from 'yaml'
import type { Permissions, Scope } from '../github/access.js'
import { WorkflowFault } from './workflow-fault.js'

/** A workflow file, as far as the local runner supports the language. Texts may contain expressions. */
export interface WorkflowFile {
  name: string
  on: Triggers
  permissions: Permissions
  env: Texts
  concurrency?: Concurrency
  jobs: JobFile[]
}

export type Texts = Readonly<Record<string, string>>

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
  /** The defaults of its inputs, by name. */
  workflow_dispatch?: { inputs: Record<string, string> }
}

export interface Concurrency {
  group: string
  cancelInProgress: boolean
  /** How many wait: one, or up to 100. */
  queue: 'single' | 'max'
}

export interface JobFile {
  id: string
  name: string
  needs: string[]
  if: string
  permissions: Permissions
  env: Texts
  concurrency?: Concurrency
  strategy?: Strategy
  outputs: Texts
  timeoutMinutes?: number
  steps: StepFile[]
}

export interface Strategy {
  failFast: boolean
  maxParallel?: number
  /** As in the file: lists, `include` and `exclude`, or an expression. */
  matrix: unknown
}

/** A step that uses an action, or one that runs a script. */
export interface StepFile {
  id?: string
  name?: string
  if: string
  env: Texts
  uses?: string
  with: Texts
  run?: string
  shell: string
  workingDirectory: string
  continueOnError: boolean
  timeoutMinutes?: number
}

const scopes: readonly Scope[] = [
  ...(['actions', 'contents', 'issues', 'pull-requests', 'statuses'] as const),
  ...(['pages', 'id-token'] as const),
]
const stepKeys = ['id', 'name', 'if', 'env', 'uses', 'with', 'run', 'shell', 'working-directory']
/** Deployment environments are GitHub's business. */
const jobKeys = [
  ...['name', 'needs', 'if', 'runs-on', 'permissions', 'env', 'concurrency', 'strategy', 'outputs'],
  'environment',
]

/** Reads a workflow file. What the local runner does not support is a fault, never ignored. @throws WorkflowFault */
export function readWorkflow(text: string): WorkflowFile {
  const keys = ['name', 'on', 'permissions', 'env', 'concurrency', 'jobs']
  const file = fields(parse(text), 'the workflow', keys)
  if (file['permissions'] === undefined) {
    throw new WorkflowFault('The workflow sets no permissions: then they would depend on the repository.')
  }
  const permissions = permissionsOf(file['permissions'], 'the workflow')
  return {
    name: scalar(file['name'] ?? 'Workflow', 'name'),
    on: triggersOf(file['on']),
    permissions,
    env: texts(file['env'], 'env'),
    ...concurrencyOf(file['concurrency'], 'the workflow'),
    jobs: Object.entries(fields(file['jobs'], 'jobs')).map(([id, job]) => jobOf(id, job, permissions)),
  }
}

function triggersOf(on: unknown): Triggers {
  const known = ['push', 'pull_request', 'issue_comment', 'merge_group', 'schedule', 'workflow_dispatch']
  const listed = typeof on === 'string' ? [on] : on
  const events = Array.isArray(listed)
    ? Object.fromEntries(listed.map((name) => [scalar(name, 'on'), null]))
    : listed
  const given = fields(events, 'on', known)
  const { push, pull_request: pull, issue_comment: comment, schedule, workflow_dispatch: dispatch } = given
  const branches = fields(push, 'on.push', ['branches'])['branches']
  const filters = (filter: unknown, at: string, known: string[]) =>
    Object.fromEntries(
      Object.entries(fields(filter, at, known)).map(([name, wanted]) => [name, list(wanted, name)]),
    )
  const inputs = fields(fields(dispatch, 'on.workflow_dispatch', ['inputs'])['inputs'], 'inputs')
  const preset = ([name, input]: [string, unknown]): [string, string] => {
    const at = `the input ${name}`
    return [name, scalar(fields(input, at, ['description', 'required', 'default'])['default'] ?? '', at)]
  }
  return {
    ...('push' in given
      ? { push: branches === undefined ? {} : { branches: list(branches, 'branches') } }
      : {}),
    ...('pull_request' in given
      ? { pull_request: filters(pull, 'on.pull_request', ['branches', 'paths', 'types']) }
      : {}),
    ...('merge_group' in given ? { merge_group: fields(given['merge_group'], 'on.merge_group', []) } : {}),
    ...('issue_comment' in given ? { issue_comment: filters(comment, 'on.issue_comment', ['types']) } : {}),
    ...(Array.isArray(schedule)
      ? {
          schedule: schedule.map((one) => ({
            cron: scalar(fields(one, 'schedule', ['cron'])['cron'], 'cron'),
          })),
        }
      : {}),
    ...('workflow_dispatch' in given
      ? { workflow_dispatch: { inputs: Object.fromEntries(Object.entries(inputs).map(preset)) } }
      : {}),
  }
}

function jobOf(id: string, value: unknown, inherited: Permissions): JobFile {
  const at = `job ${id}`
  const job = fields(value, at, [...jobKeys, 'timeout-minutes', 'steps'])
  const steps = job['steps']
  if (!Array.isArray(steps)) throw new WorkflowFault(`${at} has no steps.`)
  const { permissions, needs } = job
  return {
    id,
    name: scalar(job['name'] ?? id, at),
    needs: list(typeof needs === 'string' ? [needs] : (needs ?? []), `needs of ${at}`),
    if: scalar(job['if'] ?? '', at),
    permissions: permissions === undefined ? inherited : permissionsOf(permissions, at),
    env: texts(job['env'], `env of ${at}`),
    ...concurrencyOf(job['concurrency'], at),
    ...strategyOf(job['strategy'], at),
    outputs: texts(job['outputs'], `outputs of ${at}`),
    ...minutes(job['timeout-minutes'], at),
    steps: steps.map((step, index) => stepOf(step, `step ${index + 1} of ${at}`)),
  }
}

function stepOf(value: unknown, at: string): StepFile {
  const step = fields(value, at, [...stepKeys, 'continue-on-error', 'timeout-minutes'])
  const { id, name, uses, run } = step
  if ((uses === undefined) === (run === undefined))
    throw new WorkflowFault(`${at} needs one of uses and run.`)
  const shell = scalar(step['shell'] ?? '', at)
  if (!['', 'bash'].includes(shell)) throw new WorkflowFault(`${at}: the local runner has no shell but bash.`)
  return {
    ...(id === undefined ? {} : { id: scalar(id, at) }),
    ...(name === undefined ? {} : { name: scalar(name, at) }),
    if: scalar(step['if'] ?? '', at),
    env: texts(step['env'], `env of ${at}`),
    ...(uses === undefined ? {} : { uses: scalar(uses, at) }),
    with: texts(step['with'], `with of ${at}`),
    ...(run === undefined ? {} : { run: scalar(run, at) }),
    shell,
    workingDirectory: scalar(step['working-directory'] ?? '', at),
    continueOnError: flag(step['continue-on-error'], `continue-on-error of ${at}`, false),
    ...minutes(step['timeout-minutes'], at),
  }
}

function permissionsOf(value: unknown, at: string): Permissions {
  return Object.fromEntries(
    Object.entries(fields(value, `permissions of ${at}`, scopes)).map(([scope, access]) => {
      if (access !== 'read' && access !== 'write' && access !== 'none')
        throw new WorkflowFault(`permissions of ${at}: ${scope} is read, write or none.`)
      return [scope, access]
    }),
  )
}

function concurrencyOf(value: unknown, at: string): { concurrency?: Concurrency } {
  if (value === undefined) return {}
  const name = `concurrency of ${at}`
  if (typeof value === 'string')
    return { concurrency: { group: value, cancelInProgress: false, queue: 'single' } }
  const given = fields(value, name, ['group', 'cancel-in-progress', 'queue'])
  const cancelInProgress = flag(given['cancel-in-progress'], `cancel-in-progress of ${at}`, false)
  const queue = given['queue'] ?? 'single'
  if (queue !== 'single' && queue !== 'max') throw new WorkflowFault(`${name}: queue is single or max.`)
  if (queue === 'max' && cancelInProgress) {
    throw new WorkflowFault(`${name}: GitHub refuses queue: max with cancel-in-progress: true.`)
  }
  return { concurrency: { group: scalar(given['group'], name), cancelInProgress, queue } }
}

function strategyOf(value: unknown, at: string): { strategy?: Strategy } {
  if (value === undefined) return {}
  const given = fields(value, `strategy of ${at}`, ['fail-fast', 'max-parallel', 'matrix'])
  const most = given['max-parallel']
  return {
    strategy: {
      failFast: flag(given['fail-fast'], `fail-fast of ${at}`, true),
      ...(most === undefined ? {} : { maxParallel: whole(most, `max-parallel of ${at}`) }),
      matrix: given['matrix'],
    },
  }
}

function minutes(value: unknown, at: string): { timeoutMinutes?: number } {
  return value === undefined ? {} : { timeoutMinutes: whole(value, `timeout-minutes of ${at}`) }
}

/** The entries of a mapping, with only `known` names if given. Nothing counts as an empty mapping. */
export function fields<T>(
  value: T | Readonly<Record<string, T>>,
  at: string,
  known?: readonly string[],
): Record<string, T> {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw new WorkflowFault(`${at} has to be a mapping.`)
  const entries = Object.entries(value)
  const unknown = entries.map(([name]) => name).filter((name) => known?.includes(name) === false)
  if (unknown.length > 0) {
    const names = (all: readonly string[] = []) => all.join(', ')
    throw new WorkflowFault(`${at}: the local runner does not know ${names(unknown)}, only ${names(known)}.`)
  }
  return Object.fromEntries(entries)
}

function texts(value: unknown, at: string): Texts {
  const entries = Object.entries(fields(value, at))
  return Object.fromEntries(entries.map(([name, text]) => [name, scalar(text ?? '', at)]))
}

function list(value: unknown, at: string): string[] {
  if (!Array.isArray(value)) throw new WorkflowFault(`${at} must be a list.`)
  return value.map((item) => scalar(item, at))
}

function scalar(value: unknown, at: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new WorkflowFault(`${at}: a text is missing.`)
}

function whole(value: unknown, at: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new WorkflowFault(`${at} has to be a whole number here.`)
  return value
}

function flag(value: unknown, at: string, preset: boolean): boolean {
  if (value === undefined) return preset
  if (typeof value !== 'boolean') throw new WorkflowFault(`${at} has to be true or false here.`)
  return value
}
