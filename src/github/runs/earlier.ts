import type { BranchOutcomes } from '../../actions/history/branch-outcomes.js'
import type { EarlierOutcomes } from '../../baseline/baseline.js'
import type { EarlierRuns } from '../../baseline/source.js'
import { UserError } from '../../errors.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import type { GitHubAccess } from '../access.js'
import type { Octokit } from '../pull-request/pull-request.js'
import { statusOf, withTodo } from '../status-of.js'
import { findBaselineOutcomes } from './baseline-runs.js'
import { findBranchOutcomes } from './history-runs.js'
import { ownPlace } from './own-place.js'
import type { RunSearch } from './runs.js'

/** The outcomes of earlier runs that this one is compared with. @throws UserError */
export async function earlierOutcomes(
  access: GitHubAccess,
  wanted: EarlierRuns & { folder: string },
  chosen: { base?: string } | undefined,
): Promise<EarlierOutcomes> {
  const { inputs, job, octokit, artifactStore } = access
  const ownRun = {
    step: job.step,
    workflow: job.workflow,
    isOfOtherRun:
      inputs.mode === 'judge' && inputs.report.kind === 'artifact' && inputs.report.run !== undefined,
    ...defined({ workflowPath: job.workflowPath, base: job.base }),
  }
  const purpose = {
    reader: 'baseline: artifact',
    runs: 'The earlier runs for baseline: artifact',
    missing:
      wanted.workflow &&
      `baseline-workflow is ${oneLine(wanted.workflow, 100)}, but this repository has no such workflow. Correct the name of its file.`,
  }
  return withRuns(access, purpose, async () => {
    const search = await runSearch(access, wanted, chosen?.base)
    const client = await octokit()
    const found = await findBaselineOutcomes(client, await artifactStore(), search)
    const isNone = wanted.branch !== undefined && found.outcomes.length + found.unread.length === 0
    const branches = isNone ? await insteadOf(client, search) : undefined
    const own = await ownPlace(client, search, ownRun, found.outcomes.length > 0)
    return { ...found, own, ...defined({ branches }) }
  })
}

/** The branches that there are, if the wanted one certainly is not one of them. */
async function insteadOf(
  octokit: Octokit,
  { owner, repo, branches: [branch = ''] }: RunSearch,
): Promise<string[] | undefined> {
  const status = await octokit.rest.repos.getBranch({ owner, repo, branch }).then(() => 200, statusOf)
  if (status !== 404) return undefined
  // Where the token may not read the repository's contents, this fails.
  const list = await octokit.rest.repos.listBranches({ owner, repo, per_page: 100 }).catch(() => undefined)
  return list?.data.map(({ name }) => name)
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
    const search = { ...(await runSearch(access, { runs: count, folder })), ...defined({ own }) }
    return findBranchOutcomes(await access.octokit(), await access.artifactStore(), search)
  })
}

/** @throws UserError that names the permission */
async function withRuns<T>(
  { inputs }: GitHubAccess,
  { reader, runs, missing }: { reader: string; runs: string; missing?: string | undefined },
  read: () => Promise<T>,
): Promise<T> {
  if (!inputs.githubToken)
    throw new UserError(`${reader} needs github-token, with the permission actions: read.`)
  try {
    return await read()
  } catch (error) {
    if (missing !== undefined && statusOf(error) === 404) throw new UserError(missing, { cause: error })
    throw new UserError(
      `${runs} could not be read: ${withTodo(error, 'The job needs the permission actions: read.')}`,
      { cause: error },
    )
  }
}

/**
 * What finds the earlier runs of a workflow.
 *
 * @param base the branch that the pull request wants to change on which the step comments
 */
async function runSearch(
  access: GitHubAccess,
  { runs: count, branch, workflow, folder }: EarlierRuns & { folder: string },
  base = access.job.base,
): Promise<RunSearch> {
  const { inputs, job, log } = access
  const { owner, repo } = job
  const usual = async () => [base ?? job.branch, job.defaultBranch ?? (await defaultBranch(access))]
  const branches = branch === undefined ? await usual() : [branch]
  return {
    owner,
    repo,
    workflow: workflow ?? job.workflow,
    branches: [...new Set(branches.filter((one) => one !== undefined))],
    artifact: `${inputs.name}-outcome`,
    count,
    ...('template' in inputs ? { template: inputs.template } : {}),
    currentRun: job.workflowRun,
    token: inputs.githubToken,
    folder,
    log,
  }
}

async function defaultBranch({ job: { owner, repo }, octokit }: GitHubAccess): Promise<string> {
  return (await (await octokit()).rest.repos.get({ owner, repo })).data.default_branch
}
