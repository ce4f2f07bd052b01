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
    ['bytes=1000-', (size) => [1000, size - 1]],
    ['bytes=10-19', () => [10, 19]],
    ['bytes=-100', (size) => [size - 100, size - 1]],
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
})
