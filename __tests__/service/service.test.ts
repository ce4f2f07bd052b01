import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { getEventListeners } from 'node:events'
import { ServiceError, AnswerError, type FailureFacts } from '../../src/service/failure.js'
import { namelessAnswer, requestStart, type StartAnswer } from '../../src/service/service.js'
import { json, serve as world, type Handler } from './raw-service.js'
import { Connection } from '../../src/service/connection.js'
import { redaction } from '../../src/text/redaction.js'
import { calls } from '../fake-service.js'
import { keptLog } from '../kept-log.js'
import { arrived } from './arrived.js'
import { deadline, sleep } from '../../src/clock.js'
import { repeat, type Patience } from '../../src/service/patience.js'

function halve(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 100 })
  response.write('{"index":', () => response.socket?.destroy())
}

const status = (state: string) => ({
  success: true,
  data: { index: 8, executionState: { state, startTime: 0, endTime: 0 } },
})

test('a token is requested as the interface says, once, masked, and sent with each call', async () => {
  const { client, seen, masked } = await world((_, response) => json(response, status('RUNNING')))
  await client.status(8)
  await client.status(8)
  expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /oauth/token',
    'GET /public/api/v1/orgs/acme/projects/web%20shop/loadTests/8/status',
    'GET /public/api/v1/orgs/acme/projects/web%20shop/loadTests/8/status',
  ])
  expect(seen[0]?.body).toBe(
    'client_id=id&client_secret=s3cr%26t&grant_type=client_credentials&scope=LOADTEST_LIST+LOADTEST_STATUS',
  )
  expect(seen[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect(seen[1]?.headers.authorization).toBe('Bearer token-1')
  expect(seen[1]?.headers['user-agent']).toMatch(/^load-test-action\/9\.9\.9/)
  expect(masked).toEqual(['token-1'])
})

test.each([
  ['names none', undefined],
  ['names them all', 'LOADTEST_STATUS LOADTEST_LIST'],
  ['separates them otherwise', 'LOADTEST_LIST, LOADTEST_STATUS'],
  ['names others only', 'api'],
])('a token is used for all scopes if its answer %s', async (_, scope) => {
  const { client, seen } = await world(() => undefined, {
    token: (_request, response) => json(response, { access_token: 'token', scope }),
  })
  await expect(client.authenticate()).resolves.toBeUndefined()
  expect(seen).toHaveLength(1)
})

test('a token for fewer scopes than were requested is a fault before it is used', async () => {
  const { client, seen } = await world(() => undefined, {
    token: (_request, response) => json(response, { access_token: 'token', scope: 'openid LOADTEST_STATUS' }),
  })
  const end: unknown = await client.list().catch((error: unknown) => error)
  if (!(end instanceof ServiceError)) throw new Error('It did not fail.')
  expect(end.message).toContain(
    'fewer scopes than were requested. The credentials lack the scope LOADTEST_LIST',
  )
  expect(end.facts.missingScopes).toEqual(['LOADTEST_LIST'])
  expect(seen.map(({ path }) => path)).toEqual(['/oauth/token'])
})

test('the OpenAPI document can be read without a token', async () => {
  const { client, seen } = await world((_, response) => json(response, { paths: {} }))
  await expect(client.openApi(true)).resolves.toEqual({ paths: {} })
  expect(seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/public/api/json', undefined],
  ])
})

test.each([1, 2, 3])('a token that is refused is replaced, %s times in a row', async (times) => {
  const { client, calls } = await world((_, response, count) =>
    count <= times ? json(response, { error: 'expired' }, 401) : json(response, status('RUNNING')),
  )
  await expect(client.status(8)).resolves.toMatchObject({ state: 'RUNNING' })
  expect(calls().map(({ headers }) => headers.authorization)).toEqual(
    Array.from({ length: times + 1 }, (_, i) => `Bearer token-${i + 1}`),
  )
})

test('if every token is refused, the fault says what to do', async () => {
  const { client, calls } = await world((_, response) => json(response, { error: 'no' }, 401))
  await expect(client.status(8)).rejects.toThrow(
    /^Reading the status of load test 8 failed: the load-testing service answered 401\./,
  )
  expect(calls()).toHaveLength(4)
})

const oauth = (response: ServerResponse, error: string, description: string, status = 400) =>
  json(response, { error, error_description: description }, status)

test.each<[string, Handler, string, number]>([
  [
    'a wrong secret is asked for once',
    (_, response) => oauth(response, 'invalid_client', 'The secret is wrong', 401),
    'the load-testing service answered 401. Check client-id and client-secret. If the credentials have expired, create new ones on the service, in the configuration of the project or its organization (Integrations, API Client Credentials). The service said: invalid_client: The secret is wrong.',
    1,
  ],
  [
    'a scope is not missing because the endpoint is down',
    ({ body }, response) =>
      body.includes('+') ? oauth(response, 'invalid_scope', 'Not all.') : json(response, {}, 503),
    'The credentials lack scopes that this step requests: see the permissions in the README. The service said: invalid_scope: Not all.',
    2,
  ],
  [
    'a wrong path below the address',
    (_, response) => response.writeHead(404).end('<h1>Not here</h1>'),
    'Check base-url: there is no token endpoint at /oauth/token below it. Most services have an address without a path: write only https:// and the host. The service said: Not here.',
    1,
  ],
])('why there is no token: %s', async (_, token, sentence, requests) => {
  const { client, seen } = await world(() => undefined, { token })
  await expect(client.list()).rejects.toThrow(sentence)
  if (requests === 1) expect(seen).toHaveLength(1)
  else expect(seen.length).toBeGreaterThan(1)
})

test('a text that is not JSON is not shown as JSON, and no secret is shown, however it is escaped', async () => {
  const { client } = await world((_, response) =>
    response.writeHead(400).end('{"detail": "Bad \\u00733cr&t", "trace": ["x"]}'),
  )
  await expect(client.list()).rejects.toThrow(/ Check .* The service said: Bad \*\*\*\.$/)
})

test('a list is read in the charset that it names', async () => {
  const latin1 = Buffer.from('[{"index": 1, "name": "Käse"}]', 'latin1')
  const { client } = await world((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json; charset=ISO-8859-1' }).end(latin1),
  )
  await expect(client.list()).resolves.toEqual([{ number: 1, name: 'Käse' }])
})

test('compressed text that breaks off is requested again, and is never unpacked beyond the limit', async () => {
  const { client, calls } = await world((_, response, count) => {
    const packed = gzipSync('[{"index": 1}]')
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end(count === 1 ? packed.subarray(0, packed.length - 9) : packed)
  })
  await expect(client.list()).resolves.toHaveLength(1)
  expect(calls()).toHaveLength(2)
  const bomb = gzipSync(Buffer.alloc(20_000_000, ' '))
  const large = await world((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  await expect(large.client.list()).rejects.toThrow('is larger than 16.0 MB')
})

test('JSON of millions of values is refused before it is parsed; depth alone does not matter', async () => {
  const many = await world((_, response) => response.end(`[${'1,'.repeat(1_000_000)}1]`))
  await expect(many.client.list()).rejects.toThrow('has more than 1,000,000 values')
  const deep = `{"data": [{"index": 1, "name": "s3cr&t", "x": ${'['.repeat(100_000)}"s3cr&t"${']'.repeat(100_000)}}]}`
  const { client } = await world((_, response) => response.end(deep))
  await expect(client.list()).resolves.toEqual([{ number: 1, name: '***' }])
})

test.each<[string, StartAnswer['is'], (response: ServerResponse) => void]>([
  ['a broken connection', 'unclear', (response) => response.socket?.destroy()],
  ['a gateway', 'unclear', (response) => response.writeHead(504).end()],
  ['too many requests', 'unclear', (response) => response.writeHead(429, { 'retry-after': '1' }).end()],
  ['a redirect', 'unclear', (response) => response.writeHead(307, { location: '/elsewhere' }).end()],
  ['a refused token', 'refused', (response) => json(response, {}, 401)],
  ['a page', 'unnamed', (response) => response.end('<html>')],
  ['half an answer', 'unnamed', (response) => halve(response)],
  ['a refusal with 200', 'unnamed', (response) => json(response, { success: false, message: 'no' })],
])('a start is sent once, whatever the answer: %s is %s', async (_, is, answer) => {
  const { client, calls } = await world((_request, response) => answer(response))
  await expect(client.runCopy(1)).resolves.toMatchObject({ is })
  expect(calls()).toHaveLength(1)
})

test('a start that was refused for its token gets another token the next time', async () => {
  const { client, calls } = await world((_, response, count) =>
    json(response, { index: 9 }, count === 1 ? 401 : 200),
  )
  await client.runCopy(1)
  await expect(client.runCopy(1)).resolves.toMatchObject({ is: 'named' })
  expect(calls().map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2'])
})

test('a list in pages is read to its end', async () => {
  const w = await world(({ path }, response) => {
    const [place = '', from = '1'] = path.split('?from=')
    const next = from === '5' ? null : `${w.baseUrl}${place}?from=${Number(from) + 1}`
    json(response, { success: true, data: { items: [{ index: Number(from) }], next } })
  })
  expect((await w.client.list()).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5])
})

const archive = { bytes: 1, open: () => Readable.from([Buffer.from('P')]) }

test.each<[string, string, string | undefined | RegExp]>([
  ['nothing', '', undefined],
  ['a word', 'OK', undefined],
  ['no id', '{"success": true}', undefined],
  ['an id', '{"success": true, "data": {"id": 7}}', '7'],
  [
    'a refusal',
    '{"success": false, "message": "300 archives at most"}',
    /reports a failure: 300 archives at most/,
  ],
  ['a page', '<html>Sign in</html>', /is HTML, not JSON/],
])('an upload answered with %s', async (_, body, expected) => {
  const { client } = await world((_request, response) => response.writeHead(200).end(body))
  const sent = client.upload(archive, 'ab')
  if (expected instanceof RegExp) await expect(sent).rejects.toThrow(expected)
  else await expect(sent).resolves.toBe(expected)
})

test.each<[object, string]>([
  [{ success: false, message: 'Project is archived' }, 'reports a failure: Project is archived.'],
  [{ success: true, data: {} }, 'contains no access_token.'],
])('an answer %j of the token endpoint is said in its own words', async (answer, said) => {
  const { client } = await world(() => undefined, { token: (_request, response) => json(response, answer) })
  await expect(client.authenticate()).rejects.toThrow(`getting an access token ${said}`)
})

test('a token in an envelope is taken', async () => {
  const { client } = await world((_request, response) => json(response, [{ index: 1 }]), {
    token: (_request, response) => json(response, { success: true, data: { access_token: 'token' } }),
  })
  await expect(client.list()).resolves.toEqual([{ number: 1 }])
})

test.each(['.', '..', 'a/b', '..\\x', '%2e%2e', '\n', 'x'.repeat(201)])(
  'an invalid id never becomes part of an address: %j',
  async (id) => {
    const { client, calls } = await world((_, response) => json(response, { id }, 201))
    await expect(client.upload(archive, '00')).resolves.toBeUndefined()
    await expect(client.deleteArchive(id)).rejects.toThrow('cannot be part of an address')
    expect(calls()).toHaveLength(1)
  },
)

test.each(['ca-1', '5f0e:v2_3.4~x', 'a b', 7])('an id of the service is used unchanged: %j', async (id) => {
  const { client, calls } = await world((_, response) => json(response, { id }, 201))
  await expect(client.upload(archive, '00')).resolves.toBe(String(id))
  await client.deleteArchive(String(id))
  expect(calls().at(-1)).toMatchObject({
    method: 'DELETE',
    path: `/public/api/v2/orgs/acme/projects/web%20shop/code-archives/${encodeURIComponent(id)}`,
  })
})

test('an answer that says it failed deletes no code archive', async () => {
  const { client } = await world((_, response) => json(response, { success: false, message: 'still in use' }))
  await expect(client.deleteArchive('ca-1')).rejects.toThrow('reports a failure: still in use')
})

test('a call ends at its own signal, even while it waits for a token', async () => {
  const token = new AbortController()
  const waiting = await world(() => undefined, { token: () => token.abort(new Error('too late')) })
  await expect(waiting.client.status(8, token.signal)).rejects.toThrow('too late')
  const call = new AbortController()
  const hanging = await world(() => call.abort(new Error('too late')))
  await expect(hanging.client.details(8, call.signal)).rejects.toThrow('too late')
})

test.each<[string, number[], boolean]>([
  ['is deleted', [204], true],
  ['is gone after a try whose answer was lost', [502, 404], true],
  ['was never there, or cannot be deleted here', [404], false],
])('a code archive that %s', async (_, statuses, isDeleted) => {
  const { client } = await world((_request, response, count) => {
    response.writeHead(statuses[count - 1] ?? 500).end()
  })
  const deleted = client.deleteArchive('ca-1')
  if (isDeleted) await expect(deleted).resolves.toBeUndefined()
  else await expect(deleted).rejects.toThrow('answered 404')
})

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
})

test('a start may take minutes, another answer one', async () => {
  const limits: number[] = []
  const connection = new Connection({
    ...{ baseUrl: 'https://x.test', credentials: { clientId: 'id', clientSecret: 'secret' }, scopes: [] },
    ...{ log: keptLog().log, secrets: redaction() },
    transport: async (_, { timeout }) => {
      limits.push(timeout)
      const body = arrived('{"access_token": "t", "index": 10}')
      return { status: 200, headers: {}, body, close: () => undefined }
    },
  })
  await requestStart(connection, calls.runCopy(1), 1)
  expect(limits).toEqual([60_000, 300_000])
})

describe('one request of a start', () => {
  async function started(status: number, body: string, location = '') {
    const { client, calls } = await world((_, response) =>
      response.writeHead(status, location === '' ? {} : { location }).end(body),
    )
    const answer = await client.runCopy(1)
    expect(calls()).toHaveLength(1)
    return answer
  }

  test('is named by the number of the copy', async () => {
    expect(await started(200, '{"index": 10}')).toEqual({ is: 'named', copy: { number: 10 } })
  })

  test.each<[number, string, string]>([
    [200, '{"success": true, "data": {"loadTest": {"number": "10"}}}', ''],
    [200, '{"id": 10}', ''],
    [200, '{"copy": {"loadTestId": 10}}', ''],
    [200, '{"loadTestNumber": 1, "newLoadTestNumber": 10}', ''],
    [200, '{"sourceNumber": 1, "copyNumber": 10, "name": "x"}', ''],
    [200, '{"_links": {"self": {"href": "https://x.test/orgs/o/projects/p/loadTests/10"}}}', ''],
    [201, '', '/public/api/v1/orgs/o/projects/p/loadTests/10'],
    [202, 'Started.', '../10/../../loadTests/10/status?x=1'],
    [303, '', 'https://elsewhere.test/orgs/o/projects/p/load-tests/10'],
  ])('is named wherever clients know the number: %i %s %s', async (status, body, location) => {
    expect(await started(status, body, location)).toMatchObject({ is: 'named', copy: { number: 10 } })
  })

  test.each([
    [302, '/login?next=/public/api/v1/orgs/o/projects/p/loadTests/1/runCopy'],
    [307, '/public/api/v1/orgs/o/projects/p/loadTests/1'],
    [308, '/public/api/v1/orgs/o/projects/p/loadTests/1/runCopy/'],
  ])('a redirect (%i) to %s says nothing about a copy', async (status, location) => {
    expect(await started(status, '', location)).toHaveProperty('is', 'unclear')
  })

  test.each([
    ['a record without a number', 200, '{"name": "Webshop"}', 'unnamed', 'contains no load test number'],
    ['the number 0', 200, '{"index": 0}', 'unnamed', 'contains no load test number'],
    ['what is not JSON', 202, 'Started.', 'unnamed', 'is not JSON'],
    ['an answer of no bytes', 204, '', 'unnamed', 'starting a copy of load test 1 is empty.'],
    ['an empty word of thanks', 202, ' ', 'unnamed', 'starting a copy of load test 1 is empty.'],
    ['a fault', 500, '{"index": 10}', 'unclear', 'answered 500'],
  ])('%s, with %i', async (_, status, body, is, sentence) => {
    const answer = await started(status, body)
    expect(answer).toHaveProperty('is', is)
    expect(answer).toHaveProperty('fault.message', expect.stringContaining(sentence))
    expect(answer).toHaveProperty('fault.message', expect.not.stringContaining('base-url'))
  })

  test('is not sent without a token', async () => {
    const { client, calls } = await world(() => undefined, {
      token: (_, response) => json(response, {}, 404),
    })
    await expect(client.runCopy(1)).rejects.toThrow(ServiceError)
    expect(calls()).toEqual([])
  })
})

const quick: Patience = { firstPause: 1, longestPause: 2, total: 60_000 }
const fault = (facts: Partial<FailureFacts>) =>
  new ServiceError(calls.list(), { executed: 'unknown', ...facts })
const busy = fault({ status: 503 })
const wrong = () => new AnswerError(calls.list(), 'is not JSON')

/** A call that fails with these faults, one after the other, and then answers how often it was made. */
async function repeated(faults: Error[], patience: Patience = quick, signal?: AbortSignal) {
  let tries = 0
  const { log, lines } = keptLog()
  const call = async () => {
    const next = faults[tries++]
    if (next) throw next
    return tries
  }
  const end: unknown = await repeat(call, patience, log, signal).catch((error: unknown) => error)
  return { end, tries, lines }
}

test('a call is repeated after what may pass', async () => {
  expect(await repeated([busy, busy, fault({}), busy])).toMatchObject({ end: 5, tries: 5 })
})

test.each<[string, Error]>([
  ['404', fault({ status: 404 })],
  ['a certificate that is not trusted', fault({ lasting: true })],
  ['a fault of ours', new Error('x')],
])('a call is not repeated after %s, and nothing is said', async (_, lasting) => {
  expect(await repeated([lasting])).toEqual({ end: lasting, tries: 1, lines: [] })
  const later = await repeated([busy, lasting])
  expect(later).toMatchObject({ end: lasting, tries: 2 })
  expect(later.lines).toEqual([expect.stringMatching(/answered 503\. .* Trying again\.$/)])
})

test('a wrong answer is asked for three times in all, whatever comes in between', async () => {
  const third = wrong()
  expect(await repeated([wrong(), wrong()])).toMatchObject({ end: 3 })
  const given = await repeated([wrong(), busy, wrong(), busy, third])
  expect(given).toMatchObject({ end: third, tries: 5 })
  expect(given.lines).toHaveLength(4)
})

test('after its time a call is not repeated, and nothing says that it is', async () => {
  expect(await repeated([busy], { ...quick, total: 0 })).toEqual({ end: busy, tries: 1, lines: [] })
})

test('the time is read again after each fault', async () => {
  let total = 60_000
  const shrinking: Patience = {
    ...quick,
    get total() {
      return total
    },
  }
  const { log } = keptLog()
  let tries = 0
  const call = () => {
    if (++tries === 3) total = 0
    return Promise.reject(busy)
  }
  await expect(repeat(call, shrinking, log)).rejects.toBe(busy)
  expect(tries).toBe(3)
})

test('a fault is described once as long as it is the same', async () => {
  const { lines } = await repeated([busy, fault({ status: 503 }), fault({ status: 502 }), busy])
  expect(lines).toEqual([
    expect.stringMatching(/answered 503\. .* Trying again\.$/),
    'Attempt 2 failed the same way. Trying again.',
    expect.stringMatching(/answered 502\. .* Trying again\.$/),
    expect.stringMatching(/answered 503\. .* Trying again\.$/),
  ])
})

test('Retry-After is waited for', async () => {
  const asked = fault({ status: 429, retryAfterSeconds: 0.1 })
  const events: string[] = []
  const call = async () => {
    if (events.push('call') === 1) throw asked
  }
  setTimeout(() => events.push('a while later'), 30)
  await repeat(call, quick, keptLog().log)
  expect(events).toEqual(['call', 'a while later', 'call'])
})

test('a Retry-After beyond the time of the call ends it, and the log says why', async () => {
  const asked = fault({ status: 429, retryAfterSeconds: 61 })
  const { end, tries, lines } = await repeated([asked])
  expect({ end, tries }).toEqual({ end: asked, tries: 1 })
  expect(lines).toEqual(['The service asks to wait 1 min 1 s, which is longer than this call may take.'])
})

test('a cancelled job ends the repetition and its pauses, with its reason', async () => {
  const cancel = new AbortController()
  const asked = fault({ status: 429, retryAfterSeconds: 30 })
  const slow = repeated([asked], quick, cancel.signal)
  setTimeout(() => cancel.abort(new Error('cancelled')), 5)
  expect(await slow).toMatchObject({ end: new Error('cancelled'), tries: 1 })
  const before = await repeated([busy], quick, AbortSignal.abort(new Error('cancelled')))
  expect(before).toMatchObject({ end: new Error('cancelled'), tries: 0 })
})

describe('a pause', () => {
  test('ends', async () => {
    await expect(sleep(1)).resolves.toBeUndefined()
    const { signal } = new AbortController()
    await expect(sleep(1, signal)).resolves.toBeUndefined()
    // A run of hours has thousands of them.
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test.each<[string, unknown, string]>([
    ['a reason', new Error('cancelled'), 'cancelled'],
    ['a reason that is not an error', 'cancelled', 'aborted'],
  ])('that is cut off rejects with %s', async (_, reason, due) => {
    const cancel = new AbortController()
    const long = sleep(60_000, cancel.signal)
    cancel.abort(reason)
    await expect(long).rejects.toThrow(due)
    await expect(sleep(60_000, cancel.signal)).rejects.toThrow(due)
  })
})

test('a deadline is in the future, whatever the number', async () => {
  const signals = [1e15, 2 ** 31, 60_000].map(deadline)
  const past = [-5, 0, 0.2].map(deadline)
  await sleep(20)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false])
  expect(past.map(({ aborted }) => aborted)).toEqual([true, true, true])
})
