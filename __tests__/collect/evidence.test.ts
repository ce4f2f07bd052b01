import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { download } from '../../src/collect/evidence.js'
import { sleep } from '../../src/service/patience.js'
import { tarGzOf } from '../report/archives.js'
import { json, serve, type Handler } from '../service/raw-service.js'

let temp: string
beforeEach(async () => (temp = await mkdtemp(path.join(tmpdir(), 'evidence-'))))
afterEach(() => rm(temp, { recursive: true, force: true }))

const isDownload = (path: string) => path.endsWith('/download')

async function receive(timeout: number, handler: Handler) {
  const service = await serve((request, response, count) =>
    isDownload(request.path) ? handler(request, response, count) : json(response, { index: 8 }),
  )
  const clock = { now: () => performance.now(), sleep }
  const { signal } = new AbortController()
  const world = { clock, log: service.log, signal, temp }
  const received = await download('result', timeout, world, service.client, 8)
  return { received, requests: service.calls().filter(({ path }) => isDownload(path)) }
}

test('an archive that comes a byte at a time ends with the timeout', async () => {
  const dripping = receive(300, (_, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 })
    const drip = setInterval(() => response.write('x'), 5)
    response.on('close', () => clearInterval(drip))
  })
  await expect(dripping).rejects.toMatchObject({
    name: 'ReportError',
    message:
      'The result of load test 8 was not downloaded whole within 0.3 s. Look at the connection to the service, or raise report-timeout.',
  })
})

test('a download that hangs before its first byte ends with the timeout', async () => {
  const { received } = await receive(300, () => undefined)
  expect(received).toBeUndefined()
})

test('an archive that changes while it is downloaded is fetched again, from the start', async () => {
  const old = await tarGzOf([['old.csv', Buffer.alloc(50_000, 'old')]])
  const fresh = await tarGzOf([['fresh.csv', 'fresh']])
  const { received, requests } = await receive(10_000, ({ headers }, response, count) => {
    if (count === 1) {
      response.writeHead(200, { 'content-length': old.length })
      response.write(old.subarray(0, 30), () => setTimeout(() => response.destroy(), 20))
      return
    }
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
    response.writeHead(from ? 206 : 200, {
      'content-length': fresh.length - from,
      ...(from ? { 'content-range': `bytes ${from}-${fresh.length - 1}/${fresh.length}` } : {}),
    })
    response.end(fresh.subarray(from))
  })
  expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=30-', undefined])
  expect(await readFile(received?.file.path ?? '')).toEqual(fresh)
})
