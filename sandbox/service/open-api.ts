import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import type { AccessTokens } from './access.js'
import { scopes } from './credentials.js'
import type { Directory } from './directory.js'
import { notFound } from './failure.js'
import type { ServiceSettings } from './settings.js'

const methods = ['get', 'post', 'put', 'delete'] as const

/** Collects the definitions of the routes that come after it. */
export async function collectDefinitions(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.0.3',
      info: {
        title: 'Load testing service (sandbox)',
        description: 'A local service. It tests nothing: all figures are simulated.',
        version: '1.0.0',
      },
      components: {
        securitySchemes: {
          accessToken: {
            type: 'oauth2',
            flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: { ...scopes } } },
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: ({ $id }, _baseUri, _fragment, index) =>
        typeof $id === 'string' ? $id : `def-${index}`,
    },
  })
}

/** The OpenAPI document at its two addresses (interface section 4), with the operations that are offered now. */
export function openApiRoutes(
  app: FastifyInstance,
  directory: Directory,
  settings: ServiceSettings,
  tokens: AccessTokens,
): void {
  const config = { operation: 'openapi' as const }
  app.addHook('onRequest', async (request) => {
    if (settings.documentFor === 'nobody') throw notFound(`Nothing is served at ${request.url}.`)
    if (settings.documentFor === 'token') await tokens.read(request.headers.authorization)
  })
  app.get('/public/api/json', { config, schema: { hide: true } }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(currentDocument())),
  )
  app.get('/public/api/yaml', { config, schema: { hide: true } }, (_request, reply) =>
    reply
      .type('application/yaml; charset=utf-8')
      .send(stringify(currentDocument(), { aliasDuplicateObjects: false })),
  )

  function currentDocument(): object {
    // A copy as plain JSON: the collected document is kept and must not change.
    const document: unknown = JSON.parse(JSON.stringify(app.swagger()))
    if (!isOpenApi(document)) throw new Error('The collected definitions are not an OpenAPI document.')
    const paths: OpenApi['paths'] = {}
    for (const [template, item] of Object.entries(document.paths)) {
      const url = template.replace(/\{(\w+)\}/g, ':$1')
      for (const method of methods) {
        const operation = item[method]
        if (!operation || !directory.offers(method.toUpperCase(), url, settings)) continue
        if (settings.envelope && template.startsWith('/public/api/v')) wrapAnswers(operation)
        paths[template] = { ...paths[template], [method]: operation }
      }
    }
    return { ...document, paths }
  }
}

interface OpenApi {
  paths: Record<string, Partial<Record<(typeof methods)[number], Operation>>>
}
interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: object }> }>
}

function isOpenApi(value: unknown): value is OpenApi {
  return typeof value === 'object' && value !== null && 'paths' in value
}

function wrapAnswers({ responses }: Operation): void {
  for (const [code, { content }] of Object.entries(responses)) {
    const json = content?.['application/json']
    if (!code.startsWith('2') || !json?.schema) continue
    json.schema = {
      type: 'object',
      properties: { success: { type: 'boolean', enum: [true] }, data: json.schema },
      required: ['success', 'data'],
    }
  }
}
