import type { Run, Step } from '../outcome/outcome.js'
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
