import type { FastifyInstance } from 'fastify'
import { formatDuration } from '../../src/text/duration.js'
import { sendFile } from '../service/download.js'
import { notFound } from '../service/failure.js'
import { executionState, reportReady, type LoadTest } from '../service/load-test.js'
import type { Platform } from '../service/platform.js'
import { reportLabel } from '../service/record.js'
import type { ReportStore } from '../service/report-store.js'
import type { Place } from '../service/visit.js'
import { address } from './address.js'
import { Form } from './form.js'
import { builtFrom, loadTestLink, sourceText } from './load-test-table.js'
import { foreign, foreignLines, markup, moment, type Markup, type Part } from './markup.js'
import { loadTestAt, pathToProject, projectAt } from './place.js'
import { page, problems, section } from './shell.js'
import { stateMark } from './state.js'

const url = '/orgs/:org/projects/:project/load-tests/:loadTest'
const longestLabel = 60

type LoadTestPlace = Place & { loadTest: string }

/** One load test with its report: its facts, the downloads, and the report's label. */
export function loadTestRoutes(app: FastifyInstance, platform: Platform, store: ReportStore): void {
  app.get<{ Params: LoadTestPlace }>(url, (request, reply) =>
    reply.send(loadTestPage(platform, request.params, [])),
  )

  app.post<{ Params: LoadTestPlace }>(`${url}/report-label`, (request, reply) => {
    const { loadTest } = finished(platform, request.params)
    const label = new Form(request.body).text('label')
    if (label.length > longestLabel) {
      const fault = `Choose a label of at most ${longestLabel} characters.`
      return reply.code(400).send(loadTestPage(platform, request.params, [fault]))
    }
    if (label === '') delete loadTest.run?.reportLabel
    else if (loadTest.run) loadTest.run.reportLabel = label
    return reply.redirect(`${address.loadTest(request.params, loadTest.number)}#reports`, 303)
  })

  app.get<{ Params: LoadTestPlace }>(`${url}/report`, async (request, reply) => {
    const { project, loadTest } = finished(platform, request.params)
    return sendFile(request, reply, await store.report(project, loadTest), {
      ranges: false,
      downloadSpeed: 0,
    })
  })

  app.get<{ Params: LoadTestPlace }>(`${url}/result`, async (request, reply) => {
    const { project, loadTest } = finished(platform, request.params)
    return sendFile(request, reply, await store.result(project, loadTest), {
      ranges: false,
      downloadSpeed: 0,
    })
  })
}

/** A load test with a report. @throws Failure 404 */
function finished(platform: Platform, place: LoadTestPlace) {
  const project = projectAt(platform, place)
  const loadTest = loadTestAt(project, place.loadTest)
  if (!reportReady(loadTest, platform.now())) throw notFound(`Load test ${loadTest.number} has no report.`)
  return { project, loadTest }
}

function loadTestPage(platform: Platform, place: LoadTestPlace, faults: readonly string[]): string {
  const project = projectAt(platform, place)
  const now = platform.now()
  const loadTest = loadTestAt(project, place.loadTest)
  const { number, name, description } = loadTest
  const ready = reportReady(loadTest, now)
  return page({
    styles: ['state', 'form', 'facts'],
    title: name === '' ? `Load test ${number}` : name,
    path: pathToProject(project, place),
    scripts: ['live'],
    ...(loadTest.run ? { actions: markup`<form><button>Refresh</button></form>` } : {}),
    content: [
      facts(loadTest, platform, place),
      section(
        'Description',
        markup`<p class="card">${description === '' ? 'This load test has no description.' : foreignLines(description)}</p>`,
      ),
      loadTest.run
        ? section('Reports', ready ? reports(loadTest, place, faults) : noReport(loadTest, now))
        : '',
    ],
  })
}

function facts(loadTest: LoadTest, platform: Platform, place: Place): Markup {
  const { number, executionEnvironment, source, run } = loadTest
  const { state, startTime, endTime, message } = executionState(loadTest, platform.now())
  const template = run && projectAt(platform, place).loadTests.find((one) => one.number === run.template)
  const all: [string, Part][] = [
    ['Number', number],
    ['State', stateMark(state)],
    ['Progress', run?.work?.progress],
    ['Message', message === undefined ? undefined : foreign(message, 500)],
    ['Created', run && moment(run.createdAt)],
    ['Started', startTime > 0 ? moment(startTime) : undefined],
    ['Ended', endTime > 0 ? moment(endTime) : undefined],
    ['Duration', startTime > 0 && endTime > 0 ? formatDuration(endTime - startTime) : undefined],
    ['Copied from', template && loadTestLink(template, place)],
    ['Code archive', run && builtFrom({ ...loadTest, run })],
    ['Test suite from', sourceText(source, platform.settings.archives)],
    ['Execution environment', executionEnvironment],
    ['Figures', run && (run.work ? 'measured by the engine' : 'simulated')],
  ]
  const known = all.filter(([, value]) => value !== undefined)
  const live = run && (endTime === 0 || run.work?.reporting) ? markup` data-live` : ''
  return markup`<dl class="card facts"${live}>${known.map(([term, value]) => markup`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`
}

function noReport(loadTest: LoadTest, now: number): Markup {
  const ended = executionState(loadTest, now).endTime > 0 && !loadTest.run?.work?.reporting
  return markup`<p class="quiet">${ended ? 'This load test has no report.' : 'There is no report yet.'}</p>`
}

function reports(loadTest: LoadTest, place: LoadTestPlace, faults: readonly string[]): Markup {
  const href = address.loadTest(place, loadTest.number)
  return markup`<div class="card">
<p><strong>${foreign(reportLabel(loadTest))}</strong></p>
<p class="links"><a href="${href}/report" download>Download report 1</a> <a href="${href}/result" download>Download result 1</a></p>
${problems(faults)}<form method="post" action="${href}/report-label" class="choice">
<label>Report label <input name="label" maxlength="${longestLabel}" autocomplete="off" value="${loadTest.run?.reportLabel}" aria-describedby="label-hint"></label><button>Save label</button>
</form>
<p class="hint" id="label-hint">Comparison reports show it in their columns. Save an empty label to remove it.</p>
</div>`
}
