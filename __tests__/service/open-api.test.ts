import { readOpenApi, usableMethod } from '../../src/service/open-api.js'
import { operations } from '../../src/service/operations.js'
import { json, serve } from './raw-service.js'

const methodOf = (document: object, path: string) => {
  const described = readOpenApi(document)?.(path)
  return described && usableMethod(described)
}
const calls = operations({ organization: 'acme', project: 'web shop' })
const tests = '/public/api/v1/orgs/{organization-id}/projects/{p}/loadTests'

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a list', []],
  ['another document', { swagger: '2.0' }],
  ['invalid paths', { paths: 'none' }],
])('%s is not an OpenAPI document', (_, document) => {
  expect(readOpenApi(document)).toBeUndefined()
})

const item = { post: {} }
const short = tests.replace('/public/api/v1', '')
test.each<[string, object]>([
  ['whole templates', { paths: { [`${tests}/{n}/runCopy`]: item } }],
  [
    'templates relative to a server',
    { servers: [{ url: '/v1' }], paths: { [`${short}/{n}/runCopy`]: item } },
  ],
  ['a service below a path', { paths: { [`/load${tests}/{n}/runCopy`]: item } }],
  ['a path that is nearer', { paths: { '/loadTests/{n}/{x}': { get: {} }, [`${short}/{n}/runCopy`]: item } }],
])('the method of a call is found, however the document writes its address: %s', (_, document) => {
  expect(methodOf(document, calls.runCopy(7).path)).toBe('POST')
})

test.each(['/runCopy', '/{n}/{x}', `${tests}/{n}/runCopies`, `${tests}/runCopy`, tests.replace('v1', 'v2')])(
  'what the document says about %s is not about a start',
  (template) => {
    expect(methodOf({ paths: { [template]: item } }, calls.runCopy(7).path)).toBeUndefined()
  },
)

test('a start is requested by the method that is known, at its whole address', async () => {
  const { client, calls: seen } = await serve((_, response) => json(response, {}))
  await client.runCopy(1, 'PUT')
  const path = '/public/api/v1/orgs/acme/projects/web%20shop/loadTests/1/runCopy'
  expect(seen()).toMatchObject([{ method: 'PUT', path }])
})

test.each<[string[], string | undefined]>([
  [['get', 'post', 'put'], 'GET'],
  [['put', 'post'], 'POST'],
  [['put'], 'PUT'],
  [['delete'], undefined],
  [[], undefined],
])('of the methods %j of an address, %s is used', (methods, used) => {
  const item = Object.fromEntries(methods.map((method) => [method, {}]))
  expect(methodOf({ paths: { '/x/y': item } }, '/v1/x/y')).toBe(used)
})

test('the document is read once, without a token where that is enough, and a service without one is asked once', async () => {
  for (const [status, asked] of [
    [200, ['none']],
    [401, ['none', 'token']],
    [404, ['none', 'token']],
  ] as const) {
    const { client, seen } = await serve(({ path, headers }, response) => {
      const isRefused = path === '/public/api/json' && headers.authorization === undefined && status !== 200
      json(response, isRefused ? {} : { paths: {} }, isRefused ? status : 200)
    })
    await client.startMethod(1)
    await client.startMethod(2)
    const documents = seen.filter(({ path }) => path === '/public/api/json')
    expect(documents.map(({ headers }) => (headers.authorization === undefined ? 'none' : 'token'))).toEqual(
      asked,
    )
  }
})

test('the document says the method of a download, and is read once', async () => {
  const { client, calls: seen } = await serve(({ path }, response) =>
    path === '/public/api/json'
      ? json(response, { paths: { [`${tests}/{n}/reports/{r}/download`]: { post: {} } } })
      : response.end('report'),
  )
  for (const number of [1, 2]) (await client.open({ kind: 'report', loadTest: 1, number })).close()
  expect(seen().map(({ method }) => method)).toEqual(['GET', 'POST', 'POST'])
})

test('a download that is refused, where the document has no other method, stays refused', async () => {
  const { client } = await serve(({ path }, response) =>
    path === '/public/api/json' ? json(response, { paths: {} }) : json(response, {}, 405),
  )
  await expect(client.open({ kind: 'report', loadTest: 1, number: 1 })).rejects.toThrow('answered 405')
})

test('without a document, 405 to GET leads to POST, whose answer may be a redirect', async () => {
  for (const [status, method] of [
    [303, 'GET'],
    [307, 'POST'],
  ] as const) {
    const { client, calls: seen } = await serve(({ path, method }, response) => {
      if (path === '/public/api/json') json(response, {}, 404)
      else if (path === '/store/1') response.end('report')
      else if (method === 'GET') json(response, {}, 405)
      else response.writeHead(status, { location: '/store/1' }).end()
    })
    ;(await client.open({ kind: 'report', loadTest: 1, number: 1 })).close()
    expect(seen().flatMap(({ path, method }) => (path.includes('json') ? [] : [method]))).toEqual([
      ...['GET', 'POST', method],
    ])
  }
})

test('a document that has only unusable methods for the start is a fault before the upload', async () => {
  const { client } = await serve((_, response) =>
    json(response, { paths: { [`${tests}/{n}/runCopy`]: { delete: {} } } }),
  )
  await expect(client.startMethod(1)).rejects.toThrow(
    'the service has only DELETE for starting a copy of load test 1',
  )
})
