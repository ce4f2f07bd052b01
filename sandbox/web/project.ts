import type { FastifyInstance } from 'fastify'
import { plural } from '../../src/text/plural.js'
import { formatBytes } from '../../src/text/size.js'
import type { Platform } from '../service/platform.js'
import type { Place } from '../service/visit.js'
import type { Project } from '../service/world.js'
import { activity, statePie } from './charts.js'
import { address } from './address.js'
import { loadTestTable, templateTable } from './load-test-table.js'
import { foreign, markup, moment, type Markup } from './markup.js'
import { pathToOrganization, projectAt, startedLoadTests } from './place.js'
import { page, section } from './shell.js'
import { table } from './table.js'

/** This many load tests are shown at first. */
const firstRows = 20

/** The dashboard of a project. */
export function projectRoutes(app: FastifyInstance, platform: Platform): void {
  app.get<{ Params: Place; Querystring: { show?: unknown } }>(
    '/orgs/:org/projects/:project',
    (request, reply) => {
      const place = request.params
      const project = projectAt(platform, place)
      const now = platform.now()
      project.lastVisit = now
      const started = startedLoadTests(project)
      const all = request.query.show === 'all'
      const shown = all ? started : started.slice(0, firstRows)
      const href = address.project(place)
      const actions = [
        markup`<form action="${href}">${all ? markup`<input type="hidden" name="show" value="all">` : ''}<button>Refresh</button></form>`,
        markup`<a class="button" href="${address.credentials(place)}">API Client Credentials</a>`,
      ]
      const rest =
        shown.length < started.length
          ? markup`<p><a href="${href}?show=all#load-tests">Show all ${plural(started.length, 'load test')}</a></p>`
          : ''
      return reply.send(
        page({
          title: project.name,
          styles: ['state', 'table', 'chart', 'dashboard'],
          path: pathToOrganization(place.org),
          actions,
          content: [
            markup`<p class="quiet">Short name ${foreign(place.project)}, as of ${moment(now)}.</p>`,
            markup`<div class="charts">${section('Load tests by state', statePie(started, now))}${section('Load tests per day', activity(started, now))}</div>`,
            section('Load tests', [loadTestTable(shown, place, now), rest]),
            section('Code archives', archiveTable(project)),
            section('Templates', templateTable(project, place, platform.settings.archives)),
          ],
        }),
      )
    },
  )
}

function archiveTable({ archives, loadTests }: Project): Markup {
  const columns = [
    { title: 'Code archive' },
    { title: 'File' },
    { title: 'Size', numeric: true },
    { title: 'Uploaded' },
    { title: 'Built from it', numeric: true },
  ]
  const rows = archives
    .toReversed()
    .map((archive, index) => [
      markup`${archive.id}${index === 0 ? markup` <span class="tag">latest</span>` : ''}`,
      foreign(archive.fileName),
      formatBytes(archive.size),
      moment(archive.uploadedAt),
      plural(loadTests.filter(({ run }) => run?.archive === archive).length, 'load test'),
    ])
  const empty = 'The project has no code archives. The step uploads one.'
  return table({ caption: 'Code archives, the latest first', columns, empty }, rows)
}
