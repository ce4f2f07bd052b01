import type { LabelRecord, Push } from '../../judgement/acceptance.js'
import { UserError } from '../../errors.js'
import { defined, type Fields, fieldsOf, isFields, textOf } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { asked, type Octokit, type PullRequest, withTodo } from '../api/octokit.js'
import type { ActionInputs, Inputs } from '../../inputs/inputs.js'
import type { GitHubAccess } from '../job/job.js'

/** Milliseconds for all calls together. */
export const readingLimit = 120_000

/** What somebody takes from a pull request, who may throw what it lacks. @throws UserError if it cannot be read */
export function pullOf<T>(
  { rest }: Octokit,
  { owner, repo, number }: PullRequest,
  take: (pull: Fields) => T,
): Promise<T> {
  const todo = 'The job needs the permission pull-requests: read.'
  return asked(`pull request ${number} could not be read`, todo, async () => {
    const { data } = await rest.pulls.get({ owner, repo, pull_number: number })
    return take(fieldsOf(data))
  })
}

/** The head of a pull request; that of a fork which was deleted has no place. @throws UserError that says what it lacks */
export function pullHead(pull: Fields) {
  const head = fieldsOf(pull.head)
  const of = fieldsOf(head.repo)
  return {
    commit: told(head, 'sha'),
    branch: told(head, 'ref'),
    ...(isFields(head.repo)
      ? { place: { owner: told(fieldsOf(of.owner), 'login'), repo: told(of, 'name') } }
      : {}),
  }
}

/** What somebody may do in the repository. @throws UserError if it cannot be read */
export function permissionOf(
  octokit: Octokit,
  { owner, repo }: Pick<PullRequest, 'owner' | 'repo'>,
  username: string,
) {
  const read = async (): Promise<NonNullable<LabelRecord['setter']>> => {
    const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ owner, repo, username })
    const { permission, role_name: role } = fieldsOf(data)
    return defined({ permission: textOf(permission), role: textOf(role) })
  }
  const todo = 'Run the job again, or name a token in github-token that may read it.'
  return asked(`what ${oneLine(username, 60)} may do in this repository could not be read`, todo, read)
}

/** The latest pushes to the branch of a head, which may be in a fork. @throws UserError if they cannot be read */
export async function pushesTo(
  octokit: Octokit,
  { branch, place }: Omit<ReturnType<typeof pullHead>, 'commit'>,
): Promise<Push[]> {
  if (!place) return []
  const ref = `refs/heads/${branch}`
  const read = async () => {
    const ask = { ...place, ref, direction: 'desc', per_page: 100 } as const
    const { data } = await octokit.rest.repos.listActivities(ask)
    return recordsOf(data)
      .filter((one) => one.ref === ref)
      .map((one): Push => ({ commit: told(one, 'after'), ...defined({ at: textOf(one.timestamp) }) }))
  }
  const todo = 'The job needs the permission contents: read.'
  return asked(`the pushes to ${oneLine(branch, 80)} could not be read`, todo, read)
}

/** What the interface promises, but a proxy or another server may leave out. @throws UserError */
export function told(record: Fields, name: string): string {
  const text = textOf(record[name])
  if (text === undefined) throw new UserError(`the answer lacks ${name}. Run the job again.`)
  return text
}

export function recordsOf(list: unknown): Fields[] {
  if (!Array.isArray(list)) throw new UserError('the answer is not a list. Run the job again.')
  return list.filter(isFields)
}

/** Whether a run is of the repository's own code, and not of a fork. */
export function isOwn(
  run: { head_repository?: unknown },
  { owner, repo }: Pick<PullRequest, 'owner' | 'repo'>,
): boolean {
  // Null if the fork no longer exists.
  const head = run.head_repository
  return isFields(head) && head.full_name === `${owner}/${repo}`
}

/** The pull request to comment on, if any, with the branch that it wants to change where that is known. */
export async function chosenPull(
  access: GitHubAccess,
  comment: Inputs['comment'],
): Promise<(PullRequest & { base?: string }) | undefined> {
  const { owner, repo, step, base, eventCommits } = access.job
  const number = step.pullRequest
  if (number !== undefined) return { owner, repo, number, ...defined({ base }) }
  // One that an input names is not replaced by another, and who has no say is told on none.
  const isNone = namedPull(access.inputs) !== undefined || eventCommits.length === 0
  if (comment !== 'always' || isNone) return undefined
  const open = await openPull(access)
  return open && { owner, repo, ...open }
}

/** Asks about the pull request that started the workflow. @throws UserError without one, or without a token */
export async function onPull<T>(
  { job, octokit }: GitHubAccess,
  ask: (client: Octokit, pull: PullRequest) => Promise<T>,
): Promise<T> {
  const { owner, repo } = job
  const number = job.step.pullRequest
  if (number === undefined) throw new UserError('this workflow was not started by a pull request.')
  return ask(await octokit(), { owner, repo, number })
}

/** The only open pull request of the branch that was pushed, with that commit as its head. */
async function openPull(access: GitHubAccess): Promise<{ number: number; base?: string } | undefined> {
  const { job, octokit, log } = access
  const { owner, repo, sha: commit, branch } = job
  if (branch === undefined) {
    log.info(
      'comment: always: this run is for a tag, a merge group or a deployed commit, and no pull request is from one',
    )
    return undefined
  }
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

/**
 * The open pull requests of a branch of this repository whose head is this commit, and their bases; GitHub also lists
 * others that contain it, of other branches and of forks.
 */
export async function openPulls(
  octokit: Octokit,
  at: Pick<PullRequest, 'owner' | 'repo'> & { commit: string; branch: string },
): Promise<{ number: number; base?: string }[]> {
  const { owner, repo, commit, branch } = at
  return (await pullsWith(octokit, { owner, repo, commit }))
    .filter(({ state, head }) => state === 'open' && head.sha === commit && head.ref === branch)
    .filter(({ head }) => isOwn({ head_repository: head.repo }, { owner, repo }))
    .map(({ number, base }) => ({ number, ...defined({ base: textOf(fieldsOf(base).ref) }) }))
}

/** The numbers of the pull requests whose merge into the branch is this commit. */
export async function mergedPulls(
  octokit: Octokit,
  { branch, ...at }: Parameters<typeof pullsWith>[1] & { branch: string },
): Promise<number[]> {
  return (await pullsWith(octokit, at))
    .filter((one) => one.merged_at && one.merge_commit_sha === at.commit && one.base.ref === branch)
    .map(({ number }) => number)
}

function pullsWith(
  octokit: Octokit,
  { owner, repo, commit }: Pick<PullRequest, 'owner' | 'repo'> & { commit: string },
) {
  const { listPullRequestsAssociatedWithCommit: list } = octokit.rest.repos
  return octokit.paginate(list, { owner, repo, commit_sha: commit, per_page: 100 })
}

export function namedPull(inputs: ActionInputs): number | undefined {
  return 'pullRequest' in inputs ? inputs.pullRequest : undefined
}
