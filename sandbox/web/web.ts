import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { Failure } from '../service/failure.js'
import type { Platform } from '../service/platform.js'
import type { ReportStore } from '../service/report-store.js'
import { guard } from './guard.js'
import { homeRoutes } from './home.js'
import { loadTestRoutes } from './load-test.js'
import { markup } from './markup.js'
import { projectRoutes } from './project.js'
import { page } from './shell.js'

/** A file of this folder that pages load from below /web, and its type. */
const files = [
  ['style.css', 'text/css; charset=utf-8'],
  ['live.js', 'text/javascript; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
] as const

/** The web pages, next to the machine interface. They show its content, and are connected only by links. */
export function webPages(app: FastifyInstance, platform: Platform, store: ReportStore): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, page: true }
    route.schema = { ...route.schema, hide: true }
  })
  guard(app, platform.settings.host)
  app.addHook('onRequest', async (_request, reply) => {
    reply.type('text/html; charset=utf-8')
  })
  app.setErrorHandler((error: unknown, _request, reply) => {
    const status = statusOf(error)
    const title = status === 404 ? 'Not found' : status < 500 ? 'This did not work' : 'The sandbox failed'
    const message = error instanceof Error ? error.message : String(error)
    const content = markup`<p>${message}</p><p><a href="/">Go to Home</a></p>`
    return reply.code(status).type('text/html; charset=utf-8').send(page({ title, content }))
  })
  for (const [name, type] of files) {
    const text = readFileSync(new URL(name, import.meta.url), 'utf8')
    app.get(`/web/${name}`, (_request, reply) => reply.type(type).send(text))
  }
  homeRoutes(app, platform)
  projectRoutes(app, platform)
  loadTestRoutes(app, platform, store)
}

function statusOf(error: unknown): number {
  if (error instanceof Failure) return error.status
  if (!(error instanceof Error)) return 500
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
}
