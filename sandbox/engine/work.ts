import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { reportFolder } from '../report/simulated-run.js'
import type { EndState, ExecutionState, TimedState, Work } from '../service/load-test.js'
import type { EngineSettings } from './engine.js'
import { makeReport } from './generators.js'
import { LoadRun, type LoadEvent, type Progress } from './load.js'
import type { Release } from './release.js'
import { buildSuite } from './suite.js'

/** What to run. */
export interface WorkOrder {
  settings: EngineSettings
  release: Release
  /** The folder that this run writes to; it does not exist yet. */
  folder: string
  /** The uploaded ZIP. */
  codeArchive: string
  /** Settings of the load test, which override those of the suite. */
  properties: Record<string, string>
  /** The service's clock, milliseconds since 1970. */
  now: () => number
}

/** One run of the engine: build, load, report. Its states follow what really happens. */
export class EngineWork implements Work {
  /** What the engine's report generator printed last. */
  reportLines: readonly string[] = []
  /** Resolves when all of it has ended; never rejects. */
  readonly done: Promise<void>
  readonly #order: WorkOrder
  readonly #closing: AbortSignal
  #state: TimedState | EndState = 'SCHEDULED'
  #startTime = 0
  #endTime = 0
  #message: string | undefined
  #progress: Progress | undefined
  #running: LoadRun | undefined
  #reporting = false
  #report: string | undefined
  #results: string | undefined

  /** @param before what must end first: only one engine uses the machine at a time */
  constructor(order: WorkOrder, before: Promise<void>, closing: AbortSignal) {
    this.#order = order
    this.#closing = closing
    this.done = before.then(() => this.#work())
  }

  state(): ExecutionState {
    return {
      ...{ state: this.#state, startTime: this.#startTime, endTime: this.#endTime },
      ...(this.#message === undefined ? {} : { message: this.#message }),
    }
  }

  get progress(): string | undefined {
    if (!this.#progress || this.#endTime > 0) return undefined
    const { users, iterations, errors, percent } = this.#progress
    return `${percent}%, ${users} users, ${iterations} transactions, ${errors} of them failed`
  }

  get reporting(): boolean {
    return this.#reporting
  }

  /** Folder of the report, once it is complete. */
  get report(): string | undefined {
    return this.#report
  }

  /** Folder of the results, once the run has ended. */
  get results(): string | undefined {
    return this.#results
  }

  async #work(): Promise<void> {
    try {
      await this.#run(this.#closing)
      this.#end('FINISHED')
    } catch (error) {
      this.#end('ERROR', error instanceof Error ? error.message : String(error))
    }
    this.#reporting = true
    await this.#makeReport()
    this.#reporting = false
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { settings, release, folder, codeArchive, properties, now } = this.#order
    signal.throwIfAborted()
    this.#state = 'PROVISIONING'
    await mkdir(folder, { recursive: true })
    this.#state = 'STARTING'
    this.#startTime = now()
    const { javaHome, agentControllers } = settings
    const suite = await buildSuite(codeArchive, path.join(folder, 'suite'), settings, {
      signal,
      onLine: (line) => settings.onLine(`build | ${line}`),
    })
    this.#running = new LoadRun({ release, javaHome, folder, suite, properties, agentControllers })
    await this.#running.run(signal, (event) => this.#take(event))
    this.#results = this.#running.results
  }

  #take(event: LoadEvent): void {
    const { settings } = this.#order
    if (event.kind === 'running' && this.#state === 'STARTING') this.#state = 'RUNNING'
    else if (event.kind === 'downloading') this.#state = 'STOPPING'
    else if (event.kind === 'progress') {
      this.#progress = event.progress
      settings.onLine(`engine | ${this.progress ?? ''}`)
    }
  }

  #end(state: EndState, message?: string): void {
    this.#state = state
    this.#message = message
    this.#endTime = this.#order.now()
  }

  async #makeReport(): Promise<void> {
    const { settings, folder } = this.#order
    if (this.#results === undefined || !this.#running || this.#closing.aborted) return
    const target = path.join(folder, reportFolder({ startTime: this.#startTime }))
    const { javaHome, charts } = settings
    try {
      const generating = { home: this.#running.home, javaHome, folder, signal: this.#closing }
      this.reportLines = await makeReport(generating, { results: this.#results, target, charts })
      this.#report = target
      for (const line of this.reportLines) settings.onLine(`report | ${line}`)
    } catch (error) {
      this.#message = error instanceof Error ? error.message : String(error)
    }
  }
}
