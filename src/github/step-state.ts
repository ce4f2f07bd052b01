import * as core from '@actions/core'
import type { Run } from '../outcome.js'

/**
 * What the main step leaves for its post step, kept by the runner for this step alone: two steps of one job and
 * the legs of a matrix never see each other's.
 */
export interface StepState {
  /** The main step told everything there is to tell. */
  published: boolean
  /** ISO 8601; absent where the main step never began its story. */
  startedAt?: string
  /** A start was about to be asked for, while these load tests existed. */
  starting?: { template: number; before: number[] }
  run?: Pick<Run, 'number' | 'url'>
  /** The code archive that was uploaded, where the service named its id. */
  archiveId?: string
}

export function saveStartedAt(time: string): void {
  core.saveState('started-at', time)
}

export function saveStarting(template: number, before: readonly number[]): void {
  core.saveState('starting', [template, ...before].join(' '))
}

export function saveRun({ number, url }: Run): void {
  core.saveState('run', `${number} ${url}`)
}

export function saveArchive(id: string): void {
  core.saveState('archive', id)
}

export function savePublished(): void {
  core.saveState('published', 'true')
}

export function readState(): StepState {
  const startedAt = core.getState('started-at')
  const [template, ...before] = numbers(core.getState('starting'))
  const [number, url] = core.getState('run').split(' ', 2)
  const archiveId = core.getState('archive')
  return {
    published: core.getState('published') === 'true',
    ...(startedAt ? { startedAt } : {}),
    ...(template === undefined ? {} : { starting: { template, before } }),
    ...(number && url ? { run: { number: Number(number), url } } : {}),
    ...(archiveId ? { archiveId } : {}),
  }
}

function numbers(text: string): number[] {
  return text === '' ? [] : text.split(' ').map(Number)
}
