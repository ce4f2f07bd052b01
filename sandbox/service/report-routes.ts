import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendFile } from './download.js'
import { Failure, notFound } from './failure.js'
import { faultOf } from './faults.js'
import { reportReady, type LoadTest } from './load-test.js'
import { namedLoadTest, type LoadTestPlace } from './load-test-routes.js'
import type { Platform } from './platform.js'
import type { ReportStore } from './report-store.js'
import type { ServiceSettings } from './settings.js'
import { answers, binary, pathParameters } from './schemas.js'
import { projectOf, visitOf } from './visit.js'

interface ReportPlace extends LoadTestPlace {
  reportNumber: number
}
interface ResultPlace extends LoadTestPlace {
  resultNumber: number
}

const loadTest1 = '/public/api/v1/orgs/:org/projects/:project/loadTests/:loadTestNumber'

/** Downloads of reports and results (interface section 4). */
export function reportRoutes(app: FastifyInstance, platform: Platform, store: ReportStore): void {
  for (const method of ['GET', 'POST'] as const) downloads(app, method, platform, store)
}

function downloads(
  app: FastifyInstance,
  method: 'GET' | 'POST',
  platform: Platform,
  store: ReportStore,
): void {
  const offered = ({ downloadMethod }: ServiceSettings) => downloadMethod === method
  app.route<{ Params: ReportPlace }>({
    method,
    url: `${loadTest1}/reports/:reportNumber/download`,
    config: { operation: 'report', scope: 'LOADTEST_REPORT_DOWNLOAD', offered },
    schema: {
      operationId: 'downloadReport',
      summary: 'Download a report archive',
      tags: ['Reports'],
      params: pathParameters('loadTestNumber', 'reportNumber'),
      response: answers(200, 'The archive', { 'application/gzip': binary, 'application/zip': binary }),
    },
    handler: async (request, reply) => {
      const loadTest = finished(platform, request, 'report', request.params.reportNumber)
      const file = await store.report(projectOf(request), loadTest)
      return sendFile(request, reply, file, platform.settings)
    },
  })

  app.route<{ Params: ResultPlace }>({
    method,
    url: `${loadTest1}/results/:resultNumber/download`,
    config: { operation: 'result', scope: 'LOADTEST_RESULT_DOWNLOAD', offered },
    schema: {
      operationId: 'downloadResult',
      summary: 'Download a result archive',
      tags: ['Results'],
      params: pathParameters('loadTestNumber', 'resultNumber'),
      response: answers(200, 'The archive', { 'application/gzip': binary }),
    },
    handler: async (request, reply) => {
      const loadTest = finished(platform, request, 'result', request.params.resultNumber)
      const file = await store.result(projectOf(request), loadTest)
      return sendFile(request, reply, file, platform.settings)
    },
  })
}

/** A load test that has a file of this number. Each run leaves one report and one result. @throws Failure 404 */
function finished(
  platform: Platform,
  request: FastifyRequest<{ Params: LoadTestPlace }>,
  kind: 'report' | 'result',
  number: number,
): LoadTest {
  const loadTest = namedLoadTest(platform, request)
  const late = faultOf(visitOf(request).strikes, 'report-late') !== undefined
  const { reportNumber, notYetStatus } = platform.settings
  if (number !== reportNumber) throw notFound(`Load test ${loadTest.number} has no ${kind} ${number}.`)
  if (late || !reportReady(loadTest, platform.now())) {
    throw new Failure(notYetStatus, 'NOT_YET', `Load test ${loadTest.number} has no ${kind} ${number}.`)
  }
  return loadTest
}
