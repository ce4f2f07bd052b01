import { UserError } from '../../errors.js'
import type { Inputs } from '../../inputs/inputs.js'
import { defined } from '../../text/fields.js'
import type { GitHubAccess } from '../access.js'
import { namedPull } from '../demanded-job.js'
import { openPulls, type Octokit, type PullRequest } from './pull-request.js'
import { withTodo } from '../status-of.js'

/** The pull request to comment on, if any, with the branch that it wants to change where that is known. */
export async function chosenPull(
  access: GitHubAccess,
  comment: Inputs['comment'],
): Promise<(PullRequest & { base?: string }) | undefined> {
  const { owner, repo, step, base } = access.job
  const number = step.pullRequest
  if (number !== undefined) return { owner, repo, number, ...defined({ base }) }
  // One that an input names is not replaced by another.
  if (comment !== 'always' || namedPull(access.inputs) !== undefined) return undefined
  const open = await openPull(access)
  return open && { owner, repo, ...open }
}

/** Asks about the pull request that started the workflow. @throws UserError without one, or without a token */
export async function onPull<T>(
  { inputs, job, octokit }: GitHubAccess,
  ask: (client: Octokit, pull: PullRequest) => Promise<T>,
): Promise<T> {
  const { owner, repo } = job
  const number = job.step.pullRequest
  if (number === undefined) throw new UserError('this workflow was not started by a pull request.')
  if (!inputs.githubToken) throw new UserError('github-token is empty. Remove it, or name a token.')
  return ask(await octokit(), { owner, repo, number })
}

/** The only open pull request of the branch that was pushed, with that commit as its head. */
async function openPull({
  job,
  octokit,
  log,
}: GitHubAccess): Promise<{ number: number; base?: string } | undefined> {
  const { owner, repo, sha: commit, branch } = job
  try {
    const pulls = await openPulls(await octokit(), { owner, repo, commit, branch })
    const [only, ...more] = pulls
    if (only !== undefined && more.length === 0) return only
    log.info(
      only === undefined
        ? 'comment: always: the commit is the head of no open pull request'
        : `comment: always: the commit is the head of several open pull requests, so none gets the comment: ${pulls.map(({ number }) => number).join(', ')}`,
    )
  } catch (error) {
    log.warning(
      `comment: always: the commit's pull request could not be looked up: ${withTodo(error, 'The job needs the permission pull-requests: write.')}`,
    )
  }
  return undefined
}
