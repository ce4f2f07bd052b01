import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Permissions } from '../sandbox/github/access.js'
import { node24 } from '../sandbox/runner/node24.js'
import type { WorkflowWorld } from '../sandbox/runner/workflow.js'
import type { Happening } from '../sandbox/runner/workflow-event.js'
import type { Workflow } from '../__tests__/recipes/company.js'
import { run } from './cache.js'
import { ownActions } from '../src/outcome/outcome.js'

/** The result of a run on act, in the terms of the local runner. */
export interface ActRun {
  runId: number
  conclusion: 'success' | 'failure'
  /** Of the steps that ran, main steps before their post steps: `load-test main failure`. */
  steps: string[]
  /** Outputs of the steps that have any, in order. */
  outputs: Record<string, string>[]
}

/** A workflow, and what has happened that starts it. */
export interface ActJob {
  workflow: Pick<Workflow, 'file' | 'text'>
  happening: Pick<Happening, 'github' | 'branch' | 'commit' | 'headRepository' | 'inputs' | 'refs'>
  /** act knows one token for all jobs. */
  permissions: Permissions
}

export interface ActOptions {
  /** Of this run alone. */
  folder: string
  /** act gets SIGINT once its log has this. */
  interruptAt?: RegExp
}

/** Runs a workflow on act, directly on this machine, in the given environment. */
export async function runOnAct(
  act: string,
  {
    origin,
    github,
    machineEnv,
    ...world
  }: Pick<WorkflowWorld, 'origin' | 'github' | 'machineEnv' | 'secrets'>,
  { workflow: { file, text }, happening, permissions }: ActJob,
  { folder, ...options }: ActOptions,
): Promise<ActRun> {
  const { branch, commit, headRepository } = happening
  const { eventName, event, ref, sha } = happening.github
  const listed = github.seed.run({
    ...{ workflow: file, event: eventName, branch, commit, headRepository, conclusion: null },
    createdAt: new Date(),
  })
  for (const [name, made] of Object.entries(happening.refs ?? {})) github.seed.ref(name, made)
  const clone = path.join(folder, 'clone')
  execFileSync('git', ['clone', '-q', `file://${origin.folder}`, clone])
  execFileSync('git', ['fetch', '-q', 'origin', ref], { cwd: clone })
  execFileSync('git', ['checkout', '-q', '--detach', sha], { cwd: clone })
  const workflow = path.join(folder, file)
  const payload = path.join(folder, 'event.json')
  // act refuses a key that it does not know yet.
  writeFileSync(workflow, text.replace(/^ *queue: max\n|, queue: max(?= \})/gm, ''))
  writeFileSync(payload, JSON.stringify(event))
  const variables = {
    ...machineEnv,
    // act uses a new folder for each job, so compiled code would never be found again.
    NODE_DISABLE_COMPILE_CACHE: '1',
    SANDBOX_ORIGIN: origin.folder,
    SANDBOX_PERMISSIONS: JSON.stringify(permissions),
    GITHUB_REPOSITORY: origin.repository,
    GITHUB_REF: ref,
    SHA_REF: sha,
    GITHUB_RUN_ID: String(listed.id),
    GITHUB_API_URL: github.url,
    GITHUB_SERVER_URL: github.serverUrl,
    GITHUB_WORKFLOW_REF: `${origin.repository}/.github/workflows/${file}@${ref}`,
  }
  const secrets = { ...world.secrets, GITHUB_TOKEN: github.token(permissions) }
  const pairs = (option: string, all: object) =>
    Object.entries(all).flatMap(([name, value]) => [option, `${name}=${String(value)}`])
  const { url, runtimeUrl = url, token } = await github.artifactService(listed.id)
  const { code, output } = await run(
    act,
    [
      ...[eventName, '--json', '-C', clone, '-W', workflow, '-e', payload],
      ...['-P', 'ubuntu-latest=-self-hosted', '-P', 'self-hosted=-self-hosted'],
      ...['--no-cache-server', '--concurrent-jobs', '1'],
      // Without a server of its own it names none to the steps at all.
      ...['--artifact-server-path', path.join(folder, 'artifacts')],
      ...['--artifact-server-addr', '127.0.0.1', '--artifact-server-port', '0'],
      ...['--local-repository', `load-test-action/load-test-action@v1=${action(folder)}`],
      // act replaces a checkout by the clone, unless it names a reference.
      ...['--local-repository', `actions/checkout@v7=${path.resolve('sandbox/runner/actions/checkout')}`],
      ...pairs('--env', variables),
      ...pairs('-s', secrets),
      ...pairs('--input', happening.inputs),
    ],
    {
      ...options,
      seconds: 240,
      env: {
        // act takes the first node that it finds.
        PATH: `${path.dirname(node24())}${path.delimiter}${process.env['PATH'] ?? ''}`,
        HOME: path.join(folder, 'home'),
        // The local GitHub instead of act's own artifact server.
        ...{ ACTIONS_RUNTIME_URL: runtimeUrl ?? '', ACTIONS_RUNTIME_TOKEN: token },
      },
    },
  )
  const conclusion = code === 0 ? 'success' : 'failure'
  listed.conclusion = conclusion
  return { runId: listed.id, conclusion, ...read(output) }
}

interface Line {
  stage?: string
  step?: string
  stepResult?: string
  command?: string
  name?: string
  arg?: string
  stepID?: string[]
  jobID?: string
  matrix?: object
  kvPairs?: Record<string, string>
}

/** The lines of `act --json`. */
function read(output: string): Pick<ActRun, 'steps' | 'outputs'> {
  const lines = output.split('\n').flatMap((line): Line[] => {
    if (!line.startsWith('{')) return []
    const value: Line = JSON.parse(line) as Line
    return [value]
  })
  const outputs = new Map<string, Record<string, string>>()
  for (const { command, name, arg, jobID, matrix, stepID, kvPairs } of lines) {
    if (command !== 'set-output') continue
    const key = JSON.stringify([jobID, matrix, stepID])
    const named = name ?? kvPairs?.['name'] ?? ''
    outputs.set(key, { ...outputs.get(key), [named]: arg ?? '' })
  }
  return {
    steps: lines
      .filter(({ stage, stepResult }) => stepResult !== undefined && (stage === 'Main' || stage === 'Post'))
      .map(({ step = '', stage = '', stepResult = '' }) => `${stage.toLowerCase()} ${step} ${stepResult}`),
    outputs: [...outputs.values()],
  }
}

/** The files of this project that a workflow gets; act copies the whole folder. */
function action(folder: string): string {
  const copy = path.join(folder, 'action')
  mkdirSync(copy, { recursive: true })
  for (const name of ['action.yml', 'dist', ...ownActions])
    cpSync(name, path.join(copy, name), { recursive: true })
  return copy
}
