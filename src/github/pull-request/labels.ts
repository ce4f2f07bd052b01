import {
  commitName,
  isSame,
  type LabelEvent,
  type LabelRecord,
  latestEvent,
  timeOf,
} from '../../judgement/acceptance.js'
import { defined, type Fields, fieldsOf, textOf } from '../../text/fields.js'
import { within } from '../../clock.js'
import {
  mergedPulls,
  onPull,
  permissionOf,
  pullHead,
  pullOf,
  pushesTo,
  readingLimit,
  recordsOf,
  told,
} from './pull-reading.js'
import { asked, type Octokit, type PullRequest } from '../api/octokit.js'
import { UserError } from '../../errors.js'
import { oneLine } from '../../text/foreign-text.js'
import { actorOf, type GitHubAccess, type JobFacts } from '../job/job.js'

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
  const { head, labels, mergedAt } = await pullOf(octokit, at, labelledPull)
  const record = { pull: at.number, head: head.commit, labels, events: [], pushes: [] }
  if (!labels.some((name) => isSame(name, label))) return record
  const events = await eventsOf(octokit, at)
  const set = latestEvent(events, label)
  const by = set?.by
  return {
    ...record,
    events,
    ...defined({ setter: by && !by.isBot ? await permissionOf(octokit, at, by.login) : undefined }),
    // The branch of a merged pull request is mostly deleted at once.
    pushes: (await pushesTo(octokit, head)).filter(
      ({ commit, at }) => mergedAt === undefined || !(/^0+$/.test(commit) || timeOf(at) > timeOf(mergedAt)),
    ),
  }
}

/** Whether all of that can be read, for the author instead of the person who sets a label. @throws UserError */
export async function tryReadLabels(octokit: Octokit, at: PullRequest): Promise<void> {
  const { head, author } = await pullOf(octokit, at, labelledPull)
  await eventsOf(octokit, at)
  if (author !== undefined) await permissionOf(octokit, at, author)
  await pushesTo(octokit, head)
}

function labelledPull(pull: Fields) {
  return {
    author: actorOf(pull.user)?.login,
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
      if (left-- === 0)
        throw new UserError(`there are more than ${mostPages * 100}. Open another pull request.`)
      events.push(...recordsOf(data).flatMap(labelEvent))
    }
    return events
  }
  const todo = 'The job needs the permission pull-requests: read.'
  return asked(`the events of pull request ${number} could not be read`, todo, read)
}

function labelEvent({ event: kind, label, actor, created_at: at }: Fields): LabelEvent[] {
  if (kind !== 'labeled' && kind !== 'unlabeled') return []
  return [{ kind, label: told(fieldsOf(label), 'name'), ...defined({ at: textOf(at), by: actorOf(actor) }) }]
}

/** A queue has at most that many entries. */
const mostEntries = 100

/**
 * A place in a merge queue, whose branch GitHub names after the pull request and the commit that it is put on, which is
 * the head of the entry before it, or of the queue's branch: `gh-readonly-queue/main/pr-7-SHA`.
 */
export function entryOf(ref: string): { pull: number; below: string } | undefined {
  const [, number, below] =
    /^refs\/heads\/gh-readonly-queue\/.+\/pr-([1-9]\d{0,14})-([0-9a-f]{40,64})$/.exec(ref) ?? []
  return below === undefined ? undefined : { pull: Number(number), below }
}

/**
 * The pull requests of a merge group, the last one first: its entries are put on each other, from its base on.
 *
 * @param refs the branches of the queue, asked for only if the group has more than one entry
 * @throws UserError if they are not known for certain
 */
export async function groupPulls(
  { ref, base }: NonNullable<JobFacts['mergeGroup']>,
  refs: () => Promise<readonly { ref: string; commit: string }[]>,
): Promise<number[]> {
  let entry = entryOf(ref)
  const pulls: number[] = []
  const others = entry && entry.below !== base ? await refs() : []
  while (entry && !pulls.includes(entry.pull) && pulls.length < mostEntries) {
    pulls.push(entry.pull)
    const { below } = entry
    if (below === base) return pulls
    const [next, ...more] = others
      .filter(({ commit }) => commit === below)
      .flatMap((one) => entryOf(one.ref) ?? [])
    entry = more.length === 0 ? next : undefined
  }
  throw new UserError(
    `GitHub does not say clearly which pull requests the merge group ${oneLine(ref, 120)} has. Let the queue build groups of one pull request.`,
  )
}

/** A label on each pull request that the step is for: of a branch, those whose merge the commit is. @throws UserError */
export async function labelRecords(
  access: GitHubAccess,
  label: string,
  commit: string | undefined,
): Promise<LabelRecord[]> {
  const { mergeGroup, branch, owner, repo } = access.job
  if (!mergeGroup && branch === undefined)
    return [await onPull(access, (client, pull) => within(readingLimit, readLabels(client, pull, label)))]
  const client = await access.octokit()
  const pulls = mergeGroup ? await ofGroup(access, client, mergeGroup) : await ofMerge(access, client, commit)
  const reading = pulls.map((number) => readLabels(client, { owner, repo, number }, label))
  return within(readingLimit, Promise.all(reading))
}

/** The head of the only pull request of a merge group. @throws UserError if there are more */
export async function headOfGroup(
  access: GitHubAccess,
  mergeGroup: NonNullable<JobFacts['mergeGroup']>,
): Promise<string> {
  const { owner, repo } = access.job
  const client = await access.octokit()
  const [number, ...others] = await ofGroup(access, client, mergeGroup)
  if (number === undefined || others.length > 0) {
    throw new UserError(
      `The merge group has the pull requests ${[number, ...others].join(', ')}, which were measured one by one: no report is about all of them. Let the queue build groups of one pull request, or run a load test of the group.`,
    )
  }
  return (await pullOf(client, { owner, repo, number }, pullHead)).commit
}

async function ofMerge(
  { job: { owner, repo, branch } }: GitHubAccess,
  client: Octokit,
  commit: string | undefined,
): Promise<number[]> {
  if (branch === undefined || commit === undefined) return []
  const todo = 'The job needs the permission pull-requests: read.'
  return asked(`the pull requests of commit ${commitName(commit)} could not be read`, todo, () =>
    within(readingLimit, mergedPulls(client, { owner, repo, branch, commit })),
  )
}

async function ofGroup(
  { job: { owner, repo } }: GitHubAccess,
  client: Octokit,
  group: NonNullable<JobFacts['mergeGroup']>,
): Promise<number[]> {
  const prefix = group.ref.replace(/^refs\/|[^/]*$/g, '')
  const read = async () => {
    const at = { owner, repo, ref: prefix, per_page: 100 }
    const all = await client.paginate(client.rest.git.listMatchingRefs, at)
    return all.map(({ ref, object }) => ({ ref, commit: object.sha }))
  }
  const todo = 'The job needs the permission contents: read.'
  const refs = () => asked('the branches of the merge queue could not be read', todo, read)
  return groupPulls(group, refs)
}
