import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'

/*
 * Mutation testing: changes each given file of src in one place after another, and runs the tests on each change.
 * Prints what part of these mutants a test noticed, and each one that none did. A file is tested by
 * __tests__/mutation/FOLDER.ts, which imports the tests of its folder: loaded once, only those that reach a mutant run.
 * A survivor that stays has its reason in scripts/mutation-survivors.json, by file and diff.
 */
type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

const least = 85

const root = fileURLToPath(new URL('..', import.meta.url))
const reasons = JSON.parse(
  readFileSync(path.join(root, 'scripts/mutation-survivors.json'), 'utf8'),
) as Record<string, Record<string, string>>

process.chdir(root)
const files = process.argv
  .slice(2)
  .map((file) => path.relative(root, path.resolve(file)).replaceAll(path.sep, '/'))
const folders = Map.groupBy(files, (file) => file.split('/')[1] ?? '')
const untried = files.filter((file) => !existsSync(file) || !existsSync(testsOf(file.split('/')[1] ?? '')))
if (files.length === 0 || untried.length > 0)
  throw new Error(
    `npm run mutation -- src/FOLDER/FILE.ts…: of each a file, and __tests__/mutation/FOLDER.ts. Not so: ${untried.join(', ')}`,
  )

for (const [folder, mutated] of folders) {
  const results = await new Stryker({
    mutate: mutated,
    plugins: ['@stryker-mutator/jest-runner'],
    testRunner: 'jest',
    testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings', '--max-old-space-size=3072'],
    jest: {
      configFile: 'jest.config.js',
      // In place of scripts/left-open.js, a module, which Stryker's own environment cannot extend.
      config: { testMatch: [`<rootDir>/${testsOf(folder)}`], testEnvironment: 'node' },
      enableFindRelatedTests: false,
    },
    coverageAnalysis: 'perTest',
    // What runs on import is tried by no single test.
    ignoreStatic: true,
    // Each run of jest leaves modules behind.
    maxTestRunnerReuse: 40,
    concurrency: Math.max(1, availableParallelism() - 1),
    // Outside the project, whose tools would find the copy.
    tempDirName: path.join(tmpdir(), 'load-test-action-mutation'),
    cleanTempDir: 'always',
    ignorePatterns: ['/dist', '/docs/pictures', '/examples'],
    disableTypeChecks: false,
    allowEmpty: true,
    reporters: [process.stdout.isTTY ? 'progress' : 'dots'],
  }).runMutationTest()
  for (const file of mutated)
    print(
      file,
      results.filter(({ fileName }) => path.resolve(fileName) === path.resolve(file)),
    )
}

function testsOf(folder: string): string {
  return `__tests__/mutation/${folder}.ts`
}

function print(file: string, results: readonly Mutant[]): void {
  const lines = readFileSync(file, 'utf8').split('\n')
  const of = (...statuses: Mutant['status'][]) => results.filter(({ status }) => statuses.includes(status))
  const killed = of('Killed', 'Timeout').length
  const survivors = of('Survived', 'NoCoverage')
  const tried = killed + survivors.length
  const percent = tried === 0 ? 100 : (100 * killed) / tried
  const untried = results.length - tried
  console.log(
    `${file}: ${percent.toFixed(1)} % of ${tried} mutants killed${untried > 0 ? `, ${untried} on import or broken, not tried` : ''}`,
  )
  const known = reasons[file] ?? {}
  const diffs = survivors.map((mutant) => [mutant, diffOf(mutant, lines)] as const)
  for (const [{ location, status }, diff] of diffs) {
    const why = known[diff] ?? (status === 'NoCoverage' ? 'NO TEST REACHES IT' : 'NO REASON GIVEN')
    console.log(`  ${location.start.line}: ${diff}  (${why})`)
  }
  for (const diff of Object.keys(known)) {
    if (!diffs.some(([, one]) => one === diff)) console.log(`  has a reason but did not survive: ${diff}`)
  }
  if (percent < least) process.exitCode = 1
}

/** `if ([-a < b-]{+a <= b+}) return`: the line of the mutant with what was there and what took its place. */
function diffOf({ location: { start, end }, replacement }: Mutant, lines: readonly string[]): string {
  const changed = lines.slice(start.line - 1, end.line)
  const before = changed[0]?.slice(0, start.column - 1).trimStart() ?? ''
  const after =
    changed
      .at(-1)
      ?.slice(end.column - 1)
      .trimEnd() ?? ''
  const old = changed.join('\n').slice(start.column - 1, after === '' ? undefined : -after.length)
  return `${before}[-${short(old)}-]{+${short(replacement)}+}${after}`
}

function short(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim()
  return line.length > 90 ? `${line.slice(0, 50)} … ${line.slice(-35)}` : line
}
