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

test.each([
  ['a comma and a space', 'LOADTEST_LIST, LOADTEST_STATUS'],
  ['a comma', 'LOADTEST_LIST,LOADTEST_STATUS'],
  ['an unknown name', 'LOADTEST_LIST LOADTEST_EVERYTHING'],
])('scopes separated by anything but single spaces, or unknown: %s', async (_, scope) => {
  const { status, body } = await visitor.tokenRequest(parameters({ scope }))
  expect(status).toBe(400)
  expect(field(body, 'error')).toBe('invalid_scope')
})

test.each([
  ['GET', 'v1/loadTests', 'LOADTEST_LIST'],
  ['GET', 'v1/loadTests/1', 'LOADTEST_DETAILS'],
  ['GET', 'v1/loadTests/1/status', 'LOADTEST_STATUS'],
  ['GET', 'v1/loadTests/3/runCopy', 'LOADTEST_COPY_RUN'],
  ['GET', 'v1/loadTests/9/reports/1/download', 'LOADTEST_REPORT_DOWNLOAD'],
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

test('the books contain no secret and no token', async () => {
  const token = await visitor.token()
  await visitor.call('v1/loadTests', { token })
  const books = JSON.stringify(visitor.service.books)
  expect(books).toContain('"authorization":"Bearer"')
  expect(books).not.toContain(token)
  for (const { clientSecret } of visitor.service.world.credentials) expect(books).not.toContain(clientSecret)
})
