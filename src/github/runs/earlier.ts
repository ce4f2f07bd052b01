import type { BranchOutcomes } from '../../actions/history/branch-outcomes.js'
import type { EarlierOutcomes } from '../../baseline/baseline.js'
import { message, UserError } from '../../errors.js'
import { defined } from '../../text/fields.js'
import type { GitHubAccess } from '../access.js'
import { findBaselineOutcomes } from './baseline-runs.js'
import { findBranchOutcomes } from './history-runs.js'
import { ownPlace } from './own-place.js'
import type { RunSearch } from './runs.js'

/** The outcomes of earlier runs that this one is compared with. @throws UserError */
export async function earlierOutcomes(
  access: GitHubAccess,
  count: number,
  folder: string,
): Promise<EarlierOutcomes> {
  const { inputs, job, octokit, artifactStore } = access
  const ownRun = {
    step: job.step,
    isOfOtherRun:
      inputs.mode === 'judge' && inputs.report.kind === 'artifact' && inputs.report.run !== undefined,
    ...defined({ workflowPath: job.workflowPath, base: job.base }),
  }
  const purpose = { reader: 'baseline: artifact', runs: 'The earlier runs for baseline: artifact' }
  return withRuns(access, purpose, async () => {
    const search = await runSearch(access, count, folder)
    const client = await octokit()
    const found = await findBaselineOutcomes(client, await artifactStore(), search)
    return { ...found, own: await ownPlace(client, search, ownRun, found.outcomes.length > 0) }
  })
}

/** The outcomes of the runs of a branch. @throws UserError */
export async function branchOutcomes(
  access: GitHubAccess,
  count: number,
  folder: string,
): Promise<BranchOutcomes> {
  const { branch, sha: commit, step } = access.job
  const own = branch === undefined ? undefined : { branch, url: step.workflowRunUrl ?? '', commit }
  return withRuns(access, { reader: 'The history', runs: 'The runs of the history' }, async () => {
    const search = { ...(await runSearch(access, count, folder)), ...defined({ own }) }
    return findBranchOutcomes(await access.octokit(), await access.artifactStore(), search)
  })
}

/** @throws UserError that names the permission */
async function withRuns<T>(
  { inputs }: GitHubAccess,
  { reader, runs }: { reader: string; runs: string },
  read: () => Promise<T>,
): Promise<T> {
  if (!inputs.githubToken)
    throw new UserError(`${reader} needs github-token, with the permission actions: read.`)
  try {
    return await read()
  } catch (error) {
    throw new UserError(
      `${runs} could not be read: ${message(error)}. The job needs the permission actions: read.`,
      { cause: error },
    )
  }
}

/** What finds the earlier runs of this workflow. */
async function runSearch(
  { inputs, job, octokit, log }: GitHubAccess,
  count: number,
  folder: string,
): Promise<RunSearch> {
  const { owner, repo } = job
  const defaultBranch = async () =>
    (await (await octokit()).rest.repos.get({ owner, repo })).data.default_branch
  return {
    owner,
    repo,
    workflow: job.workflow,
    branches: job.baseBranches.length > 0 ? job.baseBranches : [await defaultBranch()],
    artifact: inputs.outcomeArtifact,
    count,
    currentRun: job.workflowRun,
    token: inputs.githubToken,
    folder,
    log,
  }
}
