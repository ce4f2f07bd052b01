import type { ServerResponse } from 'node:http'
import { offeredMethod, readOpenApi } from '../../src/service/open-api.js'
import { operations } from '../../src/service/operations.js'
import { json, serve } from './raw-service.js'

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
  [
    'references',
    {
      paths: { [`${tests}/{n}/runCopy`]: { $ref: '#/components/pathItems/start%20it%20%C3%BCber' } },
      components: { pathItems: { 'start it über': item } },
    },
  ],
])('the method of a call is found, however the document writes its address: %s', (_, document) => {
  expect(offeredMethod(readOpenApi(document), calls.runCopy(7).path)).toBe('POST')
})

test.each(['/runCopy', '/{n}/{x}', `${tests}/{n}/runCopies`, `${tests}/runCopy`, tests.replace('v1', 'v2')])(
  'what the document says about %s is not about a start',
  (template) => {
    expect(offeredMethod(readOpenApi({ paths: { [template]: item } }), calls.runCopy(7).path)).toBeUndefined()
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
  expect(offeredMethod(readOpenApi({ paths: { '/x/y': item } }), '/v1/x/y')).toBe(used)
  expect(offeredMethod(undefined, '/x/y')).toBeUndefined()
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

/** A service without a document, that has a download only by POST, and refuses GET in its own way. */
async function byPost(status: number, post: (response: ServerResponse) => void) {
  const { client, calls: seen } = await serve(({ path, method }, response) => {
    if (path === '/public/api/json') json(response, {}, 404)
    else if (path === '/store/1') response.end('report')
    else if (method === 'GET') json(response, {}, status)
    else post(response)
  })
  const open = () => client.open({ kind: 'report', loadTest: 1, number: 1 })
  return {
    open,
    methods: () => seen().flatMap(({ path, method }) => (path.includes('json') ? [] : [method])),
  }
}

test.each([400, 404, 405, 501])(
  'without a document, %i to GET leads to POST, which is used from then on',
  async (status) => {
    const { open, methods } = await byPost(status, (response) => response.end('report'))
    for (const opened of [await open(), await open()]) opened.close()
    expect(methods()).toEqual(['GET', 'POST', 'POST'])
  },
)

test('a POST may be answered by a redirect, which is read by GET, or by POST if it says that', async () => {
  for (const [status, method] of [
    [303, 'GET'],
    [307, 'POST'],
  ] as const) {
    const { open, methods } = await byPost(405, (response) =>
      response.writeHead(status, { location: '/store/1' }).end(),
    )
    ;(await open()).close()
    expect(methods()).toEqual(['GET', 'POST', method])
  }
})

test.each([
  [404, 405, 404],
  [405, 404, 404],
  [404, 403, 404],
  [405, 405, 405],
])('of two refusals, %i and %i, the one that is not about the method counts: %i', async (get, post, due) => {
  const { open } = await byPost(get, (response) => json(response, {}, post))
  await expect(open()).rejects.toMatchObject({ facts: { status: due } })
})

test('a document that has only unusable methods for the start is a fault before the upload', async () => {
  const { client } = await serve((_, response) =>
    json(response, { paths: { [`${tests}/{n}/runCopy`]: { delete: {} } } }),
  )
  await expect(client.startMethod(1)).rejects.toThrow(
    'the service has only DELETE for starting a copy of load test 1',
  )
})

test.each<[string, object, string]>([
  ['by DELETE', { '{id}': { delete: {} } }, 'DELETE x'],
  ['by POST', { '{id}/delete': { post: {} } }, 'POST x/delete'],
  ['by the scope', { '{id}/purge': { put: { security: [{ t: ['CODEARCHIVE_DELETE'] }] } } }, 'PUT x/purge'],
  ['in no way', { '{id}': { get: {} } }, 'DELETE x'],
])('a code archive is deleted as the document says: %s', async (_, items, due) => {
  const archives = '/public/api/v2/orgs/{o}/projects/{p}/code-archives'
  const paths = Object.fromEntries(Object.entries(items).map(([end, item]) => [`${archives}/${end}`, item]))
  const { client, calls: seen } = await serve((_request, response) => json(response, { paths }))
  await client.deleteArchive('x')
  const { method, path } = seen().at(-1) ?? {}
  expect(`${method} ${path?.replace(/.*code-archives./, '')}`).toBe(due)
})
