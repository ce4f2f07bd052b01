import { isSame, latestEvent, type LabelEvent, type LabelRecord } from '../accept/label-record.js'
import { message, UserError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { defined, isFields } from '../text/fields.js'
import { within } from './deadline.js'
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
  const record = { pull: at.number, head: head.sha, labels: labels.map(({ name }) => name), events: [] }
  if (!record.labels.some((name) => isSame(name, label))) return record
  const events = await eventsOf(octokit, at)
  const by = latestEvent(events, label)?.by
  return {
    ...record,
    events,
    ...defined({
      setter: by && !by.isBot ? await permissionOf(octokit, at, by.login) : undefined,
      latestPush: await latestPush(octokit, head),
    }),
  }
}

/**
 * Whether all of that can be read, for the pull request's author instead of the person who sets a label. @throws
 * UserError
 */
export async function tryReadLabels(octokit: Octokit, at: PullRequest): Promise<void> {
  const { head, user } = await pullOf(octokit, at)
  await eventsOf(octokit, at)
  await permissionOf(octokit, at, user.login)
  await latestPush(octokit, head)
}

async function pullOf({ rest }: Octokit, { owner, repo, number }: PullRequest) {
  const { data } = await asked(
    `pull request ${number} could not be read`,
    'The job needs the permission pull-requests: read.',
    rest.pulls.get({ owner, repo, pull_number: number }),
  )
  return data
}

/** Up to the last page, which has the latest events. */
async function eventsOf(octokit: Octokit, { owner, repo, number }: PullRequest): Promise<LabelEvent[]> {
  const at = { owner, repo, issue_number: number, per_page: 100 }
  const events: LabelEvent[] = []
  const read = async () => {
    let left = mostPages
    for await (const { data } of octokit.paginate.iterator(octokit.rest.issues.listEvents, at)) {
      if (left-- === 0) throw new Error(`there are more than ${mostPages * 100}`)
      events.push(...data.flatMap(labelEvent))
    }
  }
  await asked(
    `the events of pull request ${number} could not be read`,
    'The job needs the permission pull-requests: read.',
    read(),
  )
  return events
}

type ListedEvent = Awaited<ReturnType<Octokit['rest']['issues']['listEvents']>>['data'][number]

function labelEvent(listed: ListedEvent): LabelEvent[] {
  const { event: kind, created_at: at } = listed
  if ((kind !== 'labeled' && kind !== 'unlabeled') || !('label' in listed)) return []
  // Null if the account no longer exists.
  const actor: unknown = listed.actor
  const event: LabelEvent = { kind, label: listed.label.name, at }
  if (!isFields(actor) || typeof actor.login !== 'string') return [event]
  return [
    { ...event, by: { login: actor.login, isBot: actor.type === 'Bot' || actor.login.endsWith('[bot]') } },
  ]
}

async function permissionOf(octokit: Octokit, { owner, repo }: PullRequest, username: string) {
  const { data } = await asked(
    `what ${oneLine(username, 60)} may do in this repository could not be read`,
    'Run the job again, or name a token in github-token that may read it.',
    octokit.rest.repos.getCollaboratorPermissionLevel({ owner, repo, username }),
  )
  return { permission: data.permission, role: data.role_name }
}

/** Of the branch of the head, which may be in a fork. */
async function latestPush(
  octokit: Octokit,
  { ref, repo }: { ref: string; repo: { name: string; owner: { login: string } } | null },
) {
  if (!repo) return undefined
  const branch = `refs/heads/${ref}`
  const { data } = await asked(
    `the pushes to ${oneLine(ref, 80)} could not be read`,
    'The job needs the permission contents: read.',
    octokit.rest.repos.listActivities({
      owner: repo.owner.login,
      repo: repo.name,
      ref: branch,
      direction: 'desc',
      per_page: 1,
    }),
  )
  const [latest] = data.filter((one) => one.ref === branch)
  return latest && { commit: latest.after, at: latest.timestamp }
}

async function asked<T>(what: string, todo: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw new UserError(`${what}: ${message(error)}. ${todo}`, { cause: error })
  }
}
