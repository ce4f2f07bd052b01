import type { EarlierOutcome } from '../../baseline/baseline.js'
import type { World } from '../../world.js'

/** The outcome files of a branch's latest runs, on disk. */
export interface BranchOutcomes {
  branch: string
  /** The latest first. */
  outcomes: EarlierOutcome[]
  /** A sentence for each that could not be fetched. */
  unread: string[]
}

/** What the history needs of the world. */
export interface HistoryWorld extends Pick<World, 'log' | 'signal'> {
  /** The outcomes of the latest runs on the branch, whatever their verdict, at most that many. */
  branchOutcomes: (runs: number) => Promise<BranchOutcomes>
}
