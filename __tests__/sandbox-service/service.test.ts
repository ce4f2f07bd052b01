import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startService } from '../../sandbox/service/service.js'
import { visit, type Visitor } from './visitor.js'

let visitor: Visitor
beforeEach(async () => {
  visitor = await visit()
})
afterEach(() => visitor.leave())

test('the books list requests with their headers', async () => {
  await visitor.call('v1/loadTests?x=1', { headers: { 'user-agent': 'test/1.2', cookie: 'a=secret' } })
  const entry = visitor.service.books.requests.at(-1)
  expect(entry?.path).toMatch(/\/loadTests\?x=1$/)
  expect(entry?.headers['user-agent']).toBe('test/1.2')
  expect(JSON.stringify(entry)).not.toContain('secret')
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
