import type { FastifyInstance } from 'fastify'
import type { Platform } from '../service/platform.js'
import { reportLabel } from '../service/record.js'
import type { Place } from '../service/visit.js'
import { address } from './address.js'
import { comparisonTables } from './comparison-tables.js'
import type { ComparisonReport, Comparisons, SourceReport } from './comparison.js'
import { deletion } from './deletion.js'
import type { EngineOverviews } from './engine-overviews.js'
import { Form } from './form.js'
import { foreign, markup, moment, type Markup } from './markup.js'
import { pathToProject, projectAt, reportedLoadTests, type StartedLoadTest } from './place.js'
import { dialog, page, problems } from './shell.js'
import { table } from './table.js'

const title = 'Create Comparison Report'

/** The entries, to be shown again with the mistakes. */
interface Entry {
  faults: string[]
  name: string
  first: string
  second: string
  reversed: boolean
}

/** Creating and showing comparison reports. */
export function comparisonRoutes(
  app: FastifyInstance,
  platform: Platform,
  comparisons: Comparisons,
  overviews: EngineOverviews,
): void {
  const url = '/orgs/:org/projects/:project/comparisons'

  app.get<{ Params: Place }>(`${url}/new`, (request, reply) =>
    reply.send(formPage(platform, request.params, undefined)),
  )

  app.post<{ Params: Place }>(url, async (request, reply) => {
    const place = request.params
    const project = projectAt(platform, place)
    const form = new Form(request.body)
    const entry = readEntry(form)
    const reports = reportedLoadTests(project, platform.now())
    const one = reports.find(({ number }) => String(number) === entry.first)
    const other = reports.find(({ number }) => String(number) === entry.second)
    if (!one) entry.faults.push('Choose the first report.')
    if (!other) entry.faults.push('Choose the second report.')
    if (one && one === other) entry.faults.push('Choose two different reports.')
    if (!one || !other || entry.faults.length > 0) {
      return reply.code(400).send(formPage(platform, place, entry))
    }
    const { number } = await comparisons.create(project, [one, other], entry)
    return reply.redirect(`${address.comparisons(place)}/${number}`, 303)
  })

  app.get<{ Params: Place & { comparison: string }; Querystring: { metric?: unknown } }>(
    `${url}/:comparison`,
    (request, reply) => {
      const place = request.params
      const project = projectAt(platform, place)
      const report = comparisons.reports.get(project, place.comparison)
      return reply.send(
        page({
          title: report.name,
          styles: ['table', 'form', 'facts', 'change', 'deletion'],
          path: pathToProject(project, place),
          actions: [
            overviews.comparisonButton(project, report.baseline.number, report.measurement.number, place),
            deletion(report.name, `${address.comparisons(place)}/${report.number}`, consequence),
          ],
          content: [
            markup`<dl class="card facts"><div><dt>Baseline</dt><dd>${sourceLink(report.baseline, place)}</dd></div>
<div><dt>Measurement Run</dt><dd>${sourceLink(report.measurement, place)}</dd></div>
<div><dt>Created</dt><dd>${moment(report.createdAt)}</dd></div></dl>`,
            comparisonTables(report, request.query.metric),
          ],
        }),
      )
    },
  )

  app.post<{ Params: Place & { comparison: string } }>(`${url}/:comparison/delete`, (request, reply) => {
    const place = request.params
    comparisons.reports.delete(projectAt(platform, place), place.comparison)
    return reply.redirect(`${address.project(place)}#comparison-reports`, 303)
  })
}

const consequence = 'The compared reports are kept.'

/** The comparison reports of a project, with the reports that each compares. */
export function comparisonTable(reports: readonly ComparisonReport[], place: Place): Markup {
  const columns = [
    { title: 'Comparison report' },
    { title: 'Baseline' },
    { title: 'Measurement Run' },
    { title: 'Created' },
  ]
  const rows = reports
    .toReversed()
    .map((report) => [
      markup`<a href="${address.comparisons(place)}/${report.number}">${foreign(report.name)}</a>`,
      sourceLink(report.baseline, place),
      sourceLink(report.measurement, place),
      moment(report.createdAt),
    ])
  const empty = 'There are no comparison reports yet.'
  return table({ caption: 'Comparison reports, the newest first', columns, empty }, rows)
}

export function comparisonDialog(reports: readonly StartedLoadTest[], place: Place): Markup {
  const [second, first] = reports
  const entry = { faults: [], name: '', first: numberOf(first), second: numberOf(second), reversed: false }
  return dialog(
    'new-comparison',
    title,
    form(reports, place, entry, markup`<button formmethod="dialog" formnovalidate>Cancel</button>`),
  )
}

function formPage(platform: Platform, place: Place, entry: Entry | undefined): string {
  const project = projectAt(platform, place)
  const reports = reportedLoadTests(project, platform.now())
  const [second, first] = reports
  const shown = entry ?? {
    ...{ faults: [], name: '', reversed: false },
    ...{ first: numberOf(first), second: numberOf(second) },
  }
  const cancel = markup`<a class="button" href="${address.project(place)}">Cancel</a>`
  return page({
    title,
    styles: ['form'],
    path: pathToProject(project, place),
    content: markup`<div class="card narrow">${problems(shown.faults)}${form(reports, place, shown, cancel)}</div>`,
  })
}

function form(reports: readonly StartedLoadTest[], place: Place, entry: Entry, cancel: Markup): Markup {
  const select = (name: string, label: string, chosen: string) => {
    const options = reports.map(
      (loadTest) =>
        markup`<option value="${loadTest.number}"${numberOf(loadTest) === chosen ? markup` selected` : ''}>${optionText(loadTest)}</option>`,
    )
    return markup`<label class="field">${label}<select name="${name}" required>${options}</select></label>`
  }
  return markup`<form method="post" action="${address.comparisons(place)}">
${select('first', 'First report', entry.first)}
${select('second', 'Second report', entry.second)}
<p class="hint" id="order-hint">The older load test's report is the baseline, the other one the measurement run.</p>
<label class="check"><input type="checkbox" name="reversed" value="yes" aria-describedby="order-hint"${entry.reversed ? markup` checked` : ''}> Reverse Order</label>
<label class="field">Name (optional)<input name="name" maxlength="100" autocomplete="off" value="${entry.name}"></label>
<div class="buttons"><button class="main">Create</button>${cancel}</div>
</form>`
}

function readEntry(form: Form): Entry {
  const name = form.text('name')
  const faults = name.length > 100 ? ['Choose a name of at most 100 characters.'] : []
  const reversed = form.has('reversed')
  return { faults, name, first: form.text('first'), second: form.text('second'), reversed }
}

function numberOf(loadTest: StartedLoadTest | undefined): string {
  return loadTest ? String(loadTest.number) : ''
}

function optionText(loadTest: StartedLoadTest): string {
  const date = new Date(loadTest.run.createdAt).toISOString().slice(0, 16).replace('T', ' ')
  return `${date} · #${loadTest.number} ${loadTest.name} · ${reportLabel(loadTest)}`
}

/** A link to the load test of a source report, with the label that the report had. */
export function sourceLink({ number, name, createdAt, label }: SourceReport, place: Place): Markup {
  const tag = label === undefined ? '' : markup`<strong>${foreign(label)}</strong><br>`
  return markup`${tag}<a href="${address.loadTest(place, number)}">${foreign(name === '' ? '(no name)' : name)}</a> <span class="quiet">#${number}, ${moment(createdAt)}</span>`
}
