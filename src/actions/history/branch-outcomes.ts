import type { EarlierOutcome } from '../../baseline/baseline.js'

/** The outcome files of a branch's latest runs, on disk. */
export interface BranchOutcomes {
  branch: string
  /** The latest first. */
  outcomes: EarlierOutcome[]
  /** A sentence for each that could not be fetched. */
  unread: string[]
}
