import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { limit } from '../__tests__/step/limit.js'
import { actTrials } from '../others/act-trials.js'
import { actionlint, zizmor } from '../others/auditors.js'
import { cache, NotHere } from '../others/cache.js'
import { gatling, jmeter, k6, locust } from '../others/load-tools.js'
import type { Trial } from '../others/trial.js'
import { windows } from '../others/windows.js'
import { message } from '../src/errors.js'

/**
 * Compares recipes, formats of reports and the local runner with other people's programs. They are installed into the user's cache folder;
 * those that are not available are skipped with a sentence. Exits with 1 only if a trial fails.
 */
const programs: Readonly<Record<string, () => Promise<Trial[]>>> = {
  act: actTrials,
  actionlint,
  zizmor,
  k6,
  locust,
  jmeter,
  gatling,
  windows,
}

const { positionals } = parseArgs({ allowPositionals: true })
// What it started ends with it: see others/cache.ts.
process.once('SIGTERM', () => process.exit(143))
const unknown = positionals.filter((name) => !(name in programs))
if (unknown.length > 0) {
  console.log(`npm run others -- [${Object.keys(programs).join('] [')}]`)
  process.exitCode = 1
} else {
  process.exitCode = await tryAll(positionals.length > 0 ? positionals : Object.keys(programs))
}

async function tryAll(names: readonly string[]): Promise<number> {
  console.log(`Other people's programs are in ${cache}.`)
  // One more than cores, because each trial waits part of its time.
  const inLanes = limit(availableParallelism() + 1)
  const results = (await Promise.all(names.map((name) => tryProgram(name, inLanes)))).flat()
  const [passed, failed, leftOut] = (['passed', 'failed', 'left out'] as const).map(
    (wanted) => results.filter((result) => result === wanted).length,
  )
  console.log(`Other people's programs: ${passed} passed, ${failed} failed, ${leftOut} skipped`)
  return failed === 0 ? 0 : 1
}

type Result = 'passed' | 'failed' | 'left out'

async function tryProgram(name: string, inLanes: ReturnType<typeof limit>): Promise<Result[]> {
  const trials = await prepare(name)
  if (typeof trials === 'string') {
    console.log(`Skipped: ${name}. ${trials}`)
    return ['left out']
  }
  return Promise.all(trials.map((trial) => inLanes(() => tryOne(name, trial))))
}

async function tryOne(name: string, trial: Trial): Promise<Result> {
  const started = performance.now()
  const fault = await trial.try().then(() => undefined, message)
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(`${fault === undefined ? 'passed' : 'FAILED'}: ${name}: ${trial.what} (${seconds} s)`)
  if (fault === undefined) return 'passed'
  console.log(fault)
  return 'failed'
}

/** Its trials, or the reason why there are none. */
async function prepare(name: string): Promise<Trial[] | string> {
  try {
    return (await programs[name]?.()) ?? []
  } catch (error) {
    if (error instanceof NotHere) return error.message
    throw error
  }
}
