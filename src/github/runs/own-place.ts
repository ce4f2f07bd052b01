import type { OwnPlace } from '../../baseline/absence.js'
import { whyNotOfBranch } from '../../outcome/code-origin.js'
import { message } from '../../errors.js'
import type { Step } from '../../outcome/outcome.js'
import { defined } from '../../text/fields.js'
import type { Octokit } from '../pull-request/pull-request.js'
import { statusOf } from '../status-of.js'
import type { RunSearch } from './runs.js'

/** How many runs of other workflows are looked at. */
const mostLooks = 10

/** This run, as far as it matters for a baseline. */
export interface OwnRun {
  step: Pick<Step, 'event' | 'head' | 'ref' | 'sha'>
  /** Whether it judges the report of another workflow run: then its code is not what was measured. */
  isOfOtherRun: boolean
  /** Name of the workflow's file. */
  workflow: string
  /** Path of that file, if it is one of this repository. */
  workflowPath?: string
  /** The branch that a pull request wants to change. */
  base?: string
}

/**
 * Where this run stands if there is no earlier run, or none that can be compared.
 *
 * @param hasEarlier GitHub is only asked if there is none
 */
export async function ownPlace(
  octokit: Octokit,
  search: Pick<RunSearch, 'artifact' | 'branches' | 'log' | 'owner' | 'repo' | 'workflow'>,
  { step, isOfOtherRun, workflow, workflowPath, base }: OwnRun,
  hasEarlier: boolean,
): Promise<OwnPlace> {
  const [branch = ''] = search.branches
  const isOfWorkflow = search.workflow === workflow
  // Later runs look at the base of their pull request or at their own branch, then at the default branch.
  const own = search.branches.find((one) => whyNotOfBranch({ step }, one) === undefined)
  if (!isOfOtherRun && isOfWorkflow && own !== undefined) return { branch: own, first: 'branch' }
  if (hasEarlier) return { branch }
  const other = await otherWorkflow(octokit, search, branch)
  const named = isOfWorkflow ? undefined : search.workflow
  const place = { branch, ...defined({ otherWorkflow: other, workflow: named }) }
  if (step.event !== 'pull_request' || base === undefined || !isOfWorkflow) return place
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
  {
    owner,
    repo,
    artifact,
    workflow,
    log,
  }: Pick<RunSearch, 'artifact' | 'log' | 'owner' | 'repo' | 'workflow'>,
  branch: string,
): Promise<string | undefined> {
  try {
    const name = `${artifact.replace(/\.json$/, '')}.json`
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
