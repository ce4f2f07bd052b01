import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ArtifactShelf, Reservation } from './artifact-shelf.js'
import type { Job, RuntimeTokens } from './runtime-token.js'
import type { Settings } from './settings.js'

/** The error codes of Twirp that the artifact service uses, and their status. */
const statuses = {
  already_exists: 409,
  bad_route: 404,
  failed_precondition: 412,
  internal: 500,
  invalid_argument: 400,
  malformed: 400,
  not_found: 404,
  permission_denied: 403,
  unauthenticated: 401,
} as const

class TwirpError extends Error {
  override name = 'TwirpError'

  constructor(
    readonly code: keyof typeof statuses,
    message: string,
  ) {
    super(message)
  }
}

function sendTwirpError(error: unknown, reply: FastifyReply): FastifyReply {
  const { code, message } = twirpError(error)
  return reply.code(statuses[code]).send({ code, msg: message })
}

function twirpError(error: unknown): TwirpError {
  if (error instanceof TwirpError) return error
  if (!(error instanceof Error)) return new TwirpError('internal', String(error))
  // Fastify's own: a body that is not JSON or breaks its schema.
  const badBody = 'statusCode' in error && error.statusCode === 400
  return new TwirpError(badBody ? 'malformed' : 'internal', error.message)
}

// The fields of the messages in proto JSON: int64 is text, a wrapped string is text, a timestamp is RFC 3339.
interface Backends {
  workflow_run_backend_id: string
  workflow_job_run_backend_id: string
}
interface Named extends Backends {
  name: string
}
interface Creation extends Named {
  expires_at?: string
  version: number
  mime_type?: string
}
interface Finalization extends Named {
  size?: string
  hash?: string
}
interface Listing extends Backends {
  name_filter?: string
  id_filter?: string
}

const text = { type: 'string' }
const required = ['workflow_run_backend_id', 'workflow_job_run_backend_id']

/** The oldest format that the service still accepts: that of upload-artifact@v4. */
const oldestVersion = 4

/** The artifact service, `github.actions.results.api.v1.ArtifactService` over Twirp with JSON. */
export class ArtifactService {
  constructor(
    private readonly shelf: ArtifactShelf,
    private readonly tokens: RuntimeTokens,
    private readonly settings: Settings,
    private readonly origin: () => string,
  ) {}

  /** A fastify plugin with the routes of the service. */
  readonly routes = (app: FastifyInstance, _options: object, done: () => void): void => {
    app.setErrorHandler((error, _request, reply) => sendTwirpError(error, reply))
    app.addHook('onRequest', async ({ url }) => {
      if (this.settings.enterprise) throw new TwirpError('bad_route', `no handler for path "${url}"`)
    })
    app.setNotFoundHandler((request) => {
      throw new TwirpError('bad_route', `no handler for path "${request.url}"`)
    })
    app.post<{ Body: Creation }>(
      '/CreateArtifact',
      body(['name', 'version'], {
        name: text,
        version: { type: 'integer' },
        expires_at: text,
        mime_type: text,
      }),
      async (request) => this.#create(await this.#job(request), request.body),
    )
    app.post<{ Body: Finalization }>(
      '/FinalizeArtifact',
      body(['name'], { name: text, size: { type: 'string', pattern: '^\\d+$' }, hash: text }),
      async (request) => this.#finalize(await this.#job(request), request.body),
    )
    app.post<{ Body: Listing }>(
      '/ListArtifacts',
      body([], { name_filter: text, id_filter: text }),
      async (request) => this.#list(await this.#job(request), request.body),
    )
    app.post<{ Body: Named }>('/GetSignedArtifactURL', body(['name'], { name: text }), async (request) => {
      const found = this.#finished(await this.#job(request), request.body.name)
      return { name: found.name, signed_url: this.shelf.downloadUrl(found, this.origin()) }
    })
    done()
  }

  #create(job: Job, asked: Creation): object {
    const { name, version, mime_type: mimeType = 'application/zip' } = asked
    checkName(name)
    if (version < oldestVersion) {
      throw new TwirpError('invalid_argument', `artifacts of version ${version} are no longer accepted`)
    }
    if (this.settings.storageQuotaHit) {
      throw new TwirpError('permission_denied', 'insufficient usage to create artifact')
    }
    if (this.settings.refusedArtifacts.includes(name)) {
      throw new TwirpError('permission_denied', `no artifact may be named ${name}`)
    }
    if (this.shelf.find(job, name)) {
      throw new TwirpError('already_exists', 'an artifact with this name already exists on the workflow run')
    }
    const expiresAt = asked.expires_at === undefined ? {} : { expiresAt: futureDate(asked.expires_at) }
    const reservation = this.shelf.reserve({ job, name, mimeType, ...expiresAt })
    return { ok: true, signed_upload_url: this.shelf.uploadUrl(reservation, this.origin()) }
  }

  async #finalize(job: Job, { name, size = '0', hash }: Finalization): Promise<object> {
    const reservation = this.shelf.find(job, name)
    if (!reservation) throw new TwirpError('not_found', `no artifact named ${name} was created`)
    if (reservation.artifact) throw new TwirpError('already_exists', `artifact ${name} is already finalized`)
    const { content } = reservation.blob
    if (!content) throw new TwirpError('failed_precondition', `nothing was uploaded for artifact ${name}`)
    if (String(content.size) !== size) {
      throw new TwirpError('invalid_argument', `${content.size} bytes were uploaded, not ${size}`)
    }
    const digest = `sha256:${content.sha256}`
    if (hash !== undefined && hash !== digest) {
      throw new TwirpError('invalid_argument', `the digest of the upload is ${digest}, not ${hash}`)
    }
    const { id } = await this.shelf.finish(reservation)
    return { ok: true, artifact_id: String(id) }
  }

  #list(job: Job, { name_filter: name, id_filter: id }: Listing): object {
    const artifacts = this.shelf
      .ofRun(job)
      .filter(({ artifact }) => id === undefined || String(artifact?.id) === id)
      .filter((found) => name === undefined || found.name === name)
    return {
      artifacts: artifacts.map(({ job: owner, artifact, name: called }) => ({
        workflow_run_backend_id: owner.runBackendId,
        workflow_job_run_backend_id: owner.jobBackendId,
        database_id: String(artifact?.id),
        name: called,
        size: String(artifact?.size),
        created_at: artifact?.createdAt.toISOString(),
        digest: artifact?.digest,
      })),
    }
  }

  #finished(job: Job, name: string): Reservation {
    const found = this.shelf.ofRun(job).find((reservation) => reservation.name === name)
    if (!found) throw new TwirpError('not_found', 'artifact not found')
    return found
  }

  /** The job that the token was issued for; it must belong to the run that the message names. */
  async #job({ headers, body: { workflow_run_backend_id: run } }: FastifyRequest<{ Body: Backends }>) {
    const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
    const job = token === undefined ? undefined : await this.tokens.read(token)
    if (!job) throw new TwirpError('unauthenticated', 'missing or invalid token')
    const shared = this.settings.attemptsShareNames
    if (job.runBackendId !== run && !shared) {
      throw new TwirpError('permission_denied', 'the token is not for this workflow run')
    }
    return job
  }
}

function body(names: string[], properties: Record<string, object>): object {
  return {
    schema: {
      body: {
        type: 'object',
        required: [...required, ...names],
        properties: { workflow_run_backend_id: text, workflow_job_run_backend_id: text, ...properties },
      },
    },
  }
}

function checkName(name: string): void {
  const illegal = /["<>|*?:\r\n\\/]/.exec(name)?.[0]
  if (illegal !== undefined || /^\.{0,2}$/.test(name)) {
    const why = illegal === undefined ? '' : `, it contains ${JSON.stringify(illegal)}`
    throw new TwirpError('invalid_argument', `artifact name is not valid${why}`)
  }
}

function futureDate(value: string): Date {
  const date = new Date(value)
  if (!(date > new Date()))
    throw new TwirpError('invalid_argument', `expires_at ${value} is not in the future`)
  return date
}
