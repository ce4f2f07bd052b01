import { UserError } from '../../errors.js'
import { commitName, personWhoMayWrite, pushOf, timeOf, type Push } from '../../judgement/label-record.js'
import { fieldsOf, textOf, type Fields } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import type { Cause } from '../job/job.js'
import { statusOf } from '../status-of.js'
import { asked, pullHead, permissionOf, pullOf, pushesTo, told, type Head } from './pull-reading.js'
import type { Octokit, PullRequest } from './pull-request.js'

/* A load test of a pull request that somebody asks for: by a comment, or by hand. */

/** What is known about a pull request whose test is asked for. */
export interface DemandedPull {
  isOpen: boolean
  /** The branch that it wants to change. */
  base: string
  head: Head
}

/**
 * The pull request that an input names.
 *
 * @param cause what started the workflow, where anybody may have done that
 * @throws UserError if that does not ask for a load test, if there is no such pull request, or if it cannot be read
 */
export async function demandedPull(
  octokit: Octokit,
  at: PullRequest,
  cause: Cause | undefined,
): Promise<DemandedPull> {
  if (cause) await checkAsker(octokit, at, cause)
  try {
    return await pullOf(octokit, at, demanded)
  } catch (error) {
    const isMissing = error instanceof UserError && statusOf(error.cause) === 404
    if (!isMissing) throw error
    throw new UserError(
      `there is no pull request ${at.number} in this repository. Name one: an issue has no code to test.`,
      { cause: error },
    )
  }
}

function demanded(pull: Fields): DemandedPull {
  return {
    isOpen: told(pull, 'state') === 'open',
    base: told(fieldsOf(pull.base), 'ref'),
    head: pullHead(pull),
  }
}

/** What a stranger may do in a public repository, and what then starts a run of the default branch, with its secrets. */
const byAnybody = new Set(['issue_comment', 'issues', 'discussion', 'discussion_comment', 'fork', 'watch'])

export function isByAnybody({ event }: Cause): boolean {
  return byAnybody.has(event)
}

/** @throws UserError unless a person who may write asks for a load test */
export async function checkAsker(
  octokit: Octokit,
  at: Pick<PullRequest, 'owner' | 'repo'>,
  { event, action, by }: Cause,
): Promise<void> {
  if (event === 'issue_comment' && action !== 'created') {
    throw new UserError('a comment that is edited or deleted asks for nothing. Write a new one.')
  }
  const permission = by && !by.isBot ? await permissionOf(octokit, at, by.login) : undefined
  const person = personWhoMayWrite(by, permission)
  if ('who' in person) {
    throw new UserError(`${person.who} asked for it${person.as}. Let a person with write access ask for it.`)
  }
}

/**
 * Why the head of a pull request may not be the code that somebody had in mind. In the repository itself only those may
 * push who may also ask for a load test.
 *
 * @param run the number of this workflow run, which was created when the load test was asked for
 * @returns the reason as a sentence; undefined if there is none
 * @throws UserError if that cannot be read
 */
export async function whyNotSeen(
  octokit: Octokit,
  at: PullRequest,
  head: Head,
  run: number,
): Promise<string | undefined> {
  if (!head.place)
    return 'its head is in a fork that was deleted, so nobody knows when it was pushed. Open another one from a branch.'
  const { owner, repo } = head.place
  if (isSameName(`${owner}/${repo}`, `${at.owner}/${at.repo}`)) return undefined
  const pushes = await pushesTo(octokit, head)
  return whyPushedLater(head.commit, pushes, await creationOf(octokit, at, run))
}

/** Why a commit of a fork may have been pushed after a moment, as a sentence. */
export function whyPushedLater(
  commit: string,
  pushes: readonly Push[],
  moment: string | undefined,
): string | undefined {
  const push = pushOf(commit, pushes)
  const name = commitName(commit)
  if (!push) return `GitHub does not say when its head ${name} was pushed to the fork. Ask again in a minute.`
  if (push.time < timeOf(moment)) return undefined
  return `its head ${name} was pushed to the fork at ${oneLine(push.at, 40)}, and this was asked for at ${oneLine(moment ?? 'an unknown time', 40)}. Look at the change, then ask again.`
}

async function creationOf(octokit: Octokit, { owner, repo }: PullRequest, run: number) {
  const read = async () => {
    const { data } = await octokit.rest.actions.getWorkflowRun({ owner, repo, run_id: run })
    return textOf(fieldsOf(data).created_at)
  }
  return asked('this workflow run could not be read', 'The job needs the permission actions: read.', read)
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
