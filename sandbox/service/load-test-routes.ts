import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure, notFound } from './failure.js'
import { faultOf } from './faults.js'
import type { LoadTest } from './load-test.js'
import type { Platform } from './platform.js'
import type { Records } from './record.js'
import type { ServiceSettings } from './settings.js'
import { answers, json, loadTest, loadTests, pathParameters, status } from './schemas.js'
import { projectOf, visitOf, type Place } from './visit.js'

export interface LoadTestPlace extends Place {
  loadTestNumber: number
}

const v1 = '/public/api/v1/orgs/:org/projects/:project/loadTests'
const tags = ['Load tests']
const params = pathParameters('loadTestNumber')

/** The load test named by a path. @throws Failure 404 */
export function namedLoadTest(
  platform: Platform,
  request: FastifyRequest<{ Params: LoadTestPlace }>,
): LoadTest {
  const { loadTestNumber } = request.params
  if (faultOf(visitOf(request).strikes, 'vanish')) throw notFound(`There is no load test ${loadTestNumber}.`)
  return platform.loadTest(projectOf(request), loadTestNumber)
}

/** A part of a list, and how it says that there is more. */
function pageOf(all: unknown[], { listPage: limit, listCursor }: ServiceSettings, url: string): object {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const asked = searchParams.get('offset') ?? 0
  const offset = searchParams.has('page') ? Number(searchParams.get('page')) * limit : Number(asked)
  const content = all.slice(offset, offset + limit)
  const rest = offset + limit < all.length ? offset + limit : undefined
  switch (listCursor) {
    case 'next':
      return { content, next: rest === undefined ? null : `${pathname}?offset=${rest}` }
    case 'cursor':
      return { content, next: rest === undefined ? null : String(rest) }
    case 'page': {
      const totalPages = Math.ceil(all.length / limit)
      return { content, number: offset / limit, size: limit, totalPages, last: rest === undefined }
    }
  }
}

/** The web page of the load test named by a path. */
function pageAddress({ protocol, host, params }: FastifyRequest<{ Params: LoadTestPlace }>): string {
  const { org, project, loadTestNumber } = params
  const place = `orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}`
  return `${protocol}://${host}/${place}/load-tests/${loadTestNumber}`
}

/** Listing, reading and starting load tests (interface section 4). */
export function loadTestRoutes(app: FastifyInstance, platform: Platform, records: Records): void {
  app.get(v1, {
    config: { operation: 'list', scope: 'LOADTEST_LIST' },
    schema: {
      operationId: 'listLoadTests',
      summary: 'List all load tests of a project',
      tags,
      params: pathParameters(),
      response: answers(200, 'All load tests of the project', json(loadTests)),
    },
    handler: (request, reply) => {
      const { strikes } = visitOf(request)
      const all = platform.listed(projectOf(request)).map((one) => records.loadTest(one, strikes))
      const { settings } = platform
      if (settings.listPage === 0) return reply.send(records.list(all))
      return reply.send(pageOf(all, settings, request.url))
    },
  })

  app.get<{ Params: LoadTestPlace }>(`${v1}/:loadTestNumber`, {
    config: { operation: 'details', scope: 'LOADTEST_DETAILS' },
    schema: {
      operationId: 'getLoadTest',
      summary: 'Details of one load test',
      tags,
      params,
      response: answers(200, 'The load test', json(loadTest)),
    },
    handler: (request, reply) =>
      reply.send(
        records.details(namedLoadTest(platform, request), visitOf(request).strikes, pageAddress(request)),
      ),
  })

  app.get<{ Params: LoadTestPlace }>(`${v1}/:loadTestNumber/status`, {
    config: { operation: 'status', scope: 'LOADTEST_STATUS' },
    schema: {
      operationId: 'getLoadTestStatus',
      summary: 'Status of one load test',
      tags,
      params,
      response: answers(200, 'The status', json(status)),
    },
    handler: (request, reply) =>
      reply.send(records.status(namedLoadTest(platform, request), visitOf(request).strikes)),
  })

  for (const method of ['GET', 'POST'] as const) {
    app.route<{ Params: LoadTestPlace }>({
      method,
      url: `${v1}/:loadTestNumber/runCopy`,
      config: {
        operation: 'runCopy',
        scope: 'LOADTEST_COPY_RUN',
        offered: ({ runCopyMethod }) => runCopyMethod === method,
      },
      schema: {
        operationId: 'runCopyOfLoadTest',
        summary: 'Copy a load test and run the copy',
        tags,
        params,
        response: answers(200, 'The running copy', json(loadTest)),
      },
      handler: (request, reply) => {
        const template = namedLoadTest(platform, request)
        const late = faultOf(visitOf(request).strikes, 'late')?.seconds
        const copy = platform.copyAndRun(projectOf(request), template.number, false, late)
        const { runCopyAnswer, startStatus } = platform.settings
        if (startStatus > 0)
          throw new Failure(startStatus, 'SIMULATED', 'This start was executed all the same.')
        if (runCopyAnswer === 'nothing') return reply.code(202).send()
        if (runCopyAnswer === 'phantom') return reply.send({ index: copy.number + 1000 })
        if (runCopyAnswer === 'location') {
          return reply
            .code(201)
            .header('location', request.url.replace(/\d+\/runCopy$/, String(copy.number)))
            .send()
        }
        if (runCopyAnswer === 'number') return reply.send(copy.number)
        return reply.send(records.loadTest(copy, visitOf(request).strikes))
      },
    })
  }
}
