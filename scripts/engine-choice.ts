import { prepareEngine, type EngineSettings } from '../sandbox/engine/engine.js'
import { Missing } from '../sandbox/engine/missing.js'
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
    return { ...(await prepareEngine(wish)), onLine }
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    return 'missing'
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
  }
}

/** The engine, if everything that it needs is on this machine; otherwise the sentence that says what is missing. */
export async function engineHere(line: Line): Promise<EngineSettings | string> {
  try {
    const { signal } = new AbortController()
    const found = await prepareEngine({ lines: [line], cachedOnly: true, signal, onProgress })
    return { ...found, onLine }
  } catch (error) {
    if (error instanceof Missing) return error.message
    throw error
  }
}

const onLine = (line: string): void => console.log(`  ${line}`)

function onProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${text}        `)
  else console.log(text)
}
