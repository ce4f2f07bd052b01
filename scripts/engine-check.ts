import { spawnSync } from 'node:child_process'
import { prepareEngine } from '../sandbox/engine/engine.js'

/** Runs load tests with each release of the engine, where this machine can; else it says what is left out. */
const onProgress = (text: string) => console.log(text)
try {
  await prepareEngine({ lines: ['9.x', '10.x'], signal: new AbortController().signal, onProgress })
  const test = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js']
  const args = [...test, '--testTimeout=400000', '__tests__/engine/run']
  const { status } = spawnSync(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, ENGINE: '1' },
  })
  // A shop that is slower makes the gate fail: that is what this demo expects.
  const demo = ['--import', 'tsx', 'scripts/demo.ts', '--engine', '--regression']
  const red = spawnSync(process.execPath, demo, { stdio: 'inherit' })
  process.exitCode = status || red.status || 0
} catch (error) {
  console.log(
    `Left out: load tests with the engine. ${error instanceof Error ? error.message : String(error)}`,
  )
}
