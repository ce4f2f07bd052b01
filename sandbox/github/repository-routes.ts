import type { FastifyInstance } from 'fastify'
import { inSeconds } from './history.js'
import { page, type PageQuery } from './page.js'
import { notFound, pathNumber } from './refusal.js'
import type { Api } from './rest.js'
import type { Pull } from './store.js'

/** The repository and its pull requests. */
export function repositoryRoutes(app: FastifyInstance, api: Api): void {
  const { store, access, settings, origin } = api
  app.get('/repos/:owner/:repo', async (request) => {
    access.read(request, 'contents', 'actions', 'issues', 'pull-requests')
    return { ...repositoryJson(origin, settings.repository), default_branch: settings.defaultBranch }
  })
  app.get<{ Params: { number: string } }>('/repos/:owner/:repo/pulls/:number', async (request) => {
    access.read(request, 'pull-requests')
    const pull = store.pulls.get(pathNumber(request.params.number))
    if (!pull) throw notFound()
    return pullJson(api, pull)
  })
  app.get<{ Params: { '*': string }; Querystring: { ref?: string } }>(
    '/repos/:owner/:repo/contents/*',
    async (request) => {
      access.read(request, 'contents')
      const { '*': path } = request.params
      const branch = (request.query.ref ?? settings.defaultBranch).replace(/^refs\/heads\//, '')
      if (store.isMissing(branch, path)) throw notFound()
      return { type: 'file', path, name: path.split('/').at(-1), encoding: 'base64', content: '', size: 0 }
    },
  )
  const branches = () =>
    new Set([
      settings.defaultBranch,
      ...[...store.refs.keys()].map((ref) => ref.replace(/^refs\/heads\//, '')),
      ...store.runs.filter((run) => run.headRepository === settings.repository).map(({ branch }) => branch),
    ])
  app.get<{ Querystring: PageQuery }>('/repos/:owner/:repo/branches', async (request, reply) => {
    access.read(request, 'contents')
    return page(request, reply, origin(), [...branches()]).map((name) => ({ name }))
  })
  app.get<{ Params: { '*': string } }>('/repos/:owner/:repo/branches/*', async (request) => {
    access.read(request, 'contents')
    const { '*': name } = request.params
    if (!branches().has(name)) throw notFound()
    return { name }
  })
  app.get<{ Params: { '*': string }; Querystring: PageQuery }>(
    '/repos/:owner/:repo/git/matching-refs/*',
    async (request, reply) => {
      access.read(request, 'contents')
      const start = `refs/${request.params['*']}`
      const found = [...store.refs].filter(([ref]) => ref.startsWith(start))
      return page(request, reply, origin(), found).map(([ref, sha]) => ({
        ref,
        object: { type: 'commit', sha },
      }))
    },
  )
  app.get<{ Params: { commit: string }; Querystring: PageQuery }>(
    '/repos/:owner/:repo/commits/:commit/pulls',
    async (request, reply) => {
      access.read(request, 'pull-requests')
      const { commit } = request.params
      const has = ({ head, earlier = [], merged }: Pull) =>
        [head.commit, merged?.commit, ...earlier].includes(commit)
      const pulls = [...store.pulls.values()].filter(has)
      return page(request, reply, origin(), pulls).map((pull) => pullJson(api, pull))
    },
  )
}

/** A number that stays the same for one name. */
export function lastingId(name: string): number {
  let id = 1_296_269
  for (const byte of Buffer.from(name.toLowerCase())) id = (id * 31 + byte) % 1_000_000_007
  return id
}

export function repositoryJson(origin: Api['origin'], fullName: string): object {
  const [owner = '', name = ''] = fullName.split('/')
  return {
    id: lastingId(fullName),
    name,
    full_name: fullName,
    owner: { login: owner, type: 'Organization' },
    url: `${origin()}/repos/${fullName}`,
    html_url: `https://github.com/${fullName}`,
  }
}

function pullJson(api: Api, { number, title, state, head, base, login, labels, merged }: Pull): object {
  const { origin } = api
  const { repository } = api.settings
  const side = (branch: string, commit: string, fullName: string | null) => ({
    label: `${fullName?.split('/')[0] ?? 'unknown repository'}:${branch}`,
    ref: branch,
    sha: commit,
    repo: fullName === null ? null : { ...repositoryJson(origin, fullName), fork: fullName !== repository },
  })
  return {
    number,
    title,
    state,
    draft: false,
    merged: merged !== undefined,
    merged_at: merged ? inSeconds(merged.at) : null,
    merge_commit_sha: merged?.commit ?? null,
    user: { login },
    labels: labels.map((name) => ({ name, color: 'ededed' })),
    head: side(head.branch, head.commit, head.repository),
    base: side(base.branch, base.commit, repository),
    url: `${origin()}/repos/${repository}/pulls/${number}`,
    issue_url: `${origin()}/repos/${repository}/issues/${number}`,
    html_url: `https://github.com/${repository}/pull/${number}`,
  }
}
