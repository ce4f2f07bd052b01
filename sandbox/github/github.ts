import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fastify } from 'fastify'
import { Access, botLogin, type Permissions } from './access.js'
import { ArtifactService } from './artifact-service.js'
import { ArtifactShelf } from './artifact-shelf.js'
import { BlobAddresses } from './blob-address.js'
import { BlobStore } from './blob-store.js'
import { Faults, answerFault, type Fault } from './faults.js'
import { logRequests } from './request-log.js'
import { restRoutes } from './rest.js'
import { RuntimeTokens } from './runtime-token.js'
import { Seeds } from './seeds.js'
import { defaultSettings, type Settings } from './settings.js'
import { Store } from './store.js'

export interface GithubOptions {
  /** `owner/name`; default `octo-org/shop`. */
  repository?: string
  /** Default `main`. */
  defaultBranch?: string
  /** Where artifacts land, as `run-<id>/<artifact id>/<file>`; default a temporary folder that close() removes. */
  folder?: string
  /** Of the default token. */
  permissions?: Permissions
  /** 0, the default, is any free port. */
  port?: number
  settings?: Partial<Settings>
}

/** The step that a set of variables is for. */
export interface StepOptions {
  /** Default 5001; a run that is not there yet is made, in progress. */
  runId?: number
  attempt?: number
  job?: string
  /** GITHUB_RETENTION_DAYS: the most that the repository allows. */
  retentionDays?: number
}

/** A running stand-in. */
export interface Github {
  /** Address of the REST API. */
  url: string
  /** Address of the artifact service. */
  resultsUrl: string
  repository: string
  /** A token with the permissions of the options; what a workflow knows as `github.token`. */
  token: string
  /** Where the artifacts lie. */
  folder: string
  store: Store
  /** May be changed at any time. */
  settings: Settings
  /** Puts things there that happened before. */
  seed: Seeds
  /** The variables that a runner gives a step so that it finds this GitHub. The token is not among them. */
  env(step?: StepOptions): Promise<Record<string, string>>
  /** A further token of the REST API. */
  addToken(permissions: Permissions, login?: string): string
  /** What a token may do from now on; the default token where none is named. */
  permit(permissions: Permissions, token?: string): void
  /** Lets requests to come fail. */
  fail(fault: Fault): void
  /** Takes back the faults that have not happened. */
  heal(): void
  close(): Promise<void>
}

const defaultPermissions: Permissions = { actions: 'read', contents: 'read', 'pull-requests': 'write' }

/** Starts a local GitHub of one repository on a loopback port. */
export async function startGithub(options: GithubOptions = {}): Promise<Github> {
  const repository = options.repository ?? 'octo-org/shop'
  const settings: Settings = { ...defaultSettings, ...options.settings }
  const folder = options.folder ?? (await mkdtemp(path.join(tmpdir(), 'github-')))
  const uploads = await mkdtemp(path.join(tmpdir(), 'github-uploads-'))
  const store = new Store()
  const access = new Access(settings)
  const faults = new Faults()
  const tokens = new RuntimeTokens()
  const addresses = new BlobAddresses()
  const blobs = new BlobStore(uploads, addresses)
  const shelf = new ArtifactShelf(folder, store, blobs, addresses, settings)
  const defaultBranch = options.defaultBranch ?? 'main'
  const seed = new Seeds(store, shelf, tokens, repository, defaultBranch)

  const app = fastify({ forceCloseConnections: true, bodyLimit: 4 * 1024 * 1024 })
  let url = ''
  const origin = () => url
  logRequests(app, store)
  app.addHook('onRequest', async (request, reply) => {
    const fault = faults.take(`${request.method} ${request.url}`)
    if (fault) {
      answerFault(fault, reply)
      return reply
    }
  })
  await app.register(blobs.routes)
  await app.register(new ArtifactService(shelf, tokens, settings, origin).routes, {
    prefix: '/twirp/github.actions.results.api.v1.ArtifactService',
  })
  await app.register(restRoutes({ store, access, shelf, repository, defaultBranch, origin }))
  url = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })

  const token = addToken(options.permissions ?? defaultPermissions)
  return {
    url,
    resultsUrl: `${url}/`,
    repository,
    token,
    folder,
    store,
    settings,
    seed,
    env,
    addToken,
    permit,
    fail: (fault) => faults.add(fault),
    heal: () => faults.clear(),
    close,
  }

  function addToken(permissions: Permissions, login = botLogin): string {
    const secret = `ghs_${randomBytes(18).toString('hex')}`
    access.tokens.set(secret, { permissions, login })
    return secret
  }

  function permit(permissions: Permissions, secret = token): void {
    const known = access.tokens.get(secret)
    if (!known) throw new Error('There is no such token: add it with addToken first.')
    known.permissions = permissions
  }

  async function env(step: StepOptions = {}): Promise<Record<string, string>> {
    const { runId = 5001, attempt = 1, job = 'load-test', retentionDays = settings.retentionDays } = step
    const run = store.run(runId) ?? seed.run({ id: runId, attempt, status: 'in_progress', conclusion: null })
    run.attempt = Math.max(run.attempt, attempt)
    return {
      ACTIONS_RUNTIME_TOKEN: await tokens.issue(tokens.job(runId, attempt, job)),
      ACTIONS_RESULTS_URL: `${url}/`,
      GITHUB_API_URL: url,
      // The artifact client takes any other host for an old GitHub Enterprise Server and refuses to work.
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: repository,
      GITHUB_RUN_ID: String(runId),
      GITHUB_RUN_NUMBER: String(run.runNumber),
      GITHUB_RUN_ATTEMPT: String(attempt),
      GITHUB_JOB: job,
      GITHUB_RETENTION_DAYS: String(retentionDays),
      // The blob client, unlike the others, would ask a proxy for a loopback address too.
      NO_PROXY: '127.0.0.1,localhost',
    }
  }

  async function close(): Promise<void> {
    await app.close()
    await rm(uploads, { recursive: true, force: true })
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
  }
}
