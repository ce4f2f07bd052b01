import type { FastifyInstance } from 'fastify'
import { page, type PageQuery } from './page.js'
import { Refusal } from './refusal.js'
import type { Api } from './rest.js'
import type { Issue } from './store.js'

const path = '/repos/:owner/:repo/issues'

/** Issues that are no pull requests. */
export function issueRoutes(app: FastifyInstance, { store, access, settings, origin }: Api): void {
  const shown = ({ number, title, body, labels, login }: Issue) => ({
    ...{ number, title, body, state: 'open', labels: labels.map((name) => ({ name })), user: { login } },
    html_url: `https://github.com/${settings.repository}/issues/${number}`,
  })
  app.get<{ Querystring: PageQuery & { labels?: string } }>(path, async (request, reply) => {
    access.read(request, 'issues')
    const wanted = request.query.labels?.split(',') ?? []
    const found = [...store.issues.values()].filter(({ labels }) =>
      wanted.every((one) => labels.includes(one)),
    )
    return page(request, reply, origin(), found.reverse()).map(shown)
  })
  app.post(path, async (request, reply) => {
    const { login } = access.write(request, 'issues')
    const given: { [name: string]: unknown } =
      typeof request.body === 'object' && request.body !== null ? { ...request.body } : {}
    const { title, body, labels } = given
    if (typeof title !== 'string' || title.trim() === '' || title.length > 256) {
      throw new Refusal(422, 'Validation Failed', { errors: [{ resource: 'Issue', field: 'title' }] })
    }
    const issue: Issue = {
      ...{ number: store.nextId(), title, login, body: typeof body === 'string' ? body : '' },
      labels: Array.isArray(labels) ? labels.map(String) : [],
    }
    store.issues.set(issue.number, issue)
    return reply.code(201).send(shown(issue))
  })
}
