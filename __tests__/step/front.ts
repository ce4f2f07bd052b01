import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The test's own server on a loopback port. */
export interface Front {
  url: string
  close(): Promise<void>
}

export async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Front> {
  const server = http.createServer(handle)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

export function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('The server listens on no port.')
  return address.port
}

export interface Answer {
  /** Default 200. */
  status?: number
  body: Buffer | string
}

/** How to handle a request: an answer, or a function that writes one. */
export type Instead = Answer | ((response: ServerResponse) => void)

/** Stands in front of a service and answers some requests itself, with what `instead` returns for them. */
export function serveBefore(
  url: string,
  instead: (path: string, request: IncomingMessage) => Instead | undefined,
): Promise<Front> {
  return serve((request, response) => {
    const { url: path = '/', method, headers } = request
    const answer = instead(path, request)
    if (typeof answer === 'function') {
      answer(response)
      return
    }
    if (answer !== undefined) {
      response.writeHead(answer.status ?? 200, { 'content-length': Buffer.byteLength(answer.body) })
      response.end(answer.body)
      return
    }
    const onward = http.request(`${url}${path}`, { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
}

/** The whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
