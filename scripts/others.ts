import { availableParallelism } from 'node:os'
import { limit } from '../__tests__/step/limit.js'
import { actTrials } from '../others/act-trials.js'
import { actionlint, zizmor } from '../others/auditors.js'
import { cache, NotHere } from '../others/cache.js'
import { gatling, jmeter, k6, locust } from '../others/load-tools.js'
import type { Trial } from '../others/trial.js'
import { windows } from '../others/windows.js'
import { message } from '../src/errors.js'

/**
 * Compares recipes, formats of reports and the local runner with other people's programs. They are installed into the
 * user's cache folder; those that are not available are skipped with a sentence. Exits with 1 only if a trial fails.
 */
const programs = { act: actTrials, actionlint, zizmor, k6, locust, jmeter, gatling, windows }

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in programs))
if (unknown.length > 0) throw new Error(`npm run others -- [${Object.keys(programs).join('] [')}]`)
// What it started ends with it: see others/cache.ts.
process.once('SIGTERM', () => process.exit(143))
console.log(`Other people's programs are in ${cache}.`)
const count = { passed: 0, FAILED: 0, skipped: 0 }
// One more than cores, because each trial waits part of its time.
const inLanes = limit(availableParallelism() + 1)
const chosen = Object.entries(programs).filter(([name]) => asked.length === 0 || asked.includes(name))
await Promise.all(
  chosen.map(async ([name, trials]) => {
    try {
      await Promise.all((await trials()).map((trial) => inLanes(() => tryOne(name, trial))))
    } catch (error) {
      if (!(error instanceof NotHere)) throw error
      count.skipped++
      console.log(`skipped: ${name}. ${error.message}`)
    }
  }),
)
console.log(
  `Other people's programs: ${count.passed} passed, ${count.FAILED} failed, ${count.skipped} skipped`,
)
process.exitCode = count.FAILED === 0 ? 0 : 1

async function tryOne(name: string, trial: Trial): Promise<void> {
  const started = performance.now()
  const fault = await trial.try().then(() => undefined, message)
  const seconds = Math.round((performance.now() - started) / 1000)
  const result = fault === undefined ? 'passed' : 'FAILED'
  count[result]++
  console.log(`${result}: ${name}: ${trial.what} (${seconds} s)`)
  if (fault !== undefined) console.log(fault)
}
