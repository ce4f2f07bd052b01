import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { buildXPathWorker } from './built-worker.js'

const requests = 38_000

function* largeReport(): Generator<string> {
  yield '<testreport>\n  <requests>\n'
  const urls = Array.from({ length: 25 }, (_, i) => `          <string>https://shop.test/${i}</string>`).join(
    '\n',
  )
  for (let i = 0; i < requests; i++) {
    const figures = ['min', 'max', 'mean', 'median', 'deviation'].map(
      (name, j) => `      <${name}>${i + j}</${name}>`,
    )
    yield `    <request>
      <name>Request ${i}</name>
      <count>1000</count>
      <errors>0</errors>
${figures.join('\n')}
      <percentiles>
        <p95>${i + 100}</p95>
      </percentiles>
      <urls>
        <total>25</total>
        <list>
${urls}
        </list>
      </urls>
    </request>\n`
  }
  yield '  </requests>\n</testreport>\n'
}

it('a testreport.xml of 50 MB is read and judged, by xpath gates too, within 400 MB of memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'large-gates-'))
  try {
    const file = join(folder, 'testreport.xml')
    await pipeline(Readable.from(largeReport()), createWriteStream(file))
    expect((await stat(file)).size).toBeGreaterThan(50_000_000)
    const bundle = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error' } as const
    const worker = join(folder, 'xpath-worker.mjs')
    await buildXPathWorker(worker)
    const program = join(folder, 'program.mjs')
    const source = `
      import { existsSync, readFileSync } from 'node:fs'
      import { readReport, reportFiles } from './src/report/reading/report-reader.js'
      import { parseGates } from './src/language/language.js'
      import { judge } from './src/gates/gates.js'
      const [, , file, worker] = process.argv
      const { report } = await readReport(await reportFiles([file], file))
      const { gates } = parseGates('request "*" p95 <= 20 s\\nxpath(max(/testreport/requests/request/percentiles/p95)) <= 38099')
      const { verdict, results } = await judge({ gates, report, xpath: { file, worker, errorsIn: () => [] } })
      const failed = results.filter(({ result }) => result === 'failed').reduce((sum, { matches = [0] }) => sum + matches.length, 0)
      const last = results.at(-1)
      // Linux hands a parent's peak on to a child as its maxRSS; VmHWM is the process's own.
      const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
      const peak = status.match(/VmHWM: *\\t? *([0-9]+)/)?.[1] ?? process.resourceUsage().maxRSS
      const megabytes = Number(peak) / 1024
      console.log(JSON.stringify({ verdict, failed, results: results.length, xpath: last.value, result: last.result, megabytes }))`
    const stdin = { contents: source, resolveDir: process.cwd(), loader: 'ts' } as const
    // Some packages in it are CommonJS and ask for Node's modules.
    const banner = {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    }
    await build({ ...bundle, stdin, banner, outfile: program })
    const { stdout } = await promisify(execFile)(process.execPath, [program, file, worker])
    const { megabytes, ...judged } = JSON.parse(stdout) as Record<string, unknown>
    expect(judged).toEqual({
      verdict: 'failed',
      failed: requests - 19_901,
      // Those that passed are one result, and so are those that failed, but for the 1,000 costliest.
      results: 1003,
      xpath: requests + 99,
      result: 'passed',
    })
    expect(megabytes).toBeLessThan(400)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
