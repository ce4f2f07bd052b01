import type { FastifyInstance } from 'fastify'
import { botLogin } from './access.js'
import { page, type PageQuery } from './page.js'
import { Refusal, notFound, pathNumber } from './refusal.js'
import type { Api } from './rest.js'
import type { Comment, Issue } from './store.js'

/** GitHub's limit for the body of a comment. */
export const longestBody = 65_536

const path = '/repos/:owner/:repo/issues'

/** The comments of a pull request: on GitHub, those of its issue. */
export function commentRoutes(app: FastifyInstance, api: Api): void {
  const { store, access, settings, origin } = api

  app.get<{ Params: { number: string }; Querystring: PageQuery & { since?: string } }>(
    `${path}/:number/comments`,
    async (request, reply) => {
      access.read(request, 'issues', 'pull-requests')
      const since = new Date(request.query.since ?? 0)
      const comments = store.commentsOf(pull(request.params.number)).filter((c) => c.updatedAt >= since)
      return page(request, reply, origin(), comments).map((comment) => commentJson(api, comment))
    },
  )
  app.post<{ Params: { number: string } }>(`${path}/:number/comments`, async (request, reply) => {
    const { login } = access.write(request, 'issues', 'pull-requests')
    const comment = store.addComment(pull(request.params.number), validBody(request.body), login)
    const json = commentJson(api, comment)
    return reply.code(201).header('location', json.url).send(json)
  })
  app.patch<{ Params: { id: string } }>(`${path}/comments/:id`, async (request) => {
    access.write(request, 'issues', 'pull-requests')
    const comment = known(request.params.id)
    comment.body = validBody(request.body)
    comment.bodies.push(comment.body)
    comment.updatedAt = new Date()
    return commentJson(api, comment)
  })
  app.delete<{ Params: { id: string } }>(`${path}/comments/:id`, async (request, reply) => {
    access.write(request, 'issues', 'pull-requests')
    store.removeComment(known(request.params.id))
    return reply.code(204).send()
  })

  // The one question that only GraphQL answers for every token.
  app.post('/graphql', async (request) => ({
    data: { viewer: { login: access.caller(request)?.login ?? 'ghost' } },
  }))

  function pull(text: string): number {
    const number = pathNumber(text)
    const isKnown = store.pulls.has(number) || store.issues.has(number)
    if (!isKnown && !settings.everyPullExists) throw notFound()
    return number
  }

  function known(id: string): Comment {
    const comment = store.comment(pathNumber(id))
    if (!comment) throw notFound()
    return comment
  }
}

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

function validBody(json: unknown): string {
  const body = typeof json === 'object' && json !== null && 'body' in json ? json.body : undefined
  if (typeof body !== 'string') throw invalid('missing_field', 'body', "Body can't be blank")
  if (body.trim() === '') throw invalid('unprocessable', 'data', "Body can't be blank")
  if (body.length > longestBody) {
    throw invalid('unprocessable', 'data', `Body is too long (maximum is ${longestBody} characters)`)
  }
  return body
}

function invalid(code: string, field: string, message: string): Refusal {
  return new Refusal(422, 'Validation Failed', {
    errors: [{ resource: 'IssueComment', code, field, message }],
  })
}

function commentJson({ origin, settings: { repository } }: Api, comment: Comment) {
  const { id, pull, body, login, createdAt, updatedAt } = comment
  const bot = login.endsWith('[bot]')
  return {
    id,
    node_id: Buffer.from(`IssueComment${id}`).toString('base64'),
    url: `${origin()}/repos/${repository}/issues/comments/${id}`,
    html_url: `https://github.com/${repository}/pull/${pull}#issuecomment-${id}`,
    issue_url: `${origin()}/repos/${repository}/issues/${pull}`,
    user: { login, type: bot ? 'Bot' : 'User' },
    author_association: bot ? 'NONE' : 'MEMBER',
    performed_via_github_app: login === botLogin ? { slug: 'github-actions' } : null,
    body,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  }
}
