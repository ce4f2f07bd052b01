import { getEventListeners } from 'node:events'
import { ReportError } from '../../src/errors.js'
import { wholeDownload, type WholeDownload } from '../../src/service/download.js'
import { serve, type Handler, type Seen } from './raw-service.js'

describe('a download', () => {
  const content = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251))

  async function read(
    handler: Handler,
    more: Partial<Pick<WholeDownload, 'floor' | 'signal'>> = {},
  ): Promise<{ bytes: Buffer; requests: Seen[] }> {
    const { client, log, patience, calls } = await serve(handler)
    const download = { kind: 'report' as const, loadTest: 8, number: 1 }
    const chunks: Uint8Array[] = []
    const opened = await client.open(download)
    for await (const chunk of wholeDownload({ client, download, opened, patience, log, ...more })) {
      chunks.push(chunk)
    }
    return { bytes: Buffer.concat(chunks), requests: calls() }
  }

  test('arrives complete', async () => {
    const { bytes } = await read((_, response) => response.end(content))
    expect(bytes.equals(content)).toBe(true)
  })

  test('continues by ranges where it broke off', async () => {
    const { bytes, requests } = await read(({ headers }, response) => {
      const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
      const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }
      response.writeHead(from ? 206 : 200, {
        'content-length': content.length - from,
        ...(from ? range : {}),
      })
      response.write(content.subarray(from, from + 70_000), () => setTimeout(() => response.destroy(), 20))
    })
    expect(bytes.equals(content)).toBe(true)
    expect(requests.length).toBeGreaterThan(2)
  })

  test('starts over if there are no ranges, and skips what has already arrived', async () => {
    const { bytes, requests } = await read((_, response, count) => {
      response.writeHead(200, { 'content-length': content.length })
      if (count === 3) response.end(content)
      else response.write(content.subarray(0, count * 70_000), () => setTimeout(() => response.destroy(), 20))
    })
    expect(bytes.equals(content)).toBe(true)
    expect(requests).toHaveLength(3)
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

  test('starts again if the service refuses the range', async () => {
    const { bytes, requests } = await read(({ headers }, response, count) => {
      if (headers.range) response.writeHead(416).end()
      else if (count > 1) response.end(content)
      else {
        response.writeHead(200, { 'content-length': content.length })
        response.write(content.subarray(0, 70_000), () => setTimeout(() => response.destroy(), 20))
      }
    })
    expect(bytes.equals(content)).toBe(true)
    expect(requests.map(({ headers }) => headers.range)).toEqual([
      undefined,
      expect.stringMatching(/^bytes=\d+-$/),
      undefined,
    ])
  })

  test('whose rest begins too late is requested again, so that no byte is missing', async () => {
    const { bytes } = await read(({ headers }, response, count) => {
      const asked = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
      const from = count === 2 ? asked + 1000 : asked
      const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }
      response.writeHead(asked ? 206 : 200, {
        'content-length': content.length - from,
        ...(asked ? range : {}),
      })
      if (count > 1) response.end(content.subarray(from))
      else response.write(content.subarray(0, 70_000), () => setTimeout(() => response.destroy(), 20))
    })
    expect(bytes.equals(content)).toBe(true)
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
    const handler: Handler = ({ headers }, response) => {
      most.push(getEventListeners(signal, 'abort').length)
      const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
      const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }
      response.writeHead(from ? 206 : 200, {
        'content-length': content.length - from,
        ...(from ? range : {}),
      })
      response.write(content.subarray(from, from + 10_000), () => setTimeout(() => response.destroy(), 5))
    }
    await read(handler, { signal, floor: { bytes: 1000, milliseconds: 1000 } })
    expect(most.length).toBeGreaterThan(11)
    expect(Math.max(...most)).toBeLessThan(5)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('that keeps breaking is a fault', async () => {
    const handler: Handler = (_, response) => {
      response.writeHead(200, { 'content-length': content.length })
      response.write(content.subarray(0, 10), () => setTimeout(() => response.destroy(), 5))
    }
    await expect(read(handler)).rejects.toThrow('Downloading report 1 of load test 8 failed')
  })
})
