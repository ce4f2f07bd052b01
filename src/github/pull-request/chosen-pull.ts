import { message, UserError } from '../../errors.js'
import type { Inputs } from '../../inputs/inputs.js'
import type { GitHubAccess } from '../access.js'
import { openPulls, type Octokit, type PullRequest } from './pull-request.js'

/** The pull request to comment on, if any. */
export async function chosenPull(
  access: GitHubAccess,
  comment: Inputs['comment'],
): Promise<PullRequest | undefined> {
  const { owner, repo, step } = access.job
  const number = step.pullRequest ?? (comment === 'always' ? await openPull(access) : undefined)
  return number === undefined ? undefined : { owner, repo, number }
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

/** The number of the only open pull request whose head is the commit that was pushed. */
async function openPull({ job, octokit, log }: GitHubAccess): Promise<number | undefined> {
  const { owner, repo, sha: commit } = job
  try {
    const numbers = await openPulls(await octokit(), { owner, repo, commit })
    const [only, ...more] = numbers
    if (only !== undefined && more.length === 0) return only
    log.info(
      only === undefined
        ? 'comment: always: the commit is the head of no open pull request'
        : `comment: always: the commit is the head of several open pull requests, so none gets the comment: ${numbers.join(', ')}`,
    )
  } catch (error) {
    log.warning(
      `comment: always: the commit's pull request could not be looked up: ${message(error)}. The job needs the permission pull-requests: write.`,
    )
  }
  return undefined
}
