import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { node24 } from '../sandbox/runner/node24.js'
import { happeningOf, type WorkflowEvent } from '../sandbox/runner/workflow-event.js'
import { readWorkflow } from '../sandbox/runner/workflow-file.js'
import type { Company, Workflow } from '../__tests__/recipes/company.js'
import { goProgram, run } from './cache.js'
import { ownActions } from '../src/outcome/outcome.js'

/** The result of a workflow run, the same on act and on the local runner. */
export interface Ended {
  runId: number
  conclusion: string
  /** Of the steps that ran, main steps before their post steps: `main failure`. */
  steps: string[]
  /** Outputs of the steps that have any, in order. */
  outputs: Record<string, string>[]
}

export const actProgram = () => goProgram('github.com/nektos/act', '0.2.89')

/** Runs a workflow on act, directly on this machine, in the environment of the company. */
export async function runOnAct(
  { world }: Company,
  { file, text }: Workflow,
  event: WorkflowEvent,
): Promise<Ended> {
  const { origin, github } = world
  const { on, jobs } = readWorkflow(text)
  const happening = happeningOf(on, event, origin)
  if (!happening) throw new Error(`${event.name} does not start ${file}.`)
  const { branch, commit, headRepository } = happening
  const { ref, sha } = happening.github
  const listed = github.seed.run({
    ...{ workflow: file, event: event.name, branch, commit, headRepository, conclusion: null },
    createdAt: new Date(),
  })
  for (const [name, made] of Object.entries(happening.refs ?? {})) github.seed.ref(name, made)
  // act knows one token for all jobs.
  const permissions = Object.fromEntries(jobs.flatMap((job) => Object.entries(job.permissions)))
  const { url, runtimeUrl = url, token } = await github.artifactService(listed.id)
  const folder = mkdtempSync(path.join(tmpdir(), 'act-'))
  try {
    const clone = path.join(folder, 'clone')
    execFileSync('git', ['clone', '-q', `file://${origin.folder}`, clone])
    execFileSync('git', ['fetch', '-q', 'origin', ref], { cwd: clone })
    execFileSync('git', ['checkout', '-q', '--detach', sha], { cwd: clone })
    // act refuses a key that it does not know yet.
    writeFileSync(path.join(folder, file), text.replace(/^ *queue: max\n|, queue: max(?= \})/gm, ''))
    writeFileSync(path.join(folder, 'event.json'), JSON.stringify(happening.github.event))
    const variables = {
      ...world.machineEnv,
      // act uses a new folder for each job, so compiled code would never be found again.
      NODE_DISABLE_COMPILE_CACHE: '1',
      SANDBOX_ORIGIN: origin.folder,
      SANDBOX_PERMISSIONS: JSON.stringify(permissions),
      GITHUB_REPOSITORY: origin.repository,
      GITHUB_REF: ref,
      SHA_REF: sha,
      GITHUB_RUN_ID: listed.id,
      GITHUB_API_URL: github.url,
      GITHUB_SERVER_URL: github.serverUrl,
      GITHUB_WORKFLOW_REF: `${origin.repository}/.github/workflows/${file}@${ref}`,
    }
    const secrets = { ...world.secrets, GITHUB_TOKEN: github.token(permissions) }
    // act replaces a checkout by the clone, unless it names a reference.
    const actions = {
      'load-test-action/load-test-action@v1': ownFiles(folder),
      'actions/checkout@v7': path.resolve('sandbox/runner/actions/checkout'),
    }
    const pairs = (option: string, all: object) =>
      Object.entries(all).flatMap(([name, value]) => [option, `${name}=${String(value)}`])
    const args = [
      ...[event.name, '--json', '-C', clone, '-W', path.join(folder, file)],
      ...['-e', path.join(folder, 'event.json'), '-P', 'ubuntu-latest=-self-hosted'],
      ...['--no-cache-server', '--concurrent-jobs', '1'],
      // Without a server of its own it names none to the steps at all.
      ...['--artifact-server-path', path.join(folder, 'artifacts')],
      ...['--artifact-server-addr', '127.0.0.1', '--artifact-server-port', '0'],
      ...pairs('--local-repository', actions),
      ...pairs('--env', variables),
      ...pairs('-s', secrets),
    ]
    const env = {
      // act takes the first node that it finds.
      PATH: `${path.dirname(node24())}${path.delimiter}${process.env['PATH'] ?? ''}`,
      HOME: path.join(folder, 'home'),
      // The local GitHub instead of act's own artifact server.
      ...{ ACTIONS_RUNTIME_URL: runtimeUrl ?? '', ACTIONS_RUNTIME_TOKEN: token },
    }
    const { code, output } = await run(await actProgram(), args, { env, seconds: 240 })
    const conclusion = code === 0 ? 'success' : 'failure'
    listed.conclusion = conclusion
    return { runId: listed.id, conclusion, ...read(output) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Line {
  stage?: string
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
function read(output: string): Pick<Ended, 'steps' | 'outputs'> {
  const lines = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
  const outputs = new Map<string, Record<string, string>>()
  for (const { command, name, arg, jobID, matrix, stepID, kvPairs } of lines) {
    if (command !== 'set-output') continue
    const key = JSON.stringify([jobID, matrix, stepID])
    const named = name ?? kvPairs?.['name'] ?? ''
    outputs.set(key, { ...outputs.get(key), [named]: arg ?? '' })
  }
  const ended = lines.filter(({ stage = '', stepResult }) => stepResult && ['Main', 'Post'].includes(stage))
  return {
    steps: ended.map(({ stage = '', stepResult = '' }) => `${stage.toLowerCase()} ${stepResult}`),
    outputs: [...outputs.values()],
  }
}

/** The files of this project that a workflow gets; act copies the whole folder. */
function ownFiles(folder: string): string {
  const copy = path.join(folder, 'action')
  mkdirSync(copy)
  for (const name of ['action.yml', 'dist', ...ownActions])
    cpSync(name, path.join(copy, name), { recursive: true })
  return copy
}
