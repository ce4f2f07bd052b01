import type { Clock } from './clock.js'
import type { Log } from './log.js'

/** The ground that every phase stands on; what else one needs of the world is declared beside it. */
export interface World {
  clock: Clock
  log: Log
  /** Aborted when the job is cancelled. */
  signal: AbortSignal
  /** Waits for a part of the step. @throws a fault that nothing else handles */
  unlessBroken<T>(work: Promise<T>): Promise<T>
  /** An empty folder for this step alone. */
  temp: string
  /** Absolute; names below it are shown without it. */
  workspace: string
  /** The built worker that xpath gates are evaluated in. */
  xpathWorker: URL
}
