import type { FastifyInstance } from 'fastify'
import type { Platform } from '../service/platform.js'
import { reportLabel } from '../service/record.js'
import type { Place } from '../service/visit.js'
import type { Project } from '../service/world.js'
import { address } from './address.js'
import { deletion } from './deletion.js'
import { Form } from './form.js'
import { foreign, markup, moment, type Markup, type Part } from './markup.js'
import { pathToProject, projectAt, reportedLoadTests, type StartedLoadTest } from './place.js'
import { page, problems, section } from './shell.js'
import { sourceLink } from './source-link.js'
import { table } from './table.js'
import { trendTables } from './trend-tables.js'
import type { TrendReport, Trends } from './trend.js'

const title = 'Create trend report'
/** Number of reports ticked at first, and the maximum. */
const [firstChosen, mostChosen] = [5, 10]

/** The entries, to be shown again with the mistakes. */
interface Entry {
  faults: string[]
  name: string
  /** Numbers of load tests. */
  chosen: readonly string[]
}

/** Creating, showing and deleting trend reports. */
export function trendRoutes(app: FastifyInstance, platform: Platform, trends: Trends): void {
  const url = '/orgs/:org/projects/:project/trends'

  app.get<{ Params: Place }>(`${url}/new`, (request, reply) => {
    const newest = reportedLoadTests(projectAt(platform, request.params), platform.now()).slice(
      0,
      firstChosen,
    )
    const chosen = newest.map(({ number }) => String(number))
    return reply.send(formPage(platform, request.params, { faults: [], name: '', chosen }))
  })

  app.post<{ Params: Place }>(url, async (request, reply) => {
    const place = request.params
    const project = projectAt(platform, place)
    const entry = readEntry(new Form(request.body))
    const reports = reportedLoadTests(project, platform.now())
    const chosen = reports.filter(({ number }) => entry.chosen.includes(String(number)))
    if (chosen.length < 2) entry.faults.push('Choose at least two reports.')
    if (chosen.length > mostChosen) entry.faults.push(`Choose at most ${mostChosen} reports.`)
    if (entry.faults.length > 0) return reply.code(400).send(formPage(platform, place, entry))
    const { number } = await trends.create(project, chosen, entry.name)
    return reply.redirect(`${address.trends(place)}/${number}`, 303)
  })

  app.get<{ Params: Place & { trend: string }; Querystring: { metric?: unknown } }>(
    `${url}/:trend`,
    (request, reply) => {
      const place = request.params
      const project = projectAt(platform, place)
      const report = trends.reports.get(project, place.trend)
      return reply.send(
        page({
          title: report.name,
          styles: ['table', 'form', 'facts', 'chart', 'trend', 'change', 'deletion'],
          path: pathToProject(project, place),
          actions: deletion(
            report.name,
            `${address.trends(place)}/${report.number}`,
            'The reports in it are kept.',
          ),
          content: [sources(report, place), trendTables(report, request.query.metric)],
        }),
      )
    },
  )

  app.post<{ Params: Place & { trend: string } }>(`${url}/:trend/delete`, (request, reply) => {
    const place = request.params
    trends.reports.delete(projectAt(platform, place), place.trend)
    return reply.redirect(`${address.project(place)}#trend-reports`, 303)
  })
}

/** The trend reports of a project; `more` is shown next to the link that creates one. */
export function trendSection(
  project: Project,
  place: Place,
  now: number,
  trends: Trends,
  more: Part,
): Markup {
  const columns = [
    { title: 'Trend report' },
    { title: 'Reports', numeric: true },
    { title: 'First' },
    { title: 'Last' },
    { title: 'Created' },
  ]
  const rows = trends.reports
    .of(project)
    .toReversed()
    .map(({ number, name, runs, createdAt }): Part[] => [
      markup`<a href="${address.trends(place)}/${number}">${foreign(name)}</a>`,
      runs.length,
      runs.slice(0, 1).map((run) => sourceLink(run, place)),
      runs.slice(-1).map((run) => sourceLink(run, place)),
      moment(createdAt),
    ])
  const possible = reportedLoadTests(project, now).length > 1
  const empty = possible ? 'There are no trend reports yet.' : 'You need two reports to see a trend.'
  return section(
    'Trend reports',
    table({ caption: 'Trend reports, the newest first', columns, empty }, rows),
    possible
      ? [more, markup`<a class="button" href="${address.trends(place)}/new">Create trend report</a>`]
      : undefined,
  )
}

function sources({ runs, createdAt }: TrendReport, place: Place): Markup {
  const facts: [string, Part][] = [
    ...runs.map((run, index): [string, Part] => [`Report ${index + 1}`, sourceLink(run, place)]),
    ['Created', moment(createdAt)],
  ]
  return markup`<dl class="card facts">${facts.map(([term, value]) => markup`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`
}

function readEntry(form: Form): Entry {
  const name = form.text('name')
  const faults = name.length > 100 ? ['Choose a name of at most 100 characters.'] : []
  return { faults, name, chosen: form.all('report') }
}

function formPage(platform: Platform, place: Place, entry: Entry): string {
  const project = projectAt(platform, place)
  const boxes = reportedLoadTests(project, platform.now()).map((loadTest) => box(loadTest, entry.chosen))
  return page({
    title,
    styles: ['form', 'trend'],
    path: pathToProject(project, place),
    content: markup`<div class="card narrow">${problems(entry.faults)}<form method="post" action="${address.trends(place)}">
<fieldset class="long"><legend>Reports, the newest first</legend>${boxes}</fieldset>
<label class="field">Name (optional)<input name="name" maxlength="100" autocomplete="off" value="${entry.name}"></label>
<div class="buttons"><button class="main">Create</button><a class="button" href="${address.project(place)}">Cancel</a></div>
</form></div>`,
  })
}

function box(loadTest: StartedLoadTest, chosen: readonly string[]): Markup {
  const { number, name, run } = loadTest
  const ticked = chosen.includes(String(number)) ? markup` checked` : ''
  return markup`<label class="check"><input type="checkbox" name="report" value="${number}"${ticked}><span>${foreign(name === '' ? '(no name)' : name)} <span class="quiet">#${number}</span><br><span class="quiet">${moment(run.createdAt)} · ${foreign(reportLabel(loadTest))}</span></span></label>`
}
