import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { testReportXml } from '../../sandbox/report/archive.js'
import { tarGzOf } from '../unpack/archives.js'
import { shortRun } from '../sandbox-report/read-back.js'
import { serveBefore, type Front, type Instead } from './front.js'
import { startSandbox, type Ran, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
let front: Front | undefined
/** Start of each download, from its header Range. */
let asked: (string | undefined)[]
beforeEach(async () => {
  sandbox = await startSandbox()
  asked = []
})
afterEach(async () => {
  await Promise.all([sandbox.close(), front?.close()])
  front = undefined
})

const download = /\/reports\/1\/download$/

/** Runs the step against a service whose report is sent by hand. */
async function run(
  send: (count: number, range: string | undefined) => Instead,
  inputs: Record<string, string>,
): Promise<Ran> {
  front = await serveBefore(sandbox.service.url, (path, { headers: { range } }) => {
    if (!download.test(path)) return undefined
    asked.push(range)
    return send(asked.length, range)
  })
  return sandbox.run({ 'base-url': front.url, ...inputs })
}

/** Sends a part of a file, then breaks the connection. */
const part = (file: Buffer, from: number, length: number) => (response: ServerResponse) => {
  const range = { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` }
  response.writeHead(from > 0 ? 206 : 200, {
    'content-length': file.length - from,
    ...(from > 0 ? range : {}),
  })
  const end = Math.min(from + length, file.length)
  for (let at = from; at < end; at += 5000) response.write(file.subarray(at, Math.min(at + 5000, end)))
  if (end === file.length) response.end()
  else setTimeout(() => response.destroy(), 30)
}

/** A report of at least this many bytes. */
const large = (bytes: number) =>
  tarGzOf([
    ['20260101-000000/testreport.xml', testReportXml(shortRun)],
    ['20260101-000000/results/noise.bin', randomBytes(bytes)],
  ])

test('a report that a proxy compressed once more is judged and attached as it was, even if it breaks off', async () => {
  const file = await large(200_000)
  const packed = gzipSync(file)
  const ran = await run(
    (count, range) => (response) => {
      response.setHeader('content-encoding', 'gzip')
      part(packed, Number(/\d+/.exec(range ?? '')?.[0] ?? 0), count === 1 ? 100_000 : packed.length)(response)
    },
    { gates: 'requests p95 < 60 s' },
  )
  expect(ran.outputs['verdict']).toBe('passed')
  expect(asked).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)])
  const report = sandbox.github.store.artifacts.find(({ name }) => name === 'load-test-report.tar.gz')
  expect(report && readFileSync(report.path).equals(file)).toBe(true)
})
