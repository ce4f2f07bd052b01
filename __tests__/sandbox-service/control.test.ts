import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startService } from '../../sandbox/service/service.js'
import { field, visit, type Visitor } from './visitor.js'

let visitor: Visitor
beforeEach(async () => {
  visitor = await visit()
})
afterEach(() => visitor.leave())

async function control(name: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
  const response = await fetch(`${visitor.service.url}/sandbox/${name}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await response.text()
  const read: unknown = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, body: read }
}

test('settings are read and changed over HTTP, without secrets', async () => {
  const changed = await control('settings', {
    envelope: false,
    secondsRunning: 3,
    templates: { 'webshop/1': { ends: 'ERROR' } },
  })
  expect(changed.status).toBe(200)
  expect(visitor.service.settings).toMatchObject({ envelope: false, secondsRunning: 3 })
  const { body } = await control('settings')
  expect(body).toMatchObject({ secondsRunning: 3, tls: false })
  expect(JSON.stringify(body)).not.toContain(visitor.service.credentials('everything').clientSecret)
})

test.each<[string, object]>([
  ['an unknown setting', { envelop: false }],
  ['a wrong value', { ends: 'RUNNING' }],
  ['a share above 1', { errorRate: 2 }],
  ['a setting that is fixed', { port: 1 }],
  ['no object', [1]],
])('all settings are refused together: %s', async (_, change) => {
  const before = JSON.stringify(visitor.service.settings)
  const body = Array.isArray(change) ? change : { ...change, secondsRunning: 99 }
  expect((await control('settings', body)).status).toBe(400)
  expect(JSON.stringify(visitor.service.settings)).toBe(before)
})

test('faults are set, read and removed over HTTP', async () => {
  const rules = [{ operation: 'status', times: 2, fault: { kind: 'status', status: 503, retryAfter: 1 } }]
  expect(await control('faults', rules)).toEqual({ status: 200, body: rules })
  expect(await control('faults')).toEqual({ status: 200, body: rules })
  expect((await visitor.call('v1/loadTests/1/status')).status).toBe(503)
  expect((await control('faults', undefined, 'DELETE')).status).toBe(204)
  expect((await visitor.call('v1/loadTests/1/status')).status).toBe(200)
})

test.each<[string, unknown]>([
  ['an unknown operation', [{ operation: 'everything', fault: { kind: 'drop-after' } }]],
  ['an unknown kind', [{ operation: '*', fault: { kind: 'explode' } }]],
  ['a kind without what it needs', [{ operation: '*', fault: { kind: 'latency' } }]],
  ['no list', { operation: '*', fault: { kind: 'drop-after' } }],
])('wrong rules are refused: %s', async (_, rules) => {
  expect((await control('faults', rules)).status).toBe(400)
  expect(visitor.service.settings.faults).toEqual([])
})

test('the books are read over HTTP, and do not list requests to the sandbox itself', async () => {
  await visitor.call('v1/loadTests/3/runCopy')
  const { body } = await control('books')
  expect(field(body, 'starts.0.number')).toBe('10')
  expect(field(body, 'requests.length')).toBe('2')
  expect(
    visitor.service.books.requests.map(({ operation, method, status }) => [operation, method, status]),
  ).toEqual([
    ['token', 'POST', 200],
    ['runCopy', 'GET', 200],
  ])
})

test('the books list requests with their headers', async () => {
  await visitor.call('v1/loadTests?x=1', { headers: { 'user-agent': 'test/1.2', cookie: 'a=secret' } })
  const entry = visitor.service.books.requests.at(-1)
  expect(entry?.path).toMatch(/\/loadTests\?x=1$/)
  expect(entry?.headers['user-agent']).toBe('test/1.2')
  expect(JSON.stringify(entry)).not.toContain('secret')
})

test('without control there is no way to set faults, not even by the header', async () => {
  const closed = await visit({ control: false })
  try {
    for (const name of ['books', 'settings', 'faults']) {
      expect((await fetch(`${closed.service.url}/sandbox/${name}`)).status).toBe(404)
    }
    const headers = { 'x-sandbox-fault': '{"kind":"status","status":500}' }
    expect((await closed.call('v1/loadTests', { headers })).status).toBe(200)
  } finally {
    await closed.leave()
  }
})

test('two services at the same time are independent', async () => {
  const other = await visit()
  try {
    await visitor.call('v1/loadTests/3/runCopy')
    expect(other.service.books.starts).toEqual([])
    expect(other.service.url).not.toBe(visitor.service.url)
  } finally {
    await other.leave()
  }
})

test('a port in use is an error, but closing twice is not', async () => {
  const port = Number(new URL(visitor.service.url).port)
  await expect(startService({ port })).rejects.toThrow('EADDRINUSE')
  const other = await startService()
  await other.close()
  await other.close()
})

test('https with its own certificate', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tls-'))
  const [keyFile, certFile] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const files = ['-keyout', keyFile, '-out', certFile]
  execFileSync('openssl', ['req', '-x509', '-nodes', '-days', '2', ...curve, ...subject, ...files], {
    stdio: 'ignore',
  })
  const [key, cert] = [readFileSync(keyFile, 'utf8'), readFileSync(certFile, 'utf8')]
  rmSync(folder, { recursive: true })
  const secure = await startService({ tls: { key, cert }, host: 'localhost' })
  try {
    expect(secure.url).toMatch(/^https:\/\/localhost:\d+$/)
    const status = await new Promise((resolve, reject) => {
      https
        .get(`${secure.url}/public/api/json`, { ca: cert }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        .on('error', reject)
    })
    expect(status).toBe(200)
  } finally {
    await secure.close()
  }
})
