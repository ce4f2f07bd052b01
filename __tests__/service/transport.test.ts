import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { networkInterfaces } from 'node:os'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { ServiceError } from '../../src/service/failure.js'
import { tokenOperation, type Operation } from '../../src/service/operations.js'
import { broken, transport, routeAdvice, type Exchange } from '../../src/service/transport.js'
import { calls } from '../fake-service.js'
import { portOf } from '../step/front.js'

/* Redirects, limits and faults of a single exchange, over real sockets. */

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

interface Seen {
  path: string
  method: string
  headers: IncomingMessage['headers']
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function origin(handle: Handler = (_, response) => response.end('here'), host = '127.0.0.1') {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const { url = '', method = '', headers } = request
    seen.push({ path: url, method, headers })
    request.resume()
    handle(request, response)
  })
  await new Promise<void>((done) => server.listen(0, host, done))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server.address())}`,
    seen,
    paths: () => seen.map(({ path }) => path),
  }
}

/** One that answers the first request with a redirect, and everything else with a text. */
const redirecting = (location: () => string | undefined, status = 302) =>
  origin(({ url }, response) => {
    const target = url === '/start' ? location() : undefined
    if (url !== '/start') response.end('here')
    else response.writeHead(status, target === undefined ? {} : { location: target }).end()
  })

const at = (operation: Operation, path = '/start'): Operation => ({ ...operation, path })
const { list, details, report, result, runCopy, upload, deleteArchive } = calls
const stored = { report: report(1, 1), result: result(1, 1) }
const headers = { Authorization: 'Bearer t', range: 'bytes=7-' }

async function exchanged(url: string, operation: Operation, more: Partial<Exchange> = {}) {
  const answer = await transport(url, 'test')(operation, { timeout: 5000, headers, ...more })
  const chunks: Buffer[] = []
  for await (const chunk of answer.body) chunks.push(Buffer.from(chunk as Uint8Array))
  answer.close()
  return { status: answer.status, text: Buffer.concat(chunks).toString() }
}

const faultOf = async (exchange: Promise<unknown>): Promise<ServiceError> => {
  const fault: unknown = await exchange.catch((error: unknown) => error)
  if (fault instanceof ServiceError) return fault
  throw new Error(`It ended with ${String(fault)}.`)
}

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])(
    'of %i is followed within the service, with credentials',
    async (status) => {
      const { url, seen, paths } = await redirecting(() => '/there', status)
      expect(await exchanged(url, at(list()))).toEqual({ status: 200, text: 'here' })
      expect(paths()).toEqual(['/start', '/there'])
      expect(seen.map((one) => [one.headers.authorization, one.headers.range])).toEqual([
        ['Bearer t', 'bytes=7-'],
        ['Bearer t', 'bytes=7-'],
      ])
    },
  )

  test.each<[number, string | undefined]>([
    ...[300, 304, 305, 200, 404].map((status): [number, string] => [status, '/there']),
    [302, undefined],
  ])('is none with status %i and the address %s', async (status, address) => {
    const { url, paths } = await redirecting(() => address, status)
    expect(await exchanged(url, at(list()))).toMatchObject({ status })
    expect(paths()).toEqual(['/start'])
  })

  test.each<[string, Operation]>([
    ['a start by GET', runCopy(1)],
    ['a start by POST', runCopy(1, 'POST')],
    ['a start by PUT', runCopy(1, 'PUT')],
    ['an upload', upload()],
    ['a deletion', deleteArchive('ca-1')],
    ['a request for a token', tokenOperation],
  ])('of %s is an answer, and is not followed: it could be executed twice', async (_, operation) => {
    const { url, paths } = await redirecting(() => '/start2', 307)
    expect(await exchanged(url, at(operation))).toMatchObject({ status: 307 })
    expect(paths()).toEqual(['/start'])
  })

  test.each(Object.entries(stored))(
    'of a file (%s) is followed to its store, without credentials',
    async (_, operation) => {
      const store = await origin()
      const { url } = await redirecting(() => `${store.url}/file`)
      expect(await exchanged(url, at(operation))).toEqual({ status: 200, text: 'here' })
      expect(store.paths()).toEqual(['/file'])
      expect(store.seen[0]?.headers).toMatchObject({ range: 'bytes=7-' })
      expect(store.seen[0]?.headers).not.toHaveProperty('authorization')
    },
  )

  test('back from a store has no credentials any more', async () => {
    let back = ''
    const store = await origin((_, response) => response.writeHead(302, { location: back }).end())
    const { url, seen } = await redirecting(() => `${store.url}/file`)
    back = `${url}/again`
    await exchanged(url, at(stored.report))
    expect(seen.map(({ path, headers: sent }) => [path, sent.authorization])).toEqual([
      ['/start', 'Bearer t'],
      ['/again', undefined],
    ])
  })

  test.each<[string, Operation]>([
    ['list', list()],
    ['details', details(1)],
    ['status', calls.status(1)],
  ])('of what says something about load tests (%s) is not followed elsewhere', async (_, operation) => {
    const other = await origin()
    const { url } = await redirecting(() => `${other.url}/x`)
    const { facts, message, passing } = await faultOf(exchanged(url, at(operation)))
    expect(message).toContain('The service redirects to an address that is not followed. Check base-url.')
    expect({ ...facts, passing }).toMatchObject({ executed: 'unknown', lasting: true, passing: false })
    expect(other.seen).toEqual([])
  })

  test.each(['ftp://127.0.0.1/x', 'file:///etc/passwd', 'data:text/plain,x', 'http://', 'https:///'])(
    'to %s is not followed, not even for a file',
    async (target) => {
      const { url, paths } = await redirecting(() => target)
      expect((await faultOf(exchanged(url, at(stored.report)))).message).toContain('is not followed')
      expect(paths()).toEqual(['/start'])
    },
  )

  test('is followed five times, and not a sixth time', async () => {
    const after = (last: number) =>
      origin(({ url = '' }, response) => {
        const hop = Number(url.slice(1))
        if (hop === last) response.end('here')
        else response.writeHead(302, { location: `/${hop + 1}` }).end()
      })
    const five = await after(5)
    expect(await exchanged(five.url, at(list(), '/0'))).toEqual({ status: 200, text: 'here' })
    expect(five.seen).toHaveLength(6)
    const six = await after(6)
    await faultOf(exchanged(six.url, at(list(), '/0')))
    expect(six.seen).toHaveLength(6)
  })
})

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1')

;(hasIPv6 ? test : test.skip)('an address of IPv6 is reached', async () => {
  const { url } = await origin(undefined, '::1')
  expect(await exchanged(url, at(list()))).toEqual({ status: 200, text: 'here' })
})

describe('limits', () => {
  test('no answer in time may still be executed: it is unanswered, which a broken connection is not', async () => {
    const { url } = await origin(() => undefined)
    const late = await faultOf(exchanged(url, at(list()), { timeout: 30 }))
    expect(late.facts).toMatchObject({ executed: 'unknown', unanswered: true })
    expect(late.message).toContain('(no answer within 0 s)')
    const breaking = await origin((request) => request.socket.destroy())
    const { facts } = await faultOf(exchanged(breaking.url, at(list())))
    expect(facts.executed).toBe('unknown')
    expect(facts.unanswered).toBeUndefined()
  })

  test('a body may take longer than an answer, but not stand still', async () => {
    // Waits for: the idle limit of the client, one second and 50 ms.
    const slow = await origin((_, response) => {
      response.write('a')
      setTimeout(() => response.end('b'), 1200)
    })
    const still = await origin((_, response) => response.writeHead(200, { 'content-length': 9 }).write('a'))
    await Promise.all([
      expect(exchanged(slow.url, at(list()), { timeout: 1000, idle: 5000 })).resolves.toMatchObject({
        text: 'ab',
      }),
      expect(exchanged(still.url, at(list()), { timeout: 5000, idle: 50 })).rejects.toThrow(),
      // Without a separate limit it may stand still as long as an answer may take.
      expect(exchanged(still.url, at(list()), { timeout: 500 })).rejects.toThrow(),
    ])
  })

  test('a job that was cancelled before sends nothing', async () => {
    const { url, seen } = await origin()
    const signal = AbortSignal.abort(new Error('cancelled'))
    await expect(exchanged(url, at(list()), { signal })).rejects.toThrow('cancelled')
    expect(seen).toEqual([])
  })

  test('a cancelled job ends an exchange before and after the answer has begun', async () => {
    const before = new AbortController()
    const silent = await origin(() => before.abort(new Error('cancelled')))
    await expect(exchanged(silent.url, at(list()), { signal: before.signal })).rejects.toThrow('cancelled')
    const after = new AbortController()
    const half = await origin((_, response) => response.writeHead(200, { 'content-length': 9 }).write('a'))
    const { signal } = after
    const answer = await transport(half.url, 'test')(at(list()), { timeout: 5000, signal })
    const ended = new Promise((done) => answer.body.once('close', done))
    after.abort(new Error('cancelled'))
    await ended
    expect(answer.body.complete).toBe(false)
    answer.close()
  })

  test('an exchange that was closed ends its connection, and what it would still send', async () => {
    const gone: Promise<unknown>[] = []
    const { url } = await origin((request, response) => {
      gone.push(new Promise((done) => request.socket.once('close', done)))
      response.writeHead(200, { 'content-length': 9 }).write('a')
    })
    const sent = new Readable({ read: () => undefined })
    sent.push('z')
    const body = { bytes: 3, open: () => sent }
    const answer = await transport(url, 'test')(at(upload()), { timeout: 5000, body })
    answer.close()
    await Promise.all(gone)
    expect(gone).toHaveLength(1)
    expect(answer.body.destroyed).toBe(true)
    expect(sent.destroyed).toBe(true)
  })

  test('a body that cannot be read breaks the exchange off before it looks complete', async () => {
    let isComplete = false
    const { url } = await origin((request) => request.on('end', () => (isComplete = request.complete)))
    const body = {
      bytes: 9,
      open: () =>
        Readable.from(
          (async function* () {
            yield Buffer.from('zip')
            await pause(5)
            throw new Error('disk gone')
          })(),
        ),
    }
    const fault = await faultOf(exchanged(url, at(upload()), { body }))
    expect(fault.message).toContain('disk gone')
    expect(isComplete).toBe(false)
  })
})

const codes = (...all: string[]) =>
  all.map((code): [string, object] => [code, { code, message: `${code} x` }])

describe('what a fault of a connection says about the request', () => {
  test.each<[string, object]>([
    ...codes('ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'),
    ['no connection in time', { code: 'ETIMEDOUT', message: 'connect ETIMEDOUT 10.0.0.1:443' }],
    [
      'no TLS',
      {
        code: 'ECONNRESET',
        message: 'Client network socket disconnected before secure TLS connection was established',
      },
    ],
    ['no tunnel', { code: 'ECONNRESET', message: 'tunneling socket could not be established, cause=x' }],
  ])('it was never sent: %s', (_, error) => {
    const { facts, message, passing } = broken(list(), error, new URL('https://x.test'))
    expect({ facts, passing }).toMatchObject({ facts: { executed: 'no' }, passing: true })
    expect(facts.lasting).toBeUndefined()
    expect(message).toMatch(/failed: the service could not be reached \(.+\)\. \S/)
  })

  test.each<[string, unknown]>([
    ...codes('ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'HPE_INVALID_CONSTANT'),
    ['a network that was lost', { code: 'EHOSTUNREACH', syscall: 'read', message: 'read EHOSTUNREACH' }],
    ['a time-out while reading', { code: 'ETIMEDOUT', message: 'read ETIMEDOUT, after connect ETIMEDOUT' }],
    ['a text', 'socket hang up'],
    ['nothing', undefined],
  ])('it may have been executed: %s', (_, error) => {
    const { facts, message, passing } = broken(list(), error, new URL('https://x.test'))
    expect({ facts, passing }).toMatchObject({ facts: { executed: 'unknown' }, passing: true })
    expect(message).toMatch(/failed: the connection broke \(.+\)\.$/)
  })

  test.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])('the certificate is not trusted, and will not be: %s', (code) => {
    const { facts, message } = broken(list(), { code, message: 'bad' }, new URL('https://x.test'))
    expect(facts).toMatchObject({ executed: 'no', lasting: true })
    expect(message).toMatch(/could not be reached \(bad\)\. The certificate .* NODE_EXTRA_CA_CERTS\.$/)
  })

  test('its words are those of the fault, else its code, and a name without a host is called that', () => {
    expect(broken(list(), { code: 'EPIPE' }).facts.broke).toBe('the connection broke (EPIPE).')
    expect(broken(list(), { code: 'EPIPE', message: 'a\nb' }).facts.broke).toBe('the connection broke (a b).')
    expect(broken(list(), { code: 'ENOTFOUND', message: 'getaddrinfo x' }).facts.broke).toBe(
      'the service could not be reached (no host has this name: getaddrinfo x).',
    )
    expect(broken(list(), 'x').cause).toBe('x')
  })
})

const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy']
const before = names.map((name) => [name, process.env[name]] as const)
beforeEach(() => {
  for (const name of names) Reflect.deleteProperty(process.env, name)
})
afterAll(() => {
  for (const [name, value] of before) if (value !== undefined) process.env[name] = value
})

const url = new URL('https://loadtest.example.com/public')

test('a way without a proxy', () => {
  expect(routeAdvice(url)).toBe(
    'Check loadtest.example.com in base-url, its spelling and its port. If this network needs a proxy, name it in HTTPS_PROXY, and let NO_PROXY not name loadtest.example.com.',
  )
})

test('a way through a proxy, whose password is not shown', () => {
  process.env.HTTPS_PROXY = 'http://user:secret@proxy.example.com:3128'
  expect(routeAdvice(url)).toBe(
    'The request to loadtest.example.com goes through the proxy proxy.example.com:3128 of HTTPS_PROXY: check both, or name loadtest.example.com in NO_PROXY.',
  )
})

test('a proxy that refuses is reported, and nothing was executed', async () => {
  const proxy = createServer()
  proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  const { port } = proxy.address() as AddressInfo
  process.env.HTTPS_PROXY = `http://127.0.0.1:${port}`
  try {
    await expect(
      transport(url.origin, 'load-test-action')(runCopy(1), { timeout: 5000 }),
    ).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Starting a copy of load test 1 failed: the service could not be reached \(tunneling .*407\)\. The request to loadtest\.example\.com goes through the proxy 127\.0\.0\.1:\d+ of HTTPS_PROXY/,
      ) as string,
      facts: { executed: 'no' },
    })
  } finally {
    proxy.close()
  }
})
