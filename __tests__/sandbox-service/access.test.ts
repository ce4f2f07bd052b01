import { decodeJwt, decodeProtectedHeader } from 'jose'
import { field, visit, type Visitor } from './visitor.js'

let visitor: Visitor
beforeEach(async () => {
  visitor = await visit()
})
afterEach(() => visitor.leave())

function parameters(more: Record<string, string> = {}): Record<string, string> {
  const { clientId, clientSecret } = visitor.service.credentials('everything')
  return {
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'client_credentials',
    scope: 'LOADTEST_LIST LOADTEST_STATUS',
    ...more,
  }
}

test('a token is a signed JWT of one hour with the scopes that were asked for', async () => {
  const { status, body, headers } = await visitor.tokenRequest(parameters())
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toMatchObject({
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'LOADTEST_LIST LOADTEST_STATUS',
  })
  const token = field(body, 'access_token')
  expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'HS256' })
  const { iat = 0, exp = 0, scope } = decodeJwt(token)
  expect(exp - iat).toBe(3600)
  expect(scope).toBe('LOADTEST_LIST LOADTEST_STATUS')
  expect(visitor.service.books.tokens).toEqual([
    expect.objectContaining({ scopes: ['LOADTEST_LIST', 'LOADTEST_STATUS'] }),
  ])
})

test.each([
  ['a comma and a space', 'LOADTEST_LIST, LOADTEST_STATUS'],
  ['a comma', 'LOADTEST_LIST,LOADTEST_STATUS'],
  ['two spaces', 'LOADTEST_LIST  LOADTEST_STATUS'],
  ['a tab', 'LOADTEST_LIST\tLOADTEST_STATUS'],
  ['a line break', 'LOADTEST_LIST\nLOADTEST_STATUS'],
  ['a trailing space', 'LOADTEST_LIST '],
  ['an unknown name', 'LOADTEST_LIST LOADTEST_EVERYTHING'],
])('scopes separated by anything but single spaces, or unknown: %s', async (_, scope) => {
  const { status, body } = await visitor.tokenRequest(parameters({ scope }))
  expect(status).toBe(400)
  expect(field(body, 'error')).toBe('invalid_scope')
})

test('a token never has more scopes than the credentials', async () => {
  const { clientId, clientSecret } = visitor.service.credentials('read only')
  const own = { client_id: clientId, client_secret: clientSecret }
  const more = await visitor.tokenRequest(parameters({ ...own, scope: 'LOADTEST_LIST LOADTEST_COPY_RUN' }))
  expect(more.status).toBe(400)
  expect(field(more.body, 'error_description')).toContain('LOADTEST_COPY_RUN')
  const fewer = await visitor.tokenRequest(parameters({ ...own, scope: 'LOADTEST_LIST' }))
  expect(fewer.status).toBe(200)
})

test.each<[string, Record<string, string>, number, string]>([
  ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
  ['an unknown client', { client_id: 'nobody' }, 401, 'invalid_client'],
  ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ['an empty scope', { scope: '' }, 400, 'invalid_request'],
])('a token request with %s', async (_, change, status, error) => {
  const answer = await visitor.tokenRequest(parameters(change))
  expect(answer.status).toBe(status)
  expect(field(answer.body, 'error')).toBe(error)
})

test.each(['client_id', 'client_secret', 'grant_type', 'scope'])(
  'a token request without %s',
  async (name) => {
    const given = Object.fromEntries(Object.entries(parameters()).filter(([key]) => key !== name))
    const { status, body } = await visitor.tokenRequest(given)
    expect(status).toBe(400)
    expect(field(body, 'error_description')).toContain(name)
  },
)

test('parameters are form-encoded, never JSON', async () => {
  const response = await fetch(`${visitor.service.url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters()),
  })
  expect(response.status).toBe(415)
  expect(await response.json()).toMatchObject({ error: 'invalid_request' })
})

test('expired credentials get no token, and the answer says since when', async () => {
  const { clientId, clientSecret } = visitor.service.credentials('expired')
  const own = { client_id: clientId, client_secret: clientSecret }
  const { status, body } = await visitor.tokenRequest(parameters(own))
  expect(status).toBe(401)
  expect(field(body, 'error_description')).toContain('2024-12-31')
})

test('a token ends after an hour, and another one is available', async () => {
  const token = await visitor.token()
  visitor.pass(3599)
  expect((await visitor.call('v1/loadTests', { token })).status).toBe(200)
  visitor.pass(1)
  const late = await visitor.call('v1/loadTests', { token })
  expect(late.status).toBe(401)
  expect(late.body).toMatchObject({ success: false, message: 'The access token has expired.' })
  expect(late.headers.get('www-authenticate')).toContain('invalid_token')
  expect((await visitor.call('v1/loadTests', { token: await visitor.token() })).status).toBe(200)
})

test.each(['', 'nonsense', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'])(
  'the token %j is refused',
  async (token) => {
    const { status, body } = await visitor.call('v1/loadTests', { token })
    expect(status).toBe(401)
    expect(body).toMatchObject({ success: false, code: 'UNAUTHORIZED' })
  },
)

test('a token of another service is refused', async () => {
  const other = await visit()
  try {
    const token = await other.token()
    expect((await visitor.call('v1/loadTests', { token })).status).toBe(401)
  } finally {
    await other.leave()
  }
})

test('a project can disable the credentials of the organization; its own are valid there', async () => {
  const refused = await visitor.call('v1/loadTests', { project: 'private-shop' })
  expect(refused.status).toBe(403)
  expect(field(refused.body, 'message')).toContain('disabled the credentials of its organization')
  const token = await visitor.token('private-shop only')
  expect((await visitor.call('v1/loadTests', { project: 'private-shop', token })).status).toBe(200)
})

test('credentials of a project are not valid in any other project', async () => {
  const token = await visitor.token('webshop only')
  expect((await visitor.call('v1/loadTests', { token })).status).toBe(200)
  expect((await visitor.call('v1/loadTests', { token, project: 'private-shop' })).status).toBe(403)
})

test('unknown projects and organizations', async () => {
  const project = await visitor.call('v1/loadTests', { project: 'no-shop' })
  expect(project.status).toBe(404)
  expect(project.body).toMatchObject({
    success: false,
    message: 'Organization demo-org has no project no-shop.',
  })
  const token = await visitor.token()
  const path = '/public/api/v1/orgs/no-org/projects/webshop/loadTests'
  const response = await fetch(`${visitor.service.url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(response.status).toBe(404)
})

test.each([
  ['GET', 'v1/loadTests', 'LOADTEST_LIST'],
  ['GET', 'v1/loadTests/1', 'LOADTEST_DETAILS'],
  ['GET', 'v1/loadTests/1/status', 'LOADTEST_STATUS'],
  ['GET', 'v1/loadTests/3/runCopy', 'LOADTEST_COPY_RUN'],
  ['GET', 'v1/loadTests/9/reports/1/download', 'LOADTEST_REPORT_DOWNLOAD'],
  ['GET', 'v2/load-tests/9/reports/1/test-report', 'LOADTEST_REPORT_DOWNLOAD'],
  ['GET', 'v1/loadTests/9/results/1/download', 'LOADTEST_RESULT_DOWNLOAD'],
  ['DELETE', 'v2/code-archives/ca-1', 'CODEARCHIVE_DELETE'],
])('%s %s needs %s, and nothing else', async (method, path, scope) => {
  const { scopes } = visitor.service.credentials('everything')
  const others = await visitor.token('everything', scopes.filter((one) => one !== scope).join(' '))
  const refused = await visitor.call(path, { method, token: others })
  expect(refused.status).toBe(403)
  expect(field(refused.body, 'message')).toBe(`The access token lacks the scope ${scope}.`)
  expect(visitor.service.books.starts).toEqual([])
  expect(visitor.service.books.deletedArchives).toEqual([])
  const only = await visitor.token('everything', scope)
  expect([200, 204]).toContain((await visitor.call(path, { method, token: only })).status)
})

test('an upload needs its scope, and its body is not read without it', async () => {
  const token = await visitor.token('everything', 'LOADTEST_LIST')
  const before = visitor.service.books.archives.length
  const { status } = await visitor.call('v2/code-archives', {
    method: 'POST',
    body: 'no zip',
    headers: { 'content-type': 'application/zip' },
    token,
  })
  expect(status).toBe(403)
  expect(visitor.service.books.archives).toHaveLength(before)
})

test('secrets can be set; others are random and long', async () => {
  const other = await visit({ secrets: { everything: 'well-known' } })
  try {
    expect(other.service.credentials('everything').clientSecret).toBe('well-known')
    expect(other.service.credentials('read only').clientSecret).not.toBe(
      visitor.service.credentials('read only').clientSecret,
    )
    expect(other.service.credentials('read only').clientSecret.length).toBeGreaterThanOrEqual(32)
  } finally {
    await other.leave()
  }
})

test('the books contain no secret and no token', async () => {
  const token = await visitor.token()
  await visitor.call('v1/loadTests', { token })
  const books = JSON.stringify(visitor.service.books)
  expect(books).toContain('"authorization":"Bearer"')
  expect(books).not.toContain(token)
  for (const { clientSecret } of visitor.service.world.credentials) expect(books).not.toContain(clientSecret)
})
