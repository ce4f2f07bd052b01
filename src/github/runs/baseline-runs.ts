import type { EarlierOutcome, EarlierOutcomes } from '../../baseline/baseline.js'
import { message } from '../../errors.js'
import type { ArtifactStore } from '../artifacts/store.js'
import { outcomeFileOf, OutcomeFault, parsedOutcome } from './run-outcome.js'
import { ownRuns, type Look, type RunSearch } from './runs.js'
import type { Octokit } from '../pull-request/pull-request.js'
import { statusOf } from '../status-of.js'

const look: Look = { status: 'success', most: 100, perPage: 30, purpose: 'baselines' }

/**
 * The outcomes of the latest successful runs of this workflow on the first branch that has any. A run counts only if
 * its own outcome says that the branch's code was measured. One whose outcome cannot be used is named, and the next
 * counts.
 *
 * @throws Error if the runs cannot be listed, or if none is found and one could not be fetched
 */
export async function findBaselineOutcomes(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  search: RunSearch,
): Promise<Pick<EarlierOutcomes, 'outcomes' | 'unread'>> {
  const unread: string[] = []
  let failure: Error | undefined
  for (const branch of search.branches) {
    const outcomes: EarlierOutcome[] = []
    for await (const run of ownRuns(octokit, search, branch, look)) {
      try {
        const path = await baselineFile(octokit, store, search, { run, branch })
        if (path !== undefined) outcomes.push({ path, url: run.html_url, branch, commit: run.head_sha })
      } catch (error) {
        // A permission that is missing for one run, or a limit, is so for all.
        if ([401, 403, 429].includes(statusOf(error) ?? 0)) throw error
        const isUnusable = error instanceof OutcomeFault
        if (!isUnusable && statusOf(error) !== 404) failure ??= asError(error)
        const what = isUnusable ? error.message : `could not be fetched (${message(error)})`
        unread.push(`Workflow run ${run.id} on ${branch} ${what}, so it is left out.`)
      }
      if (outcomes.length >= search.count) break
    }
    if (outcomes.length > 0) return { outcomes, unread }
    search.log.info(`No earlier successful run on ${branch} has the artifact ${search.artifact}.`)
  }
  // It may be a baseline: without it, nobody knows that there is none.
  if (failure) throw failure
  return { outcomes: [], unread }
}

/** The outcome file of a run if it has figures, and has measured the branch's code. */
async function baselineFile(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  search: RunSearch,
  { run, branch }: { run: { id: number; run_attempt?: number }; branch: string },
): Promise<string | undefined> {
  const file = await outcomeFileOf(octokit, store, search, run)
  const parsed = file === undefined ? undefined : parsedOutcome(file)
  const why = parsed?.whyNotOfBranch(branch)
  if (why !== undefined) search.log.info(`Workflow run ${run.id} ${why}, so it is not a baseline.`)
  return parsed && why === undefined ? file : undefined
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(message(error))
}
