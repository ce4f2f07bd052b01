import * as core from '@actions/core'
import type { Run } from '../outcome.js'

/**
 * What the main step leaves for its post step, kept by the runner for this step alone: two steps of one job and
 * the legs of a matrix never see each other's.
 */
export interface StepState {
  /** A start was about to be asked for, while these load tests existed. */
  starting?: { template: number; before: number[] }
  run?: Run
  /** The main step told everything there is to tell. */
  published: boolean
}

export function saveStarting(template: number, before: readonly number[]): void {
  core.saveState('starting', { template, before })
}

export function saveRun(run: Run): void {
  core.saveState('run', run)
}

export function savePublished(): void {
  core.saveState('published', 'true')
}

export function readState(): StepState {
  const run = core.getState('run')
  const starting = core.getState('starting')
  return {
    published: core.getState('published') === 'true',
    // Written by this step itself, a moment ago.
    ...(run ? { run: JSON.parse(run) as Run } : {}),
    ...(starting ? { starting: JSON.parse(starting) as { template: number; before: number[] } } : {}),
  }
}
