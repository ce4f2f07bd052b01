import { prepareEngine, type EngineSettings } from '../sandbox/engine/engine.js'
import type { Line } from '../sandbox/engine/release.js'

/** Null = runs are simulated. */
export type EngineChoice = EngineSettings | null

/** A load profile for trying things out: about 45 seconds with the users that the suite names. */
export const shortLoad: Record<string, string> = {
  'com.xceptance.xlt.loadtests.default.rampUpPeriod': '3s',
  'com.xceptance.xlt.loadtests.default.warmUpPeriod': '5s',
  'com.xceptance.xlt.loadtests.default.measurementPeriod': '40s',
}

/**
 * Reads the arguments of a script. If something is missing, it says so in one sentence before anything is started.
 */
export async function engineOf(
  asked: { engine: boolean; 'engine-home'?: string | undefined },
  lines: readonly Line[],
): Promise<EngineChoice | 'missing'> {
  const { engine, 'engine-home': home } = asked
  if (!engine && home === undefined) return null
  const ending = new AbortController()
  const end = () => ending.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    const wish = { lines, ...(home === undefined ? {} : { home }), signal: ending.signal, onProgress }
    return { ...(await prepareEngine(wish)), onLine: (line) => console.log(`  ${line}`) }
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    return 'missing'
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
  }
}

function onProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${text}        `)
  else console.log(text)
}
