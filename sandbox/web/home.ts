import type { FastifyInstance } from 'fastify'
import { plural } from '../../src/publish/figure-text.js'
import { executionState } from '../service/load-test.js'
import type { Platform } from '../service/platform.js'
import type { Organization, Project } from '../service/world.js'
import { address } from './address.js'
import { foreign, markup, moment, type Markup, type Part } from './markup.js'
import { startedLoadTests } from './place.js'
import { page, section } from './shell.js'
import { stateMark } from './state.js'
import { table } from './table.js'

/** As many as the service's own home shows. */
const mostProjects = 6

interface Entry {
  organization: Organization
  project: Project
}

/** The home with the projects that were accessed last, and the page of all projects. */
export function homeRoutes(app: FastifyInstance, platform: Platform): void {
  app.get('/', (_request, reply) => {
    const visited = projectsOf(platform)
      .filter(({ project }) => project.lastVisit > 0 && !project.archived)
      .sort((one, other) => other.project.lastVisit - one.project.lastVisit)
      .slice(0, mostProjects)
    const cards = visited.map((entry) => card(entry, platform.now()))
    const projects =
      cards.length === 0
        ? markup`<p class="quiet">No project was opened yet.</p>`
        : markup`<ol class="cards">${cards}</ol>`
    const organizations = [...platform.world.organizations.keys()].map(
      (org) =>
        markup`<li><bdi>${org}</bdi>: <a href="${address.credentials({ org })}">API client credentials</a></li>`,
    )
    return reply.send(
      page({
        title: 'Home',
        content: [
          section(
            'Last accessed projects',
            projects,
            markup`<a class="button" href="/projects">All projects</a>`,
          ),
          section('Organizations', markup`<ul class="plain card">${organizations}</ul>`),
        ],
      }),
    )
  })

  app.get('/projects', (_request, reply) => {
    const columns = [
      { title: 'Project' },
      { title: 'Organization' },
      { title: 'Load tests', numeric: true },
      { title: 'Last load test' },
      { title: 'Last accessed' },
    ]
    const rows = projectsOf(platform)
      .sort((one, other) => one.project.name.localeCompare(other.project.name, 'en'))
      .map((entry): Part[] => [
        [link(entry), entry.project.archived ? markup` <span class="tag">archived</span>` : ''],
        foreign(entry.organization.shortName),
        entry.project.loadTests.length,
        lastLoadTest(entry.project, platform.now()),
        entry.project.lastVisit > 0 ? moment(entry.project.lastVisit) : 'never',
      ])
    const content = table({ caption: 'All projects', columns, empty: 'There are no projects.' }, rows)
    return reply.send(page({ title: 'All projects', path: [{ name: 'Home', href: '/' }], content }))
  })
}

function projectsOf({ world }: Platform): Entry[] {
  return [...world.organizations.values()].flatMap((organization) =>
    [...organization.projects.values()].map((project) => ({ organization, project })),
  )
}

function card(entry: Entry, now: number): Markup {
  const { project, organization } = entry
  return markup`<li class="card"><h3>${link(entry)}</h3>
<p class="quiet">${foreign(organization.shortName)} · ${plural(project.loadTests.length, 'load test')}</p>
<p>${lastLoadTest(project, now)}</p>
<p class="quiet">Accessed ${moment(project.lastVisit)}</p></li>`
}

function link({ organization, project }: Entry): Markup {
  const href = address.project({ org: organization.shortName, project: project.shortName })
  return markup`<a href="${href}">${foreign(project.name)}</a>`
}

function lastLoadTest(project: Project, now: number): Part {
  const [last] = startedLoadTests(project)
  if (!last) return markup`<span class="quiet">none started yet</span>`
  return markup`${stateMark(executionState(last, now).state)} ${moment(last.run.createdAt)}`
}
