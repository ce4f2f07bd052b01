import { prepareEngine, type EngineSettings } from '../sandbox/engine/engine.js'
import { Missing } from '../sandbox/engine/missing.js'
import type { Line } from '../sandbox/engine/release.js'

/** A load profile for trying things out: about 45 seconds with the users that the suite names. */
export const shortLoad: Record<string, string> = {
  'com.xceptance.xlt.loadtests.default.rampUpPeriod': '3s',
  'com.xceptance.xlt.loadtests.default.warmUpPeriod': '5s',
  'com.xceptance.xlt.loadtests.default.measurementPeriod': '40s',
}

/**
 * The engine; otherwise the sentence that says what is missing or wrong.
 *
 * @param wish by default it is fetched if it is not on this machine
 */
export async function engineOf(
  lines: readonly Line[],
  wish: { home?: string | undefined; cachedOnly?: boolean },
): Promise<EngineSettings | string> {
  const { home, cachedOnly = false } = wish
  const ending = new AbortController()
  const end = () => ending.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    const { signal } = ending
    const found = await prepareEngine({
      ...{ lines, cachedOnly, signal, onProgress },
      ...(home === undefined ? {} : { home }),
    })
    return { ...found, onLine: (line) => console.log(`  ${line}`) }
  } catch (error) {
    if (error instanceof Missing || (!cachedOnly && error instanceof Error)) return error.message
    throw error
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
  }
}

function onProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${text}        `)
  else console.log(text)
}
