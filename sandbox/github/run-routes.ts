import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { page, type PageQuery } from './page.js'
import { notFound, pathNumber } from './refusal.js'
import { lastingId, repositoryJson } from './repository-routes.js'
import type { Api } from './rest.js'
import type { WorkflowRun } from './store.js'

interface RunQuery extends PageQuery {
  branch?: string
  event?: string
  head_sha?: string
  /** A status such as `in_progress` or a conclusion such as `success`. */
  status?: string
}

/** The runs of the repository's workflows. */
export function runRoutes(app: FastifyInstance, api: Api): void {
  const { store, access, origin } = api

  app.get<{ Params: { workflow: string }; Querystring: RunQuery }>(
    '/repos/:owner/:repo/actions/workflows/:workflow/runs',
    async (request, reply) => {
      access.read(request, 'actions')
      const { workflow } = request.params
      const named = ({ workflow: file }: WorkflowRun) =>
        file === workflow || String(lastingId(file)) === workflow
      const runs = store.runs.filter(named)
      if (runs.length === 0) throw notFound()
      return list(request, reply, runs)
    },
  )
  for (const attempt of ['', '/attempts/:attempt']) {
    const path = `/repos/:owner/:repo/actions/runs/:id${attempt}`
    app.get<{ Params: { id: string; attempt?: string } }>(path, async (request) => {
      access.read(request, 'actions')
      const run = store.run(pathNumber(request.params.id))
      if (!run) throw notFound()
      const { attempt } = request.params
      return runJson(api, run, attempt === undefined ? undefined : pathNumber(attempt))
    })
  }

  app.get<{ Params: { id: string }; Querystring: PageQuery }>(
    '/repos/:owner/:repo/actions/runs/:id/jobs',
    async (request, reply) => {
      access.read(request, 'actions')
      const jobs = store.jobs.get(pathNumber(request.params.id)) ?? []
      return {
        total_count: jobs.length,
        jobs: page(request, reply, origin(), jobs).map(({ name, startedAt, completedAt }) => ({
          ...{ name, started_at: startedAt.toISOString(), completed_at: completedAt?.toISOString() ?? null },
        })),
      }
    },
  )

  function started({ createdAt = store.startedAt }: WorkflowRun): Date {
    return createdAt
  }

  function list(
    request: FastifyRequest<{ Querystring: RunQuery }>,
    reply: FastifyReply,
    runs: readonly WorkflowRun[],
  ): object {
    const { branch, event, head_sha: commit, status } = request.query
    const found = runs
      .filter((run) => branch === undefined || run.branch === branch)
      .filter((run) => event === undefined || run.event === event)
      .filter((run) => commit === undefined || run.commit === commit)
      .filter((run) => status === undefined || status === runStatus(run) || run.conclusion === status)
      .reverse()
      .sort((a, b) => started(b).getTime() - started(a).getTime())
    return {
      total_count: found.length,
      workflow_runs: page(request, reply, origin(), found).map((run) => runJson(api, run)),
    }
  }
}

function runStatus({ status, conclusion }: WorkflowRun): string {
  return status ?? (conclusion === null ? 'in_progress' : 'completed')
}

function runJson(
  { store, origin, settings: { repository } }: Api,
  run: WorkflowRun,
  wanted?: number,
): object {
  const { id, workflow, event, conclusion, branch, commit, createdAt = store.startedAt } = run
  const { attempt = 1, againAt = [] } = run
  const began = [createdAt, ...againAt][(wanted ?? attempt) - 1] ?? createdAt
  const url = `${origin()}/repos/${repository}/actions/runs/${id}`
  const time = createdAt.toISOString()
  return {
    id,
    name: workflow.replace(/\.ya?ml$/, ''),
    path: `.github/workflows/${workflow}`,
    workflow_id: lastingId(workflow),
    run_number: store.runs.filter((other) => other.workflow === workflow).indexOf(run) + 1,
    run_attempt: attempt,
    event,
    status: runStatus(run),
    conclusion,
    head_branch: branch,
    head_sha: commit,
    created_at: time,
    updated_at: time,
    run_started_at: began.toISOString(),
    pull_requests: [],
    url,
    artifacts_url: `${url}/artifacts`,
    html_url: `https://github.com/${repository}/actions/runs/${id}`,
    repository: repositoryJson(origin, repository),
    head_repository: run.headRepository === null ? null : repositoryJson(origin, run.headRepository),
  }
}
