import type { InputReader } from './input-reader.js'
import type { Mode } from './modes.js'

/** What mode history is asked for. */
export interface HistoryWish {
  /** How many runs at most. */
  runs: number
  /** Name of the artifact that holds the page. */
  artifact: string
}

/** A run costs two requests to GitHub, and a job's token may send 1,000 per hour. */
const mostRuns = 200

/** Those of action.yml. */
const defaults = { 'history-runs': '100', 'history-artifact': 'load-test-history' }

/** Reads `history-runs` and `history-artifact`, and reports them as mistakes if they have no effect. */
export function readHistory(read: InputReader, mode: Mode): { history?: HistoryWish } {
  if (mode !== 'history') {
    read.onlyFor('history', defaults)
    return {}
  }
  const artifact = read.artifactName('history-artifact')
  if (artifact === '' || artifact === read.text('outcome-artifact')) {
    read.fault(
      'history-artifact must not be empty or the same as outcome-artifact: name the artifact for the page of the history.',
    )
  }
  return { history: { runs: read.whole('history-runs', 1, mostRuns), artifact } }
}
