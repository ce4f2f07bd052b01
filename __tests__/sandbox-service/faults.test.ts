import type { Fault, FaultRule, OperationName } from '../../sandbox/service/faults.js'
import { field, visit, type Visitor } from './visitor.js'

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
