import { gzipSync } from 'node:zlib'
import { startGithub, type Github } from '../../sandbox/github/github.js'

/* The sandbox's artifact service of an Enterprise Server, call by call. */

let github: Github
beforeAll(async () => {
  github = await startGithub({ settings: { enterprise: true } })
})
afterAll(() => github.close())

const service = (run = 40) => `${github.runtimeUrl}_apis/pipelines/workflows/${run}/artifacts`
const container = (run = 40) => `${github.runtimeUrl}_apis/resources/Containers/${run}`

async function call(method: string, url: string, body?: BodyInit, headers: Record<string, string> = {}) {
  const authorization = headers['authorization'] ?? `Bearer ${await github.runtimeToken(40)}`
  const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream'
  const answer = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body }),
    headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers, authorization },
  })
  const text = await answer.text()
  return { status: answer.status, text, json: () => JSON.parse(text) as Record<string, unknown> }
}

const chunk = (itemPath: string, bytes: Uint8Array<ArrayBuffer>, range: string, more = {}) =>
  call('PUT', `${container()}?itemPath=${encodeURIComponent(itemPath)}`, bytes, {
    'content-range': range,
    ...more,
  })
const bytes = (text: string) => new Uint8Array(Buffer.from(text))

test('an artifact from its name to its files, in chunks and packed', async () => {
  expect((await call('GET', service())).json()).toEqual({ count: 0, value: [] })
  const created = await call(
    'POST',
    service(),
    JSON.stringify({ Type: 'actions_storage', Name: 'a', RetentionDays: 7 }),
  )
  expect(created.status).toBe(201)
  expect(created.json()).toMatchObject({ name: 'a', size: -1, fileContainerResourceUrl: container() })

  expect((await chunk('a/one.txt', bytes('abc'), 'bytes 0-2/5')).status).toBe(202)
  expect((await chunk('a/one.txt', bytes('e'), 'bytes 4-4/5')).status).toBe(400)
  expect((await chunk('a/one.txt', bytes('de'), 'bytes 3-4/5')).status).toBe(201)
  const packed = new Uint8Array(gzipSync('packed'))
  const range = `bytes 0-${packed.length - 1}/${packed.length}`
  await chunk('a/two.txt', packed, range, { 'content-encoding': 'gzip', 'x-tfs-filelength': '6' })
  expect(
    (await call('PATCH', `${service()}?artifactName=a`, JSON.stringify({ Size: 11 }))).json(),
  ).toMatchObject({ size: 11 })

  const { value } = (await call('GET', `${container()}?itemPath=a`)).json() as {
    value: { path: string; itemType: string; fileLength?: number; contentLocation: string }[]
  }
  expect(value.map(({ path, itemType, fileLength }) => [path, itemType, fileLength])).toEqual([
    ['a', 'folder', undefined],
    ['a/one.txt', 'file', 5],
    ['a/two.txt', 'file', 6],
  ])
  const accept = { accept: 'application/octet-stream;api-version=6.0-preview' }
  const texts = value
    .slice(1)
    .map(async ({ contentLocation }) => (await call('GET', contentLocation, undefined, accept)).text)
  expect(await Promise.all(texts)).toEqual(['abcde', 'packed'])
})

test('the API lists an artifact once the run has ended', async () => {
  const api = `${github.url}/repos/sandbox/project/actions/runs/40/artifacts`
  const listed = async () => ((await (await fetch(api)).json()) as { total_count: number }).total_count
  expect(await listed()).toBe(0)
  github.seed.run({ id: 40 })
  expect(await listed()).toBe(1)
})

test.each<[string, number, () => Promise<{ status: number }>]>([
  ['without a token', 401, () => call('GET', service(), undefined, { authorization: '' })],
  ['of another run', 403, () => call('GET', service(41))],
  [
    'a name that is not valid',
    400,
    () => call('POST', service(), JSON.stringify({ Type: 'actions_storage', Name: 'a/b' })),
  ],
  ['another type', 400, () => call('POST', service(), JSON.stringify({ Type: 'x', Name: 'a' }))],
  ['a file of no artifact', 404, () => chunk('b/x', bytes('x'), 'bytes 0-0/1')],
  ['a range that does not fit', 400, () => chunk('a/x', bytes('x'), 'bytes 0-4/5')],
  ['no range', 400, () => chunk('a/x', bytes('x'), '')],
  ['another MD5', 400, () => chunk('a/x', bytes('x'), 'bytes 0-0/1', { 'x-actions-results-md5': 'eA==' })],
  ['the size of no artifact', 404, () => call('PATCH', `${service()}?artifactName=c`, '{"Size":1}')],
  [
    'the service of github.com',
    404,
    () =>
      call('POST', `${github.url}/twirp/github.actions.results.api.v1.ArtifactService/ListArtifacts`, '{}'),
  ],
])('refused: %s', async (_, status, refused) => {
  expect((await refused()).status).toBe(status)
})

test('on github.com there is none', async () => {
  github.settings.enterprise = false
  expect((await call('GET', service())).status).toBe(404)
})
