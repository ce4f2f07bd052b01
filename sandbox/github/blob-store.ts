import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Account and container; an address with an IP needs both before the blob's name. */
const blobPrefix = '/productionresults/actions-results/'
const hour = 60 * 60_000

/** What a signed address allows: to write the blob or to read it. */
type BlobRight = 'cw' | 'r'

/** The blob storage that stands in for Azure's, as far as the artifact client uses it. */
export class BlobStore {
  readonly #blobs = new Map<string, Blob>()
  readonly #secret = randomBytes(32)

  /** @param folder keeps uploads until they become artifacts */
  constructor(private readonly folder: string) {}

  /** A blob without content yet. */
  create(name: string): Blob {
    const blob = new Blob(path.join(this.folder, randomUUID()))
    this.#blobs.set(name, blob)
    return blob
  }

  async remove(name: string): Promise<void> {
    await this.#blobs.get(name)?.remove()
    this.#blobs.delete(name)
  }

  /**
   * An address for one blob and one hour, with all of it signed into the query, like Azure's shared access signatures.
   *
   * @param disposition and type: headers of the answer to a GET
   */
  address(origin: string, name: string, right: BlobRight, disposition = '', type = ''): string {
    const url = new URL(`${blobPrefix}${name}`, origin)
    url.searchParams.set('sp', right)
    url.searchParams.set('se', new Date(Date.now() + hour).toISOString())
    if (disposition) url.searchParams.set('rscd', disposition)
    if (type) url.searchParams.set('rsct', type)
    url.searchParams.set('sig', this.#signature(url).toString('base64'))
    return url.href
  }

  #signature(url: URL): Buffer {
    const signed = ['sp', 'se', 'rscd', 'rsct'].map((name) => url.searchParams.get(name) ?? '')
    return createHmac('sha256', this.#secret)
      .update([url.pathname, ...signed].join('\n'))
      .digest()
  }

  /** A fastify plugin with the routes of the blob storage. */
  readonly routes = (app: FastifyInstance, _options: object, done: () => void): void => {
    // Bodies are streamed from the socket; none is kept in memory.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, parsed) => {
      parsed(null)
    })
    app.setErrorHandler((error, _request, reply) => refuse(error, reply))
    app.put<{ Querystring: { comp?: string; blockid?: string } }>(
      `${blobPrefix}*`,
      async (request, reply) => {
        const { blob } = this.#allowed(request, 'cw')
        const { comp, blockid = '' } = request.query
        const type = String(request.headers['x-ms-blob-content-type'] ?? 'application/octet-stream')
        if (comp === 'block') await blob.stage(blockid, request.raw)
        else if (comp === 'blocklist') await blob.commit(blockIds(await text(request.raw)), type)
        else await blob.put(request.raw, type)
        return reply.code(201).header('x-ms-request-server-encrypted', 'true').send()
      },
    )
    app.get(`${blobPrefix}*`, async (request, reply) => {
      const { blob, url } = this.#allowed(request, 'r')
      const { content } = blob
      if (!content) throw notFound()
      const disposition = url.searchParams.get('rscd')
      void reply.headers({
        'content-type': url.searchParams.get('rsct') ?? content.contentType,
        'content-length': content.size,
        ...(disposition === null ? {} : { 'content-disposition': disposition }),
      })
      return reply.send(content.size === 0 ? '' : createReadStream(content.path))
    })
    done()
  }

  #allowed(request: FastifyRequest, right: BlobRight): { blob: Blob; url: URL } {
    const url = new URL(request.url, 'http://blob')
    const given = Buffer.from(url.searchParams.get('sig') ?? '', 'base64')
    const due = this.#signature(url)
    const isSigned = given.length === due.length && timingSafeEqual(given, due)
    if (!isSigned || !(new Date(url.searchParams.get('se') ?? '') > new Date())) {
      throw new BlobRefusal(403, 'AuthenticationFailed')
    }
    if (url.searchParams.get('sp') !== right) throw new BlobRefusal(403, 'AuthorizationPermissionMismatch')
    const blob = this.#blobs.get(decodeURIComponent(url.pathname.slice(blobPrefix.length)))
    if (!blob) throw notFound()
    return { blob, url }
  }
}

/** The whole content of a blob, on disk. */
interface BlobContent {
  path: string
  size: number
  /** Hex. */
  sha256: string
  contentType: string
}

/** A block blob: blocks arrive in any order, and become the content in the order of the block list. */
export class Blob {
  content: BlobContent | undefined
  readonly #blocks = new Map<string, string>()
  #files = 0

  /** @param folder keeps blocks and content; the blob owns it */
  constructor(private readonly folder: string) {}

  /** Keeps a block; it replaces an earlier one with the same id. */
  async stage(blockId: string, body: Readable): Promise<void> {
    const file = await this.#newFile()
    await pipeline(body, createWriteStream(file))
    this.#blocks.set(blockId, file)
  }

  /** Takes the whole content at once. */
  async put(body: Readable, contentType: string): Promise<void> {
    await this.stage('', body)
    await this.commit([''], contentType)
  }

  /** May be repeated, by a client that never saw the answer. @throws BlobRefusal if a block is missing */
  async commit(ids: readonly string[], contentType: string): Promise<void> {
    const files = ids.map((id) => {
      const file = this.#blocks.get(id)
      if (file === undefined) throw new BlobRefusal(400, 'InvalidBlockList')
      return file
    })
    const whole = await this.#newFile()
    const sha256 = createHash('sha256')
    await pipeline(async function* () {
      for (const file of files) {
        for await (const chunk of createReadStream(file)) {
          if (!Buffer.isBuffer(chunk)) continue
          sha256.update(chunk)
          yield chunk
        }
      }
    }, createWriteStream(whole))
    const { size } = await stat(whole)
    this.content = { path: whole, size, sha256: sha256.digest('hex'), contentType }
  }

  /** Moves the content to its final place. */
  async moveTo(file: string): Promise<BlobContent> {
    if (!this.content) throw new Error('A blob without content cannot be moved.')
    await mkdir(path.dirname(file), { recursive: true })
    await rename(this.content.path, file)
    await this.remove()
    this.content = { ...this.content, path: file }
    return this.content
  }

  /** Removes what was received but not moved. */
  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }

  async #newFile(): Promise<string> {
    await mkdir(this.folder, { recursive: true })
    return path.join(this.folder, String(this.#files++))
  }
}

/** A refusal with one of Azure's error codes, sent as XML. */
class BlobRefusal extends Error {
  override name = 'BlobRefusal'

  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code)
  }
}

const notFound = () => new BlobRefusal(404, 'BlobNotFound')

function refuse(error: unknown, reply: FastifyReply): FastifyReply {
  const { status, code } = error instanceof BlobRefusal ? error : new BlobRefusal(500, 'InternalError')
  return reply
    .code(status)
    .type('application/xml')
    .header('x-ms-error-code', code)
    .send(`<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code></Error>`)
}

/** The block ids of a `Put Block List` body, in the order in which the blob gets the blocks. */
function blockIds(xml: string): string[] {
  return [...xml.matchAll(/<(Latest|Uncommitted|Committed)>([^<]*)<\/\1>/g)].map(([, , id = '']) => id)
}
