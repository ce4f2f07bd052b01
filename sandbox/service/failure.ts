/** A request that the service refuses: its status, a code for programs and a sentence for people. */
export class Failure extends Error {
  override name = 'Failure'
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message)
  }
}

export const badRequest = (message: string): Failure => new Failure(400, 'BAD_REQUEST', message)
export const unauthorized = (message: string): Failure =>
  new Failure(401, 'UNAUTHORIZED', message, { 'www-authenticate': 'Bearer error="invalid_token"' })
export const forbidden = (message: string): Failure => new Failure(403, 'FORBIDDEN', message)
export const notFound = (message: string): Failure => new Failure(404, 'NOT_FOUND', message)
export const conflict = (message: string): Failure => new Failure(409, 'CONFLICT', message)
export const notAllowed = (allowed: readonly string[]): Failure =>
  new Failure(405, 'METHOD_NOT_ALLOWED', `Use ${allowed.join(' or ')} here.`, { allow: allowed.join(', ') })
