import { getEventListeners } from 'node:events'
import { ReportError } from '../../src/errors.js'
import { wholeDownload, type Opened, type WholeDownload } from '../../src/service/download.js'
import { ServiceError } from '../../src/service/failure.js'
import { operations } from '../../src/service/operations.js'
import { keptLog } from '../kept-log.js'
import { arrived } from './arrived.js'
import { json, serve, type Handler, type Seen } from './raw-service.js'

describe('a download', () => {
  const content = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251))

  async function read(
    handler: Handler,
    { signal, floor }: Partial<Pick<WholeDownload, 'floor' | 'signal'>> = {},
  ): Promise<{ bytes: Buffer; requests: Seen[] }> {
    const { client, calls } = await serve((request, response, count) =>
      request.path.endsWith('/json') ? json(response, {}, 404) : handler(request, response, count),
    )
    const download = { kind: 'report' as const, loadTest: 8, number: 1 }
    const chunks: Uint8Array[] = []
    const opened = await client.open(download)
    for await (const chunk of opened.bytes(signal, floor)) {
      chunks.push(chunk)
    }
    return { bytes: Buffer.concat(chunks), requests: calls().filter(({ path }) => !path.endsWith('/json')) }
  }

  /** Each answer breaks off after this many bytes. */
  const breaking =
    (count: number): Handler =>
    ({ headers }, response) => {
      const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
      response.writeHead(from ? 206 : 200, {
        'content-length': content.length - from,
        ...(from ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {}),
      })
      response.write(content.subarray(from, from + count), () => setTimeout(() => response.destroy(), 5))
    }

  test('continues by ranges where it broke off', async () => {
    const { bytes, requests } = await read(breaking(70_000))
    expect(bytes.equals(content)).toBe(true)
    expect(requests.length).toBeGreaterThan(2)
  })

  test('that changes its size in between is a fault', async () => {
    const handler: Handler = (_, response, count) => {
      response.writeHead(200, { 'content-length': content.length + count })
      response.write(content.subarray(0, 70_000), () => setTimeout(() => response.destroy(), 20))
    }
    await expect(read(handler)).rejects.toThrow(
      new ReportError(
        'The report 1 of load test 8 changed while it was downloaded: it had 200001 bytes and now has 200002. Download it again.',
      ),
    )
  })

  test('that arrives byte by byte ends, since it is too slow', async () => {
    const handler: Handler = (_, response) => {
      response.writeHead(200, { 'content-length': content.length })
      const drip = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(drip))
    }
    await expect(read(handler, { floor: { bytes: 1000, milliseconds: 50 } })).rejects.toThrow(
      /only \d+ bytes came in 0\.05 s/,
    )
  })

  test('leaves no listener on the signal, however often it broke', async () => {
    const { signal } = new AbortController()
    const most: number[] = []
    const handler: Handler = (request, response, count) => {
      most.push(getEventListeners(signal, 'abort').length)
      breaking(10_000)(request, response, count)
    }
    await read(handler, { signal, floor: { bytes: 1000, milliseconds: 1000 } })
    expect(most.length).toBeGreaterThan(11)
    expect(Math.max(...most)).toBeLessThan(5)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('the parts of a download', () => {
  const download = { kind: 'report' as const, loadTest: 8, number: 1 }
  const operation = operations({ organization: 'o', project: 'p' }).report(8, 1)
  const refused = (status: number) => new ServiceError(operation, { status, executed: 'no' })
  const total = 10

  interface Part {
    /** Absent: the byte that was asked for. */
    from?: number
    bytes: string
    total?: number
    /** The connection broke at the end of these bytes. */
    isBroken?: boolean
  }

  /** Opens one part after another, in which `bytes` come, and none after the last one. */
  async function read(
    parts: (Part | Error)[],
    { bytes = 2, signal }: { bytes?: number; signal?: AbortSignal } = {},
  ) {
    const asked: number[] = []
    const closed: number[] = []
    const { log } = keptLog()
    const open = async (at: number): Promise<Opened> => {
      const part = parts[asked.push(at) - 1]
      if (part === undefined) throw new Error('Nobody expected another part.')
      if (part instanceof Error) throw part
      const count = asked.length
      const body = arrived(part.bytes, !part.isBroken)
      return { operation, body, from: at, close: () => void closed.push(count), ...part }
    }
    const opened = await open(0)
    const patience = { firstPause: 0, longestPause: 1, total: 1000 }
    let text = ''
    const whole = { open, download, opened, log, patience }
    const floor = { bytes, milliseconds: 10_000 }
    const end = await (async () => {
      for await (const chunk of wholeDownload({ ...whole, floor, ...(signal ? { signal } : {}) }))
        text += Buffer.from(chunk).toString()
    })().catch((error: unknown) => error)
    return { text, asked, closed, end }
  }

  const lost = (bytes: string): Part => ({ bytes, total, isBroken: true })
  const rest = (bytes: string, from?: number): Part => ({
    bytes,
    total,
    ...(from === undefined ? {} : { from }),
  })

  test.each<[string, (Part | Error)[], number[]]>([
    ['comes at once', [rest('0123456789')], [0]],
    ['has no length', [{ bytes: '0123456789' }], [0]],
    ['broke off', [lost('0123'), rest('456789')], [0, 4]],
    ['ended early, as if it were whole', [rest('0123'), rest('456789')], [0, 4]],
    ['has no length, and broke off', [{ bytes: '0123', isBroken: true }, { bytes: '456789' }], [0, 4]],
    ['says its length only later', [{ bytes: '0123', isBroken: true }, rest('456789')], [0, 4]],
    ['says its length only at first', [lost('0123'), { bytes: '456789' }], [0, 4]],
    ['starts over', [lost('0123'), rest('0123456789', 0)], [0, 4]],
    ['starts over, and ends before the rest', [lost('0123'), rest('01', 0), rest('456789')], [0, 4, 4]],
    [
      'starts over without a length',
      [{ bytes: '0123', isBroken: true }, { from: 0, bytes: '01' }, { bytes: '456789' }],
      [0, 4, 4],
    ],
    ['begins too late', [lost('0123'), rest('56789', 5), rest('456789')], [0, 4, 4]],
    ['refuses the range', [lost('0123'), refused(416), rest('0123456789', 0)], [0, 4, 0]],
  ])('every byte arrives once, although it %s', async (_, parts, asked) => {
    const read10 = await read(parts)
    expect(read10).toMatchObject({ text: '0123456789', asked, end: undefined })
    const opened = parts.flatMap((part, at) => (part instanceof Error ? [] : [at + 1]))
    expect(read10.closed).toEqual(opened)
  })

  test.each<[string, (Part | Error)[], unknown]>([
    ['is gone', [lost('0123'), refused(404)], refused(404)],
    ['refuses the first byte, too', [lost(''), refused(416)], refused(416)],
    ['is not allowed', [lost('0123'), refused(403)], refused(403)],
  ])('a download that %s is a fault at once', async (_, parts, end) => {
    const { asked, ...found } = await read(parts)
    expect([asked.length, found.end]).toEqual([2, end])
  })

  test('five breaks with less than the minimum in between are endured, a sixth is a fault', async () => {
    const nothing = Array.from({ length: 5 }, () => lost(''))
    expect((await read([...nothing, rest('0123456789')])).text).toBe('0123456789')
    expect((await read([...nothing, lost(''), rest('0123456789')])).end).toBeInstanceOf(ServiceError)
    // One byte each is less than the minimum from the first break to the last.
    const drops = Array.from('012345', lost)
    expect((await read([...drops, rest('6789')], { bytes: 9 })).end).toBeInstanceOf(ServiceError)
    expect((await read([...drops, rest('6789')], { bytes: 5 })).text).toBe('0123456789')
    const many = Array.from('012345678', lost)
    expect((await read([...many, rest('9')], { bytes: 2 })).text).toBe('0123456789')
  })

  test('a cancelled step does not continue it', async () => {
    const reason = new Error('cancelled')
    const { asked, end } = await read([lost('0123'), rest('456789')], { signal: AbortSignal.abort(reason) })
    expect([asked, end]).toEqual([[0], reason])
  })
})
