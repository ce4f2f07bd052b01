import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LoggedRequest, Store } from './store.js'

/** Records every request in the store, in order of arrival. */
export function logRequests(app: FastifyInstance, store: Store): void {
  const entries = new WeakMap<FastifyRequest, LoggedRequest>()
  app.addHook('onRequest', async (request) => {
    const { method, url, headers } = request
    const entry: LoggedRequest = { method, url, userAgent: headers['user-agent'] ?? '' }
    entries.set(request, entry)
    store.requests.push(entry)
  })
  app.addHook('preValidation', async (request) => {
    const entry = entries.get(request)
    if (entry && request.body !== undefined) entry.body = request.body
  })
  app.addHook('onResponse', async (request, reply) => {
    const entry = entries.get(request)
    if (entry) entry.status = reply.statusCode
  })
}
