import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { Ajv } from 'ajv'
import { field, visit, type Visitor, zipOf } from './visitor.js'

let visitor: Visitor
beforeEach(async () => {
  visitor = await visit()
})
afterEach(() => visitor.leave())

interface Operation {
  operationId: string
  security?: { accessToken: string[] }[]
  requestBody?: { content: object }
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}
interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

async function document(): Promise<Document> {
  const response = await fetch(`${visitor.service.url}/public/api/json`)
  expect(response.headers.get('content-type')).toContain('application/json')
  const read: unknown = await response.json()
  if (!isDocument(read)) throw new Error('no OpenAPI document')
  return read
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && 'paths' in value && 'components' in value
}

const v1 = '/public/api/v1/orgs/{org}/projects/{project}/loadTests'
const v2 = '/public/api/v2/orgs/{org}/projects/{project}'
const listed = ({ paths }: Document) =>
  Object.entries(paths)
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
    .sort()

const always = [
  'post /oauth/token',
  `get ${v1}`,
  `get ${v1}/{loadTestNumber}`,
  `get ${v1}/{loadTestNumber}/status`,
  `get ${v1}/{loadTestNumber}/runCopy`,
  `get ${v1}/{loadTestNumber}/reports/{reportNumber}/download`,
  `get ${v1}/{loadTestNumber}/results/{resultNumber}/download`,
  `post ${v2}/code-archives`,
  `delete ${v2}/code-archives/{codeArchiveId}`,
]

test('the document lists each operation, but none of the sandbox itself', async () => {
  expect(listed(await document())).toEqual([...always].sort())
})

/** The schema of an answer, together with the shared ones. */
function schemaOf({ paths, components }: Document, path: string, method: string, status: string): object {
  const schema = paths[path]?.[method]?.responses[status]?.content?.['application/json']?.schema
  if (!schema) throw new Error(`${method} ${path} has no schema for ${status}`)
  return { ...schema, components }
}

test.each([true, false])('answers follow the document, in an envelope or not: %s', async (envelope) => {
  Object.assign(visitor.service.settings, {
    envelope,
    reportsField: 'reports',
    archiveShown: true,
  })
  const api = await document()
  const ajv = new Ajv({ strict: false })
  const check = (body: unknown, path: string, method = 'get', status = '200') => {
    const valid = ajv.validate(schemaOf(api, path, method, status), body)
    expect(ajv.errorsText()).toBe('No errors')
    expect(valid).toBe(true)
  }
  const one = `${v1}/{loadTestNumber}`
  check((await visitor.call('v1/loadTests')).body, v1)
  check((await visitor.call('v1/loadTests/1/runCopy')).body, `${one}/runCopy`)
  check((await visitor.call('v1/loadTests/9')).body, one)
  check((await visitor.call('v1/loadTests/10/status')).body, `${one}/status`)
  check(
    (await visitor.upload(zipOf({ 'suite/pom.xml': '<project/>' }))).body,
    `${v2}/code-archives`,
    'post',
    '201',
  )
  check((await visitor.call('v1/loadTests/99')).body, one, 'get', '404')
  check((await visitor.call('v1/loadTests/x')).body, one, 'get', '400')
  check((await visitor.call('v1/loadTests/1', { token: '' })).body, one, 'get', '401')
  check((await visitor.call('v1/loadTests/1', { project: 'private-shop' })).body, one, 'get', '403')
  const wrong = { client_id: 'x', client_secret: 'x', grant_type: 'client_credentials', scope: 'x' }
  check((await visitor.tokenRequest(wrong)).body, '/oauth/token', 'post', '401')
  expect(field(api, 'openapi')).toBe('3.0.3')
})

/** Sent through the socket: fetch would not send a path such as %ff, or QUERY without a body. */
async function refusal(method: string, path: string): Promise<unknown> {
  const request = http.request(`${visitor.service.url}${path}`, { method, agent: false })
  request.setHeader('authorization', `Bearer ${await visitor.token()}`)
  const [answer] = (await once(request.end(), 'response')) as [http.IncomingMessage]
  const { code }: Record<string, unknown> = JSON.parse(await text(answer)) as Record<string, unknown>
  return [answer.statusCode, code]
}

const mine = '/public/api/v1/orgs/demo-org/projects/webshop/loadTests'
test.each([
  ['GET', `${mine}/%ff`, 400, 'BAD_REQUEST'],
  ['QUERY', mine, 405, 'METHOD_NOT_ALLOWED'],
])('%s %s is refused in the words of the document: %d', async (method, path, status, code) => {
  expect(await refusal(method, path)).toEqual([status, code])
})
