import path from 'node:path'
import { findJdk, programOnPath, thisMachine, type Machine } from './java.js'
import type { AgentController } from './load.js'
import { Missing } from './missing.js'
import { fetchedRelease, fetchRelease, installedRelease, lineOf, type Line, type Release } from './release.js'

/** What real runs need. It is looked for before anything is started. */
export interface EngineSettings {
  /** Home of the JDK that the engine, its load generators and the builds use. */
  javaHome: string
  /** Path of this machine's Maven. */
  maven: string
  releases: Partial<Record<Line, Release>>
  /** Where the load comes from; absent = one embedded controller on this machine. */
  agentControllers: readonly AgentController[]
  /** Reports with charts, which take more than half of the time. */
  charts: boolean
  /** Gets the output of builds and of the engine while they work. */
  onLine: (line: string) => void
}

export interface EngineWish {
  /** The version lines that are needed. */
  lines: readonly Line[]
  /** The user's own installation, used only for its version line. */
  home?: string
  /** Only releases that are in the cache already. */
  cachedOnly?: boolean
  /** Where to look for JDK and Maven; default: this machine. */
  machine?: Machine
  signal: AbortSignal
  onProgress: (text: string) => void
}

/**
 * Finds JDK, Maven and the engine's releases, and fetches releases that are not in the cache yet.
 *
 * @throws Missing or Error, with one sentence: what is missing or wrong, and how to fix it
 */
export async function prepareEngine(wish: EngineWish): Promise<EngineSettings> {
  const machine = wish.machine ?? thisMachine()
  const javaHome = findJdk(machine)
  const maven = programOnPath('mvn', machine.env)
  if (maven === undefined) {
    throw new Missing(
      'The engine and its test suites come through Maven, and no mvn is on the PATH. Install Maven 3.6.3 or later.',
    )
  }
  const releases: Partial<Record<Line, Release>> = {}
  if (wish.home !== undefined) {
    const own = await installedRelease(wish.home)
    const line = lineOf(own.version)
    if (!line) throw new Error(`The sandbox runs engines 9.x and 10.x, but ${own.home} is ${own.version}.`)
    releases[line] = own
  } else {
    const cache = engineCache(machine.env)
    for (const line of wish.lines) {
      const { signal } = wish
      const onProgress = (text: string) => wish.onProgress(`Fetching engine ${line}: ${text}`)
      const cached = await fetchedRelease(line, cache)
      if (!cached && wish.cachedOnly) {
        throw new Missing(`The engine ${line} is not on this machine yet: --engine fetches it through Maven.`)
      }
      releases[line] = cached ?? (await fetchRelease(line, { cache, javaHome, maven, signal, onProgress }))
    }
  }
  return { javaHome, maven, releases, agentControllers: [], charts: true, onLine: () => undefined }
}

/** Where the engine's releases are kept, below the user's cache folder. */
export function engineCache(env: Record<string, string | undefined>): string {
  const own = env['XDG_CACHE_HOME']
  const folder = own !== undefined && path.isAbsolute(own) ? own : path.join(env['HOME'] ?? '', '.cache')
  return path.join(folder, 'load-test-action', 'engine')
}
