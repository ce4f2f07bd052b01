import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { prepareEngine } from '../sandbox/engine/engine.js'
import { Missing } from '../sandbox/engine/missing.js'

/**
 * Runs load tests with each release of the engine, if this machine can. Without a JDK, Maven or its repository it
 * says what is left out; every other fault makes it red. `--brief`: one load test with each release, and nothing
 * else.
 */
const { brief } = parseArgs({ options: { brief: { type: 'boolean', default: false } } }).values
const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ENGINE: '1' } }).status ?? 1
try {
  const { signal } = new AbortController()
  await prepareEngine({ lines: ['9.x', '10.x'], signal, onProgress: (text) => console.log(text) })
  const chosen = brief
    ? ['__tests__/engine/run', '-t', 'is built and run by']
    : ['__tests__/engine/(run|own-scripts|lost-generator)']
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js']
  process.exitCode = run(...jest, '--testTimeout=1200000', ...chosen)
  // A slower shop makes the gate fail, as this demo expects.
  if (!brief) process.exitCode ||= run('--import', 'tsx', 'scripts/demo.ts', '--engine', '--regression')
} catch (error) {
  if (!(error instanceof Missing)) throw error
  console.log(`Skipped: load tests with the engine. ${error.message}`)
}
