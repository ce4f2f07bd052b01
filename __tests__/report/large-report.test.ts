import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

const rowCount = 14_000

// Waits for: 50 MB to be written and read.
it('a testreport.xml of 50 MB is read within 400 MB of memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'large-report-'))
  try {
    const path = join(folder, 'testreport.xml')
    await pipeline(Readable.from(largeReport()), createWriteStream(path))
    expect((await stat(path)).size).toBeGreaterThan(50_000_000)

    const program = `
      import { existsSync, readFileSync } from 'node:fs'
      import { readReport, reportFiles } from './src/report/reading/report-reader.ts'
      const { timers } = (await readReport(await reportFiles([process.argv[1]], process.argv[1]))).report
      const last = timers.requests.timers.at(-1)
      // Linux hands a parent's peak on to a child as its maxRSS; VmHWM is the process's own.
      const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
      const peak = status.match(/VmHWM: *\\t? *([0-9]+)/)?.[1] ?? process.resourceUsage().maxRSS
      const megabytes = Number(peak) / 1024
      console.log(JSON.stringify({ count: timers.requests.timers.length, last: last.name, p95: last.percentiles.p95, megabytes }))`
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      program,
      path,
    ])
    const { megabytes, ...read } = JSON.parse(stdout) as Record<string, unknown>
    expect(read).toEqual({ count: rowCount, last: `Request ${rowCount - 1}`, p95: rowCount + 99 })
    expect(megabytes).toBeLessThan(400)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** Rows as the engine writes them, with the parts that the reader skips. */
function* largeReport(): Generator<string> {
  const spread = (name: string) =>
    `<${name}><min>1</min><max>50</max><mean>5.250</mean><deviation>1.500</deviation></${name}>\n`
  const times = [
    'bytesSent',
    'bytesReceived',
    'dnsTime',
    'connectTime',
    'sendTime',
    'serverBusyTime',
    'receiveTime',
  ]
  const urls = Array.from(
    { length: 40 },
    (_, i) => `<string>https://shop.example/catalog/page?number=${i}&amp;x=y</string>\n`,
  )
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testreport>\n<requests>\n'
  for (let i = 0; i < rowCount; i++) {
    yield `<request>\n<name>Request ${i}</name>\n<count>1000</count><errors>1</errors><mean>${i}.5</mean>
      <percentiles><p50>${i}.000</p50><p95>${i + 100}.000</p95><p99.9>9000.000</p99.9></percentiles>
      ${times.map(spread).join('')}<urls><total>40</total><list>${urls.join('')}</list></urls>\n</request>\n`
  }
  yield '</requests>\n</testreport>\n'
}
