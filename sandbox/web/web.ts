import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Failure, forbidden } from '../service/failure.js'
import { executionState } from '../service/load-test.js'
import type { Platform } from '../service/platform.js'
import type { ReportStore } from '../service/report-store.js'
import { loadTestRoutes } from './load-test.js'
import { foreign, markup, moment, type Markup, type Part } from './markup.js'
import { address, startedLoadTests } from './place.js'
import { projectRoutes } from './project.js'
import { page, section } from './shell.js'
import { table } from './table.js'

/** A file of this folder that pages load from below /web, and its type. */
const files = [
  ['style.css', 'text/css; charset=utf-8'],
  ['live.js', 'text/javascript; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
] as const

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

/** Admits only people who open the pages of this service directly. `host` is the name that it listens at. */
function guard(app: FastifyInstance, host: string): void {
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

/** The home, with all projects of each organization. */
function homeRoutes(app: FastifyInstance, platform: Platform): void {
  app.get('/', (_request, reply) => {
    const content = [...platform.world.organizations.keys()].map((org) =>
      section(`Projects of ${org}`, projects(platform, org)),
    )
    return reply.send(page({ title: 'Home', content }))
  })
}

function projects(platform: Platform, org: string): Markup {
  const columns = [{ title: 'Project' }, { title: 'Load tests', numeric: true }, { title: 'Last load test' }]
  const rows = [...(platform.world.organizations.get(org)?.projects.values() ?? [])].map(
    ({ shortName, name, loadTests }): Part[] => {
      const started = startedLoadTests({ loadTests })
      const [last] = started
      return [
        markup`<a href="${address.project({ org, project: shortName })}">${foreign(name)}</a>`,
        started.length,
        last
          ? markup`${executionState(last, platform.now()).state} ${moment(last.run.createdAt)}`
          : markup`<span class="quiet">no load test yet</span>`,
      ]
    },
  )
  return table({ caption: `Projects of ${org}`, columns, empty: 'There are no projects.' }, rows)
}
