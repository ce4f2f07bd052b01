import type { FastifyInstance } from 'fastify'
import { executionState } from '../service/load-test.js'
import type { Platform } from '../service/platform.js'
import { address } from './address.js'
import { foreign, markup, moment, type Markup, type Part } from './markup.js'
import { startedLoadTests } from './place.js'
import { page, section } from './shell.js'
import { table } from './table.js'

/** The home, with all projects of each organization. */
export function homeRoutes(app: FastifyInstance, platform: Platform): void {
  app.get('/', (_request, reply) => {
    const content = [...platform.world.organizations.keys()].map((org) =>
      section(`Projects of ${org}`, projects(platform, org)),
    )
    return reply.send(page({ title: 'Home', content }))
  })
}

function projects(platform: Platform, org: string): Markup {
  const columns = [{ title: 'Project' }, { title: 'Load tests', numeric: true }, { title: 'Last load test' }]
  const rows = [...(platform.world.organizations.get(org)?.projects.values() ?? [])].map(
    ({ shortName, name, loadTests }): Part[] => {
      const started = startedLoadTests({ loadTests })
      const [last] = started
      return [
        markup`<a href="${address.project({ org, project: shortName })}">${foreign(name)}</a>`,
        started.length,
        last
          ? markup`${executionState(last, platform.now()).state} ${moment(last.run.createdAt)}`
          : markup`<span class="quiet">no load test yet</span>`,
      ]
    },
  )
  return table({ caption: `Projects of ${org}`, columns, empty: 'There are no projects.' }, rows)
}
