import {
  isSame,
  latestEvent,
  type LabelEvent,
  type LabelRecord,
  type Push,
} from '../../judgement/label-record.js'
import { message, UserError } from '../../errors.js'
import { defined, fieldsOf, isFields, textOf, type Fields } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { within } from '../deadline.js'
import type { Octokit, PullRequest } from './pull-request.js'

/** Milliseconds for all calls together. */
const readingLimit = 120_000
/** A pull request with more pages of events is not read to its end. */
const mostPages = 50

/**
 * Reads who set a label on a pull request, what they may do, and when its head was pushed. If the pull request does
 * not have the label, nothing more is requested.
 *
 * The time of a push is that of the repository's activity: a commit's own dates are whatever its author wrote, and
 * its checks may be of an earlier push of it, to another branch.
 *
 * @throws UserError with the permission that it takes
 */
export async function readLabels(octokit: Octokit, at: PullRequest, label: string): Promise<LabelRecord> {
  return within(readingLimit, read(octokit, at, label))
}

async function read(octokit: Octokit, at: PullRequest, label: string): Promise<LabelRecord> {
  const { head, labels } = await pullOf(octokit, at)
  const record = { pull: at.number, head: head.commit, labels, events: [], pushes: [] }
  if (!labels.some((name) => isSame(name, label))) return record
  const events = await eventsOf(octokit, at)
  const set = latestEvent(events, label)
  const by = set === 'unclear' ? undefined : set?.by
  return {
    ...record,
    events,
    ...defined({ setter: by && !by.isBot ? await permissionOf(octokit, at, by.login) : undefined }),
    pushes: await pushesTo(octokit, head),
  }
}

/**
 * Whether all of that can be read, for the pull request's author instead of the person who sets a label. @throws
 * UserError
 */
export async function tryReadLabels(octokit: Octokit, at: PullRequest): Promise<void> {
  const { head, author } = await pullOf(octokit, at)
  await eventsOf(octokit, at)
  await permissionOf(octokit, at, author)
  await pushesTo(octokit, head)
}

/** The head commit of a pull request. @throws UserError */
export async function headCommit(octokit: Octokit, at: PullRequest): Promise<string> {
  return (await pullOf(octokit, at)).head.commit
}

interface Pull {
  author: string
  labels: string[]
  head: Head
}

/** The head of a pull request; that of a fork which was deleted has no place. */
interface Head {
  commit: string
  branch: string
  place?: { owner: string; repo: string }
}

function pullOf({ rest }: Octokit, { owner, repo, number }: PullRequest): Promise<Pull> {
  const read = async (): Promise<Pull> => {
    const { data } = await rest.pulls.get({ owner, repo, pull_number: number })
    const pull = fieldsOf(data)
    const head = fieldsOf(pull.head)
    const of = fieldsOf(head.repo)
    return {
      author: told(fieldsOf(pull.user), 'login'),
      labels: recordsOf(pull.labels).map((label) => told(label, 'name')),
      head: {
        commit: told(head, 'sha'),
        branch: told(head, 'ref'),
        ...(isFields(head.repo)
          ? { place: { owner: told(fieldsOf(of.owner), 'login'), repo: told(of, 'name') } }
          : {}),
      },
    }
  }
  const todo = 'The job needs the permission pull-requests: read.'
  return asked(`pull request ${number} could not be read`, todo, read)
}

/** Up to the last page, which has the latest events. */
function eventsOf(octokit: Octokit, { owner, repo, number }: PullRequest): Promise<LabelEvent[]> {
  const at = { owner, repo, issue_number: number, per_page: 100 }
  const read = async () => {
    const events: LabelEvent[] = []
    let left = mostPages
    for await (const { data } of octokit.paginate.iterator(octokit.rest.issues.listEvents, at)) {
      if (left-- === 0) throw new Error(`there are more than ${mostPages * 100}`)
      events.push(...recordsOf(data).flatMap(labelEvent))
    }
    return events
  }
  const todo = 'The job needs the permission pull-requests: read.'
  return asked(`the events of pull request ${number} could not be read`, todo, read)
}

function labelEvent({ event: kind, label, actor, created_at: at }: Fields): LabelEvent[] {
  if (kind !== 'labeled' && kind !== 'unlabeled') return []
  // Null if the account no longer exists.
  const { login: name, type } = fieldsOf(actor)
  const login = textOf(name)
  const by = login === undefined ? undefined : { login, isBot: type === 'Bot' || login.endsWith('[bot]') }
  return [{ kind, label: told(fieldsOf(label), 'name'), ...defined({ at: textOf(at), by }) }]
}

function permissionOf(octokit: Octokit, { owner, repo }: PullRequest, username: string) {
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

/** The pushes to the branch of the head, which may be in a fork. */
async function pushesTo(octokit: Octokit, { branch, place }: Head): Promise<Push[]> {
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

async function asked<T>(what: string, todo: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw new UserError(`${what}: ${message(error)}. ${todo}`, { cause: error })
  }
}

/** What the interface promises, but a proxy or another server may leave out. @throws Error */
function told(record: Fields, name: string): string {
  const text = textOf(record[name])
  if (text === undefined) throw new Error(`the answer lacks ${name}`)
  return text
}

function recordsOf(list: unknown): Fields[] {
  if (!Array.isArray(list)) throw new Error('the answer is not a list')
  return list.filter(isFields)
}
