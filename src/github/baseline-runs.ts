import { readFile } from 'node:fs/promises'
import type { EarlierOutcome } from '../baseline/baseline.js'
import { parseOutcome } from '../baseline/outcome-file.js'
import type { ArtifactStore } from './artifact-store.js'
import { outcomeFileOf, ownRuns, type Look, type RunSearch } from './own-runs.js'
import type { Octokit } from './pull-request.js'

const look: Look = { status: 'success', most: 100, perPage: 30, purpose: 'baselines' }

/** The outcomes of the latest successful runs of this workflow on the first branch that has any. */
export async function findBaselineOutcomes(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  search: RunSearch,
): Promise<EarlierOutcome[]> {
  for (const branch of search.branches) {
    const found = await onBranch(octokit, store, search, branch)
    if (found.length > 0) return found
    search.log.info(`No earlier successful run on ${branch} has the artifact ${search.artifact}.`)
  }
  return []
}

async function onBranch(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  search: RunSearch,
  branch: string,
): Promise<EarlierOutcome[]> {
  const outcomes: EarlierOutcome[] = []
  for await (const run of ownRuns(octokit, search, branch, look)) {
    const file = await outcomeFileOf(octokit, store, search, run.id)
    // A run that read no report leaves an outcome without figures.
    if (file === undefined || 'fault' in parseOutcome(await readFile(file, 'utf8'))) continue
    outcomes.push({ path: file, url: run.html_url, branch, commit: run.head_sha })
    if (outcomes.length >= search.count) break
  }
  return outcomes
}
