import http from 'node:http'
import { startService, type Service } from '../../sandbox/service/service.js'

/** The pages as any client gets them, and what they must not affect. */

const webshop = '/orgs/demo-org/projects/webshop'
let service: Service
beforeEach(async () => {
  // Its clock stands still.
  service = await startService({ clock: () => Date.UTC(2026, 6, 15, 10, 15), simulatedMinutes: 1, web: true })
})
afterEach(() => service.close())

/** The page as received. */
async function open(path: string, status = 200): Promise<string> {
  const response = await fetch(`${service.url}${path}`)
  expect(response.status).toBe(status)
  return response.text()
}

test('a load test shows its run; reports and results are downloaded', async () => {
  const page = await open(`${webshop}/load-tests/9`)
  for (const text of [
    'FINISHED',
    '2026-07-14 10:15 UTC',
    'Webshop from Git',
    'none, from Git',
    '13\u00a0min',
  ]) {
    expect(page).toContain(text)
  }
  for (const kind of ['report', 'result']) {
    const response = await fetch(`${service.url}${webshop}/load-tests/9/${kind}`)
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="webshop-9-${kind}.tar.gz"`,
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    expect([...bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b])
  }
  expect(await open(`${webshop}/load-tests/1`)).not.toContain('Download')
  expect(await open(`${webshop}/load-tests/1/report`, 404)).toContain('Load test 1 has no report.')
})

test.each([
  ['/orgs/nobody/projects/none', 'There is no organization nobody.'],
  ['/orgs/demo-org/projects/nothing', 'Organization demo-org has no project nothing.'],
  [`${webshop}/load-tests/99`, 'Project webshop has no load test 99.'],
  [`${webshop}/load-tests/x`, 'Project webshop has no load test x.'],
  ['/orgs/%3Cscript%3E/projects/none', 'There is no organization &lt;script&gt;.'],
])('a missing page says so: %s', async (path, sentence) => {
  expect(await open(path, 404)).toContain(sentence)
})

describe('who may open pages', () => {
  test.each([
    ['evil.example', 403],
    ['localhost', 200],
    ['[::1]', 200],
  ])('a request to the host %s: %i', async (host, status) => {
    const { port } = new URL(service.url)
    const seen = await new Promise((resolve, reject) => {
      http
        .get(service.url, { headers: { host: `${host}:${port}` } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        .on('error', reject)
    })
    expect(seen).toBe(status)
  })

  test('every page forbids what it does not need, and has no secret', async () => {
    for (const one of ['/', webshop, '/orgs/nobody/projects/none', '/web/style.css']) {
      const response = await fetch(`${service.url}${one}`)
      const { headers } = response
      const text = await response.text()
      for (const { clientSecret } of service.world.credentials) expect(text).not.toContain(clientSecret)
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; (?!.*unsafe)/)
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })
})

test('pages are not in the books, and faults do not affect them', async () => {
  service.faults.add({ operation: '*', times: 'always', fault: { kind: 'drop-before' } })
  await open(webshop)
  expect(service.books.requests).toEqual([])
})
