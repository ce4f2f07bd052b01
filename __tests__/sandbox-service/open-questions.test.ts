import { field, stateOf, suite, visit, type Visitor } from './visitor.js'

/** What the service does if the settings about open questions are not what the step assumes. */
let visitor: Visitor
beforeEach(async () => {
  visitor = await visit()
})
afterEach(() => visitor.leave())

const starts = () => visitor.service.books.starts
const record = async (number: number) => (await visitor.call(`v1/loadTests/${number}`)).body

describe('the latest archive is chosen when the run is built', () => {
  beforeEach(() => {
    Object.assign(visitor.service.settings, { latestResolved: 'build', archiveShown: true })
  })

  test('an upload before the build counts, one after it does not', async () => {
    await visitor.call('v1/loadTests/1/runCopy')
    expect(starts()[0]?.archiveId).toBeUndefined()
    // NEW, SCHEDULED, PROVISIONING and STARTING take a second each.
    visitor.pass(3)
    const uploaded = field((await visitor.upload(suite)).body, 'data.id')
    expect(field(await record(10), 'data.source.codeArchiveId')).toBe('undefined')
    visitor.pass(1)
    await visitor.upload(suite)
    expect(await stateOf(visitor, 10)).toBe('RUNNING')
    expect(field(await record(10), 'data.source.codeArchiveId')).toBe(uploaded)
    expect(starts()[0]?.archiveId).toBe(uploaded)
  })

  test('without an archive, the run ends in ERROR', async () => {
    await visitor.call('v2/code-archives/ca-1', { method: 'DELETE' })
    await visitor.call('v1/loadTests/1/runCopy')
    visitor.pass(4)
    expect(await stateOf(visitor, 10)).toBe('ERROR')
    expect(field(await record(10), 'data.executionState.message')).toContain('the project has none')
  })

  test('a fixed archive is chosen at once', async () => {
    await visitor.call('v1/loadTests/5/runCopy')
    expect(starts()[0]?.archiveId).toBe('ca-1')
  })
})

test('credentials are valid only for their version of the API, if that is set', async () => {
  visitor.service.settings.apiVersions = 'own'
  for (const [credentials, v1, v2] of [
    ['everything', 403, 200],
    ['webshop only', 200, 403],
  ] as const) {
    const token = await visitor.token(credentials)
    expect((await visitor.call('v1/loadTests/1', { token })).status).toBe(v1)
    expect((await visitor.call('v2/load-tests/9/reports/1/test-report', { token })).status).toBe(v2)
  }
})

test.each([
  ['everybody', 200, 200],
  ['token', 401, 200],
  ['nobody', 404, 404],
] as const)('the OpenAPI document is for %s', async (documentFor, without, withToken) => {
  visitor.service.settings.documentFor = documentFor
  const headers = { authorization: `Bearer ${await visitor.token()}` }
  const address = `${visitor.service.url}/public/api/json`
  expect((await fetch(address)).status).toBe(without)
  expect((await fetch(address, { headers })).status).toBe(withToken)
})

test.each([
  ['GET', 405, 405],
  ['GET', 404, 404],
  ['POST', 403, 403],
] as const)(
  'with runCopy by %s, the other method is refused with %i',
  async (runCopyMethod, wrongMethod, status) => {
    Object.assign(visitor.service.settings, { runCopyMethod, wrongMethod })
    const other = runCopyMethod === 'GET' ? 'POST' : 'GET'
    expect((await visitor.call('v1/loadTests/1/runCopy', { method: other })).status).toBe(status)
    expect((await visitor.call('v1/loadTests/1/runCopy', { method: runCopyMethod })).status).toBe(200)
    expect(starts()).toHaveLength(1)
  },
)

test('a start that is refused is executed all the same, if that is set', async () => {
  visitor.service.settings.startStatus = 403
  expect((await visitor.call('v1/loadTests/1/runCopy')).status).toBe(403)
  expect(starts()).toHaveLength(1)
})

test('without v1, its addresses and their descriptions are gone', async () => {
  visitor.service.settings.offerV1 = false
  expect((await visitor.call('v1/loadTests')).status).toBe(404)
  expect((await visitor.call('v2/load-tests/9/reports/1/test-report')).status).toBe(200)
  const document = await (await fetch(`${visitor.service.url}/public/api/json`)).text()
  expect(document).not.toContain('/public/api/v1/')
})
