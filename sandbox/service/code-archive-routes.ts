import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Failure, badRequest } from './failure.js'
import { faultOf } from './faults.js'
import { Forms } from './forms.js'
import type { Platform } from './platform.js'
import { archiveRecord } from './record.js'
import { answers, binary, codeArchive, failure, json, pathParameters } from './schemas.js'
import { projectOf, visitOf, type Place } from './visit.js'
import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { checkCodeArchive, type CodeArchive } from './code-archive.js'
import type { Project } from './world.js'

const codeArchivesUrl = '/public/api/v2/orgs/:org/projects/:project/code-archives'
const tags = ['Code archives']

/** Uploading and deleting code archives (interface section 4). */
export function codeArchiveRoutes(app: FastifyInstance, platform: Platform): void {
  const forms = new Forms(platform.settings)
  // The body is the ZIP itself and is streamed to disk; anything else is refused with 415.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/zip', (_request, payload, done) => done(null, payload))

  app.post<{ Params: Place; Body: unknown }>(codeArchivesUrl, {
    config: {
      operation: 'upload',
      scope: 'CODEARCHIVE_UPLOAD',
      // The body is a stream; only the checks of an archive can validate it.
      swaggerTransform: ({ schema, url }) => ({ schema: { ...schema, body: binary }, url }),
    },
    schema: {
      operationId: 'uploadCodeArchive',
      summary: 'Upload a code archive',
      tags,
      consumes: ['application/zip'],
      params: pathParameters(),
      headers: {
        type: 'object',
        properties: {
          'content-digest': { type: 'string', description: 'sha-512=:<base64>:, verified if sent' },
        },
      },
      response: {
        ...answers(201, 'The code archive', json(codeArchive)),
        413: failure('The archive is larger than the service accepts'),
        415: failure('The body is not application/zip'),
      },
    },
    handler: async (request, reply) => {
      const { body, headers } = request
      if (!(body instanceof Readable))
        throw badRequest('The request has no body. Send the ZIP file as it is.')
      const fault = faultOf(visitOf(request).strikes, 'upload-breaks')
      const digest = headers['content-digest']
      const archive = await takeArchive(platform, projectOf(request), body, {
        digest: Array.isArray(digest) ? digest.join(', ') : digest,
        length: Number(headers['content-length'] ?? 0),
        broken: fault && { bytes: fault.bytes, breakOff: () => void request.raw.socket.destroy() },
      })
      return reply.code(201).send(forms.archive(archiveRecord(archive)))
    },
  })

  for (const [method, url] of [
    ['DELETE', `${codeArchivesUrl}/:codeArchiveId`],
    ['POST', `${codeArchivesUrl}/:codeArchiveId/delete`],
  ] as const) {
    app.route<{ Params: Place & { codeArchiveId: string } }>({
      method,
      url,
      config: {
        operation: 'delete',
        scope: 'CODEARCHIVE_DELETE',
        offered: ({ offerDelete, deleteMethod }) => offerDelete && deleteMethod === method,
      },
      schema: {
        operationId: 'deleteCodeArchive',
        summary: 'Delete a code archive',
        tags,
        params: pathParameters('codeArchiveId'),
        response: answers(204, 'It is deleted', {}),
      },
      handler: (request, reply) => {
        platform.deleteArchive(projectOf(request), request.params.codeArchiveId)
        return reply.code(204).send()
      },
    })
  }
}

/** A fault in the middle of an upload: what to do after this many bytes. */
export interface Break {
  bytes: number
  breakOff: () => void
}

/**
 * Takes a code archive: streams it to disk, verifies its digest, opens and checks it.
 *
 * @param digest the header Content-Digest (RFC 9530), if it was sent
 * @throws Failure 400 or 413
 */
export async function takeArchive(
  platform: Platform,
  project: Project,
  body: Readable,
  { digest, length, broken }: { digest?: string | undefined; length: number; broken: Break | undefined },
): Promise<CodeArchive> {
  const { archiveLimit, digestVerified } = platform.settings
  if (length > archiveLimit) throw tooLarge(archiveLimit)
  const expected = digestVerified ? readDigest(digest) : undefined
  const file = platform.newFile('archive.zip')
  try {
    const { size, sha512 } = await receive(body, file, archiveLimit, broken)
    if (size === 0) throw badRequest('The request has no body. Send the ZIP file as it is.')
    if (expected && !expected.equals(sha512)) {
      throw badRequest('The code archive does not match its Content-Digest. Send it again.')
    }
    const topLevel = await checkCodeArchive(file, platform.settings)
    return platform.accept(project, {
      file,
      fileName: `${topLevel}.zip`,
      size,
      sha512: sha512.toString('hex'),
    })
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

async function receive(
  body: Readable,
  file: string,
  limit: number,
  broken: Break | undefined,
): Promise<{ size: number; sha512: Buffer }> {
  const hash = createHash('sha512')
  const target = await open(file, 'wx')
  let size = 0
  try {
    // The connection outlives a refusal, so that the answer can be sent.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      const bytes = Buffer.from(chunk)
      size += bytes.length
      if (broken && size >= broken.bytes) broken.breakOff()
      if (size > limit) throw tooLarge(limit)
      hash.update(bytes)
      await target.writeFile(bytes)
    }
  } catch (error) {
    body.resume()
    throw error
  } finally {
    await target.close()
  }
  return { size, sha512: hash.digest() }
}

function tooLarge(limit: number): Failure {
  const megabytes = Math.round((limit / 1024 / 1024) * 10) / 10
  return new Failure(413, 'TOO_LARGE', `A code archive may have at most ${megabytes} MB (${limit} bytes).`)
}

/** `sha-512=:<base64>:`; other algorithms are ignored. */
function readDigest(header: string | undefined): Buffer | undefined {
  if (header === undefined) return undefined
  const members = header.split(',').map((member) => member.trim())
  const base64 = members.map((member) => /^sha-512=:([A-Za-z0-9+/]{86}==):$/.exec(member)?.[1]).find(Boolean)
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  throw badRequest('The header Content-Digest must be sha-512=:<base64>:.')
}
