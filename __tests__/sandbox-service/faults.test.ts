import type { Fault, FaultRule, OperationName } from '../../sandbox/service/faults.js'
import { field, suite, visit, type Reply, type Visitor } from './visitor.js'

let visitor: Visitor
let token: string
beforeEach(async () => {
  visitor = await visit()
  token = await visitor.token()
})
afterEach(() => visitor.leave())

function plan(operation: OperationName | '*', fault: Fault, more: Partial<FaultRule> = {}): void {
  visitor.service.faults.add({ operation, fault, ...more })
}
const starts = () => visitor.service.books.starts
const call = (path: string, init: RequestInit = {}) => visitor.call(path, { ...init, token })
const runCopy = () => call('v1/loadTests/3/runCopy')
/** The answer, or that the connection broke. */
const outcome = (reply: Promise<Reply>): Promise<number | 'broken'> =>
  reply.then(
    ({ status }) => status,
    () => 'broken' as const,
  )
const last = () => visitor.service.books.requests.at(-1)

async function finishedRun(): Promise<number> {
  const { body } = await runCopy()
  visitor.pass(16)
  return Number(field(body, 'data.index'))
}

describe('when a rule applies', () => {
  test('the first call, by default', async () => {
    plan('status', { kind: 'status', status: 500 })
    const seen = [await call('v1/loadTests/1/status'), await call('v1/loadTests/1/status')]
    expect(seen.map(({ status }) => status)).toEqual([500, 200])
  })

  test('as many calls as set, after as many others as set, and only of its operation', async () => {
    plan('status', { kind: 'status', status: 500 }, { skip: 1, times: 2 })
    const seen: number[] = []
    for (let i = 0; i < 5; i++) {
      seen.push((await call('v1/loadTests/1/status')).status)
      expect((await call('v1/loadTests/1')).status).toBe(200)
    }
    expect(seen).toEqual([200, 500, 500, 200, 200])
  })

  test('always, for any operation, until it is removed', async () => {
    plan('*', { kind: 'status', status: 503 }, { times: 'always' })
    for (const path of ['v1/loadTests', 'v1/loadTests/1', 'v1/loadTests/1/status']) {
      expect((await call(path)).status).toBe(503)
    }
    expect((await fetch(`${visitor.service.url}/public/api/json`)).status).toBe(503)
    visitor.service.faults.set([])
    expect((await call('v1/loadTests')).status).toBe(200)
  })
})

describe('connections', () => {
  test('dropped before: the request is not executed', async () => {
    plan('runCopy', { kind: 'drop-before' })
    expect(await outcome(runCopy())).toBe('broken')
    expect(starts()).toEqual([])
    expect(last()).toMatchObject({ operation: 'runCopy', status: null, faults: ['drop-before'] })
  })

  test('dropped after: the request is executed, without an answer', async () => {
    plan('runCopy', { kind: 'drop-after' })
    expect(await outcome(runCopy())).toBe('broken')
    expect(starts()).toHaveLength(1)
    expect(last()).toMatchObject({ operation: 'runCopy', status: null })
  })

  test('half an answer: the request is executed, and the answer breaks off', async () => {
    plan('runCopy', { kind: 'half' })
    const { url } = visitor.service
    const path = '/public/api/v1/orgs/demo-org/projects/webshop/loadTests/3/runCopy'
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(200)
    const promised = Number(response.headers.get('content-length'))
    await expect(response.text()).rejects.toThrow()
    expect(promised).toBeGreaterThan(100)
    expect(starts()).toHaveLength(1)
  })

  test('latency: the answer is right, and other requests do not wait', async () => {
    plan('list', { kind: 'latency', milliseconds: 300 })
    const order: string[] = []
    await Promise.all([
      call('v1/loadTests').then(({ status }) => order.push(`slow ${status}`)),
      call('v1/loadTests/1').then(({ status }) => order.push(`quick ${status}`)),
    ])
    expect(order).toEqual(['quick 200', 'slow 200'])
  })

  test('closing the service ends a latency of an hour', async () => {
    const other = await visit()
    other.service.faults.add({ operation: 'list', fault: { kind: 'latency', milliseconds: 3_600_000 } })
    const own = await other.token()
    const waiting = outcome(other.call('v1/loadTests', { token: own }))
    while (other.service.books.requests.at(-1)?.operation !== 'list')
      await new Promise((done) => setTimeout(done, 5))
    await other.leave()
    await waiting
    expect(other.service.books.requests.at(-1)?.faults).toEqual(['latency'])
  })
})

describe('reports', () => {
  const download = (number: number, headers: Record<string, string> = {}) =>
    call(`v1/loadTests/${number}/reports/1/download`, { headers })

  test('a report that comes late, even in the details', async () => {
    visitor.service.settings.reportsField = 'reports'
    const number = await finishedRun()
    plan('report', { kind: 'report-late' }, { times: 2 })
    plan('details', { kind: 'report-late' })
    expect((await call(`v1/loadTests/${number}`)).body).toMatchObject({ data: { reports: [] } })
    const seen = [await download(number), await download(number), await download(number)]
    expect(seen.map(({ status }) => status)).toEqual([404, 404, 200])
  })

  test('an archive that is cut short, corrupt or broken off, and complete the next time', async () => {
    const number = await finishedRun()
    const whole = await download(number)
    const size = whole.bytes.length

    plan('report', { kind: 'cut-archive' })
    const cut = await download(number)
    expect([cut.status, cut.bytes.length]).toEqual([200, Math.floor(size / 2)])
    expect(cut.bytes.equals(whole.bytes.subarray(0, cut.bytes.length))).toBe(true)
    plan('report', { kind: 'cut-archive', bytes: 0 })
    expect((await download(number)).bytes).toHaveLength(0)

    plan('report', { kind: 'corrupt-archive', at: 1000 })
    const corrupt = await download(number)
    expect(corrupt.bytes).toHaveLength(size)
    const differing = [...corrupt.bytes.keys()].filter((i) => corrupt.bytes[i] !== whole.bytes[i])
    expect([differing.length, differing[0], differing.at(-1)]).toEqual([64, 1000, 1063])

    plan('report', { kind: 'corrupt-archive', at: 1000 })
    const rest = await download(number, { range: 'bytes=1060-' })
    expect([...rest.bytes.subarray(0, 5)].map((byte, i) => byte !== whole.bytes[1060 + i])).toEqual([
      ...Array<boolean>(4).fill(true),
      false,
    ])

    const url = `${visitor.service.url}/public/api/v1/orgs/demo-org/projects/webshop/loadTests/${number}/reports/1/download`
    for (const at of [1, 777, size - 1]) {
      plan('report', { kind: 'half', bytes: at })
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
      expect(response.headers.get('content-length')).toBe(String(size))
      const got = await received(response)
      expect(got).toEqual({ bytes: at, broken: true })
    }
    plan('report', { kind: 'half', bytes: size })
    expect((await download(number)).bytes).toHaveLength(size)
    expect((await download(number)).bytes.equals(whole.bytes)).toBe(true)
  })
})

async function received({ body }: Response): Promise<{ bytes: number; broken: boolean }> {
  let bytes = 0
  try {
    for await (const chunk of body ?? []) bytes += chunk instanceof Uint8Array ? chunk.length : 0
    return { bytes, broken: false }
  } catch {
    return { bytes, broken: true }
  }
}

describe('uploads', () => {
  const upload = () => visitor.upload(suite, { authorization: `Bearer ${token}` })

  test.each([0, 1, 100])('an upload that breaks after %i bytes leaves nothing', async (bytes) => {
    plan('upload', { kind: 'upload-breaks', bytes })
    expect(await outcome(upload())).toBe('broken')
    expect(visitor.service.books.archives.map(({ id }) => id)).toEqual(['ca-1'])
    expect((await upload()).status).toBe(201)
  })

  test('an upload that is executed without an answer', async () => {
    plan('upload', { kind: 'drop-after' })
    expect(await outcome(upload())).toBe('broken')
    expect(visitor.service.books.archives).toHaveLength(2)
  })
})

describe('other jobs at the same moment', () => {
  test.each([
    ['before', [true, false]],
    ['after', [false, true]],
  ] as const)('a start %s ours', async (when, foreign) => {
    plan('runCopy', { kind: 'foreign-start', when })
    const { body } = await runCopy()
    expect(starts().map((start) => start.foreign)).toEqual(foreign)
    expect(starts().map(({ template }) => template)).toEqual([3, 3])
    expect(field(body, 'data.index')).toBe(String(starts().find((start) => !start.foreign)?.number))
  })

  test('a start beside ours, whose answer is lost', async () => {
    plan('runCopy', { kind: 'foreign-start', when: 'after' })
    plan('runCopy', { kind: 'drop-after' })
    expect(await outcome(runCopy())).toBe('broken')
    expect(starts()).toHaveLength(2)
  })

  test('a start of another template, while somebody lists', async () => {
    plan('list', { kind: 'foreign-start', when: 'before', template: 2 })
    expect(field((await call('v1/loadTests')).body, 'data.length')).toBe('10')
    expect(starts()).toEqual([expect.objectContaining({ template: 2, foreign: true })])
  })

  test('an upload between ours and our start is run instead of ours', async () => {
    plan('upload', { kind: 'foreign-upload', when: 'after' })
    const { body } = await visitor.upload(suite)
    await call('v1/loadTests/1/runCopy')
    const other = visitor.service.books.archives.find(({ foreign }) => foreign)
    expect(starts()[0]?.archiveId).toBe(other?.id)
    expect(other?.id).not.toBe(field(body, 'data.id'))
  })

  test('an upload before ours makes no difference', async () => {
    plan('upload', { kind: 'foreign-upload', when: 'before' })
    const { body } = await visitor.upload(suite)
    await call('v1/loadTests/1/runCopy')
    expect(starts()[0]?.archiveId).toBe(field(body, 'data.id'))
  })

  test.each(['before', 'after'] as const)(
    'a refusal of the other job %s ours does not affect us',
    async (when) => {
      plan('list', { kind: 'foreign-start', when, template: 99 })
      plan('list', { kind: 'foreign-upload', when })
      visitor.service.settings.archivesPerProject = 1
      expect((await call('v1/loadTests')).status).toBe(200)
      expect(visitor.service.books.archives).toHaveLength(1)
      expect(starts()).toEqual([])
    },
  )
})
