import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { forbidden } from '../service/failure.js'

// Style, script and icon come from the service; nothing else is loaded or framed, and nothing is sent elsewhere.
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Admits only people who open the pages of this service directly. `host` is the name that it listens at. */
export function guard(app: FastifyInstance, host: string): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    if (!isOwnName(request.hostname, host)) {
      throw forbidden('Open these pages at the address that the sandbox printed.')
    }
  })
}

/** A foreign name that its owner points here would give a foreign page this service's origin. */
function isOwnName(name: string, host: string): boolean {
  const bare = name.replace(/^\[|\]$/g, '')
  return isIP(bare) !== 0 || bare === host || bare === 'localhost' || bare.endsWith('.localhost')
}
