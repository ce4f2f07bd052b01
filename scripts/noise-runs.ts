import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { prepareEngine } from '../sandbox/engine/engine.js'
import { buildFolder } from '../sandbox/engine/suite.js'
import { runTrial } from '../sandbox/engine/trial.js'
import type { Report } from '../src/report/report.js'
import { parseTestReport } from '../src/report/formats/xlt-report.js'

/**
 * Runs the example suite with the engine again and again, unchanged and with a slower shop, and keeps the figures of
 * each report in bench/noise: the noise that a gate faces on a real machine.
 */
const usage = `npm run noise-runs                                    20 runs unchanged, 10 each with a shop 5, 10, 20% slower
npm run noise-runs -- --runs 12 --slower-runs 5       other numbers of runs
npm run noise-runs -- --seconds 25                    seconds that are measured in each run
npm run noise-runs -- --note TEXT                     a note on the machine, kept with the figures`

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    'slower-runs': { type: 'string', default: '10' },
    seconds: { type: 'string', default: '22' },
    target: { type: 'string', default: 'bench/noise/runs.json' },
    note: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})

/** The figures of one report, as the step reads them. */
interface NoiseRun extends Pick<Report, 'general' | 'timers' | 'agents' | 'errors'> {
  /** Factor on every time of the shop; 1 = unchanged. */
  slowdown: number
  /** Time of its start. */
  time: string
  /** Load average over the last minute when it ended. */
  load: number
}

if (values.help) console.log(usage)
else await main()

async function main(): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort()).once('SIGTERM', () => ending.abort())
  const { signal } = ending
  const onProgress = (text: string) => console.log(text)
  const engine = { ...(await prepareEngine({ lines: ['9.x'], signal, onProgress })), charts: false }
  const release = engine.releases['9.x']
  if (!release) throw new Error('Engine 9.x is not installed.')
  const folder = await mkdtemp(path.join(tmpdir(), 'noise-runs-'))
  const seconds = Number(values.seconds)
  const properties = {
    'com.xceptance.xlt.loadtests.default.rampUpPeriod': '3s',
    'com.xceptance.xlt.loadtests.default.warmUpPeriod': '5s',
    'com.xceptance.xlt.loadtests.default.measurementPeriod': `${seconds}s`,
    'com.xceptance.xlt.thinktime.action': '250',
    'com.xceptance.xlt.thinktime.action.deviation': '100',
  }
  const runs: NoiseRun[] = []
  try {
    const suite = path.join(folder, 'suite')
    await cp(path.join(root, 'examples/webshop-suite'), suite, {
      recursive: true,
      filter: (name) => !/[/\\](target|results)$/.test(name),
    })
    await buildFolder(suite, path.join(folder, 'build.log'), engine, { signal, onLine: () => undefined })
    for (const slowdown of plan(Number(values.runs), Number(values['slower-runs']))) {
      const time = new Date().toISOString()
      const { report } = await runTrial(
        {
          ...{ release, suite, folder: path.join(folder, 'run'), properties },
          shop: { slowdown, seed: runs.length + 1 },
        },
        engine,
        signal,
      )
      const read = await parseTestReport(await readFile(path.join(report, 'testreport.xml')))
      const { general, timers, agents, errors } = read
      const [load = 0] = loadavg()
      runs.push({ slowdown, time, load: Number(load.toFixed(2)), general, agents, errors, timers })
      const p95 = timers.requests.summary?.percentiles['p95'] ?? 0
      console.log(
        `${runs.length}. shop × ${slowdown}: p95 of all requests ${p95} ms, load ${load.toFixed(1)}`,
      )
      await writeFile(
        path.resolve(root, values.target),
        fileText(
          { engine: release.version, cores: availableParallelism(), note: values.note, seconds, properties },
          runs,
        ),
      )
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** In turn, so that changes of the machine affect all of them alike. */
function plan(unchanged: number, slower: number): number[] {
  const kinds: [number, number][] = [
    [1, unchanged],
    [1.05, slower],
    [1.1, slower],
    [1.2, slower],
  ]
  return kinds
    .flatMap(([slowdown, count]) =>
      Array.from({ length: count }, (_, index) => ({ slowdown, at: (index + 0.5) / count })),
    )
    .sort((one, other) => one.at - other.at)
    .map(({ slowdown }) => slowdown)
}

/** One timer per line, so that a diff of two files is readable. */
function fileText(made: object, runs: readonly NoiseRun[]): string {
  const text = JSON.stringify({ made, runs })
  return `${text.replace(/(?<=[[{,])(?=\{"name":|\{"slowdown":|"timers":|"runs":)/g, '\n')}\n`
}
