import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { descendants, endProcesses } from '../runner/process-tree.js'
import { listeningAt } from './agents.js'
import { run, type Ended } from './child.js'
import { freePort } from './free-port.js'
import { engineProgram } from './programs.js'
import { propertiesText, propertyOf } from './properties.js'
import type { Release } from './release.js'

/** A controller of load generators, on this machine or another one. */
export interface AgentController {
  /** Such as https://192.0.2.7:8500. */
  url: string
  /** Share of the users; default 1. */
  weight?: number
  /** Load generators that it starts; default 1. */
  agents?: number
}

export interface Load {
  release: Release
  javaHome: string
  /** The folder that this run writes to. */
  folder: string
  /** A built suite. */
  suite: string
  /** Settings of the load test, which override those of the suite. */
  properties: Record<string, string>
  /** Absent = one embedded controller. */
  agentControllers: readonly AgentController[]
}

/** What the engine reports while it runs. */
export interface Progress {
  /** Such as "26 of 26". */
  users: string
  iterations: number
  errors: number
  /** 0 to 100. */
  percent: number
}

export type LoadEvent = { kind: 'running' | 'downloading' } | { kind: 'progress'; progress: Progress }

/** File name of the load test's own settings, next to those of the suite. */
const settingsFile = 'load-test.properties'

/** Of agent controllers. Reports name load generators by it, so it stays the same where it can. */
const usualPort = 8500

/**
 * Virtual threads, the default of 10.x, hang on few cores: users that start together wait in class initializers, where
 * they keep their cores, for a logger whose lock belongs to a user without a core. A suite's profile may want them.
 */
const platformThreads = 'com.xceptance.xlt.virtualThreads.enabled = false'

/** The engine's master controller and the processes that it starts. */
export class LoadRun {
  readonly home: string
  readonly results: string
  #master: number | undefined

  constructor(private readonly load: Load) {
    this.home = path.join(load.folder, 'engine')
    this.results = path.join(load.folder, 'results')
  }

  /** Runs the load and fetches the results. @throws Error if the engine fails */
  async run(signal: AbortSignal, onEvent: (event: LoadEvent) => void): Promise<void> {
    const { release, folder, javaHome, agentControllers } = this.load
    await mkdir(this.home, { recursive: true })
    for (const name of ['bin', 'config', 'lib']) {
      await symlink(path.join(release.home, name), path.join(this.home, name))
    }
    await this.#writeSettings()
    const args = [
      '-auto',
      ...(agentControllers.length === 0 ? ['-embedded', ...listeningAt(await freePort(usualPort))] : []),
      ...['-testPropertiesFile', settingsFile, '-pf', path.join(folder, 'master.properties')],
      ...['-o', this.results],
    ]
    const ended = await run(engineProgram('master', { home: this.home, javaHome, cwd: folder, args }), {
      signal,
      onPid: (pid) => (this.#master = pid),
      onLine: (line) => {
        const event = readLine(line)
        if (event) onEvent(event)
      },
    })
    if (ended.code !== 0) throw new Error(`The engine failed.${reason(ended)}`)
  }

  /** Stops the load generators; the results so far are still fetched. */
  async stop(signal: AbortSignal): Promise<void> {
    const { folder, javaHome, agentControllers } = this.load
    if (agentControllers.length === 0) {
      if (this.#master !== undefined) endProcesses(descendants(this.#master))
      return
    }
    const args = ['-c', 'abort', '-pf', path.join(folder, 'master.properties')]
    await run(engineProgram('master', { home: this.home, javaHome, cwd: folder, args }), { signal })
  }

  async #writeSettings(): Promise<void> {
    const { suite, folder, properties, agentControllers } = this.load
    const config = path.join(suite, 'config')
    const project = await readFile(path.join(config, 'project.properties'), 'utf8').catch(() => '')
    const profile = propertyOf(project, 'com.xceptance.xlt.testPropertiesFile') ?? 'test.properties'
    // A name that the suite chooses must not reach beyond this folder.
    const own = await readFile(path.join(config, path.basename(profile)), 'utf8').catch(() => '')
    await mkdir(config, { recursive: true })
    await writeFile(
      path.join(config, settingsFile),
      [platformThreads, own, propertiesText(properties)].join('\n'),
    )
    const controllers = agentControllers.flatMap(
      ({ url, weight = 1, agents = 1 }, index): [string, string][] => {
        const id = `ac${String(index + 1).padStart(3, '0')}`
        const key = `com.xceptance.xlt.mastercontroller.agentcontrollers.${id}`
        return [
          [`${key}.url`, url],
          [`${key}.weight`, String(weight)],
          [`${key}.agents`, String(agents)],
        ]
      },
    )
    const master: Record<string, string> = {
      'com.xceptance.xlt.mastercontroller.testSuitePath': suite,
      'com.xceptance.xlt.mastercontroller.ui.status.updateInterval': '1',
      ...Object.fromEntries(controllers),
    }
    await writeFile(path.join(folder, 'master.properties'), propertiesText(master))
  }
}

/** The progress that a line of the master controller reports, if any. */
export function readLine(line: string): LoadEvent | undefined {
  if (line.startsWith('Load Profile')) return { kind: 'running' }
  if (line.startsWith('Downloading test results')) return { kind: 'downloading' }
  const totals = /^Totals\s+\w+\s+(\d+ of\s+\d+)\s+([\d,]+)\s.*\s([\d,]+)\s+\([\d.]+%\)\s+(\d+)%\s*$/.exec(
    line,
  )
  if (!totals) return undefined
  const [, users = '', iterations = '0', errors = '0', percent = '0'] = totals
  const progress = {
    users: users.replace(/\s+/g, ' '),
    iterations: Number(iterations.replaceAll(',', '')),
    errors: Number(errors.replaceAll(',', '')),
    percent: Number(percent),
  }
  return { kind: 'progress', progress }
}

function reason({ lastLines }: Ended): string {
  const told = lastLines.filter((line) => !/^\s+at |^WARNING/.test(line)).slice(-8)
  return told.length === 0 ? '' : ` Its last lines:\n${told.join('\n')}`
}
