import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { badRequest } from './failure.js'
import { faultOf } from './faults.js'
import { Forms } from './forms.js'
import type { Platform } from './platform.js'
import { archiveRecord } from './record.js'
import { answers, binary, codeArchive, failure, json, pathParameters } from './schemas.js'
import { takeArchive } from './upload.js'
import { projectOf, visitOf, type Place } from './visit.js'

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
