import { defined } from '../../text/fields.js'
import * as core from '@actions/core'
import { actionOf, type ActionName } from '../../outcome/kinds.js'
import type { Run, Step } from '../../outcome/outcome.js'

/**
 * What the main step leaves for its post step, stored by the runner for this step alone: two steps of one job and the
 * legs of a matrix never see each other's.
 */
export interface StepState {
  /** The main step has reported everything. */
  published: boolean
  /** ISO 8601; absent if the main step never began its work. */
  startedAt?: string
  action: ActionName
  /** The commit that is tested, and what was checked out. */
  tested: Pick<Step, 'commit' | 'head'>
  /** What distinguished it from other steps, where the post step may be called something else. */
  stepName?: string
  /** A start was about to be requested, where the highest number of a load test was this. */
  starting?: { template: number; highest: number }
  run?: Pick<Run, 'number' | 'url'>
  /** The run that it is to confirm, which has ended. */
  confirms?: number
  /** A later attempt of the job finds the run by its note. */
  noted: boolean
  /** The run has ended, and the list showed what belongs to this step. */
  settled: boolean
  /** The code archive that was uploaded; its id where the service named it. */
  archive?: { sha512: string; id?: string }
}

export function saveStarted(time: string, action: ActionName, stepName: string): void {
  core.saveState('action', action)
  core.saveState('started-at', time)
  core.saveState('step-name', stepName)
}

export function saveCommit({ commit = '', head = '' }: StepState['tested']): void {
  core.saveState('commit', `${commit} ${head}`)
}

/** Everything that is kept about a run is about the latest one. */
export function saveStarting(template: number, highest: number, confirms?: number): void {
  core.saveState('starting', `${template} ${highest}`)
  if (confirms === undefined) return
  saveConfirms(confirms)
  for (const name of ['run', 'noted', 'settled']) core.saveState(name, '')
}

export function saveConfirms(number: number): void {
  core.saveState('confirms', String(number))
}

export function saveRun({ number, url = '' }: Run): void {
  core.saveState('run', `${number} ${url}`)
}

export function saveNoted(): void {
  core.saveState('noted', 'true')
}

export function saveSettled(): void {
  core.saveState('settled', 'true')
}

export function saveArchive({ sha512, id = '' }: { sha512: string; id?: string }): void {
  core.saveState('archive', `${sha512} ${id}`)
}

export function savePublished(): void {
  core.saveState('published', 'true')
}

export function readState(): StepState {
  const startedAt = core.getState('started-at')
  const [template, highest] = numbers(core.getState('starting'))
  const [number, url] = core.getState('run').split(' ', 2)
  const [confirms] = numbers(core.getState('confirms'))
  const [commit, head] = core.getState('commit').split(' ', 2)
  const [, sha512, id] = /^(\S+) (.*)$/.exec(core.getState('archive')) ?? []
  return {
    published: core.getState('published') === 'true',
    action: actionOf(core.getState('action')),
    noted: core.getState('noted') === 'true',
    settled: core.getState('settled') === 'true',
    tested: defined({ commit: commit || undefined, head: head || undefined }),
    ...defined({
      startedAt: startedAt || undefined,
      stepName: core.getState('step-name') || undefined,
      starting: template === undefined || highest === undefined ? undefined : { template, highest },
      run: number ? { number: Number(number), ...defined({ url: url || undefined }) } : undefined,
      confirms,
      archive: sha512 ? { sha512, ...defined({ id: id || undefined }) } : undefined,
    }),
  }
}

function numbers(text: string): number[] {
  return text === '' ? [] : text.split(' ').map(Number)
}
