import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { json, serve as world } from './raw-service.js'

const status = (state: string) => ({
  success: true,
  data: { index: 8, executionState: { state, startTime: 0, endTime: 0 } },
})

test('a token is asked for as the interface says, once, masked, and sent with each call', async () => {
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
  ['names none', undefined, ['LOADTEST_LIST', 'LOADTEST_STATUS']],
  ['names one', 'openid LOADTEST_STATUS', ['LOADTEST_STATUS']],
  ['names others only', 'api', ['LOADTEST_LIST', 'LOADTEST_STATUS']],
])('the scopes of a token whose answer %s', async (_, scope, granted) => {
  const { client, seen } = await world(() => undefined, {
    token: (_request, response) => json(response, { access_token: 'token', scope }),
  })
  await expect(client.authenticate()).resolves.toEqual(granted)
  expect(seen).toHaveLength(1)
})

test('the OpenAPI document can be read without a token', async () => {
  const { client, seen } = await world((_, response) => json(response, { paths: {} }))
  await expect(client.openApi(true)).resolves.toEqual({ paths: {} })
  expect(seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/public/api/json', undefined],
  ])
})

test.each([1, 2, 3])('tokens that are refused %s times in a row are replaced', async (times) => {
  const { client, calls } = await world((_, response, count) =>
    count <= times ? json(response, { error: 'expired' }, 401) : json(response, status('RUNNING')),
  )
  await expect(client.status(8)).resolves.toMatchObject({ state: 'RUNNING' })
  expect(calls().map(({ headers }) => headers.authorization)).toEqual(
    Array.from({ length: times + 1 }, (_, i) => `Bearer token-${i + 1}`),
  )
})

test('a token that stays refused is a fault with what to do', async () => {
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

test('an envelope or a bare list is read; what is no list is not', async () => {
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

test('a call is repeated while its fault passes', async () => {
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

test('a fault that does not pass is not repeated', async () => {
  const { client, calls } = await world((_, response) => json(response, { message: 'no such project' }, 404))
  await expect(client.list()).rejects.toThrow('Check organization, project and base-url')
  expect(calls()).toHaveLength(1)
})

test.each([
  ['a broken connection', (response: ServerResponse) => response.socket?.destroy()],
  ['a gateway', (response: ServerResponse) => response.writeHead(504).end()],
  ['a redirect', (response: ServerResponse) => response.writeHead(302, { location: '/elsewhere' }).end()],
])('a start is sent once, whatever comes back: %s', async (_, answer) => {
  const { client, calls } = await world((_request, response) => answer(response))
  await expect(client.runCopy(1)).rejects.toThrow('Starting a copy of load test 1 failed')
  expect(calls()).toHaveLength(1)
})

test('runCopy takes its method from the OpenAPI document after 405', async () => {
  const path = '/public/api/v1/orgs/{org}/projects/{project}/loadTests/{number}/runCopy'
  const { client, calls } = await world(({ path: asked, method }, response) => {
    if (asked === '/public/api/json') json(response, { paths: { [path]: { post: {} } } })
    else if (method === 'GET') json(response, {}, 405)
    else json(response, { data: { index: 9 }, success: true })
  })
  await expect(client.runCopy(1)).resolves.toEqual({ number: 9 })
  expect(calls().map(({ method }) => method)).toEqual(['GET', 'GET', 'POST'])
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

test('an upload whose file cannot be read fails, and is not sent as if it were whole', async () => {
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

test('credentials are not sent to another origin', async () => {
  const other = await world((_, response) => json(response, []))
  const { client } = await world((_, response) =>
    response.writeHead(302, { location: `${other.baseUrl}/x` }).end(),
  )
  await expect(client.list()).resolves.toEqual([])
  expect(other.seen.map(({ path }) => path)).toEqual(['/x'])
  expect(other.seen[0]?.headers.authorization).toBeUndefined()
})

test('redirects end', async () => {
  const { client, calls } = await world(
    ({ path }, response) => response.writeHead(302, { location: path }).end(),
    {
      signal: AbortSignal.timeout(3000),
    },
  )
  await expect(client.list()).rejects.toThrow()
  expect(calls().length).toBeGreaterThan(5)
})

test('a redirect that cannot be followed is not asked for again', async () => {
  const { client, calls } = await world((_, response) =>
    response.writeHead(302, { location: 'ftp://files.example.com/' }).end(),
  )
  await expect(client.list()).rejects.toThrow('The service redirects to an address that is not followed.')
  expect(calls()).toHaveLength(1)
})

test.each(['.', '..', 'a/b', '..\\x', '%2e%2e', '\n', 'x'.repeat(201)])(
  'what is no id never gets into an address: %j',
  async (id) => {
    const { client, calls } = await world((_, response) => json(response, { id }, 201))
    const archive = { bytes: 1, open: () => Readable.from([Buffer.from('P')]) }
    await expect(client.upload(archive, '00')).resolves.toBeUndefined()
    await expect(client.deleteArchive(id)).rejects.toThrow('is no name that an address can hold')
    expect(calls()).toHaveLength(1)
  },
)

test.each(['ca-1', '5f0e:v2_3.4~x', 'a b', 7])('an id of the service is used as it is: %j', async (id) => {
  const { client, calls } = await world((_, response) => json(response, { id }, 201))
  const archive = { bytes: 1, open: () => Readable.from([Buffer.from('P')]) }
  await expect(client.upload(archive, '00')).resolves.toBe(String(id))
  await client.deleteArchive(String(id))
  expect(calls()[1]).toMatchObject({
    method: 'DELETE',
    path: `/public/api/v2/orgs/acme/projects/web%20shop/code-archives/${encodeURIComponent(id)}`,
  })
})

test('a signal of its own ends a call, also while it waits for a token', async () => {
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

test('a link in an answer is taken only on the service’s own origin', async () => {
  const urls = ['/runs/8', 'https://evil.example/8', 'javascript:alert(1)']
  const { client, baseUrl } = await world((_, response, count) =>
    json(response, { index: 8, url: urls[count - 1] }),
  )
  await expect(client.status(8)).resolves.toMatchObject({ page: `${baseUrl}/runs/8` })
  expect((await client.status(8)).page).toBeUndefined()
  expect((await client.status(8)).page).toBeUndefined()
})
