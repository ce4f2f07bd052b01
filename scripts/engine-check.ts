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
const onProgress = (text: string) => console.log(text)
try {
  await prepareEngine({ lines: ['9.x', '10.x'], signal: new AbortController().signal, onProgress })
  const test = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js']
  const chosen = brief
    ? ['__tests__/engine/run', '-t', 'is built and run by']
    : ['__tests__/engine/(run|own-scripts|lost-generator)']
  const args = [...test, '--testTimeout=1200000', ...chosen]
  const { status } = spawnSync(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, ENGINE: '1' },
  })
  process.exitCode = status ?? 1
  if (!brief) {
    // A slower shop makes the gate fail, as this demo expects.
    const demo = ['--import', 'tsx', 'scripts/demo.ts', '--engine', '--regression']
    const red = spawnSync(process.execPath, demo, { stdio: 'inherit' })
    process.exitCode ||= red.status ?? 1
  }
} catch (error) {
  if (!(error instanceof Missing)) throw error
  console.log(`Skipped: load tests with the engine. ${error.message}`)
}
