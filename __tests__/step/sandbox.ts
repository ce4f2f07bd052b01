import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { startJob, type StepOptions } from '../../sandbox/runner/job.js'
import type { JobOptions } from '../../sandbox/runner/job-options.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import { pastRun } from '../../sandbox/service/past-run.js'
import { startService, type Service } from '../../sandbox/service/service.js'
import type { CodeArchive } from '../../sandbox/service/code-archive.js'
import type { CredentialsName } from '../../sandbox/service/credentials.js'
import { runSettings, type ServiceSettings } from '../../sandbox/service/settings.js'
import type { OwnAction } from '../../src/outcome/outcome.js'

/** Everything around the step: a service, GitHub, a workspace with a test suite, and jobs that run dist/. */
export interface Sandbox {
  service: Service
  github: Github
  workspace: string
  /** What is checked out there at first: the commit of each job's event. */
  commit: string
  runId: number
  /** The code archives uploaded since it began. */
  uploads(): CodeArchive[]
  /** Runs the step in a separate job, with a hurried clock. */
  run(inputs?: Record<string, string>, options?: RunOptions): Promise<Ran>
  /** Runs an action that uses no service in a separate job, with a hurried clock. */
  runOwn(name: OwnAction, inputs: Record<string, string>, options?: RunOptions): Promise<Ran>
  close(): Promise<void>
}

export interface RunOptions {
  job?: JobOptions
  step?: Partial<StepOptions>
  credentials?: CredentialsName
  /** Also runs the post step. */
  withPost?: boolean
}

export interface Ran extends StepResult {
  /** Empty unless requested. */
  post: StepResult[]
}

/** A run has ended at the first look, and its report is small. */
export const quick: Partial<ServiceSettings> = {
  secondsPerState: 0,
  secondsRunning: 0,
  reportDelay: 0,
  simulatedMinutes: 1,
}

export async function startSandbox(settings: Partial<ServiceSettings> = {}): Promise<Sandbox> {
  const service = await startService({ ...quick, ...settings })
  const github = await startGithub()
  const { workspace, commit } = suite()
  const seeded = service.books.archives.length
  let runId = 100
  return {
    service,
    github,
    workspace,
    commit,
    get runId() {
      return runId
    },
    uploads: () => service.books.archives.slice(seeded),
    run: (inputs = {}, options = {}) =>
      inJob(action, { ...inputsFor(service, options.credentials), ...inputs }, options),
    runOwn: (name, inputs, options = {}) => inJob(own(name), inputs, options),
    async close() {
      await Promise.all([service.close(), github.close()])
      rmSync(workspace, { recursive: true, force: true })
    },
  }

  async function inJob(
    action: string,
    inputs: Record<string, string>,
    { job: jobOptions = {}, step = {}, withPost = false }: RunOptions,
  ): Promise<Ran> {
    runId++
    const job = await startJob({
      workspace,
      ...jobOptions,
      machineEnv: { ...machineEnv, ...hurried, ...jobOptions.machineEnv },
      github: {
        sha: commit,
        ...{ runId, token: github.token(), apiUrl: github.url, serverUrl: github.serverUrl },
        ...jobOptions.github,
      },
      artifactService: await github.artifactService(
        jobOptions.github?.runId ?? runId,
        jobOptions.github?.runAttempt,
      ),
    })
    try {
      const result = await job.runStep({ action, id: 'load-test', ...step, inputs }).done
      return { ...result, post: withPost ? await job.finish() : [] }
    } finally {
      await job.remove()
    }
  }
}

/** The templates have run for an hour themselves, so that the step says when it should end. */
export function expectHour({ settings, world }: Service): void {
  for (const test of world.organizations.get('demo-org')?.projects.get('webshop')?.loadTests ?? []) {
    const template = test.number
    const past = { template, createdAt: Date.now() - 24 * 3_600_000, secondsRunning: 3600 }
    test.run ??= pastRun(runSettings(settings, 'webshop', template), past)
  }
}

/** The folder of the tested action. */
export const action = process.cwd()

/** The folder of an action in it. */
export const own = (name: OwnAction): string => path.join(action, name)

/**
 * What the machine adds to the environment of the job: compiled code is cached between steps, and a tenth of a short
 * step's time is not spent on garbage in small spaces.
 */
export const machineEnv = {
  NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/steps'),
  NODE_OPTIONS: '--max-semi-space-size=32',
}

/** A machine on which a step's time is twenty times as fast: no test waits as long as a user would. */
export const hurried = {
  NODE_OPTIONS: `${machineEnv.NODE_OPTIONS} --import=${pathToFileURL(path.resolve('__tests__/step/hurried.js')).href}`,
}

/** A job that pull request 7 has started. */
export const onPull = {
  eventName: 'pull_request',
  event: { pull_request: { number: 7, head: { sha: 'c0ffee01' }, base: { ref: 'main' } } },
}

/** The inputs that reach load test 1 of the sandbox. */
export function inputsFor(
  service: Service,
  credentials: CredentialsName = 'everything',
): Record<string, string> {
  const { clientId, clientSecret } = service.credentials(credentials)
  return {
    'base-url': service.url,
    'client-id': clientId,
    'client-secret': clientSecret,
    organization: 'demo-org',
    project: 'webshop',
    'load-test': '1',
  }
}

/** Its files as Git has left them, by name: the first sandbox of a file commits, the others write the same files. */
let committed: { commit: string; files: Map<string, Buffer> } | undefined

/** A small test suite in a Git repository. */
function suite(): { workspace: string; commit: string } {
  const workspace = mkdtempSync(path.join(tmpdir(), 'suite-'))
  if (committed) write(workspace, committed.files)
  else committed = commitSuite(workspace)
  return { workspace, commit: committed.commit }
}

function write(folder: string, files: ReadonlyMap<string, Buffer | string>): void {
  for (const [name, content] of files) {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}

function commitSuite(folder: string): NonNullable<typeof committed> {
  write(
    folder,
    new Map([
      ['pom.xml', '<project/>\n'],
      ['src/main/java/TBrowse.java', 'class TBrowse {}\n'],
      ['config/project.properties', 'loadtests = TBrowse\n'],
      ['.gitignore', 'target/\nresults/\n'],
      ['target/classes/TBrowse.class', 'built'],
    ]),
  )
  // No sample hooks to write and remove, and one file for all objects.
  const commit = 'git -c user.name=t -c user.email=t@example.com commit -qm suite && git repack -adq'
  const repository = `git init -q --template= -b main && git add . && ${commit} && git rev-parse HEAD`
  const told = execFileSync('sh', ['-c', repository], { cwd: folder, encoding: 'utf8' })
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const read = files.map((entry): [string, Buffer] => {
    const file = path.join(entry.parentPath, entry.name)
    return [path.relative(folder, file), readFileSync(file)]
  })
  return { commit: told.trim(), files: new Map(read) }
}
