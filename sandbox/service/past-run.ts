import type { CodeArchive } from './code-archive.js'
import { stagesOf, type EndState, type Run } from './load-test.js'
import type { RunSettings } from './settings.js'

/** A run that is over. */
export interface PastRun {
  /** Number of the load test that was copied. */
  template: number
  /** Milliseconds since 1970. */
  createdAt: number
  /** Default: FINISHED. An ERROR came before the launch, so there is no report. */
  end?: EndState
  /** Seconds in RUNNING; default: ten minutes. */
  secondsRunning?: number
  /** Default: 1. */
  slowdown?: number
  archive?: CodeArchive
}

/** It took as long as a real run, and faults that are set for later runs did not affect it. */
export function pastRun(usual: RunSettings, past: PastRun): Run {
  const { template, createdAt, end = 'FINISHED', secondsRunning = 600, slowdown = 1 } = past
  const settings: RunSettings = {
    ...usual,
    ...{ secondsPerState: 60, secondsRunning, reportDelay: 0 },
    ...{ ends: 'FINISHED', buildFault: '', slowdown, errorRate: 0, partial: false },
  }
  return {
    ...{ template, createdAt, end, settings },
    stages: end === 'ERROR' ? stagesOf(settings, 'PROVISIONING') : stagesOf(settings),
    ...(end === 'ERROR' ? { message: 'The test suite could not be built.' } : {}),
    ...(past.archive === undefined ? {} : { archive: past.archive }),
  }
}
