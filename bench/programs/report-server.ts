import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream'

/** Serves one report as the service does, as fast as it can, and says its address. Ends with its input. */
const [, , file = ''] = process.argv
const { size } = await stat(file)
const server = createServer((request, response) => {
  if (request.url?.endsWith('/download')) {
    response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': size })
    pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), response, () => undefined)
    return
  }
  const answer = request.url?.startsWith('/oauth/')
    ? { access_token: 'bench' }
    : { number: 1, state: 'FINISHED' }
  request.resume()
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address) console.log(`http://127.0.0.1:${address.port}`)
})
process.stdin.resume().once('end', () => process.exit())
