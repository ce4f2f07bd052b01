import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { field, visit, type Reply, type Visitor } from './visitor.js'

let visitor: Visitor
let folder: string
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'reports-'))
  visitor = await visit()
})
afterEach(async () => {
  await visitor.leave()
  rmSync(folder, { recursive: true, force: true })
})

async function run(template = 3): Promise<number> {
  const { body } = await visitor.call(`v1/loadTests/${template}/runCopy`)
  visitor.pass(16)
  return Number(field(body, 'data.index'))
}

const download = (number: number, headers: Record<string, string> = {}, kind = 'reports'): Promise<Reply> =>
  visitor.call(`v1/loadTests/${number}/${kind}/1/download`, { headers })

function unpacked({ bytes }: Reply): Map<string, string> {
  const file = path.join(folder, 'archive')
  writeFileSync(file, bytes)
  const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n')
  const read = (name: string) =>
    execFileSync('tar', ['-xzOf', file, name], { encoding: 'utf8', maxBuffer: 2e7 })
  return new Map(
    names.filter((name) => name.endsWith('.xml')).map((name) => [path.posix.basename(name), read(name)]),
  )
}

test('a report is available from the end of the run on, as tar.gz', async () => {
  const { body } = await visitor.call('v1/loadTests/1/runCopy')
  const number = Number(field(body, 'data.index'))
  visitor.pass(15.9)
  expect((await download(number)).status).toBe(404)
  visitor.pass(0.1)
  const report = await download(number)
  expect(report.status).toBe(200)
  expect(report.headers.get('content-length')).toBe(String(report.bytes.length))
  expect(report.headers.get('content-type')).toBe('application/gzip')
  const xml = unpacked(report).get('testreport.xml') ?? ''
  expect(xml).toContain('<testreport>')
  expect(xml).toContain('2026-01-17 10:15')
  expect((await visitor.call(`v1/loadTests/${number}/reports/2/download`)).status).toBe(404)
})

test('the same run gives the same bytes again; another run gives other figures', async () => {
  const [one, other] = [await run(), await run()]
  const first = await download(one)
  expect((await download(one)).bytes.equals(first.bytes)).toBe(true)
  const mean = (reply: Reply) => /<mean>[^<]+<\/mean>/.exec(unpacked(reply).get('testreport.xml') ?? '')?.[0]
  expect(mean(first)).toBeDefined()
  expect(mean(await download(other))).not.toBe(mean(first))
})

test('a run without a scorecard has none, neither in the archive nor alone', async () => {
  const number = await run()
  expect([...unpacked(await download(number)).keys()]).toEqual(['testreport.xml'])
  expect((await visitor.call(`v2/load-tests/${number}/reports/1/scorecard`)).status).toBe(404)
})

test('the XML of a report alone equals that in the archive, if it is offered', async () => {
  const number = await run(1)
  const alone = await visitor.call(`v2/load-tests/${number}/reports/1/test-report`)
  expect(alone.headers.get('content-type')).toContain('application/xml')
  expect(alone.body).toBe(unpacked(await download(number)).get('testreport.xml'))
  visitor.service.settings.offerXml = false
  expect((await visitor.call(`v2/load-tests/${number}/reports/1/test-report`)).status).toBe(404)
})

describe('ranges', () => {
  // Writing a report is slow; one is enough for all these tests.
  let host: Visitor
  let whole: Reply
  const part = (headers: Record<string, string> = {}) =>
    host.call('v1/loadTests/9/reports/1/download', { headers })
  beforeAll(async () => {
    host = await visit()
    whole = await part()
  })
  afterAll(() => host.leave())

  test.each<[string, (size: number) => [number, number]]>([
    ['bytes=0-', (size) => [0, size - 1]],
    ['bytes=1000-', (size) => [1000, size - 1]],
    ['bytes=10-19', () => [10, 19]],
    ['bytes=-100', (size) => [size - 100, size - 1]],
    ['bytes=10-99999999', (size) => [10, size - 1]],
  ])('%s', async (range, expected) => {
    const size = whole.bytes.length
    const [start, end] = expected(size)
    const answer = await part({ range })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([
      206,
      `bytes ${start}-${end}/${size}`,
    ])
    expect(answer.bytes.equals(whole.bytes.subarray(start, end + 1))).toBe(true)
  })

  test.each(['bytes=0-1,5-6', 'lines=1-2', 'bytes=9-3', 'bytes=-', 'nonsense'])(
    '%s gives the whole file',
    async (range) => {
      const answer = await part({ range })
      expect([answer.status, answer.bytes.length]).toEqual([200, whole.bytes.length])
    },
  )

  test('a range beyond the end cannot be satisfied', async () => {
    const size = whole.bytes.length
    const answer = await part({ range: `bytes=${size}-` })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
  })

  test('a range of another version gives the whole file', async () => {
    const etag = whole.headers.get('etag') ?? ''
    expect((await part({ range: 'bytes=5-', 'if-range': etag })).status).toBe(206)
    expect((await part({ range: 'bytes=5-', 'if-range': '"other"' })).status).toBe(200)
  })

  test('ranges are ignored if they are not offered', async () => {
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    host.service.settings.ranges = false
    const answer = await part({ range: 'bytes=5-' })
    host.service.settings.ranges = true
    expect([answer.status, answer.headers.get('accept-ranges')]).toEqual([200, null])
    expect(answer.bytes.equals(whole.bytes)).toBe(true)
  })
})
