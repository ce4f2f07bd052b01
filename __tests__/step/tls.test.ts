import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { portOf } from './front.js'
import { startSandbox, type Sandbox } from './sandbox.js'

/** This machine, by an address that no proxy setting takes for loopback. */
const host = '0.0.0.0'

let folder: string
let authority: string
let tls: { key: string; cert: string }
let sandbox: Sandbox

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'authority-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  openssl('req', '-x509', ...key, '-subj', '/CN=Own authority', '-keyout', 'ca.key', '-out', 'ca.pem')
  openssl('req', ...key.slice(0, 5), '-subj', '/CN=service', '-keyout', 'service.key', '-out', 'service.csr')
  writeFileSync(path.join(folder, 'names'), `subjectAltName=IP:127.0.0.1,IP:${host},DNS:localhost\n`)
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'service.csr', ...signed, '-out', 'service.pem')
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
  authority = path.join(folder, 'ca.pem')
  tls = { key: read('service.key'), cert: read('service.pem') }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const opened: Sandbox[] = []
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())))

async function open(settings: Parameters<typeof startSandbox>[0]): Promise<void> {
  sandbox = await startSandbox(settings)
  opened.push(sandbox)
}

test('an own authority is trusted where NODE_EXTRA_CA_CERTS names it', async () => {
  await open({ tls })
  const ran = await sandbox.run({}, { job: { machineEnv: { NODE_EXTRA_CA_CERTS: authority } } })
  expect(sandbox.service.url).toMatch(/^https:/)
  expect(ran.outputs['verdict']).toBe('passed')
})

test('NODE_TLS_REJECT_UNAUTHORIZED=0 is refused before the first request', async () => {
  await open({ tls })
  const ran = await sandbox.run({}, { job: { machineEnv: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } } })
  expect(ran.conclusion).toBe('failure')
  expect(ran.annotations.map(({ message }) => message).join('\n')).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0')
  expect(sandbox.service.books.requests).toEqual([])
  expect(sandbox.github.store.requests).toEqual([])
})

describe('proxies', () => {
  let proxy: Awaited<ReturnType<typeof startProxy>>
  beforeEach(async () => {
    proxy = await startProxy()
    await open({ tls, host })
  })
  afterEach(() => proxy.close())

  const machine = (more: Record<string, string>) => ({
    job: { machineEnv: { NODE_EXTRA_CA_CERTS: authority, ...more } },
  })
  const ownHost = () => new URL(sandbox.service.url).host

  test('https_proxy carries every call to the service, through a tunnel', async () => {
    const ran = await sandbox.run({}, machine({ https_proxy: proxy.url }))
    expect(ran.outputs['verdict']).toBe('passed')
    expect(new Set(proxy.tunnels)).toEqual(new Set([ownHost()]))
    expect(proxy.tunnels.length).toBeGreaterThanOrEqual(sandbox.service.books.requests.length)
  })

  test('no_proxy leaves the service out', async () => {
    const ran = await sandbox.run({}, machine({ https_proxy: proxy.url, no_proxy: `example.com,${host}` }))
    expect(ran.outputs['verdict']).toBe('passed')
    expect(proxy.tunnels).toEqual([])
  })

  test.each([
    ['http_proxy carries calls to GitHub', {}, true],
    ['no_proxy leaves GitHub out', { no_proxy: host }, false],
  ])('%s', async (_, more, carried) => {
    const address = sandbox.github.url.replace('127.0.0.1', host)
    const event = { pull_request: { number: 7, head: { sha: 'abc' }, base: { ref: 'main' } } }
    const { job } = machine({ http_proxy: proxy.url, ...more })
    const ran = await sandbox.run(
      { mode: 'start' },
      { job: { ...job, github: { apiUrl: address, eventName: 'pull_request', event } } },
    )
    expect(ran.outputs['verdict']).toBe('started')
    expect(sandbox.github.store.commentsOf(7)).toHaveLength(1)
    const comments = [...proxy.forwarded, ...proxy.tunnels].filter((to) => to.includes(new URL(address).host))
    expect(comments.length > 0).toBe(carried)
  })
})

/** Connections that are not made are tried again for a while: these wait side by side. */
describe('connections that are not made', () => {
  const steps = new Map<string, Promise<{ log: string; verdict: string | undefined; requests: number }>>()

  beforeAll(async () => {
    const proxy = await startProxy()
    await proxy.close()
    const trusting = { NODE_EXTRA_CA_CERTS: authority }
    steps.set('own authority', attempt(host, {}))
    steps.set('another name', attempt('127.0.0.2', trusting))
    steps.set('proxy that is gone', attempt(host, { ...trusting, https_proxy: proxy.url }))
    await Promise.all(steps.values())
  })

  async function attempt(address: string, machineEnv: Record<string, string>) {
    const own = await startSandbox({ tls, host })
    try {
      const { log, outputs } = await own.run(
        { 'base-url': own.service.url.replace(host, address) },
        { job: { machineEnv } },
      )
      return { log, verdict: outputs['verdict'], requests: own.service.books.requests.length }
    } finally {
      await own.close()
    }
  }

  test.each([
    ['own authority', /certificate of the service is not trusted here: .*NODE_EXTRA_CA_CERTS/],
    ['another name', /does not match certificate's altnames/],
    ['proxy that is gone', /ECONNREFUSED/],
  ])('%s: the step says why, and no request arrives', async (name, sentence) => {
    const ended = await steps.get(name)
    expect(ended).toMatchObject({ verdict: 'error', requests: 0 })
    expect(ended?.log).toMatch(sentence)
  })
})

/** A proxy that forwards http and opens tunnels for https, and notes for whom. */
async function startProxy() {
  const tunnels: string[] = []
  const forwarded: string[] = []
  const sockets = new Set<net.Socket>()
  const server = http.createServer((request, response) => {
    forwarded.push(request.url ?? '')
    const { method, headers } = request
    const onward = http.request(request.url ?? '', { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  server.on('connection', (socket: net.Socket) => sockets.add(socket))
  server.on('connect', (request, near, head) => {
    tunnels.push(request.url ?? '')
    const { hostname, port } = new URL(`http://${request.url}`)
    const far = net.connect(Number(port), hostname, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n')
      far.write(head)
      near.pipe(far).pipe(near)
    })
    sockets.add(far)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    tunnels,
    forwarded,
    async close() {
      for (const socket of sockets) socket.destroy()
      if (server.listening) await new Promise((done) => server.close(done))
    },
  }
}
