import type { InputReader } from './input-reader.js'
import { readBaselineRuns } from './judging.js'

/** What a history is asked for. */
export interface HistoryWish {
  /** How many runs at most. */
  runs: number
  /** Name of the artifact that holds the page. */
  artifact: string
  /** How many runs gates compare each run with, at most. */
  baselineRuns: number
}

/** A run costs two requests to GitHub, and a job's token may send 1,000 per hour. */
const mostRuns = 200

/** Reads `history-runs`, `history-artifact` and `baseline-runs`. */
export function readHistory(read: InputReader): HistoryWish {
  return {
    runs: read.whole('history-runs', 1, mostRuns),
    artifact: read.artifactName('history-artifact'),
    baselineRuns: readBaselineRuns(read),
  }
}
