import type { FastifyInstance } from 'fastify'
import { plural } from '../../src/text/plural.js'
import { formatBytes } from '../../src/text/size.js'
import type { Platform } from '../service/platform.js'
import type { Place } from '../service/visit.js'
import type { Project } from '../service/world.js'
import { loadTestTable, templateTable } from './load-test-table.js'
import { foreign, markup, moment, type Markup } from './markup.js'
import { home, projectAt, startedLoadTests } from './place.js'
import { page, section } from './shell.js'
import { table } from './table.js'

/** The dashboard of a project. */
export function projectRoutes(app: FastifyInstance, platform: Platform): void {
  app.get<{ Params: Place }>('/orgs/:org/projects/:project', (request, reply) => {
    const place = request.params
    const project = projectAt(platform, place)
    const now = platform.now()
    return reply.send(
      page({
        title: project.name,
        path: [home],
        refreshed: true,
        content: [
          markup`<p class="quiet">Short name ${foreign(place.project)}, as of ${moment(now)}.</p>`,
          section('Load tests', loadTestTable(startedLoadTests(project), place, now)),
          section('Code archives', archiveTable(project)),
          section('Templates', templateTable(project, place, platform.settings.archives)),
        ],
      }),
    )
  })
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
      `${archive.id}${index === 0 ? ' (latest)' : ''}`,
      foreign(archive.fileName),
      formatBytes(archive.size),
      moment(archive.uploadedAt),
      plural(loadTests.filter(({ run }) => run?.archive === archive).length, 'load test'),
    ])
  const empty = 'The project has no code archives. The step uploads one.'
  return table({ caption: 'Code archives, the latest first', columns, empty }, rows)
}
