import {
  isSame,
  latestEvent,
  timeOf,
  type LabelEvent,
  type LabelRecord,
  type Push,
} from '../../judgement/label-record.js'
import { defined, fieldsOf, textOf, type Fields } from '../../text/fields.js'
import { within } from '../deadline.js'
import {
  asked,
  pullHead,
  permissionOf,
  pullOf,
  pushesTo,
  readingLimit,
  recordsOf,
  told,
} from './pull-reading.js'
import type { Octokit, PullRequest } from './pull-request.js'

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
  const { head, labels, mergedAt } = await pullOf(octokit, at, labelledPull)
  const record = { pull: at.number, head: head.commit, labels, events: [], pushes: [] }
  if (!labels.some((name) => isSame(name, label))) return record
  const events = await eventsOf(octokit, at)
  const set = latestEvent(events, label)
  const by = set === 'unclear' ? undefined : set?.by
  return {
    ...record,
    events,
    ...defined({ setter: by && !by.isBot ? await permissionOf(octokit, at, by.login) : undefined }),
    pushes: (await pushesTo(octokit, head)).filter((push) => !isAfterMerge(push, mergedAt)),
  }
}

/** What becomes of the branch of a merged pull request: mostly it is deleted at once. */
function isAfterMerge({ commit, at }: Push, mergedAt: string | undefined): boolean {
  return mergedAt !== undefined && (/^0+$/.test(commit) || timeOf(at) > timeOf(mergedAt))
}

/**
 * Whether all of that can be read, for the pull request's author instead of the person who sets a label. @throws
 * UserError
 */
export async function tryReadLabels(octokit: Octokit, at: PullRequest): Promise<void> {
  const { head, author } = await pullOf(octokit, at, labelledPull)
  await eventsOf(octokit, at)
  await permissionOf(octokit, at, author)
  await pushesTo(octokit, head)
}

function labelledPull(pull: Fields) {
  return {
    author: told(fieldsOf(pull.user), 'login'),
    labels: recordsOf(pull.labels).map((label) => told(label, 'name')),
    head: pullHead(pull),
    mergedAt: textOf(pull.merged_at),
  }
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
