import type { EarlierOutcomes } from '../../baseline/baseline.js'
import type { EarlierRuns, OwnPlace } from '../../baseline/source.js'
import { message, UserError } from '../../errors.js'
import { plainName } from '../../text/attempt-name.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import type { GitHubAccess, JobFacts } from '../job/job.js'
import { type Octokit, statusOf, withTodo } from '../api/octokit.js'
import { findBaselineOutcomes, findBranchOutcomes } from './branch-runs.js'
import type { RunSearch } from './runs.js'
import { type Measured, whyNotOfBranch } from '../../outcome/code-origin.js'

/** The outcomes of earlier runs that this one is compared with. @throws UserError */
export async function earlierOutcomes(
  access: GitHubAccess,
  wanted: EarlierRuns & { folder: string },
  chosen: { base?: string } | undefined,
  measured?: Measured,
): Promise<EarlierOutcomes> {
  const { job, octokit, artifactStore } = access
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
    const none = { outcomes: [], reds: [], unread: [] }
    let fault: Error | undefined
    const found = await findBaselineOutcomes(client, await artifactStore(), search).catch(
      (error: unknown) => {
        const isMissing = wanted.branch !== undefined && statusOf(error) === 404
        if (!isMissing || !(error instanceof Error)) throw error
        fault = error
        return none
      },
    )
    if (wanted.branch !== undefined && found.outcomes.length + found.unread.length === 0) {
      const branches = await insteadOf(client, search)
      if (branches) return { ...none, own: { branch: wanted.branch }, branches }
      if (fault) throw fault
    }
    const own = await ownPlace(client, search, { ...job, ...measured }, found.outcomes.length > 0)
    return { ...found, own }
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

/** Reads the outcomes of the runs of a branch. @throws UserError */
export async function branchOutcomes(
  access: GitHubAccess,
  count: number,
  folder: string,
  read: Parameters<typeof findBranchOutcomes>[3],
): ReturnType<typeof findBranchOutcomes> {
  const { branch, sha: commit, step } = access.job
  const own = branch === undefined ? undefined : { branch, url: step.workflowRunUrl ?? '', commit }
  return withRuns(access, { reader: 'The history', runs: 'The runs of the history' }, async () => {
    const search = { ...(await runSearch(access, { runs: count, folder })), ...defined({ own }) }
    return findBranchOutcomes(await access.octokit(), await access.artifactStore(), search, read)
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

/** What finds the earlier runs. @param base the branch that the pull request of the comment wants to change */
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

/** How many runs of other workflows are looked at. */
const mostLooks = 10

/** Where this run stands if no earlier one can be compared. @param hasEarlier GitHub is only asked if there is none */
export async function ownPlace(
  octokit: Octokit,
  search: Pick<RunSearch, 'artifact' | 'branches' | 'log' | 'owner' | 'repo' | 'workflow'>,
  {
    workflow,
    workflowPath,
    base,
    ...measured
  }: Measured & Pick<JobFacts, 'workflow' | 'workflowPath' | 'base'>,
  hasEarlier: boolean,
): Promise<OwnPlace> {
  const [branch = ''] = search.branches
  const isOfWorkflow = search.workflow === workflow
  // Later runs look at the base of their pull request or at their own branch, then at the default branch.
  const own = search.branches.find((one) => whyNotOfBranch(measured, one) === undefined)
  if (isOfWorkflow && own !== undefined) return { branch: own, first: 'branch' }
  if (hasEarlier) return { branch }
  const other = await otherWorkflow(octokit, search, branch)
  const named = isOfWorkflow ? undefined : search.workflow
  const place = { branch, ...defined({ otherWorkflow: other, workflow: named }) }
  if (measured.step.event !== 'pull_request' || base === undefined || !isOfWorkflow) return place
  const has = await baseHas(octokit, search, base, workflowPath)
  if (has === false) return { ...place, first: 'pull-request' }
  return has === true ? place : { ...place, unknown: has.unknown }
}

/**
 * Whether a branch has the workflow's file. Where the token may not read files, GitHub answers 403; it has listed runs
 * of this repository before, so that 404 is about the file alone.
 */
async function baseHas(
  octokit: Octokit,
  { owner, repo }: Pick<RunSearch, 'owner' | 'repo'>,
  base: string,
  path: string | undefined,
): Promise<boolean | { unknown: string }> {
  if (path === undefined) return { unknown: 'the workflow is of another repository' }
  try {
    await octokit.rest.repos.getContent({ owner, repo, path, ref: `refs/heads/${base}` })
    return true
  } catch (error) {
    return statusOf(error) === 404 ? false : { unknown: message(error) }
  }
}

/** Another workflow with outcomes of a branch. Where that cannot be read, none is named. */
async function otherWorkflow(
  octokit: Octokit,
  search: Pick<RunSearch, 'artifact' | 'log' | 'owner' | 'repo' | 'workflow'>,
  branch: string,
): Promise<string | undefined> {
  const { owner, repo, artifact, workflow, log } = search
  try {
    const name = `${plainName(artifact)}.json`
    const { data } = await octokit.rest.actions.listArtifactsForRepo({ owner, repo, name, per_page: 100 })
    const ofBranch = data.artifacts.flatMap(({ workflow_run: run }) =>
      run?.id !== undefined && run.head_branch === branch && run.head_repository_id === run.repository_id
        ? [run.id]
        : [],
    )
    for (const id of [...new Set(ofBranch)].slice(0, mostLooks)) {
      const { data: run } = await octokit.rest.actions.getWorkflowRun({ owner, repo, run_id: id })
      const file = run.path.slice(run.path.lastIndexOf('/') + 1).replace(/@.*$/, '')
      if (file !== workflow && !run.event.startsWith('pull_request')) return file
    }
  } catch (error) {
    log.debug(message(error))
  }
  return undefined
}
