import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { download } from '../../src/follow/evidence.js'
import { sleep } from '../../src/clock.js'
import { simulatedClock } from '../fake-service.js'
import { tarGzOf } from '../unpack/archives.js'
import { json, serve, type Handler } from '../service/raw-service.js'
import { ownFolder } from '../own-folder.js'

const temp = ownFolder()

const isDownload = (path: string) => path.endsWith('/download')

async function receive(timeout: number, handler: Handler, details: object = {}) {
  const service = await serve((request, response, count) =>
    isDownload(request.path) ? handler(request, response, count) : json(response, { index: 8, ...details }),
  )
  // Pauses of ten seconds are over at once.
  const clock = { now: () => performance.now(), sleep: (ms: number) => sleep(ms / 1000) }
  const { signal } = new AbortController()
  const world = { clock, log: service.log, signal, temp }
  const received = await download({ world, client: service.client }, 'result', timeout, 8)
  const { lines, calls } = service
  return { received, lines, requests: calls().filter(({ path }) => isDownload(path)) }
}

test('an archive that arrives byte by byte ends with the timeout', async () => {
  const dripping = receive(6000, (_, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 })
    const drip = setInterval(() => response.write('x'), 5)
    response.on('close', () => clearInterval(drip))
  })
  await expect(dripping).rejects.toMatchObject({
    name: 'ReportError',
    message:
      'The result of load test 8 was not completely downloaded within 6 s. Check the connection to the service, or raise a timeout of less than 1 h.',
  })
})

test('a download that hangs before its first byte ends with the timeout', async () => {
  const { received } = await receive(300, () => undefined)
  expect(received).toEqual({ late: '' })
})

test('what the service answered until the timeout is known', async () => {
  const refuse: Handler = (_, response) => json(response, { message: 'no result 1' }, 404)
  const { received } = await receive(6000, refuse)
  expect(received.file).toBeUndefined()
  expect('late' in received && received.late).toMatch(
    / the service answered 404\. .* The service said: no result 1\.$/,
  )
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
  expect(await readFile(received.file?.path ?? '')).toEqual(fresh)
})

test.each<[string, number, string]>([
  ['202', 202, '{"message": "in preparation"}'],
  ['204', 204, ''],
  ['200 and nothing', 200, ''],
  ['200 and a refusal', 200, '{"success": false, "message": "not yet"}'],
  ['200 and a page', 200, '<html>In preparation</html>'],
  ['200 and a word', 200, 'not yet'],
  ['400', 400, '{"message": "not yet"}'],
  ['404', 404, ''],
  ['409', 409, ''],
  ['503', 503, ''],
])('an archive that is not available yet is waited for: %s', async (_, status, body) => {
  const archive = await tarGzOf([['a.csv', 'a']])
  const { received, requests } = await receive(10_000, (_request, response, count) => {
    if (count < 6) response.writeHead(status).end(body)
    else response.end(archive)
  })
  expect(await readFile(received.file?.path ?? '')).toEqual(archive)
  const ofFirst = requests.filter(({ path }) => path.includes('/results/1/'))
  expect(ofFirst).toHaveLength(6)
})

test.each<[string, object, number]>([
  ['none is listed', { results: [] }, 1],
  ['nothing is within the list', { results: {} }, 1],
  ['the list cannot be read', { results: [{ id: 'x' }] }, 1],
  ['the list is within a record', { results: { items: [{ number: 3 }] } }, 3],
])('if %s: %j, its number is %i', async (_, details, number) => {
  const archive = await tarGzOf([['a.csv', 'a']])
  const { received } = await receive(10_000, (_request, response) => response.end(archive), details)
  expect(received.file?.number).toBe(number)
})

test.each([
  [9, 404, 9, 10_000],
  [20, 403, undefined, 300],
  [21, 404, undefined, 300],
])(
  'where none is listed, number %i is found if a wrong one is answered with %i: %s',
  async (number, wrong, due, timeout) => {
    const archive = await tarGzOf([['a.csv', 'a']])
    const { received } = await receive(timeout, ({ path }, response) => {
      if (path.includes(`/results/${number}/`)) response.end(archive)
      else response.writeHead(path.includes('/results/1/') ? 404 : wrong).end()
    })
    expect(received.file?.number).toBe(due)
  },
)

test('the step does not wait for a damaged archive', async () => {
  const broken = Buffer.from('0102030405', 'hex')
  const receiving = receive(10_000, (_, response) => response.end(broken))
  await expect(receiving).rejects.toThrow(
    'begins with the bytes 01020304: it is neither a .tar.gz nor a .zip',
  )
})

test('it is named by its number and its label, with the ending of its format', async () => {
  const archive = await tarGzOf([['a.csv', 'a']])
  const listed = { results: [{ number: 2, label: 'nightly' }] }
  const { received } = await receive(10_000, (_, response) => response.end(archive), listed)
  const file = { number: 2, path: path.join(temp, 'result', 'result-8-2'), ending: '.tar.gz' }
  expect(received).toEqual({ file: { ...file, bytes: archive.length, label: 'nightly' } })
})

test('what is not there yet is said once for each reason', async () => {
  const archive = await tarGzOf([['a.csv', 'a']])
  const { lines } = await receive(10_000, (_, response, count) => {
    if (count < 4) response.end('<html>In preparation</html>')
    else if (count < 6) response.end('not yet')
    else response.end(archive)
  })
  const looking = lines.filter((line) => line.endsWith('It may not be there yet: looking again.'))
  expect(looking).toHaveLength(2)
  expect(new Set(looking).size).toBe(2)
})

test('what is not an archive is looked for until the time is over, and not longer', async () => {
  const service = await serve((request, response) =>
    isDownload(request.path) ? response.end('not yet') : json(response, { index: 8 }),
  )
  const clock = simulatedClock()
  const began = clock.now()
  const world = { clock, log: service.log, signal: new AbortController().signal, temp }
  const receiving = download({ world, client: service.client }, 'report', 25_000, 8)
  await expect(receiving).rejects.toMatchObject({ name: 'NoArchiveError' })
  expect([clock.pauses, clock.now() - began]).toEqual([[10_000, 10_000, 5_000], 25_000])
})
