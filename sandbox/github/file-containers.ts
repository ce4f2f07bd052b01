import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import AdmZip from 'adm-zip'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ArtifactShelf } from './artifact-shelf.js'
import { Refusal, notFound, pathNumber } from './refusal.js'
import type { Job, RuntimeTokens } from './runtime-token.js'
import type { Settings } from './settings.js'
import type { Artifact } from './store.js'

/** An Enterprise Server's services for runners are below this path, with an id of the account. */
export const runtimePath = '/_services/pipelines/sandbox'

/** A file of a container, as it was uploaded. */
interface StoredFile {
  /** Path on disk; with gzip, the file is packed. */
  path: string
  isGzip: boolean
  /** Bytes of the whole upload; some may not have arrived. */
  announced: number
  received: number
  /** Bytes, unpacked. */
  size: number
}

interface ContainerArtifact {
  files: Map<string, StoredFile>
  retentionDays: number | undefined
  createdAt: Date
  /** -1 until the client reports it. */
  size: number
  /** What the REST API offers. */
  published?: Artifact
}

type Params = { run: string }
type Query = { itemPath?: string; artifactName?: string }

const dayMs = 24 * 60 * 60_000

/**
 * The artifact service that GitHub had before version 4 of its artifacts, and an Enterprise Server has: one container
 * of files for each run, in which an artifact is a folder. An upload to an existing name adds to it or overwrites it.
 * For the REST API, an artifact becomes a ZIP as soon as its size is reported.
 */
export class FileContainers {
  readonly #runs = new Map<number, Map<string, ContainerArtifact>>()

  constructor(
    private readonly folder: string,
    private readonly shelf: ArtifactShelf,
    private readonly tokens: RuntimeTokens,
    private readonly settings: Settings,
    private readonly origin: () => string,
  ) {}

  /** A fastify plugin with the routes below `runtimePath`. */
  readonly routes = (app: FastifyInstance, _options: object, done: () => void): void => {
    const artifacts = '/_apis/pipelines/workflows/:run/artifacts'
    const container = '/_apis/resources/Containers/:run'
    app.addContentTypeParser('application/octet-stream', (_request, _payload, parsed) => {
      parsed(null)
    })
    app.setErrorHandler((error, _request, reply) => {
      const status = error instanceof Refusal ? error.status : 500
      const message = error instanceof Error ? error.message : String(error)
      return reply
        .code(status)
        .send({ $id: '1', message, typeName: 'GitHub.Services.WebApi.VssServiceException' })
    })
    app.addHook('onRequest', async () => {
      if (!this.settings.enterprise) throw notFound()
    })
    app.get<{ Params: Params }>(artifacts, async (request) => {
      const run = await this.#runOf(request)
      const value = [...this.#artifactsOf(run)].map(([name, artifact]) => this.#json(run, name, artifact))
      return { count: value.length, value }
    })
    app.post<{ Params: Params; Body: { Type?: string; Name?: string; RetentionDays?: number } }>(
      artifacts,
      async (request, reply) => {
        const run = await this.#runOf(request)
        const { Type: type, Name: name = '', RetentionDays: retentionDays } = request.body
        if (type !== 'actions_storage')
          throw new Refusal(400, `The artifact type ${String(type)} is unknown.`)
        if (/["<>|*?:\r\n\\/]/.test(name) || name === '')
          throw new Refusal(400, `The name ${name} is not valid.`)
        if (this.settings.storageQuotaHit || this.settings.refusedArtifacts.includes(name)) {
          throw new Refusal(403, 'The storage quota for artifacts has been hit.')
        }
        const known = this.#artifactsOf(run).get(name)
        const artifact = known ?? { files: new Map(), retentionDays, createdAt: new Date(), size: -1 }
        this.#artifactsOf(run).set(name, artifact)
        return reply.code(201).send(this.#json(run, name, artifact))
      },
    )
    app.patch<{ Params: Params; Querystring: Query; Body: { Size?: number } }>(artifacts, async (request) => {
      const run = await this.#runOf(request)
      const { artifactName: name = '' } = request.query
      const artifact = this.#artifactsOf(run).get(name)
      if (!artifact) throw new Refusal(404, `The artifact ${name} was not found.`)
      artifact.size = request.body.Size ?? 0
      await this.#publish(await this.#job(request), name, artifact)
      return this.#json(run, name, artifact)
    })
    app.put<{ Params: Params; Querystring: Query }>(container, async (request, reply) => {
      const run = await this.#runOf(request)
      return this.#store(run, request, reply)
    })
    app.get<{ Params: Params; Querystring: Query }>(container, async (request, reply) => {
      const run = await this.#runOf(request)
      const { itemPath = '' } = request.query
      // One file if its bytes are requested, else the list of the files below.
      if (/octet-stream/.test(request.headers.accept ?? '')) return this.#send(run, itemPath, request, reply)
      const value = this.#items(run, itemPath)
      return { count: value.length, value }
    })
    done()
  }

  #artifactsOf(run: number): Map<string, ContainerArtifact> {
    const artifacts = this.#runs.get(run) ?? new Map<string, ContainerArtifact>()
    this.#runs.set(run, artifacts)
    return artifacts
  }

  /** The run in the address; it must be the token's. */
  async #runOf(request: FastifyRequest<{ Params: Params }>): Promise<number> {
    const job = await this.#job(request)
    if (job.runId !== pathNumber(request.params.run)) throw new Refusal(403, 'The token is for another run.')
    return job.runId
  }

  async #job({ headers }: FastifyRequest): Promise<Job> {
    const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
    const job = token === undefined ? undefined : await this.tokens.read(token)
    if (!job) throw new Refusal(401, 'The token is missing or not valid.')
    return job
  }

  #containerUrl(run: number): string {
    return `${this.origin()}${runtimePath}/_apis/resources/Containers/${run}`
  }

  #json(run: number, name: string, { size, createdAt, retentionDays }: ContainerArtifact): object {
    const days = Math.min(retentionDays ?? this.settings.retentionDays, this.settings.retentionDays)
    return {
      containerId: run,
      size,
      signedContent: null,
      fileContainerResourceUrl: this.#containerUrl(run),
      type: 'actions_storage',
      name,
      url: `${this.origin()}${runtimePath}/_apis/pipelines/1/runs/${run}/artifacts?artifactName=${encodeURIComponent(name)}`,
      expiresOn: new Date(createdAt.getTime() + days * dayMs).toISOString(),
      items: null,
    }
  }

  /** Takes a chunk: the first starts the file again; each later one must begin where the previous one ended. */
  async #store(
    run: number,
    request: FastifyRequest<{ Params: Params; Querystring: Query }>,
    reply: FastifyReply,
  ): Promise<object> {
    const { itemPath = '' } = request.query
    const [name = '', ...below] = itemPath.split(/[/\\]/)
    const artifact = this.#artifactsOf(run).get(name)
    if (!artifact || below.join('/') === '') throw new Refusal(404, `There is no artifact for ${itemPath}.`)
    const [, from, to, total] =
      /^bytes (\d+)-(\d+)\/(\d+)$/.exec(request.headers['content-range'] ?? '') ?? []
    if (total === undefined) throw new Refusal(400, 'The header Content-Range is missing or not valid.')
    const chunk = await buffer(request.raw)
    if (chunk.length !== Number(to) - Number(from) + 1) {
      throw new Refusal(400, `${chunk.length} bytes arrived for ${String(request.headers['content-range'])}.`)
    }
    const due = request.headers['x-actions-results-md5']
    if (due !== undefined && due !== createHash('md5').update(chunk).digest('base64')) {
      throw new Refusal(400, 'The MD5 does not match the chunk.')
    }
    const isGzip = request.headers['content-encoding'] === 'gzip'
    const known = artifact.files.get(itemPath)
    const start = Number(from)
    // A repeated chunk is written again at the same place.
    const file: StoredFile =
      start === 0 || !known
        ? { path: path.join(this.folder, randomUUID()), isGzip, announced: 0, received: 0, size: 0 }
        : known
    if (start > file.received) throw new Refusal(400, `The bytes before ${start} are missing.`)
    await mkdir(this.folder, { recursive: true })
    const disk = await open(file.path, start === 0 ? 'w' : 'r+')
    await disk.write(chunk, 0, chunk.length, start)
    await disk.close()
    file.received = start + chunk.length
    file.announced = Number(total)
    file.size = isGzip ? Number(request.headers['x-tfs-filelength']) : Number(total)
    artifact.files.set(itemPath, file)
    const isWhole = file.received === file.announced
    return reply.code(isWhole ? 201 : 202).send(isWhole ? this.#item(run, itemPath, file) : {})
  }

  #items(run: number, below: string): object[] {
    const folder = { containerId: run, itemType: 'folder', status: 'created' }
    const artifact = this.#artifactsOf(run).get(below)
    const files = [...(artifact?.files ?? [])].filter(([, file]) => file.received === file.announced)
    return [
      {
        ...folder,
        path: below,
        itemLocation: this.#containerUrl(run),
        contentLocation: this.#containerUrl(run),
      },
      ...files.map(([itemPath, file]) => this.#item(run, itemPath, file)),
    ]
  }

  #item(run: number, itemPath: string, { size }: StoredFile): object {
    const location = `${this.#containerUrl(run)}?itemPath=${encodeURIComponent(itemPath)}`
    return {
      containerId: run,
      scopeIdentifier: '00000000-0000-0000-0000-000000000000',
      path: itemPath,
      itemType: 'file',
      status: 'created',
      fileLength: size,
      fileEncoding: 1,
      fileType: 1,
      itemLocation: `${location}&metadata=True`,
      contentLocation: location,
      fileId: 1,
      contentId: '',
    }
  }

  async #send(
    run: number,
    itemPath: string,
    { headers }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const file = this.#artifactsOf(run)
      .get(itemPath.split('/')[0] ?? '')
      ?.files.get(itemPath)
    if (!file || file.received !== file.announced) throw new Refusal(404, `There is no ${itemPath}.`)
    void reply.type('application/octet-stream')
    if (!file.isGzip) return reply.header('content-length', file.size).send(createReadStream(file.path))
    if (/gzip/.test(headers['accept-encoding'] ?? '')) {
      return reply.header('content-encoding', 'gzip').send(createReadStream(file.path))
    }
    return reply.send(gunzipSync(await readFile(file.path)))
  }

  /** What the REST API offers: one ZIP of all files, replacing an earlier one. */
  async #publish(job: Job, name: string, artifact: ContainerArtifact): Promise<void> {
    const { files, retentionDays, createdAt, published } = artifact
    const zip = new AdmZip()
    for (const [itemPath, file] of files) {
      const bytes = await readFile(file.path)
      // Stored: most files are already packed.
      zip.addFile(itemPath.slice(name.length + 1), file.isGzip ? gunzipSync(bytes) : bytes).header.method = 0
    }
    const earlier = published && this.shelf.reservationOf(published)
    if (earlier) await this.shelf.remove(earlier)
    const announced = { job, name, mimeType: 'application/zip' }
    const ends =
      retentionDays === undefined ? {} : { expiresAt: new Date(createdAt.getTime() + retentionDays * dayMs) }
    artifact.published = await this.shelf.add({ ...announced, ...ends }, zip.toBuffer())
  }
}
