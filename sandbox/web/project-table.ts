import { executionState } from '../service/load-test.js'
import type { Organization, Project } from '../service/world.js'
import { address } from './address.js'
import { foreign, markup, moment, type Markup, type Part } from './markup.js'
import { startedLoadTests } from './place.js'
import { stateMark } from './state.js'
import { table } from './table.js'

export interface ProjectEntry {
  organization: Organization
  project: Project
}

/** Projects by their names; with the names of their organizations, or without. */
export function projectTable(
  caption: string,
  entries: readonly ProjectEntry[],
  now: number,
  organizations: boolean,
): Markup {
  const columns = [
    { title: 'Project' },
    ...(organizations ? [{ title: 'Organization' }] : []),
    { title: 'Load tests', numeric: true },
    { title: 'Last load test' },
    { title: 'Last accessed' },
  ]
  const rows = entries
    .toSorted((one, other) => one.project.name.localeCompare(other.project.name, 'en'))
    .map((entry): Part[] => [
      projectLink(entry),
      ...(organizations ? [foreign(entry.organization.shortName)] : []),
      startedLoadTests(entry.project).length,
      lastLoadTest(entry.project, now),
      entry.project.lastVisit > 0 ? moment(entry.project.lastVisit) : 'never',
    ])
  return table({ caption, columns, empty: 'There are no projects.' }, rows)
}

export function projectLink({ organization, project }: ProjectEntry): Markup {
  const href = address.project({ org: organization.shortName, project: project.shortName })
  return markup`<a href="${href}">${foreign(project.name)}</a>`
}

/** State and start of the latest load test. */
export function lastLoadTest(project: Project, now: number): Part {
  const [last] = startedLoadTests(project)
  if (!last) return markup`<span class="quiet">no load test yet</span>`
  return markup`${stateMark(executionState(last, now).state)} ${moment(last.run.createdAt)}`
}
