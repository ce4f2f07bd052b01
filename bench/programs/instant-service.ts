import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream'

/** A service whose load tests end at once, with this report; says its address. Ends with its input. */
const [, , file = ''] = process.argv
const { size } = await stat(file)
const test = (number: number) => ({
  number,
  name: 'Shop',
  state: 'FINISHED',
  startTime: Date.UTC(2026, 0, 17, 10),
  endTime: Date.UTC(2026, 0, 17, 11),
})
let latest = 1
const answerTo = (path: string): object | undefined => {
  if (path === '/oauth/token') return { access_token: `bench-${latest}`, expires_in: 3600 }
  if (path.endsWith('/code-archives')) return { id: 'bench' }
  if (path.endsWith('/loadTests')) return Array.from({ length: latest }, (_, index) => test(index + 1))
  if (path.endsWith('/runCopy')) return test(++latest)
  const [, number] = /\/loadTests\/(\d+)(?:\/status)?$/.exec(path) ?? []
  return number === undefined ? undefined : test(Number(number))
}
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1')
  if (pathname.endsWith('/download')) {
    response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': size })
    pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), response, () => undefined)
    return
  }
  // An upload is received completely before it is answered.
  request.resume().once('end', () => {
    const answer = answerTo(pathname)
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { message: 'unknown' }))
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address) console.log(`http://127.0.0.1:${address.port}`)
})
process.stdin.resume().once('end', () => process.exit())
