import http from 'node:http'
import net from 'node:net'
import { portOf } from './front.js'

/** A proxy that forwards http and opens tunnels for https, and records the targets. */
export interface Proxy {
  url: string
  /** host:port of each requested tunnel. */
  tunnels: string[]
  /** Addresses of the requests that it forwarded. */
  forwarded: string[]
  close(): Promise<void>
}

/** @param routes the real target of tunnels to some names: host:port by host:port */
export async function startProxy(routes: ReadonlyMap<string, string> = new Map()): Promise<Proxy> {
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
    const wanted = request.url ?? ''
    tunnels.push(wanted)
    const { hostname, port } = new URL(`http://${routes.get(wanted) ?? wanted}`)
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
