import { startService } from '../../sandbox/service/service.js'
import { conformity, type Call, type Conformity } from '../../src/service/conformity.js'
import { readOpenApi } from '../../src/service/open-api.js'
import { operations, type Scope } from '../../src/service/operations.js'

const calls = operations({ organization: 'demo-org', project: 'web shop' })
const list: Call = { operation: calls.list(), answer: 'JSON' }
const runCopy: Call = { operation: calls.runCopy(1), answer: 'JSON' }
const report: Call = { operation: calls.report(1, 2), answer: 'archive' }
const upload: Call = { operation: calls.upload(), sends: 'application/zip', headers: ['content-digest'] }
const remove: Call = { operation: calls.deleteArchive('ca-1') }
const scopes: Scope[] = [
  'LOADTEST_LIST',
  'LOADTEST_COPY_RUN',
  'LOADTEST_REPORT_DOWNLOAD',
  'CODEARCHIVE_UPLOAD',
]

const v1 = '/public/api/v1/orgs/{org}/projects/{project}/loadTests'
const nothing = { differences: [], doubts: [] }

/** A document with one path. */
function described(item: object, path = v1, more: object = {}): object {
  return { openapi: '3.0.3', paths: { [path]: item }, ...more }
}

function compare(document: unknown, call: Call = list, basePath = ''): Conformity {
  const api = readOpenApi(document, `https://loadtest.example.com${basePath}`)
  if (!api) throw new Error('This is not an OpenAPI document.')
  return conformity(api, call, scopes)
}

test("every call of the step conforms to the local service's description", async () => {
  const service = await startService()
  try {
    const answer = await fetch(`${service.url}/public/api/json`)
    const document: unknown = await answer.json()
    const api = readOpenApi(document, service.url)
    const all: Scope[] = [...scopes, 'CODEARCHIVE_DELETE']
    for (const call of [list, runCopy, report, upload, remove]) {
      const found = api && conformity(api, call, all)
      expect(found).toMatchObject({ methods: [call.operation.method], ...nothing })
      expect(found?.path).toMatch(/^\/public\/api\/v\d\/orgs\/\{org\}/)
    }
  } finally {
    await service.close()
  }
})

test.each<[string, unknown]>([
  ['another path', described({ get: {} }, '/public/api/v1/orgs/{org}/tests')],
  ['a longer path', described({ get: {} }, `${v1}/{number}`)],
  ['a path that is not a record', described([])],
])('%s: there is no such path', (_, document) => {
  expect(compare(document)).toEqual({ methods: [], ...nothing })
})

test('another method is reported, and then compared', () => {
  const document = described({ post: { requestBody: { required: true } }, summary: 'x' }, `${v1}/{n}/runCopy`)
  expect(compare(document, runCopy)).toEqual({
    path: `${v1}/{n}/runCopy`,
    methods: ['POST'],
    differences: ['needs a body, which the step does not send'],
    doubts: [],
  })
})

test('of several paths that match, the one with the fewest parameters is ours', () => {
  const paths = { [`${v1}/{n}/{action}`]: { post: {} }, [`${v1}/{n}/runCopy`]: { get: {} } }
  expect(compare({ paths }, runCopy)).toMatchObject({ path: `${v1}/{n}/runCopy`, methods: ['GET'] })
})

test.each([
  ['a server with a path', [{ url: 'https://x.example.com/public/api/' }], v1.replace('/public/api', ''), ''],
  ['a relative server', [{ url: '/public' }], v1.replace('/public', ''), ''],
  ['a service below a path', [{ url: 'https://x.example.com/load' }], v1, '/load'],
  ['the same, without servers', undefined, `/load${v1}`, '/load'],
  ['an invalid server', [{ url: 'https://[' }, 7], v1, ''],
])('paths are relative to the servers: %s', (_, servers, path, basePath) => {
  expect(compare(described({ get: {} }, path, { servers }), list, basePath)).toMatchObject({
    methods: ['GET'],
  })
})

describe('parameters', () => {
  const needs = (parameters: unknown[]) => ({ parameters })
  test.each([
    [{ name: 'tenant', in: 'query', required: true }, 'query parameter tenant'],
    [{ name: 'X-Tenant', in: 'header', required: true }, 'header parameter X-Tenant'],
    [{ $ref: '#/components/parameters/a~1b' }, 'query parameter week'],
  ])('a required one that is not sent: %j', (parameter, words) => {
    const components = { parameters: { 'a/b': { name: 'week', in: 'query', required: true } } }
    const expected = [`needs the ${words}, which the step does not send`]
    const own = described({ get: needs([parameter]) }, v1, { components })
    expect(compare(own).differences).toEqual(expected)
    const shared = described({ get: {}, ...needs([parameter]) }, v1, { components })
    expect(compare(shared).differences).toEqual(expected)
  })

  test('those of the path, those that are sent and optional ones are not a difference', () => {
    const document = described(
      {
        post: needs([
          { name: 'org', in: 'path', required: true },
          { name: 'Content-Digest', in: 'header', required: true },
          { name: 'Authorization', in: 'header', required: true },
          { name: 'offset', in: 'query' },
          { $ref: '#/nowhere' },
          'odd',
        ]),
      },
      '/public/api/v2/orgs/{o}/projects/{p}/code-archives',
    )
    expect(compare(document, upload).differences).toEqual([])
  })
})

describe('content types', () => {
  const path = '/public/api/v2/orgs/{o}/projects/{p}/code-archives'
  const takes = (...types: string[]) =>
    described(
      { post: { requestBody: { content: Object.fromEntries(types.map((type) => [type, {}])) } } },
      path,
    )
  test.each(['application/zip', 'Application/ZIP; x=y', 'application/*', '*/*'])(
    '%s accepts a ZIP',
    (type) => {
      expect(compare(takes('multipart/form-data', type), upload)).toMatchObject(nothing)
    },
  )

  test('another type is a difference; if none is given, that is a doubt', () => {
    expect(compare(takes('multipart/form-data'), upload)).toMatchObject({
      differences: ['takes multipart/form-data, but the step sends application/zip'],
      doubts: [],
    })
    expect(compare(takes(), upload).doubts).toEqual(['does not say what the body must be'])
  })

  const answers = (call: Call, ...types: string[]) => {
    const content = Object.fromEntries(types.map((type) => [type, {}]))
    const responses = { 200: { $ref: '#/components/responses/fine' }, 404: { content: { 'text/html': {} } } }
    const templates = { list: v1, report: `${v1}/{n}/reports/{r}/download` }
    const template = call === list ? templates.list : templates.report
    return compare(
      described({ get: { responses } }, template, { components: { responses: { fine: { content } } } }),
      call,
    ).doubts
  }
  test('an answer of another type is a doubt', () => {
    expect(answers(list, 'text/html')).toEqual(['answers with text/html, where the step expects JSON'])
    expect(answers(report, 'application/json')).toEqual([
      'answers with application/json, where the step expects an archive',
    ])
    for (const type of ['application/json;charset=utf-8', 'application/hal+json', '*/*']) {
      expect(answers(list, type)).toEqual([])
    }
    expect(answers(report, 'application/octet-stream')).toEqual([])
    expect(answers(list)).toEqual([])
  })
})

describe('scopes', () => {
  const wants = (...alternatives: object[]) => ({ security: alternatives })
  test('one that the step does not request', () => {
    const expected = ['requires the scope ADMIN, which the step does not request']
    expect(compare(described({ get: wants({ token: ['LOADTEST_LIST', 'ADMIN'] }) })).differences).toEqual(
      expected,
    )
    expect(compare(described({ get: {} }, v1, wants({ token: ['ADMIN'] }))).differences).toEqual(expected)
  })

  test.each([[{ token: ['LOADTEST_LIST'] }], [{ token: [] }], [{}]])(
    '%j needs no more than the token',
    (security) => {
      expect(compare(described({ get: wants({ token: ['ADMIN'] }, security) })).differences).toEqual([])
    },
  )
})

test('text of the document is made harmless, and circular references are not followed for ever', () => {
  const name = `evil\n::set-output name=x::${'y'.repeat(100)}`
  const parameters = [{ name, in: 'query', required: true }, { $ref: '#/loop' }]
  const [sentence = ''] = compare(
    described({ get: { parameters } }, v1, { loop: { $ref: '#/loop' } }),
  ).differences
  expect(sentence).not.toMatch(/\n/)
  expect(sentence.length).toBeLessThan(130)
})
