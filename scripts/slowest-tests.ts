import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'

/*
 * Runs `npm test` and prints its slowest ten tests and files, with what each waits for. With --runs 3 the figures
 * are medians of three runs. Processor time is that of all processes, user and system: other work on the machine
 * affects it less than the clock.
 *
 * What a test waits for is in a comment directly above it, `// Waits for: ...`; by default it follows from what its
 * file uses.
 */
const usage = 'npm run test:slowest -- [--runs 1] [__tests__/folder]'
const shown = 5

/** What a file uses and its tests wait for. The first match counts. */
const waits: readonly [RegExp, string][] = [
  [/\.\/company\.js'/, 'steps of dist/, each in a job of a workflow'],
  [/fault-matrix-rows/, 'tsx, then a step of dist/ for each row, three at a time'],
  [/step\/sandbox\.js'|\.\/(sandbox|judged)\.js'/, 'steps of dist/ with their post steps'],
  [/browser\.js'/, 'Chromium: a page for each test'],
  [/scripts\/|tsx/, 'programs that tsx starts'],
  [/python|unzip|'git'/, 'python3, unzip or git'],
  [/startJob|runWorkflow|job\.js'/, 'small actions, each a Node process'],
  [/visitor\.js'|startService|caller\.js'/, 'reports that the local service simulates'],
  [/runXPath/, 'a thread for its expressions'],
  [/fc\./, 'dozens of random inputs'],
  [/simulat|testReportXml/, 'runs that are simulated'],
]

interface Run {
  wall: number
  processor: number
  /** By file and name. */
  tests: Map<string, Test>
  /** Seconds by file name. */
  files: Map<string, number>
}

interface Test {
  file: string
  name: string
  seconds: number
  waitsFor: string
}

interface JestReport {
  testResults: {
    name: string
    startTime: number
    endTime: number
    assertionResults: {
      fullName: string
      duration?: number | null
      location?: { line: number } | null
    }[]
  }[]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '1' } },
})
const count = Number(values.runs)
if (!Number.isInteger(count) || count < 1) throw new Error(`--runs must be a number from 1 on. ${usage}`)
const folder = mkdtempSync(path.join(tmpdir(), 'slowest-'))
try {
  const runs = Array.from({ length: count }, (_, index) => run(path.join(folder, `${index}.json`)))
  console.log(table(runs))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function run(report: string): Run {
  const began = performance.now()
  // The shell reports the time of its children and their children.
  const script = `npm test --silent -- --json --testLocationInResults --outputFile='${report}' ${positionals.join(' ')} 1>&2; status=$?; times; exit $status`
  const { stdout, status } = spawnSync('bash', ['-c', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const wall = (performance.now() - began) / 1000
  if (status !== 0)
    throw new Error(`npm test ended with ${status}: the figures of failing tests mean nothing.`)
  const [, children = ''] = stdout.split('\n')
  const processor = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  )
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JestReport
  const tests = new Map<string, Test>()
  const files = new Map<string, number>()
  for (const { name, startTime, endTime, assertionResults } of testResults) {
    const file = path.relative(process.cwd(), name)
    files.set(file, (endTime - startTime) / 1000)
    for (const { fullName, duration, location } of assertionResults) {
      const waitsFor = waitOf(file, location?.line)
      tests.set(`${file} ${fullName}`, { file, name: fullName, seconds: (duration ?? 0) / 1000, waitsFor })
    }
  }
  return { wall, processor, tests, files }
}

function table(runs: readonly Run[]): string {
  const of = (figure: (run: Run) => number | undefined) => median(runs.map((one) => figure(one) ?? 0))
  const slowest = <T>(all: Map<string, T>, secondsIn: (run: Run, key: string) => number | undefined) =>
    [...all]
      .map(([key, one]) => ({ key, one, took: of((run) => secondsIn(run, key)) }))
      .sort((one, other) => other.took - one.took)
      .slice(0, shown)
  const tests = new Map(runs.flatMap((one) => [...one.tests]))
  const files = new Map(runs.flatMap((one) => [...one.files]))
  const seconds = (value: number) => `${value.toFixed(1)} s`
  return [
    `\`npm test\`: ${Math.round(of(({ wall }) => wall))} s, and ${Math.round(of(({ processor }) => processor))} s of processor time (${runs.length === 1 ? 'one run' : `medians of ${runs.length} runs`}).`,
    '',
    '| slowest tests | take | wait for |',
    '| --- | --- | --- |',
    ...slowest(tests, (run, key) => run.tests.get(key)?.seconds).map(
      ({ one: { file, name, waitsFor }, took }) =>
        `| \`${shortened(file)}\`: ${name.replaceAll('|', '\\|')} | ${seconds(took)} | ${waitsFor} |`,
    ),
    '',
    '| slowest files | take | wait for |',
    '| --- | --- | --- |',
    ...slowest(files, (run, key) => run.files.get(key)).map(
      ({ key, took }) => `| \`${shortened(key)}\` | ${seconds(took)} | ${waitOf(key)} |`,
    ),
  ].join('\n')
}

/** `step/baseline` */
function shortened(file: string): string {
  return file.replace('__tests__/', '').replace('.test.ts', '')
}

/** For the test that begins on this line, or for the whole file. */
function waitOf(file: string, line = 0): string {
  const text = readFileSync(file, 'utf8')
  const above = text.split('\n').slice(0, Math.max(0, line - 1))
  const said = /\/\/ Waits for: (.*)$/.exec(above.at(-1) ?? '')?.[1]
  if (said !== undefined) return said.replace(/\.$/, '')
  return waits.find(([sign]) => sign.test(text))?.[1] ?? 'its own work'
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
