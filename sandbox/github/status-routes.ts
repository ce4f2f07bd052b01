import type { FastifyInstance } from 'fastify'
import { Refusal } from './refusal.js'
import type { Api } from './rest.js'
import type { CommitStatus } from './store.js'

/** GitHub's limits, in characters. */
const longest = { context: 255, description: 140 }
const states = ['error', 'failure', 'pending', 'success']

/** The statuses of commits. */
export function statusRoutes(app: FastifyInstance, { store, access, origin, settings }: Api): void {
  app.post<{ Params: { commit: string } }>('/repos/:owner/:repo/statuses/:commit', async (request, reply) => {
    const { login } = access.write(request, 'statuses')
    const { commit } = request.params
    if (!/^[0-9a-f]{40}$/.test(commit)) throw new Refusal(422, `No commit found for SHA: ${commit}`)
    const status = { commit, ...valid(request.body) }
    store.statuses.push(status)
    const url = `${origin()}/repos/${settings.repository}/statuses/${commit}`
    return reply.code(201).send({
      ...{ url, id: store.nextId(), state: status.state, context: status.context },
      ...{ description: status.description, target_url: status.targetUrl, creator: { login } },
    })
  })
}

function valid(json: unknown): Pick<CommitStatus, 'state' | 'context' | 'description' | 'targetUrl'> {
  const given: { [name: string]: unknown } = typeof json === 'object' && json !== null ? { ...json } : {}
  const text = (name: string) => {
    const value = given[name] ?? null
    if (value !== null && typeof value !== 'string') throw invalid(`${name} is not a string`)
    return value
  }
  const state = text('state') ?? ''
  if (!states.includes(state)) throw invalid('State is not included in the list')
  const [context, description, targetUrl] = [text('context'), text('description'), text('target_url')]
  if ((context?.length ?? 0) > longest.context) throw invalid('Context is too long')
  if ((description?.length ?? 0) > longest.description) {
    throw invalid(`Description is too long (maximum is ${longest.description} characters)`)
  }
  if (targetUrl !== null && !/^https?:/.test(targetUrl)) throw invalid('Target url must use http(s) scheme')
  return { state, context: context ?? 'default', description, targetUrl }
}

function invalid(message: string): Refusal {
  return new Refusal(422, 'Validation Failed', {
    errors: [{ resource: 'Status', code: 'custom', message }],
  })
}
