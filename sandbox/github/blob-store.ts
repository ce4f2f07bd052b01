import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { blobPrefix, type BlobAddresses } from './blob-address.js'
import { BlobRefusal, sendBlobRefusal } from './blob-refusal.js'
import { Blob, type Arrival } from './blob.js'
import { BlockListError, blockIds } from './block-list.js'
import { byteRange } from './byte-range.js'

const apiVersion = '2026-04-06'
const encrypted = 'x-ms-request-server-encrypted'

/** The blob storage that stands in for Azure's. */
export class BlobStore {
  readonly #blobs = new Map<string, Blob>()

  /** @param folder keeps uploads until they become artifacts */
  constructor(
    private readonly folder: string,
    private readonly addresses: BlobAddresses,
  ) {}

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

  /** A fastify plugin with the routes of the blob storage. */
  readonly routes = (app: FastifyInstance, _options: object, done: () => void): void => {
    // Bodies are streamed from the socket; none is kept in memory.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, parsed) => {
      parsed(null)
    })
    app.setErrorHandler((error, _request, reply) => sendBlobRefusal(error, reply))
    app.addHook('onRequest', async (_request, reply) => {
      void reply.headers({ 'x-ms-request-id': randomUUID(), 'x-ms-version': apiVersion })
    })
    app.put<{ Querystring: { comp?: string; blockid?: string } }>(
      `${blobPrefix}*`,
      async (request, reply) => {
        const blob = this.#allowed(request)
        switch (request.query.comp) {
          case 'block':
            return stageBlock(blob, request.query.blockid, request, reply)
          case 'blocklist':
            return commitBlocks(blob, request, reply)
          case undefined:
            return putBlob(blob, request, reply)
          default:
            throw new BlobRefusal(501, 'NotImplemented', `comp=${request.query.comp} is not supported here.`)
        }
      },
    )
    app.get(`${blobPrefix}*`, async (request, reply) => send(this.#allowed(request), request, reply))
    done()
  }

  #allowed(request: FastifyRequest): Blob {
    const url = new URL(request.url, 'http://blob')
    this.addresses.check(url, request.method)
    const blob = this.#blobs.get(decodeURIComponent(url.pathname.slice(blobPrefix.length)))
    if (!blob) throw new BlobRefusal(404, 'BlobNotFound', 'The specified blob does not exist.')
    return blob
  }
}

async function stageBlock(
  blob: Blob,
  blockId: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (blockId === undefined) {
    throw new BlobRefusal(400, 'MissingRequiredQueryParameter', 'The parameter blockid is missing.')
  }
  const decoded = Buffer.from(blockId, 'base64')
  if (decoded.toString('base64') !== blockId) {
    throw new BlobRefusal(400, 'InvalidQueryParameterValue', 'blockid is not base64 text.')
  }
  if (decoded.length > 64) throw new BlobRefusal(400, 'OutOfRangeInput', 'blockid has more than 64 bytes.')
  if (decoded.length === 0 || !blob.fits(blockId)) {
    throw new BlobRefusal(
      400,
      'InvalidBlobOrBlock',
      'All block ids of a blob have the same length, at least 1.',
    )
  }
  const { md5 } = await blob.stage(blockId, request.raw, checks(request))
  void reply.code(201).header(encrypted, 'true')
  // For a block only if the client sent one, unlike for a whole blob.
  if (header(request, 'content-md5') !== undefined) void reply.header('content-md5', md5)
  return reply.send()
}

async function commitBlocks(blob: Blob, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const ids = readBlockIds(await text(request.raw))
  const unknown = ids.find((id) => !blob.has(id))
  if (unknown !== undefined) {
    throw new BlobRefusal(400, 'InvalidBlockList', `The block ${unknown} was never uploaded.`)
  }
  await blob.commit(ids, contentType(request), header(request, 'x-ms-blob-content-md5'))
  return reply.code(201).headers(contentHeaders(blob)).header(encrypted, 'true').send()
}

async function putBlob(blob: Blob, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (header(request, 'x-ms-blob-type') !== 'BlockBlob') {
    throw new BlobRefusal(400, 'MissingRequiredHeader', 'x-ms-blob-type must be BlockBlob.')
  }
  const { md5 } = await blob.put(request.raw, contentType(request), checks(request))
  return reply
    .code(201)
    .headers({ ...contentHeaders(blob), 'content-md5': md5, [encrypted]: 'true' })
    .send()
}

function send(blob: Blob, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { content } = blob
  if (!content) throw new BlobRefusal(404, 'BlobNotFound', 'The specified blob does not exist.')
  const asked = new URL(request.url, 'http://blob').searchParams
  const isHead = request.method === 'HEAD'
  const wanted = header(request, 'x-ms-range') ?? header(request, 'range')
  const range = isHead ? undefined : byteRange(wanted, content.size)
  if (range === 'unsatisfiable') {
    void reply.header('content-range', `bytes */${content.size}`)
    throw new BlobRefusal(416, 'InvalidRange', 'The range specified is invalid for the current size.')
  }
  const { start, end } = range ?? { start: 0, end: content.size - 1 }
  const disposition = asked.get('rscd')
  void reply.headers({
    ...contentHeaders(blob),
    'accept-ranges': 'bytes',
    'content-type': asked.get('rsct') ?? content.contentType,
    'content-length': end - start + 1,
    'x-ms-blob-type': 'BlockBlob',
    'x-ms-creation-time': content.lastModified.toUTCString(),
    'x-ms-lease-state': 'available',
    'x-ms-lease-status': 'unlocked',
    'x-ms-server-encrypted': 'true',
    ...(disposition === null ? {} : { 'content-disposition': disposition }),
    ...(content.md5 === undefined ? {} : { [range ? 'x-ms-blob-content-md5' : 'content-md5']: content.md5 }),
    ...(range ? { 'content-range': `bytes ${start}-${end}/${content.size}` } : {}),
  })
  void reply.code(range ? 206 : 200)
  if (content.size === 0) return reply.send('')
  return reply.send(createReadStream(content.path, { start, end }))
}

/** Compares what arrived with what the client announced. */
function checks(request: FastifyRequest): (arrival: Arrival) => void {
  for (const name of ['x-ms-structured-body', 'x-ms-content-crc64']) {
    if (header(request, name) !== undefined) {
      throw new BlobRefusal(501, 'NotImplemented', `${name} is not supported here.`)
    }
  }
  const length = header(request, 'content-length')
  if (length === undefined) throw new BlobRefusal(411, 'MissingContentLengthHeader', 'No Content-Length.')
  const due = header(request, 'content-md5')
  if (due !== undefined && !/^[A-Za-z0-9+/]{22}==$/.test(due)) {
    throw new BlobRefusal(400, 'InvalidMd5', `Content-MD5 is ${due}, which is not an MD5 in base64.`)
  }
  return ({ size, md5 }) => {
    if (size !== Number(length)) {
      throw new BlobRefusal(400, 'IncompleteBody', `${size} bytes arrived of ${length}.`)
    }
    if (due !== undefined && due !== md5) {
      throw new BlobRefusal(400, 'Md5Mismatch', `Content-MD5 is ${due}, that of the body ${md5}.`)
    }
  }
}

function readBlockIds(xml: string): string[] {
  try {
    return blockIds(xml)
  } catch (error) {
    if (error instanceof BlockListError) throw new BlobRefusal(400, 'InvalidXmlDocument', error.message)
    throw error
  }
}

function contentType(request: FastifyRequest): string {
  return header(request, 'x-ms-blob-content-type') ?? 'application/octet-stream'
}

function contentHeaders({ content }: Blob): Record<string, string> {
  if (!content) return {}
  return {
    etag: `"0x${content.sha256.slice(0, 16).toUpperCase()}"`,
    'last-modified': content.lastModified.toUTCString(),
  }
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}
