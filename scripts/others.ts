import { actTrials } from '../others/act-trials.js'
import { actionlint, zizmor } from '../others/auditors.js'
import { azurite } from '../others/azurite.js'
import { cache, NotHere } from '../others/cache.js'
import { generatedClient } from '../others/generated-client.js'
import { schemathesis } from '../others/schemathesis.js'
import type { Trial } from '../others/trial.js'
import { message } from '../src/errors.js'

/**
 * Compares the step and its sandbox with other people's programs. They are installed into the user's cache folder;
 * those that are not available are skipped with a sentence.
 */
const programs: Readonly<Record<string, () => Promise<Trial[]>>> = {
  act: actTrials,
  actionlint,
  azurite,
  'openapi-typescript': generatedClient,
  schemathesis,
  zizmor,
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in programs))
if (unknown.length > 0) {
  console.log(`npm run others -- [${Object.keys(programs).join('] [')}]`)
  process.exitCode = 1
} else {
  process.exitCode = await tryAll(wanted.length > 0 ? wanted : Object.keys(programs))
}

async function tryAll(names: readonly string[]): Promise<number> {
  console.log(`Programs of others lie in ${cache}.`)
  const results = { passed: 0, failed: 0, leftOut: 0 }
  // In parallel, because registries are slow.
  const prepared = await Promise.all(names.map(async (name) => ({ name, trials: await prepare(name) })))
  for (const { name, trials } of prepared) {
    if (typeof trials === 'string') {
      console.log(`Left out: ${name}. ${trials}`)
      results.leftOut++
      continue
    }
    for (const trial of trials) {
      const started = Date.now()
      const fault = await trial.try().then(() => undefined, message)
      console.log(
        `${fault === undefined ? 'passed' : 'FAILED'}: ${name}: ${trial.what} (${Math.round((Date.now() - started) / 1000)} s)`,
      )
      if (fault !== undefined) console.log(fault)
      results[fault === undefined ? 'passed' : 'failed']++
    }
  }
  const { passed, failed, leftOut } = results
  console.log(`Programs of others: ${passed} passed, ${failed} failed, ${leftOut} left out`)
  return failed === 0 ? 0 : 1
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
