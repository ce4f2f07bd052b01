import formBody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import type { AccessTokens, TokenForm } from './access.js'
import { Failure } from './failure.js'
import { visitOf } from './visit.js'

const text = { type: 'string', minLength: 1, maxLength: 1000 }
const failure = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: 'TokenFailure#' } } },
})

/** The token endpoint (interface section 5). Its failures have the shape of RFC 6749 section 5.2. */
export async function tokenRoute(app: FastifyInstance, tokens: AccessTokens): Promise<void> {
  // Parameters are form-encoded; JSON is refused with 415.
  app.removeAllContentTypeParsers()
  await app.register(formBody)
  app.setErrorHandler((error: unknown, request, reply) => {
    const { status, code, message } = asTokenFailure(error)
    if (status >= 500) visitOf(request).entry.error = message
    return reply
      .code(status)
      .header('cache-control', 'no-store')
      .send({ error: code, error_description: message })
  })
  app.post<{ Body: TokenForm }>('/oauth/token', {
    config: { operation: 'token' },
    schema: {
      operationId: 'getToken',
      summary: 'Get an access token',
      tags: ['Authentication'],
      consumes: ['application/x-www-form-urlencoded'],
      body: {
        type: 'object',
        properties: {
          client_id: text,
          client_secret: text,
          grant_type: { ...text, description: 'client_credentials' },
          scope: { ...text, description: 'Scope names separated only by single spaces' },
        },
        required: ['client_id', 'client_secret', 'grant_type', 'scope'],
      },
      response: {
        200: {
          description: 'An access token, valid for one hour',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  access_token: { type: 'string' },
                  token_type: { type: 'string', enum: ['Bearer'] },
                  expires_in: { type: 'integer', description: 'Seconds' },
                  scope: { type: 'string' },
                },
                required: ['access_token', 'token_type', 'expires_in', 'scope'],
              },
            },
          },
        },
        400: failure('A parameter is missing or invalid'),
        401: failure('The credentials are wrong or have expired'),
        415: failure('The body is not form-encoded'),
      },
    },
    handler: async (request, reply) => {
      // A request without a body also comes here: Fastify validates only what was sent.
      reply.header('cache-control', 'no-store')
      return tokens.issue(request.body)
    },
  })
}

function asTokenFailure(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof Failure) return error
  if (!(error instanceof Error)) return { status: 500, code: 'server_error', message: String(error) }
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
  return { status, code: status < 500 ? 'invalid_request' : 'server_error', message: error.message }
}
