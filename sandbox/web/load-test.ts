import type { FastifyInstance } from 'fastify'
import { formatDuration } from '../../src/text/duration.js'
import { sendFile } from '../service/download.js'
import { notFound } from '../service/failure.js'
import { executionState, reportReady, type LoadTest } from '../service/load-test.js'
import type { Platform } from '../service/platform.js'
import type { ReportStore } from '../service/report-store.js'
import type { Place } from '../service/visit.js'
import { builtFrom, loadTestLink, sourceText } from './load-test-table.js'
import { foreign, foreignLines, markup, moment, type Markup, type Part } from './markup.js'
import { address, loadTestAt, pathToProject, projectAt } from './place.js'
import { page, section } from './shell.js'

const url = '/orgs/:org/projects/:project/load-tests/:loadTest'

type LoadTestPlace = Place & { loadTest: string }

/** One load test: its facts, and the downloads of its report. */
export function loadTestRoutes(app: FastifyInstance, platform: Platform, store: ReportStore): void {
  app.get<{ Params: LoadTestPlace }>(url, (request, reply) =>
    reply.send(loadTestPage(platform, request.params)),
  )

  for (const kind of ['report', 'result'] as const)
    app.get<{ Params: LoadTestPlace }>(`${url}/${kind}`, async (request, reply) => {
      const { project, loadTest } = named(platform, request.params)
      if (!reportReady(loadTest, platform.now()))
        throw notFound(`Load test ${loadTest.number} has no report.`)
      return sendFile(request, reply, await store[kind](project, loadTest), {
        ranges: false,
        downloadSpeed: 0,
      })
    })
}

/** @throws Failure 404 */
function named(platform: Platform, place: LoadTestPlace) {
  const project = projectAt(platform, place)
  const loadTest = loadTestAt(project, place.loadTest)
  return { project, loadTest }
}

function loadTestPage(platform: Platform, place: LoadTestPlace): string {
  const { project, loadTest } = named(platform, place)
  const { number, name } = loadTest
  const now = platform.now()
  const ready = reportReady(loadTest, now)
  return page({
    title: name === '' ? `Load test ${number}` : name,
    path: pathToProject(project, place),
    live: true,
    refreshed: loadTest.run !== undefined,
    content: [
      facts(loadTest, platform, place),
      section('Description', descriptionCard(loadTest)),
      loadTest.run ? section('Reports', ready ? reports(loadTest, place) : noReport(loadTest, now)) : '',
    ],
  })
}

/** It is copied into the report, with its line breaks. */
function descriptionCard({ description }: LoadTest): Markup {
  const shown = description === '' ? 'This load test has no description.' : foreignLines(description)
  return markup`<div class="card"><p>${shown}</p></div>`
}

function facts(loadTest: LoadTest, platform: Platform, place: Place): Markup {
  const { number, executionEnvironment, source, run } = loadTest
  const { state, startTime, endTime, message } = executionState(loadTest, platform.now())
  const template = run && projectAt(platform, place).loadTests.find((one) => one.number === run.template)
  const all: [string, Part][] = [
    ['Number', number],
    ['State', state],
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

function reports(loadTest: LoadTest, place: LoadTestPlace): Markup {
  const href = address.loadTest(place, loadTest.number)
  return markup`<p class="card links"><a href="${href}/report" download>Download report 1</a> <a href="${href}/result" download>Download result 1</a></p>`
}
