import type { FastifyReply } from 'fastify'

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

export class TwirpError extends Error {
  override name = 'TwirpError'

  constructor(
    readonly code: keyof typeof statuses,
    message: string,
  ) {
    super(message)
  }
}

export function sendTwirpError(error: unknown, reply: FastifyReply): FastifyReply {
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
