import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inSeconds, roleOf, type PullEvent, type Push } from './history.js'
import { page, type PageQuery } from './page.js'
import { notFound, Refusal, pathNumber } from './refusal.js'
import type { Api } from './rest.js'

interface ActivityQuery {
  ref?: string
  per_page?: string
  after?: string
}

/** Who set which label, what they may do, and when a branch was pushed. */
export function labelRoutes(app: FastifyInstance, api: Api): void {
  const { store, access, settings, origin } = api

  app.get<{ Params: { number: string }; Querystring: PageQuery }>(
    '/repos/:owner/:repo/issues/:number/events',
    async (request, reply) => {
      access.read(request, 'issues', 'pull-requests')
      const pull = pathNumber(request.params.number)
      if (!store.pulls.has(pull) && !settings.everyPullExists) throw notFound()
      const events = store.events.filter((event) => event.pull === pull)
      return page(request, reply, origin(), events).map((event) => eventJson(api, event))
    },
  )
  app.get<{ Params: { username: string } }>(
    '/repos/:owner/:repo/collaborators/:username/permission',
    async (request) => {
      // Every token of the repository may read its metadata.
      if (!access.caller(request)) throw new Refusal(401, 'Requires authentication')
      const { username } = request.params
      const { name, base } = store.roles.get(username) ?? roleOf(settings.private ? 'none' : 'read')
      return { permission: base, role_name: name, user: { login: username, type: typeOf(username) } }
    },
  )
  app.get<{ Params: { owner: string; repo: string }; Querystring: ActivityQuery }>(
    '/repos/:owner/:repo/activity',
    async (request, reply) => {
      access.read(request, 'contents')
      const { ref } = request.query
      const named = `${request.params.owner}/${request.params.repo}`.toLowerCase()
      const found = store.pushes
        .filter(({ repository }) => repository.toLowerCase() === named)
        .filter(({ branch }) => ref === undefined || [branch, `refs/heads/${branch}`].includes(ref))
        .sort((a, b) => b.at.getTime() - a.at.getTime() || b.id - a.id)
      return slice(request, reply, found, origin()).map(activityJson)
    },
  )
}

/** Activities have no numbered pages: a cursor names the one after which a page begins. */
function slice(
  request: FastifyRequest<{ Querystring: ActivityQuery }>,
  reply: FastifyReply,
  all: readonly Push[],
  origin: string,
): readonly Push[] {
  const { per_page: asked, after } = request.query
  const size = Math.min(Number(asked) > 0 ? Number(asked) : 30, 100)
  const from = after === undefined ? 0 : all.findIndex(({ id }) => cursorOf(id) === after) + 1
  const shown = all.slice(from, from + size)
  const last = shown.at(-1)
  if (last && from + size < all.length) {
    const next = new URL(request.url, origin)
    next.searchParams.set('after', cursorOf(last.id))
    void reply.header('link', `<${next.href}>; rel="next"`)
  }
  return shown
}

function cursorOf(id: number): string {
  return Buffer.from(`cursor:${id}`).toString('base64url')
}

function activityJson({ id, branch, before, commit, login, at, kind }: Push): object {
  return {
    id,
    node_id: Buffer.from(`Push${id}`).toString('base64'),
    before,
    after: commit,
    ref: `refs/heads/${branch}`,
    timestamp: inSeconds(at),
    activity_type: kind,
    actor: { login, type: typeOf(login) },
  }
}

function eventJson({ origin, settings }: Api, { id, kind, label, login, at }: PullEvent): object {
  return {
    id,
    node_id: Buffer.from(`Event${id}`).toString('base64'),
    url: `${origin()}/repos/${settings.repository}/issues/events/${id}`,
    actor: login === null ? null : { login, type: typeOf(login) },
    event: kind,
    commit_id: null,
    commit_url: null,
    created_at: inSeconds(at),
    performed_via_github_app: null,
    ...(label === undefined ? {} : { label: { name: label, color: 'ededed' } }),
  }
}

function typeOf(login: string): string {
  return login.endsWith('[bot]') ? 'Bot' : 'User'
}
