import type { Inputs } from '../inputs/inputs.js'
import type { Run, Step } from '../outcome/outcome.js'
import type { Scope } from '../service/operations.js'
import type { World } from '../world.js'
import type { EarlierStarts, StartNote } from './earlier-start.js'

/** What a start needs of the world. */
export interface StartWorld
  extends Pick<World, 'clock' | 'deflateWorker' | 'log' | 'signal' | 'temp'>, EarlierStarts {
  /** Where the step runs. */
  step: Omit<Step, 'seconds'>
  /** The repository's name, which the archive's top-level directory gets. */
  topLevel?: string
  keep: Keep
}

/** Gets everything that must outlive the step, the moment it is known. */
export interface Keep {
  /**
   * A start is about to be requested. What was kept about an earlier run is dropped.
   *
   * @throws UserError if that cannot be recorded: then there must be no start
   */
  starting(note: StartNote): Promise<void>
  /** The service has refused that start. */
  notStarted(note: StartNote): void
  /** What became of a start, of this attempt or an earlier one, becomes known at the end of the step. */
  tellsOf(note: StartNote): void
  /**
   * The run exists. `note` is there for one that was just started; `expectedEnd` is ISO 8601, from the template's own
   * last run; `confirms` is the number of the run that this one is to confirm. GitHub learns about it while
   * the run is followed.
   */
  run(run: Run, more: { note?: StartNote; expectedEnd?: string; confirms?: number }): void
  archive(archive: { id?: string; sha512: string }): void
  /** What was measured, where this step has not done that itself. */
  measured(code: Pick<Step, 'commit' | 'head'>): void
  /** The run has ended, and the list was read once more: no second one belongs to this step. */
  settled(): void
}

/** What the main step left when it was cancelled or killed, or when its run was not known at its end. */
export interface Remains {
  start?: StartNote
  run?: Pick<Run, 'number' | 'url'>
  /** The run that it is to confirm, which has ended. */
  confirms?: number
  archive?: { sha512: string; id?: string }
  /** The service that it asks; absent in actions that use none. */
  service?: PlannedService
}

/** What the rest of a step about a load test is to do at its service. */
export interface PlannedService extends Pick<Inputs, 'baseUrl' | 'project' | 'runPage'> {
  scopes: readonly Scope[]
  deletesArchive: boolean
}
