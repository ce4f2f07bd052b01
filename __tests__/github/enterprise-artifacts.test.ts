import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { jest } from '@jest/globals'
import AdmZip from 'adm-zip'
import { isEnterpriseServer } from '../../src/github/artifacts/artifacts.js'
import type { ArtifactStore } from '../../src/github/artifacts/store.js'
import { enterpriseArtifacts } from '../../src/github/artifacts/artifacts.js'

import { checkArtifacts } from '../../src/github/github.js'
import { connect } from '../../src/github/api/octokit.js'

import { noise, stepClient } from '../sandbox-github/artifact-client.js'
import { serve } from '../step/front.js'
import { daily, thorough } from '../daily.js'
import { ownFolder } from '../own-folder.js'
import { ownGithub } from './own-github.js'

const folder = ownFolder()
const github = await ownGithub({ settings: { enterprise: true } })
afterEach(() => github.heal())

/** More than one chunk. */
const bytes = noise(8 * 1024 * 1024 + 5)

let runId = 300
const findBy = (workflowRunId = runId) => ({
  ...{ token: github.token(), workflowRunId },
  ...{ repositoryOwner: 'sandbox', repositoryName: 'project' },
})
const octokit: typeof connect = (token, at) => connect(token, { baseUrl: github.url, ...at })

/** The artifacts as a job of a new workflow run sees them. */
async function inNewRun(env: Record<string, string> = {}): Promise<ArtifactStore> {
  runId++
  return enterpriseArtifacts({ ...(await github.env({ runId })), ...env }, octokit)
}

function file(name: string, bytes: string | Uint8Array): string {
  const place = path.join(folder, name)
  writeFileSync(place, bytes)
  return place
}

async function attached(store: ArtifactStore, name: string, bytes: string | Uint8Array, days = 0) {
  await store.uploadArtifact(name, [file(name, bytes)], folder, { retentionDays: days })
}

/** An empty folder to download to. */
function target(): string {
  return mkdtempSync(path.join(folder, 'to-'))
}

daily.each([
  ['https://github.com', false],
  ['https://GitHub.com', false],
  ['https://acme.ghe.com', false],
  ['http://github.localhost', false],
  ['', false],
  ['https://github.example.com', true],
  ['https://ghe.com', true],
  ['https://github.com.example.com', true],
])(
  'GITHUB_SERVER_URL %s: what counts as an Enterprise Server is what the real client refuses',
  async (url, is) => {
    const step = await stepClient(github, jest)
    try {
      process.env.GITHUB_SERVER_URL = url
      process.env.ACTIONS_RUNTIME_TOKEN = 'none'
      const refusal = await step.client.listArtifacts().catch((error: unknown) => error)
      expect(refusal instanceof Error && refusal.name === 'GHESNotSupportedError').toBe(is)
      expect(isEnterpriseServer({ GITHUB_SERVER_URL: url })).toBe(is)
    } finally {
      step.restore()
    }
  },
)

daily('a file of several chunks comes back byte for byte, from its own run and from another', async () => {
  const store = await inNewRun()
  await attached(store, 'load-test-report.tar.gz', bytes, 400)
  const ranges = github.store.requests.filter(({ method }) => method === 'PUT')
  expect(ranges).toHaveLength(2)
  expect(await store.listArtifacts()).toEqual({ artifacts: [{ name: 'load-test-report.tar.gz' }] })

  const own = target()
  await store.downloadArtifact({ name: 'load-test-report.tar.gz' }, { path: own })
  expect(readFileSync(path.join(own, 'load-test-report.tar.gz')).equals(bytes)).toBe(true)

  github.seed.run({ id: runId })
  const from = runId
  const later = await inNewRun()
  const { artifacts } = await later.listArtifacts({ findBy: findBy(from) })
  const [artifact] = artifacts
  expect(artifact).toMatchObject({ name: 'load-test-report.tar.gz', id: expect.any(Number) as number })
  const zip = target()
  await later.downloadArtifact(artifact ?? { name: '' }, { path: zip, findBy: findBy(from) })
  expect(new AdmZip(path.join(zip, 'artifact.zip')).getEntries()[0]?.getData().equals(bytes)).toBe(true)
})

daily('artifacts of earlier attempts are listed once, whether the runner or the API knows them', async () => {
  const store = await inNewRun()
  await attached(store, 'note.json', '1')
  github.seed.run({ id: runId })
  await github.seed.artifact({ runId, name: 'older.json', files: { 'older.json': '2' } })
  const { artifacts } = await store.listArtifacts({ findBy: findBy() })
  expect(artifacts.map(({ name }) => name)).toEqual(['note.json', 'older.json'])
})

daily('a name that is taken is left alone', async () => {
  const store = await inNewRun()
  await attached(store, 'outcome.json', 'the first')
  await expect(attached(store, 'outcome.json', 'another')).rejects.toThrow('already exists')
  const own = target()
  await store.downloadArtifact({ name: 'outcome.json' }, { path: own })
  expect(readFileSync(path.join(own, 'outcome.json'), 'utf8')).toBe('the first')
})

daily('the retention that is asked for is at most what the repository allows', async () => {
  const store = await inNewRun({ GITHUB_RETENTION_DAYS: '30' })
  await attached(store, 'a.json', '{}', 90)
  await attached(store, 'b.json', '{}', 7)
  await attached(store, 'c.json', '{}')
  const asked = github.store.requests
    .filter(({ method, url }) => method === 'POST' && url.includes(`/${runId}/`))
    .map(({ body }) => body)
  expect(asked).toEqual([
    { Type: 'actions_storage', Name: 'a.json', RetentionDays: 30 },
    { Type: 'actions_storage', Name: 'b.json', RetentionDays: 7 },
    { Type: 'actions_storage', Name: 'c.json' },
  ])
})

// Waits for: the first pause before a call is repeated, 1 s.
thorough('a server that throttles, or a connection that breaks, costs a pause, not the file', async () => {
  const store = await inNewRun()
  github.fail({ kind: 'cut', on: /^PUT /, after: 1 })
  await attached(store, 'report.zip', bytes)
  github.fail({ kind: 'throttle', on: /^GET .*Containers/ })
  const own = target()
  await store.downloadArtifact({ name: 'report.zip' }, { path: own })
  expect(readFileSync(path.join(own, 'report.zip')).equals(bytes)).toBe(true)
})

daily(
  'a server that asks for too long a pause, and one that forbids the call, are reported at once',
  async () => {
    const store = await inNewRun()
    github.fail({ kind: 'throttle', on: /^POST /, retryAfter: 3600 })
    await expect(attached(store, 'a.json', '{}')).rejects.toThrow('Too many requests')
    github.settings.storageQuotaHit = true
    const refused = attached(store, 'a.json', '{}')
    await expect(refused).rejects.toThrow('The storage quota for artifacts has been hit.')
    github.settings.storageQuotaHit = false
  },
)

daily.each([404, 405, 410, 501])('a server that answers %i has no artifact service', async (status) => {
  const store = await inNewRun()
  github.fail({ kind: 'server-error', status, on: /_apis\/pipelines/ })
  await expect(store.listArtifacts()).rejects.toMatchObject({ name: 'NoArtifactServiceError' })
})

daily('a runner that does not name an artifact service has none', () => {
  expect(() => enterpriseArtifacts({ GITHUB_RUN_ID: '1' }, octokit)).toThrow(
    'this GitHub has none of the artifact services that the step knows',
  )
})

daily('mode check says whether there is an artifact service', async () => {
  const store = await inNewRun()
  const check = () => checkArtifacts(async () => store)
  expect(await check()).toMatchObject({ result: 'fits' })
  github.fail({ kind: 'server-error', status: 404, on: /_apis\/pipelines/ })
  expect(await check()).toMatchObject({
    result: 'does-not-fit',
    sentence: 'This GitHub has no artifact service that the step knows: reports stay on the runner.',
  })
})

daily('what another client packed is unpacked into folders', async () => {
  const store = await inNewRun()
  const { artifactUrl, send } = await byHand()
  await send('POST', artifactUrl, JSON.stringify({ Type: 'actions_storage', Name: 'report' }), {
    'content-type': 'application/json',
  })
  const packed = gzipSync('<testreport/>')
  await send('PUT', `${containerUrl()}?itemPath=report%2Fxml%2Ftestreport.xml`, packed, {
    'content-encoding': 'gzip',
    'content-type': 'application/octet-stream',
    'content-range': `bytes 0-${packed.length - 1}/${packed.length}`,
    'x-tfs-filelength': '13',
  })
  const own = target()
  await store.downloadArtifact({ name: 'report' }, { path: own })
  expect(readFileSync(path.join(own, 'xml', 'testreport.xml'), 'utf8')).toBe('<testreport/>')
})

const containerUrl = () => `${github.runtimeUrl}_apis/resources/Containers/${runId}`

/** The service, called like another client of the same job. */
async function byHand() {
  const token = await github.runtimeToken(runId)
  return {
    artifactUrl: `${github.runtimeUrl}_apis/pipelines/workflows/${runId}/artifacts?api-version=6.0-preview`,
    send: (method: string, url: string, body: BodyInit, headers: Record<string, string>) =>
      fetch(url, { method, body, headers: { ...headers, authorization: `Bearer ${token}` } }),
  }
}

daily.each([
  ['an address elsewhere', 'http://127.0.0.1:1/containers', 'x', /outside of .*, to which no token is sent/],
  ['a file outside of its artifact', '/containers', '../x', /leads out of the archive/],
])('%s is refused', async (_, fileContainerResourceUrl, item, sentence) => {
  const front = await serve(({ url = '' }, response) => {
    const value = url.startsWith('/containers')
      ? [{ itemType: 'file', path: `report/${item}`, contentLocation: '/file' }]
      : [{ name: 'report', fileContainerResourceUrl }]
    response.end(JSON.stringify({ count: 1, value }))
  })
  try {
    const store = await inNewRun({ ACTIONS_RUNTIME_URL: front.url })
    await expect(store.downloadArtifact({ name: 'report' }, { path: target() })).rejects.toThrow(sentence)
  } finally {
    await front.close()
  }
})

daily('a redirect must not lead from https to http', async () => {
  const front = await serve(({ url = '' }, response) => {
    if (url === '/moved') response.writeHead(302, { location: '/open' }).end()
    else if (url.startsWith('/containers')) {
      const item = (name: string) => ({ itemType: 'file', path: `${name}/b`, contentLocation: `/${name}` })
      response.end(
        JSON.stringify({ value: [item(new URL(url, front.url).searchParams.get('itemPath') ?? '')] }),
      )
    } else if (url.startsWith('/_apis')) {
      const value = ['moved', 'open'].map((name) => ({ name, fileContainerResourceUrl: '/containers' }))
      response.end(JSON.stringify({ value }))
    } else response.end('bytes')
  })
  const secure = front.url.replace('http:', 'https:')
  // TLS ends before the server: only what it redirects to is an address without.
  const behindTls: typeof connect = async (token, at) => {
    const client = await connect(token, at)
    client.hook.wrap('request', async (request, options) => {
      const { url } = options
      const asked = url.replace(secure, front.url)
      Object.assign(options, { baseUrl: front.url, url: asked })
      const answer = await request(options)
      return { ...answer, url: answer.url === asked ? url : answer.url }
    })
    return client
  }
  try {
    const env = { ...(await github.env({ runId })), ACTIONS_RUNTIME_URL: secure }
    const store = enterpriseArtifacts(env, behindTls)
    const own = target()
    await store.downloadArtifact({ name: 'open' }, { path: own })
    expect(readFileSync(path.join(own, 'b'), 'utf8')).toBe('bytes')
    await expect(store.downloadArtifact({ name: 'moved' }, { path: target() })).rejects.toThrow(
      'GitHub leads from https to an address without, which is not read',
    )
  } finally {
    await front.close()
  }
})

daily('a redirect never takes the token to another origin', async () => {
  const seen: (string | undefined)[] = []
  const storage = await serve(({ headers }, response) => {
    seen.push(headers.authorization)
    response.end('bytes')
  })
  const front = await serve(({ url = '', headers }, response) => {
    seen.push(headers.authorization)
    if (url.startsWith('/file')) response.writeHead(302, { location: `${storage.url}/blob` }).end()
    else if (url.startsWith('/containers'))
      response.end(JSON.stringify({ value: [{ itemType: 'file', path: 'a/b', contentLocation: '/file' }] }))
    else response.end(JSON.stringify({ value: [{ name: 'a', fileContainerResourceUrl: '/containers' }] }))
  })
  try {
    const store = await inNewRun({ ACTIONS_RUNTIME_URL: front.url, ACTIONS_RUNTIME_TOKEN: 'secret' })
    const own = target()
    await store.downloadArtifact({ name: 'a' }, { path: own })
    expect(readFileSync(path.join(own, 'b'), 'utf8')).toBe('bytes')
    expect(seen).toEqual(['token secret', 'token secret', 'token secret', undefined])
  } finally {
    await Promise.all([front.close(), storage.close()])
  }
})
