import { Connection } from '../../src/service/connection.js'
import { ServiceError, type FailureFacts } from '../../src/service/failure.js'
import { namelessAnswer, requestStart } from '../../src/service/service.js'
import { transport } from '../../src/service/transport.js'
import { redaction } from '../../src/text/redaction.js'
import { calls } from '../fake-service.js'
import { keptLog } from '../kept-log.js'
import { serve, type Front } from '../step/front.js'

const kind = (facts: FailureFacts) => namelessAnswer(new ServiceError(calls.runCopy(1), facts)).is

/* A refusal is the only answer after which a start may be requested again at once: each other one may run. */

test.each<[number, ReturnType<typeof kind>]>([
  ...[300, 301, 302, 303, 307, 308, 399].map((status): [number, 'unclear'] => [status, 'unclear']),
  ...[400, 401, 402, 403, 404, 405, 407, 409, 410, 413, 422, 424, 426, 428, 431, 451, 499].map(
    (status): [number, 'refused'] => [status, 'refused'],
  ),
  ...[408, 425, 429].map((status): [number, 'unclear'] => [status, 'unclear']),
  [501, 'refused'],
  ...[500, 502, 503, 504, 505, 520, 599].map((status): [number, 'unclear'] => [status, 'unclear']),
])('a start answered with %i is %s, whatever is said about its execution', (status, is) => {
  expect(kind({ status, executed: 'no' })).toBe(is)
  expect(kind({ status, executed: 'unknown' })).toBe(is)
  expect(kind({ status, executed: 'no', unanswered: true })).toBe('unanswered')
})

test('without an answer, only a service that was never reached has started nothing', () => {
  expect(kind({ executed: 'no' })).toBe('unsent')
  expect(kind({ executed: 'unknown' })).toBe('unclear')
  expect(kind({ executed: 'unknown', unanswered: true })).toBe('unanswered')
})

describe('one request of a start', () => {
  let front: Front
  afterEach(() => front.close())

  /** What a service means that answers like this, what it was asked, and how long each answer might have taken. */
  async function started(status: number, body: string, tokenStatus = 200, location?: string) {
    const asked: string[] = []
    const limits: number[] = []
    front = await serve((request, response) => {
      request.resume()
      const isToken = asked.push(`${request.method} ${request.url}`) === 1
      if (isToken) response.statusCode = tokenStatus
      else response.statusCode = status
      if (location !== undefined && !isToken) response.setHeader('location', location)
      response.end(isToken ? '{"access_token": "t", "expires_in": 60}' : body)
    })
    const real = transport(front.url, 'test')
    const connection = new Connection({
      baseUrl: front.url,
      credentials: { clientId: 'id', clientSecret: 'secret' },
      scopes: ['LOADTEST_COPY_RUN'],
      transport: (operation, exchange) => {
        limits.push(exchange.timeout)
        return real(operation, exchange)
      },
      patience: { firstPause: 1, longestPause: 1, total: 0 },
      log: keptLog().log,
      secrets: redaction(),
    })
    const answer = await requestStart(connection, calls.runCopy(1), 1).catch((error: unknown) => error)
    return { answer, asked, limits }
  }

  test('is named by the number of the copy, after minutes if need be', async () => {
    const { answer, asked, limits } = await started(200, '{"index": 10}')
    expect(answer).toEqual({ is: 'named', copy: { number: 10 } })
    expect(asked).toHaveLength(2)
    expect(limits).toEqual([60_000, 300_000])
  })

  test.each<[number, string, string | undefined]>([
    [200, '{"success": true, "data": {"loadTest": {"number": "10"}}}', undefined],
    [200, '{"id": 10}', undefined],
    [200, '{"copy": {"loadTestId": 10}}', undefined],
    [200, '{"loadTestNumber": 1, "newLoadTestNumber": 10}', undefined],
    [200, '{"sourceNumber": 1, "copyNumber": 10, "name": "x"}', undefined],
    [
      200,
      '{"_links": {"self": {"href": "https://x.test/public/api/v1/orgs/o/projects/p/loadTests/10"}}}',
      undefined,
    ],
    [201, '', '/public/api/v1/orgs/o/projects/p/loadTests/10'],
    [202, 'Started.', '../10/../../loadTests/10/status?x=1'],
    [303, '', 'https://elsewhere.test/orgs/o/projects/p/load-tests/10'],
  ])('is named wherever clients know the number: %i %s %s', async (status, body, location) => {
    const { answer, asked } = await started(status, body, 200, location)
    expect(answer).toMatchObject({ is: 'named', copy: { number: 10 } })
    expect(asked).toHaveLength(2)
  })

  test.each([
    [302, '/login?next=/public/api/v1/orgs/o/projects/p/loadTests/1/runCopy'],
    [307, '/public/api/v1/orgs/o/projects/p/loadTests/1'],
    [308, '/public/api/v1/orgs/o/projects/p/loadTests/1/runCopy/'],
  ])('a redirect (%i) to %s says nothing about a copy', async (status, location) => {
    expect((await started(status, '', 200, location)).answer).toHaveProperty('is', 'unclear')
  })

  test.each([
    ['a record without a number', 200, '{"name": "Webshop"}', 'unnamed', 'contains no load test number'],
    ['the number 0', 200, '{"index": 0}', 'unnamed', 'contains no load test number'],
    ['what is not JSON', 202, 'Started.', 'unnamed', 'is not JSON'],
    ['an answer of no bytes', 204, '', 'unnamed', 'starting a copy of load test 1 is empty.'],
    ['an empty word of thanks', 202, ' ', 'unnamed', 'starting a copy of load test 1 is empty.'],
    ['a conflict', 409, '{}', 'refused', 'answered 409'],
    ['a fault', 500, '{"index": 10}', 'unclear', 'answered 500'],
  ])('%s, with %i', async (_, status, body, is, sentence) => {
    const { answer, asked } = await started(status, body)
    expect(answer).toHaveProperty('is', is)
    expect(answer).toHaveProperty('fault.message', expect.stringContaining(sentence))
    expect(answer).toHaveProperty('fault.message', expect.not.stringContaining('base-url'))
    expect(asked).toHaveLength(2)
  })

  test('is not sent without a token', async () => {
    const { answer, asked } = await started(200, '{"index": 10}', 503)
    expect(answer).toBeInstanceOf(ServiceError)
    expect(asked).toHaveLength(1)
  })
})
