import http, { maxHeaderSize } from 'node:http'
import https from 'node:https'
import { gzipSync } from 'node:zlib'
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { webPages } from '../web/web.js'
import { AccessTokens } from './access.js'
import { codeArchiveRoutes } from './code-archive-routes.js'
import { Directory } from './directory.js'
import { badRequest, Failure, notAllowed, notFound } from './failure.js'
import type { FaultPlan } from './faults.js'
import { loadTestRoutes } from './load-test-routes.js'
import { addMisbehaviour } from './misbehaviour.js'
import { named } from './named.js'
import { collectDefinitions, openApiRoutes } from './open-api.js'
import type { Platform } from './platform.js'
import { Records } from './record.js'
import { ReportStore } from './report-store.js'
import { reportRoutes } from './report-routes.js'
import { sharedSchemas } from './schemas.js'
import { tokenRoute } from './token-route.js'
import { validatorOf } from './validation.js'
import { visitOf, type Place } from './visit.js'

/** Puts the operations together. What happens to a request is here, in order. */
export async function buildApp(
  platform: Platform,
  plan: FaultPlan,
  closing: AbortSignal,
): Promise<FastifyInstance> {
  const { settings, books } = platform
  const { tls } = settings
  const tokens = new AccessTokens(platform)
  const directory = new Directory()
  const reports = new ReportStore(platform)
  const app = fastify({
    // A HEAD request for runCopy must not start anything.
    exposeHeadRoutes: false,
    // The schema limits the length of a part of a path.
    routerOptions: { maxParamLength: maxHeaderSize },
    // What fails before any route, such as a path that is not UTF-8.
    frameworkErrors: (error, _request, reply) => {
      void refuse(asFailure(error), reply)
    },
    forceCloseConnections: true,
    serverFactory: (handler) => {
      const server = tls ? https.createServer(tls, handler) : http.createServer(handler)
      // Longer than clients keep idle connections: only faults break a connection.
      server.keepAliveTimeout = 72_000
      return server
    },
  })
  app.decorateRequest('visit', null)
  app.setValidatorCompiler(validatorOf)
  // The schemas of answers are only for the document; the answers are sent unchanged.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  for (const schema of sharedSchemas) app.addSchema(schema)
  app.addHook('onRoute', (route) => directory.add(route))

  app.addHook('onRequest', async (request) => {
    platform.build()
    const { operation = 'unknown', page = false } = request.routeOptions.config
    const { method, url } = request
    const entry = {
      time: platform.now(),
      operation,
      method,
      path: url,
      status: null,
      headers: {},
      faults: [],
    }
    const strikes = page ? [] : plan.strike(operation)
    request.visit = { entry, strikes }
    // The pages are not part of the service, so its books ignore them.
    if (!page) books.requests.push(request.visit.entry)
    request.visit.entry.headers = harmless(request.headers)
    request.visit.entry.faults = strikes.map(({ fault }) => fault.kind)
  })
  addMisbehaviour(app, { platform, tokens, closing })
  const reads = new Map<string, number>()
  app.addHook('onRequest', async (request) => {
    const { pollPause } = settings
    const { operation = '' } = request.routeOptions.config
    if (pollPause === 0 || !['list', 'details', 'status', 'report'].includes(operation)) return
    const read = `${request.url} ${request.headers.authorization}`
    const isSoon = platform.now() - (reads.get(read) ?? 0) < pollPause * 1000
    if (isSoon) throw new Failure(429, 'TOO_MANY', 'Ask later.', { 'retry-after': String(pollPause) })
    reads.set(read, platform.now())
  })
  app.addHook('onRequest', async (request) => {
    const { url } = request.routeOptions
    // Before any body is read: an address that is not served says so, whatever was sent.
    if (url !== undefined && directory.offers(request.method, url, settings)) return
    const isStart = request.routeOptions.config.operation === 'runCopy'
    const status = isStart ? settings.wrongMethod : settings.wrongDownload
    throw missing(directory.methodsAt(path(request.url), settings), request.url, status)
  })
  app.setErrorHandler((error: unknown, request, reply) => {
    const failure = asFailure(error)
    if (failure.status >= 500) visitOf(request).entry.error = failure.message
    if (settings.failureForm === 'JSON') return refuse(failure, reply)
    return reply.code(failure.status).headers(failure.headers).type('text/plain').send(failure.message)
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    if (!settings.compressed || typeof payload !== 'string' || payload === '') return payload
    const bytes = gzipSync(payload)
    reply.header('content-encoding', 'gzip').header('content-length', bytes.length)
    return bytes
  })

  await collectDefinitions(app)
  await app.register(named('token', async (scope: FastifyInstance) => tokenRoute(scope, tokens)))
  await app.register(
    named('document', async (scope: FastifyInstance) => openApiRoutes(scope, directory, settings, tokens)),
  )
  await app.register(
    named('interface', async (scope: FastifyInstance) => {
      scope.addHook<{ Params: Place }>('onRequest', async (request) => {
        const { scope: needed } = request.routeOptions.config
        if (!needed) throw new Error(`${request.url} has no scope.`)
        const access = await tokens.read(request.headers.authorization)
        const [, version = ''] = /^\/public\/api\/(v\d+)\//.exec(request.url) ?? []
        visitOf(request).project = tokens.enter(access, needed, version, request.params)
      })
      scope.addHook('preSerialization', async (_request, reply, payload) =>
        settings.envelope && reply.statusCode < 400 ? { success: true, data: payload } : payload,
      )
      scope.addHook('onRoute', (route) => {
        const needed = route.config?.scope
        if (needed) route.schema = { ...route.schema, security: [{ accessToken: [needed] }] }
      })
      loadTestRoutes(scope, platform, new Records(platform))
      reportRoutes(scope, platform, reports)
      await scope.register(
        named('uploads', async (uploads: FastifyInstance) => codeArchiveRoutes(uploads, platform)),
      )
    }),
  )
  if (settings.web)
    await app.register(named('pages', async (scope: FastifyInstance) => webPages(scope, platform, reports)))
  await app.ready()
  return app
}

function refuse({ status, headers, code, message }: Failure, reply: FastifyReply): FastifyReply {
  return reply.code(status).headers(headers).send({ success: false, code, message })
}

function path(url: string): string {
  return url.replace(/\?.*$/s, '')
}

function missing(methods: string[], url: string, wrongMethod: number): Failure {
  if (methods.length === 0 || wrongMethod === 404) return notFound(`Nothing is served at ${path(url)}.`)
  return wrongMethod === 400 ? badRequest('This is not possible.') : notAllowed(methods)
}

/** The headers without their secrets. */
function harmless(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    const text = String(value ?? '')
    if (name === 'cookie') return []
    return [[name, /authorization/.test(name) ? text.replace(/\s.*$/s, '') : text]]
  })
  return Object.fromEntries(entries)
}

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (!(error instanceof Error)) return new Failure(500, 'INTERNAL', String(error))
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
  const code = status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : status < 500 ? 'BAD_REQUEST' : 'INTERNAL'
  return new Failure(status, code, error.message)
}
