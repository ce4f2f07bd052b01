import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Access } from './access.js'
import { artifactRoutes } from './artifact-routes.js'
import type { ArtifactShelf } from './artifact-shelf.js'
import { commentRoutes, issueRoutes } from './issue-routes.js'
import { Refusal, notFound } from './refusal.js'
import { labelRoutes } from './label-routes.js'
import { repositoryRoutes } from './repository-routes.js'
import { runRoutes } from './run-routes.js'
import { statusRoutes } from './status-routes.js'
import type { Settings } from './settings.js'
import type { Store } from './store.js'

/** What the routes of the REST API work with. */
export interface Api {
  store: Store
  access: Access
  shelf: ArtifactShelf
  settings: Settings
  /** Address of this API, without a trailing slash. */
  origin: () => string
}

/** A fastify plugin with the parts of GitHub's REST API that the step uses. */
export function restRoutes(api: Api) {
  return (app: FastifyInstance, _options: object, done: () => void): void => {
    app.setErrorHandler((error, _request, reply) => {
      const refusal = asRefusal(error)
      return reply.code(refusal.status).headers(refusal.headers).send(refusal.body())
    })
    app.setNotFoundHandler(() => {
      throw notFound()
    })
    app.addHook('onRequest', async (_request, reply) => {
      void reply.headers({
        'x-github-request-id': randomUUID(),
        'x-github-media-type': 'github.v3; format=json',
        'x-github-api-version-selected': '2022-11-28',
      })
    })
    app.addHook<{ Params: { owner?: string; repo?: string } }>('preValidation', async (request) => {
      // An unknown token is refused by every route.
      api.access.caller(request)
      if (request.routeOptions.url?.endsWith('/graphql')) return
      const { owner, repo } = request.params
      const named = `${String(owner)}/${String(repo)}`
      if (named.toLowerCase() === api.settings.repository.toLowerCase()) return
      // The activity of a public fork is public too.
      const isFork = !api.settings.private && api.store.pushes.some(({ repository }) => repository === named)
      if (!isFork || !String(request.routeOptions.url).endsWith('/activity')) throw notFound()
    })
    const pulls = [repositoryRoutes, issueRoutes, commentRoutes, labelRoutes, statusRoutes]
    for (const routes of [...pulls, runRoutes, artifactRoutes]) routes(app, api)
    done()
  }
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (!(error instanceof Error)) return new Refusal(500, String(error))
  // Fastify's own: a body that is not JSON.
  const badBody = 'statusCode' in error && error.statusCode === 400
  return badBody ? new Refusal(400, 'Problems parsing JSON') : new Refusal(500, error.message)
}
