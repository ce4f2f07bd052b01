import type { LabelRecord, Push } from '../../judgement/label-record.js'
import { UserError } from '../../errors.js'
import { defined, fieldsOf, isFields, textOf, type Fields } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import type { Octokit, PullRequest } from './pull-request.js'
import { withTodo } from '../status-of.js'

/** Milliseconds for all calls together. */
export const readingLimit = 120_000

/** The head of a pull request; that of a fork which was deleted has no place. */
export interface Head {
  commit: string
  branch: string
  place?: { owner: string; repo: string }
}

/**
 * What somebody wants to know of a pull request.
 *
 * @param take may throw what the answer lacks
 * @throws UserError if it cannot be read
 */
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

/** @throws Error that says what it lacks */
export function pullHead(pull: Fields): Head {
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
  return asked(
    `what ${oneLine(username, 60)} may do in this repository could not be read`,
    'Run the job again, or name a token in github-token that may read it.',
    read,
  )
}

/** The latest pushes to the branch of a head, which may be in a fork. @throws UserError if they cannot be read */
export async function pushesTo(octokit: Octokit, { branch, place }: Head): Promise<Push[]> {
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

/** @throws UserError that says what could not be read, and what to do */
export async function asked<T>(what: string, todo: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw new UserError(`${what}: ${withTodo(error, todo)}`, { cause: error })
  }
}

/** What the interface promises, but a proxy or another server may leave out. @throws Error */
export function told(record: Fields, name: string): string {
  const text = textOf(record[name])
  if (text === undefined) throw new Error(`the answer lacks ${name}`)
  return text
}

export function recordsOf(list: unknown): Fields[] {
  if (!Array.isArray(list)) throw new Error('the answer is not a list')
  return list.filter(isFields)
}
