import type { FastifyInstance } from 'fastify'
import { plural } from '../../src/text/plural.js'
import type { Platform } from '../service/platform.js'
import { address } from './address.js'
import { foreign, markup, moment, type Markup } from './markup.js'
import { organizationAt, startedLoadTests } from './place.js'
import { lastLoadTest, projectLink, projectTable, type ProjectEntry } from './project-table.js'
import { page, section } from './shell.js'

/** As many as the real service's home shows. */
const mostProjects = 6

/** The home with the projects that were accessed last, and the projects of an organization and of all. */
export function homeRoutes(app: FastifyInstance, platform: Platform): void {
  app.get('/', (_request, reply) => {
    const visited = projectsOf(platform)
      .filter(({ project }) => project.lastVisit > 0)
      .sort((one, other) => other.project.lastVisit - one.project.lastVisit)
      .slice(0, mostProjects)
    const cards = visited.map((entry) => card(entry, platform.now()))
    const projects =
      cards.length === 0
        ? markup`<p class="quiet">You have not opened a project yet.</p>`
        : markup`<ol class="cards">${cards}</ol>`
    const organizations = [...platform.world.organizations.keys()].map(organizationCard)
    return reply.send(
      page({
        title: 'Home',
        styles: ['state', 'home'],
        content: [
          section(
            'Last Accessed Projects',
            projects,
            markup`<a class="button" href="/projects">All projects</a>`,
          ),
          section('Organizations', markup`<ul class="cards">${organizations}</ul>`),
        ],
      }),
    )
  })

  app.get('/projects', (_request, reply) => {
    const content = projectTable('All projects', projectsOf(platform), platform.now(), true)
    return reply.send(
      page({
        title: 'All projects',
        styles: ['state', 'table'],
        path: [{ name: 'Home', href: '/' }],
        content,
      }),
    )
  })

  app.get<{ Params: { org: string } }>('/orgs/:org', (request, reply) => {
    const { org } = request.params
    const organization = organizationAt(platform, org)
    const entries = [...organization.projects.values()].map((project) => ({ organization, project }))
    return reply.send(
      page({
        title: org,
        styles: ['state', 'table'],
        path: [{ name: 'Home', href: '/' }],
        actions: markup`<a class="button" href="${address.credentials({ org })}">API Client Credentials</a>`,
        content: projectTable('Projects of the organization', entries, platform.now(), false),
      }),
    )
  })
}

function projectsOf({ world }: Platform): ProjectEntry[] {
  return [...world.organizations.values()].flatMap((organization) =>
    [...organization.projects.values()].map((project) => ({ organization, project })),
  )
}

function card(entry: ProjectEntry, now: number): Markup {
  const { project, organization } = entry
  return markup`<li class="card"><h3>${projectLink(entry)}</h3>
<p class="quiet">${foreign(organization.shortName)} · ${plural(startedLoadTests(project).length, 'load test')}</p>
<p>${lastLoadTest(project, now)}</p>
<p class="quiet">Accessed ${moment(project.lastVisit)}</p></li>`
}

function organizationCard(org: string): Markup {
  return markup`<li class="card"><h3><a href="${address.organization(org)}">${foreign(org)}</a></h3>
<p><a href="${address.credentials({ org })}">API Client Credentials</a></p></li>`
}
