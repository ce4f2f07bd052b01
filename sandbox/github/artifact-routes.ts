import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { page, type PageQuery } from './page.js'
import { Refusal, notFound, pathNumber } from './refusal.js'
import { lastingId } from './repository-routes.js'
import type { Api } from './rest.js'
import { isExpired, type Artifact } from './store.js'

type ListQuery = PageQuery & { name?: string }

const path = '/repos/:owner/:repo/actions'

/** The artifacts of all runs, for jobs of other runs and for people. */
export function artifactRoutes(app: FastifyInstance, api: Api): void {
  const { store, access, shelf, settings, origin } = api

  app.get<{ Querystring: ListQuery }>(`${path}/artifacts`, async (request, reply) => {
    access.read(request, 'actions')
    return list(
      request,
      reply,
      [...store.artifacts].sort((a, b) => b.id - a.id),
    )
  })
  app.get<{ Params: { run: string }; Querystring: ListQuery }>(
    `${path}/runs/:run/artifacts`,
    async (request, reply) => {
      access.read(request, 'actions')
      const run = pathNumber(request.params.run)
      const isOver = !settings.enterprise || typeof store.run(run)?.conclusion === 'string'
      const artifacts = isOver ? store.artifactsOf(run) : []
      if (isOver && !store.run(run) && artifacts.length === 0) throw notFound()
      return list(request, reply, artifacts)
    },
  )
  app.get<{ Params: { id: string } }>(`${path}/artifacts/:id/zip`, async (request, reply) => {
    // A download needs a token, even from a public repository.
    if (!access.caller(request)) throw new Refusal(401, 'Requires authentication')
    access.read(request, 'actions')
    const artifact = known(request.params.id)
    const reservation = shelf.reservationOf(artifact)
    if (isExpired(artifact) || !reservation) throw new Refusal(410, 'Artifact has expired')
    return reply.redirect(shelf.downloadUrl(reservation, origin()), 302)
  })

  function known(id: string): Artifact {
    const artifact = store.artifacts.find((other) => other.id === pathNumber(id))
    if (!artifact) throw notFound()
    return artifact
  }

  function list(
    request: FastifyRequest<{ Querystring: ListQuery }>,
    reply: FastifyReply,
    artifacts: readonly Artifact[],
  ): object {
    const { name } = request.query
    const found = artifacts.filter((artifact) => name === undefined || artifact.name === name)
    return {
      total_count: found.length,
      artifacts: page(request, reply, origin(), found).map((artifact) => artifactJson(api, artifact)),
    }
  }
}

function artifactJson({ store, origin, settings: { repository } }: Api, artifact: Artifact): object {
  const { id, name, size, digest, runId, createdAt, expiresAt } = artifact
  const url = `${origin()}/repos/${repository}/actions/artifacts/${id}`
  const run = store.run(runId)
  return {
    id,
    name,
    size_in_bytes: size,
    digest,
    url,
    archive_download_url: `${url}/zip`,
    expired: isExpired(artifact),
    created_at: createdAt.toISOString(),
    updated_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    workflow_run: {
      id: runId,
      repository_id: lastingId(repository),
      head_repository_id: run?.headRepository === null ? 0 : lastingId(run?.headRepository ?? repository),
      head_branch: run?.branch ?? null,
      head_sha: run?.commit ?? null,
    },
  }
}
