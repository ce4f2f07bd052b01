import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { download } from '../../src/follow/evidence.js'
import { sleep } from '../../src/clock.js'
import { simulatedClock } from '../fake-service.js'
import { tarGzOf } from '../unpack/archives.js'
import { json, serve, type Handler } from '../service/raw-service.js'
import { ownFolder } from '../own-folder.js'
import { untilBuilt } from '../../src/follow/follow.js'
import type { Uploaded } from '../../src/run/run.js'
import { defined } from '../../src/text/fields.js'
import { toldOutcome, worded } from '../told.js'

const temp = ownFolder()

let archive: Buffer
beforeAll(async () => {
  archive = await tarGzOf([['a.csv', 'a']])
})

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
    / the load-testing service answered 404\. .* The service said: no result 1\.$/,
  )
})

test('an archive that changes while it is downloaded is fetched again, from the start', async () => {
  const old = await tarGzOf([['old.csv', Buffer.alloc(50_000, 'old')]])
  const { received, requests } = await receive(10_000, ({ headers }, response, count) => {
    if (count === 1) {
      response.writeHead(200, { 'content-length': old.length })
      response.write(old.subarray(0, 30), () => setTimeout(() => response.destroy(), 20))
      return
    }
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
    response.writeHead(from ? 206 : 200, {
      'content-length': archive.length - from,
      ...(from ? { 'content-range': `bytes ${from}-${archive.length - 1}/${archive.length}` } : {}),
    })
    response.end(archive.subarray(from))
  })
  expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=30-', undefined])
  expect(await readFile(received.file?.path ?? '')).toEqual(archive)
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
  ['412', 412, ''],
  ['422', 422, '{"message": "not yet"}'],
  ['503', 503, ''],
])('an archive that is not available yet is waited for: %s', async (_, status, body) => {
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
    const { received } = await receive(timeout, ({ path }, response) => {
      if (path.includes(`/results/${number}/`)) response.end(archive)
      else response.writeHead(path.includes('/results/1/') ? 404 : wrong).end()
    })
    expect(received.file?.number).toBe(due)
  },
)

test('a damaged archive is requested three times', async () => {
  const broken = Buffer.from('0102030405', 'hex')
  let asked = 0
  const receiving = receive(10_000, (_, response, count) => {
    asked = count
    response.end(broken)
  })
  await expect(receiving).rejects.toThrow(
    'begins with the bytes 01020304: it is neither a .tar.gz nor a .zip',
  )
  expect(asked).toBe(3)
})

test('an archive that is still being written is waited for', async () => {
  const { received, requests } = await receive(10_000, (_, response, count) =>
    response.end(archive.subarray(0, count < 6 ? 20 + count : undefined)),
  )
  expect(requests).toHaveLength(6)
  expect(await readFile(received.file?.path ?? '')).toEqual(archive)
})

test('it is named by its number and its label, with the ending of its format', async () => {
  const listed = { results: [{ number: 2, label: 'nightly' }] }
  const { received } = await receive(10_000, (_, response) => response.end(archive), listed)
  const file = { number: 2, path: path.join(temp, 'result', 'result-8-2'), ending: '.tar.gz' }
  expect(received).toEqual({ file: { ...file, bytes: archive.length, label: 'nightly' } })
})

test('what is not there yet is said once for each reason', async () => {
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

/* What mode start tells about its run, and how long it holds the lock of the uploads. */

const sha512 = 'a'.repeat(128)
const other = 'b'.repeat(128)

interface Built {
  /** The states that the details show, one after the other; the last one stays. */
  states: string[]
  record?: object
  /** More that the details tell about the execution. */
  ending?: object
  upload?: boolean
  uploaded?: Uploaded | undefined
  /** Milliseconds. */
  timeout?: number
}

async function started({
  states,
  record = {},
  ending = {},
  upload = true,
  timeout = 3_600_000,
  ...more
}: Built) {
  const uploaded = 'uploaded' in more ? more.uploaded : { sha512 }
  const { client, log, calls } = await serve((_, response, count) =>
    json(response, {
      index: 8,
      ...record,
      executionState: { state: states[Math.min(count, states.length) - 1], ...ending },
    }),
  )
  const clock = simulatedClock()
  const began = clock.now()
  const world = { clock, log, signal: new AbortController().signal }
  const session = { inputs: { timeout, upload }, world, client, ...toldOutcome() }
  const launched = { run: { number: 8, state: 'NEW' }, ...defined({ uploaded }) }
  const fault: unknown = await untilBuilt(session, launched).catch((error: unknown) => error)
  const { verdict, reasons, advice, run } = worded(session.told())
  return { verdict, reasons, advice, run, fault, looks: calls().length, waited: clock.now() - began }
}

const goesOn = [
  'Load test 8 was still running. Stop it on the service if you no longer need it.',
  'To judge it later without a new load test, run this step with the inputs mode: collect and run-number: 8.',
]
const [, collectLater] = goesOn

test('a run without an upload does not wait: nothing is asked', async () => {
  const seen = await started({ states: ['NEW'], upload: false })
  expect(seen).toMatchObject({ verdict: 'started', advice: goesOn, looks: 0, waited: 0 })
  expect(seen.reasons).toEqual(['The load test was started; this step does not wait for it.'])
})

test.each<[string, Built, object]>([
  [
    'runs',
    { states: ['NEW', 'PROVISIONING', 'RUNNING'] },
    {
      ...{ verdict: 'started', advice: goesOn, looks: 3, waited: 10_000 },
      reasons: ['The load test was started and built; this step does not wait for its end.'],
      run: { number: 8, state: 'RUNNING' },
    },
  ],
  [
    'has finished already',
    { states: ['FINISHED'] },
    {
      ...{ verdict: 'started', advice: [collectLater], looks: 1, waited: 0 },
      reasons: ['The load test has already finished.'],
    },
  ],
  [
    'could not be built',
    { states: ['NEW', 'ERROR'], ending: { reason: 'No pom.xml.' } },
    {
      ...{ verdict: 'load-test-failed', advice: [collectLater] },
      reasons: ['Load test 8 ended in ERROR: No pom.xml.'],
    },
  ],
  [
    'was ended by somebody',
    { states: ['ABORTED'] },
    { verdict: 'load-test-failed', reasons: ['Load test 8 ended in ABORTED.'] },
  ],
])('a run that %s', async (_, given, due) => {
  expect(await started(given)).toMatchObject({ fault: undefined, ...due })
})

test.each([
  ['half an hour', 3_600_000, 30],
  ['the timeout, if it is shorter', 600_000, 10],
])('a run that is not built within %s may get the code of another job', async (_, timeout, minutes) => {
  const seen = await started({ states: ['PROVISIONING'], timeout })
  expect(seen).toMatchObject({ verdict: 'started', advice: goesOn, waited: minutes * 60_000 })
  expect(seen.reasons).toEqual([
    `Load test 8 was still PROVISIONING after ${minutes} min: it may not have been built yet. If another job uploads before that, its code may be tested in this run. Keep other jobs from uploading to this project until it is RUNNING.`,
  ])
})

test.each<[string, object, Uploaded | undefined, boolean]>([
  ['what was uploaded', { revision: sha512 }, { sha512 }, false],
  ['another archive', { revision: other }, { sha512 }, true],
  ['an archive that it does not name', {}, { sha512 }, false],
  ['another archive, and nothing is known to have been uploaded', { revision: other }, undefined, false],
])('a run that is built from %s', async (_, record, uploaded, isForeign) => {
  const { fault, verdict } = await started({ states: ['RUNNING'], record, uploaded })
  const message = expect.stringMatching(
    /^Load test 8 is built from the code archive with the SHA-512 bbbb/,
  ) as string
  const foreign = expect.objectContaining({ name: 'UserError', message }) as unknown
  expect([fault, verdict]).toEqual(isForeign ? [foreign, 'error'] : [undefined, 'started'])
})
