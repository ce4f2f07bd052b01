import { spawnSync } from 'node:child_process'
import { transformFileSync } from '@swc/core'
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { mergeProcessCovs, type ProcessCov, type ScriptCov } from '@bcoe/v8-coverage'
import libCoverage from 'istanbul-lib-coverage'
import v8ToIstanbul from 'v8-to-istanbul'
import { ownActions } from '../src/outcome/kinds.js'

/*
 * Which lines of src the tests run, in the test runner and in the steps that they start. These steps run src file by
 * file with source maps instead of dist/, which is built from it. coverage-reasons.json must give a reason for each
 * file with lines that do not run. With names of tests it runs only these, and asks for no reason.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = path.join(root, 'coverage')

rmSync(folder, { recursive: true, force: true })
const action = path.join(folder, 'action')
const dist = path.join(action, 'dist')
const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll(path.sep, '/'))
for (const name of sources) {
  // Compiled as the test runner does, so that both name the same branches.
  const { code } = transformFileSync(path.join(root, 'src', name), {
    jsc: {
      parser: { syntax: 'typescript' },
      target: 'es2023',
      experimental: { keepImportAssertions: true },
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
    inlineSourcesContent: false,
  })
  const file = path.join(dist, 'src', name.replace(/ts$/, 'js'))
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, code)
}
copyFileSync(path.join(root, 'action.yml'), path.join(action, 'action.yml'))
for (const name of ownActions) cpSync(path.join(root, name), path.join(action, name), { recursive: true })
copyFileSync(path.join(root, 'package.json'), path.join(dist, 'package.json'))
mkdirSync(path.join(dist, 'docs'))
copyFileSync(path.join(root, 'docs/outcome.schema.json'), path.join(dist, 'docs/outcome.schema.json'))
const entries = ['index', 'post', ...ownActions].map((name) => [`${name}.js`, 'index.js'])
const workers = sources.filter((name) => name.endsWith('-worker.ts')).map((name) => name.replace(/ts$/, 'js'))
for (const [name = '', from = ''] of [...entries, ...workers.map((one) => [path.basename(one), one])]) {
  writeFileSync(path.join(dist, name), `import './src/${from}'\n`)
}

const v8 = path.join(folder, 'v8')
mkdirSync(v8)
const inRunner = path.join(folder, 'runner')
const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js']
// Also the whole tests, which npm test leaves out, and all inputs of properties.
const every = '--testPathIgnorePatterns=/node_modules/'
const asked = [
  every,
  '--testTimeout=300000',
  '--coverage',
  `--coverageDirectory=${inRunner}`,
  '--coverageReporters=json',
]
const tests = spawnSync(process.execPath, [...jest, ...process.argv.slice(2), ...asked], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, STEP_COVERAGE: folder, DRAWS: 'whole' },
})

const map = libCoverage.createCoverageMap({})
const inRunnerFound: unknown = JSON.parse(readFileSync(path.join(inRunner, 'coverage-final.json'), 'utf8'))
if (!isCoverage(inRunnerFound)) throw new Error(`${inRunner} contains no coverage.`)
map.merge(inRunnerFound)
for (const script of ranInSteps()) {
  const file = fileURLToPath(script.url)
  const converter = v8ToIstanbul(file)
  await converter.load()
  converter.applyCoverage(script.functions)
  map.merge(converter.toIstanbul())
}

const reasonsFile = path.join(root, 'scripts/coverage-reasons.json')
const reasons: unknown = JSON.parse(readFileSync(reasonsFile, 'utf8'))
if (typeof reasons !== 'object' || reasons === null) throw new Error(`${reasonsFile} contains no reasons.`)
const explained = new Set(Object.keys(reasons))
const percent = (value: number) => `${Math.floor(value * 10) / 10}%`
/** Files with less of their lines are named at the end. */
const muchOfFile = 90
const low: string[] = []
const unexplained: string[] = []
let wholeLines = 0
for (const file of map.files().sort()) {
  // A file of interfaces has nothing to run.
  if (isEmpty(file)) continue
  const one = map.fileCoverageFor(file)
  const { lines, branches } = one.toSummary()
  const missed = one.getUncoveredLines().map(Number)
  if (missed.length === 0) {
    if (branches.pct < 100) wholeLines += 1
    continue
  }
  const name = path.relative(root, file).replaceAll(path.sep, '/')
  if (!explained.delete(name)) unexplained.push(name)
  if (lines.pct < muchOfFile) low.push(`\`${name.slice('src/'.length)}\` ${percent(lines.pct)}`)
  console.log(`${name}: ${percent(lines.pct)} of its lines, not ${ranges(missed)}`)
}
const { lines, branches } = map.getCoverageSummary()
const figures = [
  `All of \`src\`: ${percent(lines.pct)} of ${lines.total} lines, ${percent(branches.pct)} of ${branches.total} branches. In ${wholeLines} files every line runs, but not every part of a line, such as a fallback.`,
  '',
  `Files with less than ${muchOfFile}% of their lines: ${low.join(', ')}.`,
].join('\n')
console.log(figures)
process.exitCode = tests.status ?? 1
// A part of the tests says nothing about the whole.
if (process.argv.length === 2) {
  if (unexplained.length > 0) console.error(`Without a reason in ${reasonsFile}: ${unexplained.join(', ')}`)
  if (explained.size > 0) console.error(`Every line runs now; remove from it: ${[...explained].join(', ')}`)
  if (unexplained.length + explained.size > 0) process.exitCode = 1
}

function isCoverage(value: unknown): value is libCoverage.CoverageMapData {
  return typeof value === 'object' && value !== null && Object.values(value).every(isFileCoverage)
}

function isFileCoverage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'path' in value && 'statementMap' in value
}

/** The merged coverage of all steps' processes: V8 reports a function's blocks for each of them. */
function ranInSteps(): ScriptCov[] {
  const own = pathToFileURL(path.join(dist, 'src')).href
  let all: ProcessCov = { result: [] }
  for (const name of readdirSync(v8)) {
    const { result } = JSON.parse(readFileSync(path.join(v8, name), 'utf8')) as ProcessCov
    all = mergeProcessCovs([all, { result: result.filter(({ url }) => url.startsWith(own)) }])
  }
  return all.result
}

function isEmpty(file: string): boolean {
  const name = path.relative(path.join(root, 'src'), file).replace(/ts$/, 'js')
  const code = readFileSync(path.join(dist, 'src', name), 'utf8')
  return (
    code
      .replace(/^\/\/.*$/gm, '')
      .replace(/\/\*[^]*?\*\//g, '')
      .replace(/^\s*export \{ *\};?\s*$/m, '')
      .trim() === ''
  )
}

/** `3-5, 9` */
function ranges(numbers: readonly number[]): string {
  const spans: [number, number][] = []
  for (const number of numbers) {
    const last = spans.at(-1)
    if (last && number === last[1] + 1) last[1] = number
    else spans.push([number, number])
  }
  return spans.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ')
}
