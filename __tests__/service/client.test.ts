import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { Log } from '../../src/log.js'
import { serviceClient } from '../../src/service/client.js'
import { wholeDownload } from '../../src/service/download.js'
import type { Scope } from '../../src/service/operations.js'
import { transport } from '../../src/service/transport.js'

interface Seen {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

type Handler = (request: Seen, response: ServerResponse, count: number) => void

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A server that answers the token itself and leaves the rest to the handler. */
async function world(
  handler: Handler,
  options: { scopes?: Scope[]; signal?: AbortSignal; token?: Handler } = {},
) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => {
      const it = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      }
      seen.push(it)
      const same = seen.filter(({ path }) => path === it.path).length
      if (it.path !== '/oauth/token') handler(it, response, same)
      else if (options.token) options.token(it, response, same)
      else json(response, { access_token: `token-${same}` })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const lines: string[] = []
  const masked: string[] = []
  const log: Log = {
    info: (line) => lines.push(line),
    notice: (line) => lines.push(line),
    warning: (line) => lines.push(line),
    debug: () => undefined,
    group: (_, body) => body(),
  }
  const patience = { firstPause: 1, longestPause: 5, total: 5000 }
  const client = serviceClient({
    baseUrl,
    project: { organization: 'acme', project: 'web shop' },
    credentials: { clientId: 'id', clientSecret: 's3cr&t' },
    scopes: options.scopes ?? ['LOADTEST_LIST', 'LOADTEST_STATUS'],
    transport: transport(baseUrl, 'load-test-action/9.9.9'),
    patience,
    log,
    mask: (token) => masked.push(token),
    ...(options.signal ? { signal: options.signal } : {}),
  })
  return {
    client,
    seen,
    lines,
    masked,
    baseUrl,
    log,
    patience,
    calls: () => seen.filter(({ path }) => path !== '/oauth/token'),
  }
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const status = (state: string) => ({
  success: true,
  data: { index: 8, executionState: { state, startTime: 0, endTime: 0 } },
})

test('a token is asked for as the interface says, once, masked, and sent with each call', async () => {
  const { client, seen, masked } = await world((_, response) => json(response, status('RUNNING')))
  await client.status(8)
  await client.status(8)
  expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /oauth/token',
    'GET /public/api/v1/orgs/acme/projects/web%20shop/loadTests/8/status',
    'GET /public/api/v1/orgs/acme/projects/web%20shop/loadTests/8/status',
  ])
  expect(seen[0]?.body).toBe(
    'client_id=id&client_secret=s3cr%26t&grant_type=client_credentials&scope=LOADTEST_LIST+LOADTEST_STATUS',
  )
  expect(seen[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect(seen[1]?.headers.authorization).toBe('Bearer token-1')
  expect(seen[1]?.headers['user-agent']).toMatch(/^load-test-action\/9\.9\.9/)
  expect(masked).toEqual(['token-1'])
})

test.each([
  ['names none', undefined, ['LOADTEST_LIST', 'LOADTEST_STATUS']],
  ['names one', 'openid LOADTEST_STATUS', ['LOADTEST_STATUS']],
  ['names others only', 'api', ['LOADTEST_LIST', 'LOADTEST_STATUS']],
])('the scopes of a token whose answer %s', async (_, scope, granted) => {
  const { client, seen } = await world(() => undefined, {
    token: (_request, response) => json(response, { access_token: 'token', scope }),
  })
  await expect(client.authenticate()).resolves.toEqual(granted)
  expect(seen).toHaveLength(1)
})

test('the OpenAPI document can be read without a token', async () => {
  const { client, seen } = await world((_, response) => json(response, { paths: {} }))
  await expect(client.openApi(true)).resolves.toEqual({ paths: {} })
  expect(seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/public/api/json', undefined],
  ])
})

test.each([1, 2, 3])('tokens that are refused %s times in a row are replaced', async (times) => {
  const { client, calls } = await world((_, response, count) =>
    count <= times ? json(response, { error: 'expired' }, 401) : json(response, status('RUNNING')),
  )
  await expect(client.status(8)).resolves.toMatchObject({ state: 'RUNNING' })
  expect(calls().map(({ headers }) => headers.authorization)).toEqual(
    Array.from({ length: times + 1 }, (_, i) => `Bearer token-${i + 1}`),
  )
})

test('a token that stays refused is a fault with what to do', async () => {
  const { client, calls } = await world((_, response) => json(response, { error: 'no' }, 401))
  await expect(client.status(8)).rejects.toThrow(
    /^Reading the status of load test 8 failed: the service answered 401\./,
  )
  expect(calls()).toHaveLength(4)
})

test('a scope that the credentials lack is found and named', async () => {
  const { client } = await world((_, response) => json(response, []), {
    token: ({ body }, response) =>
      body.includes('LOADTEST_STATUS')
        ? json(response, { error: 'invalid_scope' }, 400)
        : json(response, { access_token: 'x' }),
  })
  await expect(client.list()).rejects.toThrow('The credentials lack the scope LOADTEST_STATUS')
})

test('an envelope or a bare list is read; what is no list is not', async () => {
  const answers: unknown[] = [
    { success: true, data: [{ index: 1, name: 'A' }] },
    [{ number: 2 }],
    { loadTests: [{ index: '3' }] },
  ]
  const { client } = await world((_, response, count) =>
    json(response, answers[count - 1] ?? { success: true, data: 'x' }),
  )
  await expect(client.list()).resolves.toEqual([{ number: 1, name: 'A' }])
  await expect(client.list()).resolves.toEqual([{ number: 2 }])
  await expect(client.list()).resolves.toEqual([{ number: 3 }])
  await expect(client.list()).rejects.toThrow('is not a list of load tests')
})

test('a call is repeated while its fault passes', async () => {
  const { client, calls, lines } = await world((_, response, count) => {
    if (count === 1) response.socket?.destroy()
    else if (count === 2) response.writeHead(503, { 'retry-after': '1' }).end('<h1>Down <b>now</b></h1>')
    else if (count === 3) response.writeHead(200).end('<html>')
    else if (count === 4)
      response.writeHead(200, { 'content-length': 100 }).write('[{', () => response.socket?.destroy())
    else json(response, [])
  })
  await expect(client.list()).resolves.toEqual([])
  expect(calls()).toHaveLength(5)
  expect(lines[1]).toContain('It said: Down now')
})

test('a fault that does not pass is not repeated', async () => {
  const { client, calls } = await world((_, response) => json(response, { message: 'no such project' }, 404))
  await expect(client.list()).rejects.toThrow('Check organization, project and base-url')
  expect(calls()).toHaveLength(1)
})

test.each([
  ['a broken connection', (response: ServerResponse) => response.socket?.destroy()],
  ['a gateway', (response: ServerResponse) => response.writeHead(504).end()],
  ['a redirect', (response: ServerResponse) => response.writeHead(302, { location: '/elsewhere' }).end()],
])('a start is sent once, whatever comes back: %s', async (_, answer) => {
  const { client, calls } = await world((_request, response) => answer(response))
  await expect(client.runCopy(1)).rejects.toThrow('Starting a copy of load test 1 failed')
  expect(calls()).toHaveLength(1)
})

test('runCopy takes its method from the OpenAPI document after 405', async () => {
  const path = '/public/api/v1/orgs/{org}/projects/{project}/loadTests/{number}/runCopy'
  const { client, calls } = await world(({ path: asked, method }, response) => {
    if (asked === '/public/api/json') json(response, { paths: { [path]: { post: {} } } })
    else if (method === 'GET') json(response, {}, 405)
    else json(response, { data: { index: 9 }, success: true })
  })
  await expect(client.runCopy(1)).resolves.toEqual({ number: 9 })
  expect(calls().map(({ method }) => method)).toEqual(['GET', 'GET', 'POST'])
})

test('an upload carries its type, length and digest', async () => {
  const { client, calls } = await world((_, response) =>
    json(response, { success: true, data: { id: 'a1' } }, 201),
  )
  const archive = { bytes: 5, open: () => Readable.from([Buffer.from('PK'), Buffer.from('zip')]) }
  await expect(client.upload(archive, '00ff')).resolves.toBe('a1')
  const [upload] = calls()
  expect(upload?.method).toBe('POST')
  expect(upload?.path).toBe('/public/api/v2/orgs/acme/projects/web%20shop/code-archives')
  expect(upload?.body).toBe('PKzip')
  expect(upload?.headers).toMatchObject({
    'content-type': 'application/zip',
    'content-length': '5',
    'content-digest': 'sha-512=:AP8=:',
  })
})

test('an upload whose file cannot be read fails, and is not sent as if it were whole', async () => {
  const { client } = await world((_, response) => json(response, {}))
  const archive = {
    bytes: 5,
    open: () =>
      new Readable({
        read() {
          this.destroy(new Error('disk gone'))
        },
      }),
  }
  await expect(client.upload(archive, '00')).rejects.toThrow('disk gone')
})

test('credentials are not sent to another origin', async () => {
  const other = await world((_, response) => json(response, []))
  const { client } = await world((_, response) =>
    response.writeHead(302, { location: `${other.baseUrl}/x` }).end(),
  )
  await expect(client.list()).resolves.toEqual([])
  expect(other.seen.map(({ path }) => path)).toEqual(['/x'])
  expect(other.seen[0]?.headers.authorization).toBeUndefined()
})

test('redirects end', async () => {
  const { client, calls } = await world(
    ({ path }, response) => response.writeHead(302, { location: path }).end(),
    {
      signal: AbortSignal.timeout(3000),
    },
  )
  await expect(client.list()).rejects.toThrow()
  expect(calls().length).toBeGreaterThan(5)
})

test('a cancelled job ends a call at once', async () => {
  const controller = new AbortController()
  const { client } = await world(() => controller.abort(new Error('cancelled')), {
    signal: controller.signal,
  })
  await expect(client.status(8)).rejects.toThrow('cancelled')
})

test('a link in an answer is taken only on the service’s own origin', async () => {
  const urls = ['/runs/8', 'https://evil.example/8', 'javascript:alert(1)']
  const { client, baseUrl } = await world((_, response, count) =>
    json(response, { index: 8, url: urls[count - 1] }),
  )
  await expect(client.status(8)).resolves.toMatchObject({ page: `${baseUrl}/runs/8` })
  expect((await client.status(8)).page).toBeUndefined()
  expect((await client.status(8)).page).toBeUndefined()
})

describe('a download', () => {
  const content = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251))

  async function read(handler: Handler): Promise<{ bytes: Buffer; requests: Seen[] }> {
    const { client, log, patience, calls } = await world(handler)
    const download = { kind: 'report' as const, loadTest: 8, number: 1 }
    const chunks: Uint8Array[] = []
    for await (const chunk of wholeDownload(client, download, await client.open(download), patience, log)) {
      chunks.push(chunk)
    }
    return { bytes: Buffer.concat(chunks), requests: calls() }
  }

  test('comes whole', async () => {
    const { bytes } = await read((_, response) => response.end(content))
    expect(bytes.equals(content)).toBe(true)
  })

  test('goes on where it broke, by ranges', async () => {
    const { bytes, requests } = await read(({ headers }, response) => {
      const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
      const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }
      response.writeHead(from ? 206 : 200, {
        'content-length': content.length - from,
        ...(from ? range : {}),
      })
      response.write(content.subarray(from, from + 70_000), () => setTimeout(() => response.destroy(), 20))
    })
    expect(bytes.equals(content)).toBe(true)
    expect(requests.length).toBeGreaterThan(2)
  })

  test('starts over where there are no ranges, and leaves out what is here', async () => {
    const { bytes, requests } = await read((_, response, count) => {
      response.writeHead(200, { 'content-length': content.length })
      if (count === 3) response.end(content)
      else response.write(content.subarray(0, count * 70_000), () => setTimeout(() => response.destroy(), 20))
    })
    expect(bytes.equals(content)).toBe(true)
    expect(requests).toHaveLength(3)
  })

  test('that changes its size in between is a fault', async () => {
    const handler: Handler = (_, response, count) => {
      response.writeHead(200, { 'content-length': content.length + count })
      response.write(content.subarray(0, 70_000), () => setTimeout(() => response.destroy(), 20))
    }
    await expect(read(handler)).rejects.toThrow('the file had 200001 bytes and now has 200002')
  })

  test('that breaks again and again is a fault', async () => {
    const handler: Handler = (_, response) => {
      response.writeHead(200, { 'content-length': content.length })
      response.write(content.subarray(0, 10), () => setTimeout(() => response.destroy(), 5))
    }
    await expect(read(handler)).rejects.toThrow('Downloading report 1 of load test 8 failed')
  })
})
