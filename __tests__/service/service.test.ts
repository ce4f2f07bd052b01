import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { ServiceError } from '../../src/service/failure.js'
import { operations } from '../../src/service/operations.js'
import type { LoadTest } from '../../src/service/project.js'
import { namelessAnswer, type StartAnswer } from '../../src/service/service.js'
import { transport } from '../../src/service/transport.js'
import { json, serve as world, type Handler } from './raw-service.js'

const calls = operations({ organization: 'acme', project: 'shop' })

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
    /^Reading the status of load test 8 failed: the service answered 401\./,
  )
  expect(calls()).toHaveLength(4)
})

test('a scope that the credentials lack is found and named', async () => {
  const { client } = await world((_, response) => json(response, []), {
    token: ({ body }, response) =>
      body.includes('LOADTEST_STATUS')
        ? json(response, { error: 'invalid_scope' }, 400)
        : json(response, { access_token: 'x' }),
  })
  await expect(client.list()).rejects.toThrow('The credentials lack the scope LOADTEST_STATUS')
})

const oauth = (response: ServerResponse, error: string, description: string, status = 400) =>
  json(response, { error, error_description: description }, status)

test.each<[string, Handler, string, number]>([
  [
    'a wrong secret is asked for once',
    (_, response) => oauth(response, 'invalid_client', 'The secret is wrong', 401),
    'the service answered 401. It said: invalid_client: The secret is wrong. Check client-id and client-secret. If the credentials have expired, create new ones (Integrations, API Client Credentials).',
    1,
  ],
  [
    'a scope is not missing because the endpoint is down',
    ({ body }, response) =>
      body.includes('+') ? oauth(response, 'invalid_scope', 'Not all.') : json(response, {}, 503),
    'It said: invalid_scope: Not all. The credentials lack scopes that this step requests',
    2,
  ],
  [
    'a wrong path below the address',
    (_, response) => response.writeHead(404).end('<h1>Not here</h1>'),
    'It said: Not here. Check base-url: there is no token endpoint at /oauth/token below it. Most services have an address without a path: write only https:// and the host.',
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
  await expect(client.list()).rejects.toThrow(/It said: Bad \*\*\*\. Check/)
})

test('an answer is an envelope or a bare list, and nothing else', async () => {
  const answers: unknown[] = [
    { success: true, data: [{ index: 1, name: 'A' }] },
    [{ number: 2 }],
    { loadTests: [{ index: '3' }] },
  ]
  const { client } = await world((_, response, count) =>
    json(response, answers[count - 1] ?? { success: true, data: 'x' }),
  )
  await expect(client.list()).resolves.toEqual([{ number: 1, name: 'A' }])
  await expect(client.list()).resolves.toEqual([{ number: 2 }])
  await expect(client.list()).resolves.toEqual([{ number: 3 }])
  await expect(client.list()).rejects.toThrow('is not a list of load tests')
})

const umlauts = JSON.stringify([{ index: 1, name: 'Käse' }])
test.each<[string, Record<string, string>, Buffer]>([
  ['gzip', { 'content-encoding': 'gzip' }, gzipSync(umlauts)],
  ['deflate', { 'content-encoding': 'deflate' }, deflateSync(umlauts)],
  ['brotli', { 'content-encoding': 'br' }, brotliCompressSync(umlauts)],
  ['a byte-order mark', {}, Buffer.from(`\ufeff${umlauts}`)],
  ['Latin-1', { 'content-type': 'application/json; charset=ISO-8859-1' }, Buffer.from(umlauts, 'latin1')],
  [
    'UTF-16',
    { 'content-type': 'application/json; charset="utf-16"' },
    Buffer.from(`\ufeff${umlauts}`, 'utf16le'),
  ],
  ['an unknown charset', { 'content-type': 'application/json; charset=x-own' }, Buffer.from(umlauts)],
])('an answer is read in any encoding: %s', async (_, headers, body) => {
  const { client } = await world((_request, response) => response.writeHead(200, headers).end(body))
  await expect(client.list()).resolves.toEqual([{ number: 1, name: 'Käse' }])
})

test('compressed text that breaks off is requested again, and is never unpacked beyond the limit', async () => {
  const { client, calls } = await world((_, response, count) => {
    const packed = gzipSync(umlauts)
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

test.each<[string, unknown, Partial<LoadTest> | string]>([
  ['an envelope without success', { data: { index: 8, state: 'RUNNING' } }, { state: 'RUNNING' }],
  [
    'a refusal without data',
    { success: false, message: 'The run is gone.' },
    'reports a failure: The run is gone.',
  ],
  ['a page with an endless address', { url: `/${'x'.repeat(2000)}`, state: 'NEW' }, { state: 'NEW' }],
  ['a state with blanks', { state: ' finished\n' }, { state: 'FINISHED' }],
  ['a time as text', { index: '8', endTime: '1700000000000' }, { endTime: 1.7e12 }],
  ['no time as text', { state: 'NEW', startTime: '0', endTime: '' }, { state: 'NEW' }],
  ['an invalid number', { index: 0, state: 'NEW' }, { state: 'NEW' }],
  ['reports by other names', { reports: [{ reportNumber: '2' }] }, { reports: [{ number: 2 }] }],
  ['no reports', { reports: [] }, {}],
  [
    'reports beside a list of another kind',
    { reports: [{ number: 2 }], comparisonReports: [{ number: 1 }] },
    { reports: [{ number: 2 }] },
  ],
  ['what only sounds like a list of reports', { reports: 'none', finalReports: 2, allReports: [] }, {}],
  ['an engine as text', { executionEnvironment: '6.x' }, { environment: '6.x' }],
  ['an engine as a record', { executionEnvironment: { name: 'XLT 6.x' } }, { environment: 'XLT 6.x' }],
  ['an engine by its version', { executionEnvironment: { id: 'e', version: '9' } }, { environment: '9' }],
  ['an engine without words', { executionEnvironment: { line: 9 } }, {}],
])('a load test is read from %s', async (_, answer, expected) => {
  const { client } = await world((_request, response) => json(response, answer))
  const read = client.status(8)
  if (typeof expected === 'string') await expect(read).rejects.toThrow(expected)
  else await expect(read).resolves.toEqual({ number: 8, ...expected })
})

type Setting = Pick<LoadTest, 'archiveId' | 'useLatest' | 'archiveEnabled'>
test.each<[object, Setting]>([
  [{ source: { codeArchiveId: 'ca-1' } }, { archiveId: 'ca-1' }],
  [{ codeArchiveId: 'ca-1' }, { archiveId: 'ca-1' }],
  [{ source: {}, codeArchiveId: 7 }, { archiveId: '7' }],
  [{ codeArchive: 'ca-1' }, { archiveId: 'ca-1' }],
  [{ source: { codeArchive: { id: 'ca-1' } } }, { archiveId: 'ca-1' }],
  [{ codeArchive: { codeArchiveId: 'ca-1', id: 'x' } }, { archiveId: 'ca-1' }],
  [{ source: { codeArchiveId: 'ca-1' }, codeArchiveId: 'ca-2' }, { archiveId: 'ca-1' }],
  [{ source: { useLatest: true } }, { useLatest: true }],
  [{ codeArchive: { useLatest: true, id: 'ca-1' } }, { useLatest: true, archiveId: 'ca-1' }],
  [
    { source: { useLatest: false }, codeArchiveId: 'ca-1' },
    { useLatest: false, archiveId: 'ca-1' },
  ],
  [{ codeArchive: 'latest' }, { useLatest: true }],
  [{ codeArchive: 'USE_LATEST' }, { useLatest: true }],
  [{ codeArchiveId: 'Use Latest' }, { useLatest: true }],
  [{ codeArchive: 'latest-but-one' }, { archiveId: 'latest-but-one' }],
  [{ codeArchive: { enabled: false } }, { archiveEnabled: false }],
  [{ source: { codeArchiveEnabled: true } }, { archiveEnabled: true }],
  [{ codeArchiveEnabled: false }, { archiveEnabled: false }],
  [{ codeArchive: null, source: null, useLatest: 'yes' }, {}],
  [{ codeArchiveId: '../x' }, {}],
])('the code archive of a load test is set as %j says: %j', async (record, setting) => {
  const { client } = await world((_request, response) => json(response, { index: 8, ...record }))
  await expect(client.details(8)).resolves.toEqual({ number: 8, ...setting })
})

test('the number 0 is not a copy', async () => {
  const { client } = await world((_, response) => json(response, { success: true, data: { index: 0 } }))
  await expect(client.runCopy(1)).resolves.toMatchObject({ is: 'unnamed' })
})

test('a call is repeated if its fault may pass', async () => {
  const { client, calls, lines } = await world((_, response, count) => {
    if (count === 1) response.socket?.destroy()
    else if (count === 2) response.writeHead(503, { 'retry-after': '1' }).end('<h1>Down <b>now</b></h1>')
    else if (count === 3) response.writeHead(200).end('<html>')
    else if (count === 4)
      response.writeHead(200, { 'content-length': 100 }).write('[{', () => response.socket?.destroy())
    else json(response, [])
  })
  await expect(client.list()).resolves.toEqual([])
  expect(calls()).toHaveLength(5)
  expect(lines[1]).toContain('It said: Down now')
})

test('a fault that recurs is described once', async () => {
  const { client, lines } = await world((_, response, count) => {
    if (count <= 3) response.writeHead(503).end('Down now')
    else if (count === 4) response.writeHead(502).end()
    else json(response, [])
  })
  await client.list()
  expect(lines).toEqual([
    expect.stringMatching(/^Listing .* answered 503\. .* Trying again\.$/),
    'Attempt 2 failed the same way. Trying again.',
    'Attempt 3 failed the same way. Trying again.',
    expect.stringMatching(/^Listing .* answered 502\. .* Trying again\.$/),
  ])
})

test('a fault that does not pass is not repeated', async () => {
  const { client, calls } = await world((_, response) => json(response, { message: 'no such project' }, 404))
  await expect(client.list()).rejects.toThrow('Check organization, project and base-url')
  expect(calls()).toHaveLength(1)
})

test.each<[string, StartAnswer['is'], (response: ServerResponse) => void]>([
  ['a broken connection', 'unclear', (response) => response.socket?.destroy()],
  ['a gateway', 'unclear', (response) => response.writeHead(504).end()],
  ['too many requests', 'unclear', (response) => response.writeHead(429, { 'retry-after': '1' }).end()],
  ...[302, 303, 307, 308].map((status): [string, 'unclear', (response: ServerResponse) => void] => [
    `a redirect (${status})`,
    'unclear',
    (response) => response.writeHead(status, { location: '/elsewhere' }).end(),
  ]),
  ['a refusal', 'refused', (response) => json(response, {}, 403)],
  ['another method', 'refused', (response) => json(response, {}, 405)],
  ['a refused token', 'refused', (response) => json(response, {}, 401)],
  ['nothing', 'unnamed', (response) => response.writeHead(202).end()],
  ['a page', 'unnamed', (response) => response.end('<html>')],
  ['half an answer', 'unnamed', (response) => halve(response)],
  ['a refusal with 200', 'unnamed', (response) => json(response, { success: false, message: 'no' })],
  ['the copy', 'named', (response) => json(response, { success: true, data: { index: 9 } })],
])('a start is sent once, whatever the answer: %s is %s', async (_, is, answer) => {
  const { client, calls } = await world((_request, response) => answer(response))
  await expect(client.runCopy(1)).resolves.toMatchObject({ is })
  expect(calls()).toHaveLength(1)
})

test('a start without a token is not sent, and throws', async () => {
  const { client, calls } = await world((_, response) => json(response, { index: 9 }), {
    token: (_request, response) => json(response, {}, 403),
  })
  await expect(client.runCopy(1)).rejects.toThrow('Getting an access token failed')
  expect(calls()).toEqual([])
})

test('a start that was refused for its token gets another token the next time', async () => {
  const { client, calls } = await world((_, response, count) =>
    json(response, { index: 9 }, count === 1 ? 401 : 200),
  )
  await client.runCopy(1)
  await expect(client.runCopy(1)).resolves.toMatchObject({ is: 'named' })
  expect(calls().map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2'])
})

test('a missing service counts as not reached', async () => {
  const { client, server } = await world((_, response) => json(response, []))
  await client.authenticate()
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  await expect(client.runCopy(1)).resolves.toMatchObject({ is: 'unsent' })
})

test('our own time-out differs from anything that the service says', async () => {
  const { baseUrl } = await world(() => undefined)
  const exchange = transport(baseUrl, 'test')(calls.runCopy(1), { timeout: 100 })
  const fault: unknown = await exchange.catch((error: unknown) => error)
  expect(fault).toBeInstanceOf(ServiceError)
  expect(fault instanceof ServiceError && namelessAnswer(fault).is).toBe('unanswered')
})

test('the OpenAPI document gives the method of runCopy', async () => {
  const path = '/public/api/v1/orgs/{org}/projects/{project}/loadTests/{number}/runCopy'
  const { client, calls } = await world(({ path: asked }, response) =>
    json(response, asked === '/public/api/json' ? { paths: { [path]: { post: {} } } } : { index: 9 }),
  )
  await expect(client.startMethod(1)).resolves.toBe('POST')
  await client.runCopy(1, 'POST')
  expect(calls().map(({ method }) => method)).toEqual(['GET', 'POST'])
})

describe('a list in pages', () => {
  const all = [1, 2, 3, 4, 5].map((index) => ({ index }))
  const query = (path: string) => new URL(path, 'http://localhost').searchParams
  const parts: [string, (path: string, base: string) => unknown][] = [
    [
      'offset, limit and total',
      (path) => {
        const offset = Number(query(path).get('offset') ?? 0)
        return { items: all.slice(offset, offset + 2), offset, limit: 2, total: 5 }
      },
    ],
    [
      'links',
      (path, base) => {
        const offset = Number(query(path).get('from') ?? 0)
        const next = offset + 2 < 5 ? `${base}${path.split('?')[0] ?? ''}?from=${offset + 2}` : null
        return { success: true, data: { items: all.slice(offset, offset + 2), next } }
      },
    ],
    [
      'links of HAL',
      (path) => {
        const offset = Number(query(path).get('from') ?? 0)
        const next = offset + 2 < 5 ? { href: `?from=${offset + 2}` } : undefined
        return { content: all.slice(offset, offset + 2), _links: { next } }
      },
    ],
    [
      'parts that overlap',
      (path) => {
        const from = Number(query(path).get('from') ?? 0)
        return {
          items: all.slice(Math.max(0, from - 1), from + 2),
          next: from + 2 < 5 ? `?from=${from + 2}` : '',
        }
      },
    ],
  ]
  test.each(parts)('is read to its end: %s', async (_, answer) => {
    const w = await world(({ path }, response) => json(response, answer(path, w.baseUrl)))
    const numbers = (await w.client.list()).map(({ number }) => number)
    expect(numbers).toEqual([1, 2, 3, 4, 5])
  })

  test.each<[string, unknown]>([
    ['says that there are more, and gives the same again', { content: all, last: false }],
    ['has fewer than its total', { items: all, total: 6 }],
    ['has its rest elsewhere', { items: all, next: 'https://elsewhere.example/list' }],
  ])('is refused if it %s', async (_, answer) => {
    const { client } = await world((_request, response) => json(response, answer))
    await expect(client.list()).rejects.toThrow('is incomplete')
  })

  test('contains each load test once', async () => {
    const { client } = await world((_request, response) => json(response, [...all, ...all]))
    expect(await client.list()).toHaveLength(5)
  })
})

test('an upload carries its type, length and digest', async () => {
  const { client, calls } = await world((_, response) =>
    json(response, { success: true, data: { id: 'a1' } }, 201),
  )
  const archive = { bytes: 5, open: () => Readable.from([Buffer.from('PK'), Buffer.from('zip')]) }
  await expect(client.upload(archive, '00ff')).resolves.toBe('a1')
  const [upload] = calls()
  expect(upload?.method).toBe('POST')
  expect(upload?.path).toBe('/public/api/v2/orgs/acme/projects/web%20shop/code-archives')
  expect(upload?.body).toBe('PKzip')
  expect(upload?.headers).toMatchObject({
    'content-type': 'application/zip',
    'content-length': '5',
    'content-digest': 'sha-512=:AP8=:',
  })
})

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
  const sent = client.upload({ bytes: 3, open: () => Readable.from([Buffer.from('zip')]) }, 'ab')
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

test('an upload whose file cannot be read fails, and never looks complete to the service', async () => {
  const { client } = await world((_, response) => json(response, {}))
  const archive = {
    bytes: 5,
    open: () =>
      new Readable({
        read() {
          this.destroy(new Error('disk gone'))
        },
      }),
  }
  await expect(client.upload(archive, '00')).rejects.toThrow('disk gone')
})

test('credentials are not sent to another origin, even if a file is stored there', async () => {
  const other = await world((_, response) => response.end('file'))
  const { client } = await world((_, response) =>
    response.writeHead(302, { location: `${other.baseUrl}/x` }).end(),
  )
  const { close } = await client.open({ kind: 'report', loadTest: 8, number: 1 })
  close()
  expect(other.seen.map(({ path }) => path)).toEqual(['/x'])
  expect(other.seen[0]?.headers.authorization).toBeUndefined()
})

test('an address on another origin is not accepted as the next page, and gets no request', async () => {
  const other = await world((_, response) => json(response, []))
  const { client, calls } = await world((_, response) =>
    response.writeHead(302, { location: `${other.baseUrl}/x` }).end(),
  )
  await expect(client.list()).rejects.toThrow('The service redirects to an address that is not followed.')
  expect(other.seen).toEqual([])
  expect(calls()).toHaveLength(1)
})

test('a chain of redirects has an end', async () => {
  const { client, calls } = await world(
    ({ path }, response) => response.writeHead(302, { location: path }).end(),
    {
      signal: AbortSignal.timeout(3000),
    },
  )
  await expect(client.list()).rejects.toThrow()
  expect(calls().length).toBeGreaterThan(5)
})

test('a call with a redirect that cannot be followed is not repeated', async () => {
  const { client, calls } = await world((_, response) =>
    response.writeHead(302, { location: 'ftp://files.example.com/' }).end(),
  )
  await expect(client.list()).rejects.toThrow('The service redirects to an address that is not followed.')
  expect(calls()).toHaveLength(1)
})

test.each(['.', '..', 'a/b', '..\\x', '%2e%2e', '\n', 'x'.repeat(201)])(
  'an invalid id never becomes part of an address: %j',
  async (id) => {
    const { client, calls } = await world((_, response) => json(response, { id }, 201))
    const archive = { bytes: 1, open: () => Readable.from([Buffer.from('P')]) }
    await expect(client.upload(archive, '00')).resolves.toBeUndefined()
    await expect(client.deleteArchive(id)).rejects.toThrow('cannot be part of an address')
    expect(calls()).toHaveLength(1)
  },
)

test.each(['ca-1', '5f0e:v2_3.4~x', 'a b', 7])('an id of the service is used unchanged: %j', async (id) => {
  const { client, calls } = await world((_, response) => json(response, { id }, 201))
  const archive = { bytes: 1, open: () => Readable.from([Buffer.from('P')]) }
  await expect(client.upload(archive, '00')).resolves.toBe(String(id))
  await client.deleteArchive(String(id))
  expect(calls().at(-1)).toMatchObject({
    method: 'DELETE',
    path: `/public/api/v2/orgs/acme/projects/web%20shop/code-archives/${encodeURIComponent(id)}`,
  })
})

test('a call ends at its own signal, even while it waits for a token', async () => {
  const token = new AbortController()
  const waiting = await world(() => undefined, { token: () => token.abort(new Error('too late')) })
  await expect(waiting.client.status(8, token.signal)).rejects.toThrow('too late')
  const call = new AbortController()
  const hanging = await world(() => call.abort(new Error('too late')))
  await expect(hanging.client.details(8, call.signal)).rejects.toThrow('too late')
})

test('a cancelled job ends a call at once', async () => {
  const controller = new AbortController()
  const { client } = await world(() => controller.abort(new Error('cancelled')), {
    signal: controller.signal,
  })
  await expect(client.status(8)).rejects.toThrow('cancelled')
})

test('a link in an answer counts only if it has the origin of the service', async () => {
  const urls = ['/runs/8', 'https://evil.example/8', 'javascript:alert(1)']
  const { client, baseUrl } = await world((_, response, count) =>
    json(response, { index: 8, url: urls[count - 1] }),
  )
  await expect(client.status(8)).resolves.toMatchObject({ page: `${baseUrl}/runs/8` })
  expect((await client.status(8)).page).toBeUndefined()
  expect((await client.status(8)).page).toBeUndefined()
})

test.each<[string, unknown, { revision?: string; archiveEnabled?: boolean }]>([
  ['neither', { index: 8 }, {}],
  ['the revision in the status', { index: 8, revision: 'c0ffee1' }, { revision: 'c0ffee1' }],
  ['the revision beside the state', { executionState: { revision: 'r17' } }, { revision: 'r17' }],
  ['a revision of another shape', { revision: { hash: 'c0ffee1' } }, {}],
  ['an archive that counts', { source: { codeArchiveEnabled: true } }, { archiveEnabled: true }],
  ['an archive that does not', { codeArchive: { id: 'ca-1', enabled: false } }, { archiveEnabled: false }],
  ['a load test that is enabled itself', { enabled: false, source: { enabled: false } }, {}],
])('fields that are newer than the interface are read: %s', async (_, record, expected) => {
  const { client } = await world((_request, response) => json(response, record))
  const { revision, archiveEnabled } = await client.status(8)
  expect({ revision, archiveEnabled }).toEqual(expected)
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
