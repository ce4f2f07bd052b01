import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { ServiceError } from '../../src/service/failure.js'

import { type StartAnswer } from '../../src/service/service.js'

import { json, serve as world, type Handler } from './raw-service.js'

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

const oauth = (response: ServerResponse, error: string, description: string, status = 400) =>
  json(response, { error, error_description: description }, status)

test.each<[string, Handler, string, number]>([
  [
    'a wrong secret is asked for once',
    (_, response) => oauth(response, 'invalid_client', 'The secret is wrong', 401),
    'the service answered 401. Check client-id and client-secret. If the credentials have expired, create new ones on the service, in the configuration of the project or its organization (Integrations, API Client Credentials). The service said: invalid_client: The secret is wrong.',
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

const umlauts = JSON.stringify([{ index: 1, name: 'Käse' }])
test.each<[string, Record<string, string>, Buffer]>([
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
  ]
  test.each(parts)('is read to its end: %s', async (_, answer) => {
    const w = await world(({ path }, response) => json(response, answer(path, w.baseUrl)))
    const numbers = (await w.client.list()).map(({ number }) => number)
    expect(numbers).toEqual([1, 2, 3, 4, 5])
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
