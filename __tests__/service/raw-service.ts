import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serviceClient } from '../../src/service/service.js'
import type { Scope } from '../../src/service/project.js'
import { secrets } from '../../src/text/redaction.js'
import { keptLog } from '../kept-log.js'

/** A request as received. */
export interface Seen {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** `count` is the number of requests for this path. */
export type Handler = (request: Seen, response: ServerResponse, count: number) => void

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A server that answers token requests itself and leaves the rest to the handler. */
export async function serve(
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
  const { log, lines } = keptLog()
  const masked: string[] = []
  secrets.add('s3cr&t')
  const patience = { firstPause: 1, longestPause: 5, total: 5000 }
  const client = serviceClient({
    baseUrl,
    project: { organization: 'acme', project: 'web shop' },
    credentials: { clientId: 'id', clientSecret: 's3cr&t' },
    scopes: options.scopes ?? ['LOADTEST_LIST', 'LOADTEST_STATUS'],
    userAgent: 'load-test-action/9.9.9',
    patience,
    log,
    secrets: {
      ...secrets,
      add(token) {
        masked.push(token)
        secrets.add(token)
      },
    },
    ...(options.signal ? { signal: options.signal } : {}),
  })
  return {
    client,
    server,
    seen,
    lines,
    masked,
    baseUrl,
    log,
    patience,
    calls: () => seen.filter(({ path }) => path !== '/oauth/token'),
  }
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
