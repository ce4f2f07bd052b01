import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import AdmZip from 'adm-zip'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import { ConcurrencyGroups } from '../../sandbox/runner/concurrency-groups.js'
import {
  runAgain,
  runWorkflow,
  type WorkflowResult,
  type WorkflowWorld,
} from '../../sandbox/runner/workflow.js'
import type { WorkflowEvent } from '../../sandbox/runner/workflow-event.js'
import type { Source } from '../../sandbox/service/load-test.js'
import { startService, type Service } from '../../sandbox/service/service.js'
import type { ServiceSettings } from '../../sandbox/service/settings.js'
import { makeRepository, type Commit } from '../repository.js'
import { makeAuthority } from '../step/authority.js'
import { startProxy, type Proxy } from '../step/proxy.js'
import { machineEnv } from '../step/sandbox.js'

/** A template on the service, as a workflow names it. */
export interface Template {
  number: number
  name: string
  source?: Source
}

/**
 * A company like that in the documents: a service at https://loadtest.example.com with the project my-org/my-project,
 * a private repository on GitHub with its secrets, and pull request 7 from the branch `faster`. So the workflows of
 * the documents run unchanged.
 */
export interface Company {
  service: Service
  github: Github
  proxy: Proxy
  /** The certificate file of the service's CA. */
  authority: string
  folder: string
  world: WorkflowWorld
  run: (workflow: Workflow, event: WorkflowEvent, more?: Partial<WorkflowWorld>) => Promise<WorkflowResult>
  /** "Re-run all jobs" or "Re-run failed jobs". */
  again: (
    workflow: Workflow,
    of: WorkflowResult,
    what: 'all' | 'failed',
    more?: Partial<WorkflowWorld>,
  ) => Promise<WorkflowResult>
  /** Changes files on a branch and commits them. */
  commit: Commit
  /** The latest commit of a branch. */
  commitOf: (branch: string) => string
  /** Names of the files in the code archive from which run `start` was built. */
  archived: (start: number) => string[]
  close(): Promise<void>
}

export interface Workflow {
  /** Its place in the documents. */
  from: string
  file: string
  text: string
}

export const pullRequest = { name: 'pull_request', number: 7, branch: 'faster', base: 'main' } as const
/** Somebody asks for a load test of that pull request. */
export const ask = {
  name: 'issue_comment',
  number: pullRequest.number,
  branch: pullRequest.branch,
  body: '/loadtest',
  login: 'olga',
} as const
export const push = { name: 'push', branch: 'main' } as const

const service443 = 'loadtest.example.com:443'

export async function openCompany(
  templates: readonly Template[],
  settings: Partial<ServiceSettings> = {},
): Promise<Company> {
  const authority = makeAuthority(['DNS:loadtest.example.com'])
  const folder = mkdtempSync(path.join(tmpdir(), 'company-'))
  const caches = path.join(folder, 'caches')
  mkdirSync(caches)
  // A run has ended at the first look: these tests are not about waiting.
  const instant = { secondsPerState: 0, secondsRunning: 0, reportDelay: 0, simulatedMinutes: 1 }
  const service = await startService({ tls: authority.tls, seededArchive: false, ...instant, ...settings })
  const credentials = project(service, templates)
  const github = await startGithub({ settings: { private: true, everyPullExists: false } })
  const proxy = await startProxy(new Map([[service443, new URL(service.url).host]]))
  const origin = { folder: path.join(folder, 'origin'), repository: 'sandbox/project', defaultBranch: 'main' }
  const commit = repository(origin.folder)
  github.seed.pull({ number: 7 })
  const world: WorkflowWorld = {
    github,
    origin,
    caches,
    groups: new ConcurrencyGroups(),
    actions: { 'load-test-action/load-test-action': process.cwd() },
    secrets: { LOADTEST_CLIENT_ID: credentials.clientId, LOADTEST_CLIENT_SECRET: credentials.clientSecret },
    machineEnv: {
      ...machineEnv,
      HTTPS_PROXY: proxy.url,
      NO_PROXY: '127.0.0.1,localhost',
      NODE_EXTRA_CA_CERTS: authority.file,
    },
  }
  const commitOf = (branch: string) =>
    execFileSync('git', ['rev-parse', branch], { cwd: origin.folder, encoding: 'utf8' }).trim()
  return {
    ...{ service, github, proxy, authority: authority.file, folder, world, commit, commitOf },
    async run({ file, text }, event, more = {}) {
      const result = await runWorkflow(file, text, event, { ...world, ...more })
      if (!result) throw new Error(`${event.name} does not start ${file}.`)
      return result
    },
    again: ({ file, text }, of, what, more = {}) => runAgain(file, text, of, what, { ...world, ...more }),
    archived(start) {
      const id = service.books.starts[start]?.archiveId
      const archive = service.books.archives.find((one) => one.id === id)
      if (!archive) throw new Error(`Start ${start} was not built from a code archive.`)
      return new AdmZip(readFileSync(archive.file))
        .getEntries()
        .map(({ entryName }) => entryName.replace(/^[^/]+\//, ''))
        .filter((name) => name !== '' && !name.endsWith('/'))
        .sort()
    },
    async close() {
      await Promise.all([service.close(), github.close(), proxy.close()])
      rmSync(folder, { recursive: true, force: true })
      authority.remove()
    },
  }
}

/** The project my-org/my-project, and credentials for it. */
function project(service: Service, templates: readonly Template[]) {
  const mine = {
    shortName: 'my-project',
    name: 'My project',
    organizationCredentialsDisabled: false,
    loadTests: templates.map(({ number, name, source = { codeArchive: 'latest' as const } }) => ({
      ...{ number, name, source, description: name, executionEnvironment: '9.x' as const },
    })),
    archives: [],
  }
  service.world.organizations.set('my-org', {
    shortName: 'my-org',
    projects: new Map([[mine.shortName, mine]]),
  })
  const credentials = {
    ...service.credentials('everything'),
    name: 'CI',
    organization: 'my-org',
    clientId: 'my-ci-client',
  }
  service.world.credentials.push(credentials)
  return credentials
}

/** A repository with a test suite and a branch `faster`. */
function repository(folder: string): Commit {
  const commit = makeRepository(folder, {
    'pom.xml': '<project/>\n',
    'src/main/java/TBrowse.java': 'class TBrowse {}\n',
    'config/project.properties': 'loadtests = TBrowse\n',
    'README.md': 'The suite of the shop.\n',
  })
  commit('faster', { 'src/main/java/TBrowse.java': 'class TBrowse { int faster; }\n' })
  return commit
}

/** The workflow that README.md shows below the name of its file. */
const shownFirst =
  /`\.github\/workflows\/(.+)`.*\n\n```yaml\n([\s\S]*?)^```/m.exec(readFileSync('README.md', 'utf8')) ?? []

/** Every whole workflow that README.md and docs/recipes show. */
export const workflows: readonly Workflow[] = [
  { from: `README.md ${shownFirst[1] ?? ''}`, file: shownFirst[1] ?? '', text: shownFirst[2] ?? '' },
  ...readdirSync('docs/recipes')
    .filter((name) => !name.endsWith('.md'))
    .map((file) => path.join('docs/recipes', file))
    .map((from) => ({ from, file: path.basename(from), text: readFileSync(from, 'utf8') })),
]

/** One of them, by a name such as `README.md load-test.yml` or `docs/recipes/matrix.yml`. */
export function workflow(from: string): Workflow {
  const found = workflows.find((one) => one.from === from)
  if (!found) throw new Error(`There is no workflow ${from}.`)
  return found
}

/** One of them with the placeholders for the user's own machine replaced; each must occur in it. */
export function edited(from: string, changes: Readonly<Record<string, string>>): Workflow {
  const shown = workflow(from)
  const missing = Object.keys(changes).filter((text) => !shown.text.includes(text))
  if (missing.length > 0) throw new Error(`${from} has no ${missing.join(', ')}.`)
  const put = (text: string, [old, now]: [string, string]) => text.replaceAll(old, () => now)
  return { ...shown, text: Object.entries(changes).reduce(put, shown.text) }
}

/** The steps of this action in a run, without their post steps. */
export function loadTests(result: WorkflowResult): StepResult[] {
  return result.jobs.flatMap(({ steps }) =>
    steps.filter(({ stage, outputs }) => stage === 'main' && outputs['verdict'] !== undefined),
  )
}

export function verdicts(result: WorkflowResult): (string | undefined)[] {
  return loadTests(result).map(({ outputs }) => outputs['verdict'])
}

/** How a run ended: its conclusion, and the verdict of each load test in it. */
export const ending = (result: WorkflowResult) => [result.conclusion, ...verdicts(result)]
