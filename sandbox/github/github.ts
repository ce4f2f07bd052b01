import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify'
import { named } from '../service/named.js'
import { validatorOf } from '../service/validation.js'
import { Access, botLogin, type Permissions } from './access.js'
import { ArtifactService } from './artifact-service.js'
import { ArtifactShelf } from './artifact-shelf.js'
import { BlobStore } from './blob-store.js'
import { FileContainers, runtimePath } from './file-containers.js'
import { Faults, answerFault, serverError, type Fault } from './faults.js'
import { restRoutes } from './rest.js'
import { RuntimeTokens } from './runtime-token.js'
import { Seeds } from './seeds.js'
import { defaultSettings, type Settings } from './settings.js'
import { Store, type LoggedRequest } from './store.js'

export interface GithubOptions {
  /** Where artifacts go, as `run-<id>/<artifact id>/<file>`; default: a temporary folder that close() removes. */
  folder?: string
  /** Permissions of the default token. */
  permissions?: Permissions
  /** 0, the default, is any free port. */
  port?: number
  settings?: Partial<Settings>
}

/** The step that the variables are for. */
export interface StepOptions {
  /** Default 5001. */
  runId?: number
  attempt?: number
  job?: string
  /** GITHUB_RETENTION_DAYS: the maximum of the repository. */
  retentionDays?: number
}

/** Where the artifacts of a job go: an Enterprise Server has only `runtimeUrl`. */
export interface ArtifactAccess {
  url?: string
  runtimeUrl?: string
  token: string
}

/** A running stand-in. */
export interface Github {
  /** Address of the REST API. */
  url: string
  /** The address of this GitHub's pages, as a job gets it; there are no such pages. */
  serverUrl: string
  /** Address of an Enterprise Server's artifact service: ACTIONS_RUNTIME_URL. */
  runtimeUrl: string
  /** Folder of the artifacts. */
  folder: string
  store: Store
  /** May be changed at any time. */
  settings: Settings
  /** Adds things that happened before. */
  seed: Seeds
  /**
   * The variables with which a runner points a step to this GitHub. The REST API's token is not among them: a step
   * gets it as an input.
   */
  env(step?: StepOptions): Promise<Record<string, string>>
  /**
   * A token of the REST API: with permissions, a new one; else the default token, with the permissions of the
   * options.
   */
  token(permissions?: Permissions, login?: string): string
  /** ACTIONS_RUNTIME_TOKEN of a job, for the artifact service. */
  runtimeToken(runId: number, attempt?: number, job?: string): Promise<string>
  /** The artifact service, as a runner gets it for a job. */
  artifactService(runId: number, attempt?: number, job?: string): Promise<ArtifactAccess>
  /** What a token may do from now on; by default the default token. */
  permit(permissions: Permissions, token?: string): void
  /** Makes future requests fail. */
  fail(fault: Fault): void
  /** Drops the faults that have not happened. */
  heal(): void
  close(): Promise<void>
}

const defaultPermissions: Permissions = { actions: 'read', contents: 'read', 'pull-requests': 'write' }

/** Starts a local GitHub of one repository on a loopback port. */
export async function startGithub(options: GithubOptions = {}): Promise<Github> {
  const settings: Settings = { ...defaultSettings, ...options.settings }
  const folder = options.folder ?? (await mkdtemp(path.join(tmpdir(), 'github-')))
  const uploads = await mkdtemp(path.join(tmpdir(), 'github-uploads-'))
  const store = new Store()
  const access = new Access(settings)
  const faults = new Faults()
  const tokens = new RuntimeTokens()
  const blobs = new BlobStore(uploads)
  const shelf = new ArtifactShelf(folder, store, blobs, settings)
  const seed = new Seeds(store, shelf, tokens, settings)

  const app = fastify({ forceCloseConnections: true, bodyLimit: 4 * 1024 * 1024 })
  // The framework would build its own for each GitHub, which takes longer than the rest of the start.
  app.setValidatorCompiler(validatorOf)
  let url = ''
  const origin = () => url
  const late = new WeakMap<FastifyRequest, Fault>()
  logRequests(app, store)
  app.addHook('onRequest', async (request, reply) => {
    const fault = faults.take(`${request.method} ${request.url}`)
    if (fault?.kind === 'cut-after' || fault?.carriedOut) {
      late.set(request, fault)
    } else if (fault) {
      answerFault(fault, reply)
      return reply
    }
  })
  app.addHook('preSerialization', async (request, reply, payload) => {
    const fault = late.get(request)
    if (fault?.kind === 'server-error') {
      void reply.code(fault.status ?? 502)
      return serverError
    }
    if (fault) answerFault(fault, reply)
    return payload
  })
  await app.register(named('blobs', blobs.routes))
  await app.register(named('artifacts', new ArtifactService(shelf, tokens, settings, origin).routes), {
    prefix: '/twirp/github.actions.results.api.v1.ArtifactService',
  })
  await app.register(
    named('containers', new FileContainers(uploads, shelf, tokens, settings, origin).routes),
    {
      prefix: runtimePath,
    },
  )
  await app.register(named('rest', restRoutes({ store, access, shelf, settings, origin })))
  url = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })

  const defaultToken = newToken(options.permissions ?? defaultPermissions, botLogin)
  return {
    url,
    get serverUrl() {
      return serverUrl()
    },
    runtimeUrl: `${url}${runtimePath}/`,
    folder,
    store,
    settings,
    seed,
    env,
    token: (permissions, login = botLogin) => (permissions ? newToken(permissions, login) : defaultToken),
    runtimeToken,
    artifactService,
    permit,
    fail: (fault) => faults.add(fault),
    heal: () => faults.clear(),
    close,
  }

  function newToken(permissions: Permissions, login: string): string {
    const secret = `ghs_${randomBytes(18).toString('hex')}`
    access.tokens.set(secret, { permissions, login })
    return secret
  }

  function permit(permissions: Permissions, secret = defaultToken): void {
    const known = access.tokens.get(secret)
    if (!known) throw new Error('There is no such token: create it with token(permissions) first.')
    known.permissions = permissions
  }

  async function runtimeToken(runId: number, attempt = 1, job = 'load-test'): Promise<string> {
    return tokens.issue(tokens.job(runId, attempt, job))
  }

  async function artifactService(runId: number, attempt?: number, job?: string): Promise<ArtifactAccess> {
    const token = await runtimeToken(runId, attempt, job)
    return settings.enterprise ? { runtimeUrl: `${url}${runtimePath}/`, token } : { url: `${url}/`, token }
  }

  // The artifact client regards any host but github.com as an Enterprise Server and refuses to work.
  function serverUrl(): string {
    return settings.enterprise ? 'https://github.example.com' : 'https://github.com'
  }

  async function env(step: StepOptions = {}): Promise<Record<string, string>> {
    const { runId = 5001, attempt = 1, job = 'load-test', retentionDays = settings.retentionDays } = step
    const { token, url: results, runtimeUrl } = await artifactService(runId, attempt, job)
    return {
      ACTIONS_RUNTIME_TOKEN: token,
      ...(runtimeUrl === undefined ? {} : { ACTIONS_RUNTIME_URL: runtimeUrl }),
      ...(results === undefined ? {} : { ACTIONS_RESULTS_URL: results }),
      GITHUB_SERVER_URL: serverUrl(),
      GITHUB_API_URL: url,
      GITHUB_REPOSITORY: settings.repository,
      GITHUB_RUN_ID: String(runId),
      GITHUB_RUN_ATTEMPT: String(attempt),
      GITHUB_JOB: job,
      GITHUB_RETENTION_DAYS: String(retentionDays),
      // The blob client, unlike the others, would use a proxy even for a loopback address.
      NO_PROXY: '127.0.0.1,localhost',
    }
  }

  async function close(): Promise<void> {
    await app.close()
    await rm(uploads, { recursive: true, force: true })
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
  }
}

/** Records every request in the store, in order of arrival. */
function logRequests(app: FastifyInstance, store: Store): void {
  const entries = new WeakMap<FastifyRequest, LoggedRequest>()
  app.addHook('onRequest', async (request) => {
    const { method, url, headers } = request
    const entry: LoggedRequest = { method, url, userAgent: headers['user-agent'] ?? '' }
    entries.set(request, entry)
    store.requests.push(entry)
  })
  app.addHook('preValidation', async (request) => {
    const entry = entries.get(request)
    if (entry && request.body !== undefined) entry.body = request.body
  })
  app.addHook('onResponse', async (request, reply) => {
    const entry = entries.get(request)
    if (entry) entry.status = reply.statusCode
  })
}
