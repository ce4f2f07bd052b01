import {
  isForbidden,
  saidBy,
  statusOf,
  withTodo,
  asked,
  connect,
  type Octokit,
  type PullRequest,
} from '../api/octokit.js'
import type { Log } from '../../log.js'
import { asRed, findKey, isRedComment } from '../../publish/markdown/comment.js'
import type { Comment } from '../../publish/publication.js'
import { webAddress, oneLine } from '../../text/foreign-text.js'
import { fieldsOf, textOf, type Fields } from '../../text/fields.js'
import { sleep, within } from '../../clock.js'
import { message, UserError } from '../../errors.js'
import type { ActionInputs } from '../../inputs/inputs.js'
import { startsRun } from '../../outcome/outcome.js'
import { commitName, personWhoMayWrite, pushOf, timeOf, type Push } from '../../judgement/acceptance.js'
import type { Cause, JobFacts } from '../job/job.js'
import { namedPull, permissionOf, pullHead, pullOf, pushesTo, readingLimit, told } from './pull-reading.js'

/** A pull request with more pages of comments is not searched to its end. */
const mostPages = 50
/** Milliseconds, until a new comment is in GitHub's list. */
const listedWithin = 3000
/** Milliseconds for all that finding and writing the comment takes, with what GitHub asks to wait. */
const putLimit = 20 * 60_000

/**
 * GitHub tells people of a new comment, but not of a changed one. So one that turns red is a new one, which takes the
 * place of the earlier; and what will soon be replaced only changes one that is there.
 */
export function writingOf(
  { isRed, isPassing }: { isRed?: boolean; isPassing?: boolean },
  earlier: { isRed: boolean } | undefined,
): 'nothing' | 'create' | 'update' | 'replace' {
  if (!earlier) return isPassing ? 'nothing' : 'create'
  return isRed && !earlier.isRed ? 'replace' : 'update'
}

/**
 * The one comment of this step on a pull request: found again over all pages, created once, then updated in place, or
 * replaced where people should hear of it. A comment that cannot be written is a warning that names the permission; the
 * verdict stands.
 */
export function pullRequestComment(
  octokit: Octokit,
  { key, ...pull }: PullRequest & { key: string },
  log: Log,
): Comment {
  const calls = commentCalls(octokit, pull, log)
  let known: Awaited<ReturnType<typeof findComment>>
  let looked = false
  let refused = false
  let asked = 0

  const put: Comment['put'] = async (text) => {
    const own = ++asked
    if (!looked) {
      known = await findComment(octokit, pull, key)
      looked = true
    }
    // Its caller has given up, and a later one follows.
    if (own !== asked) return undefined
    const earlier = known
    const writing = writingOf(text, earlier)
    if (writing === 'nothing') return undefined
    const isRed = text.isRed ?? earlier?.isRed ?? false
    const body = isRed ? asRed(text.body) : text.body
    if (writing === 'update' && earlier) {
      const updated = await calls.update(earlier.id, body)
      if (updated) {
        known = { ...earlier, isRed }
        return webAddress(updated.html_url)
      }
    }
    const created = await calls.create(body).catch(async (error: unknown) => {
      // Only the answer may be lost.
      if ((statusOf(error) ?? 0) < 500) throw error
      await sleep(listedWithin)
      const found = await findComment(octokit, pull, key)
      return found && found.id !== earlier?.id ? found : calls.create(body)
    })
    known = { id: created.id, isRed }
    if (writing === 'replace' && earlier) await calls.remove(earlier.id)
    return webAddress(created.html_url)
  }

  return {
    key,
    async put(text) {
      if (refused) return undefined
      try {
        return await within(putLimit, put(text))
      } catch (error) {
        refused = isForbidden(error)
        log.warning(
          `The pull request comment could not be written: ${withTodo(error, `The job needs the permission pull-requests: write.${refused ? ' Add it, or set comment: never. Pull requests from forks seldom have it.' : ''}`)} The verdict is not affected.`,
        )
        return undefined
      }
    },
  }
}

function commentCalls({ rest }: Octokit, { owner, repo, number }: PullRequest, log: Log) {
  const { issues } = rest
  return {
    async create(body: string) {
      const { data } = await issues.createComment({ owner, repo, issue_number: number, body })
      // A proxy's page is no comment.
      if (!Number.isInteger(data.id)) throw new Error('the answer is not from GitHub')
      return data
    },

    /** @returns undefined if somebody deleted it in the meantime */
    async update(id: number, body: string) {
      try {
        return (await issues.updateComment({ owner, repo, comment_id: id, body })).data
      } catch (error) {
        if (statusOf(error) === 404) return undefined
        throw error
      }
    },

    async remove(id: number): Promise<void> {
      try {
        await issues.deleteComment({ owner, repo, comment_id: id })
      } catch (error) {
        if (statusOf(error) === 404) return
        log.warning(
          `The earlier comment of this step on pull request ${number} could not be deleted: ${saidBy(error)}. The new one counts; delete the other by hand.`,
        )
      }
    },
  }
}

/** The latest comment of the step, if there is one. */
async function findComment(
  octokit: Octokit,
  { owner, repo, number }: PullRequest,
  key: string,
): Promise<{ id: number; isRed: boolean; html_url?: string } | undefined> {
  const at = { owner, repo, issue_number: number, per_page: 100 }
  const pages = octokit.paginate.iterator(octokit.rest.issues.listComments, at)
  const found = []
  let left = mostPages
  for await (const { data } of pages) {
    if (left-- === 0) break
    for (const { id, body, user, html_url } of data) {
      if (!body || !findKey(body, key)) continue
      const author = user?.login
      found.push({ id, isRed: isRedComment(body), html_url, author, isBot: user?.type === 'Bot' })
    }
  }
  if (found.length === 0) return undefined
  // A person, or another bot, may have copied it whole.
  const own = await ownLogin(octokit)
  return found.findLast(({ author, isBot }) => (own === undefined ? isBot : author === own))
}

/** Whose token it is; undefined if GitHub does not say. REST does not know a bot of itself. */
async function ownLogin({ graphql, rest }: Octokit): Promise<string | undefined> {
  const viewer = async () => textOf(fieldsOf(fieldsOf(await graphql('{ viewer { login } }')).viewer).login)
  const user = async () => textOf((await rest.users.getAuthenticated()).data.login)
  return (await viewer().catch(() => undefined)) ?? user().catch(() => undefined)
}

/**
 * The job as one for the pull request that the input names. If that cannot be read, or nobody who may ask for a load
 * test has done so, it stays what it is: then nothing is written on the pull request.
 *
 * @param tested the folder where the code is checked out; absent if this step does not test it
 * @returns with why it must not do its work, as sentences
 */
export async function demandedJob(
  inputs: ActionInputs,
  facts: JobFacts,
  tested: string | undefined,
  octokitWith: (token: string) => Promise<Octokit> = connect,
): Promise<{ facts: JobFacts; faults: string[] }> {
  const number = namedPull(inputs)
  const known = facts.step.pullRequest
  // Also by a review whose own pull request the input names.
  if (number === undefined || number === known) {
    const faults = await whyNotAsked(inputs, facts, octokitWith)
    return { facts: faults.length === 0 ? facts : unheard(facts), faults }
  }
  if (known !== undefined) {
    const fault = `pull-request is ${number}, but pull request ${known} started this workflow: remove the input.`
    return { facts, faults: [fault] }
  }
  try {
    const { owner, repo } = facts
    const octokit = await octokitWith(inputs.githubToken)
    const job = jobFor({ owner, repo, number }, octokit, { inputs, facts, tested })
    return await within(readingLimit, job)
  } catch (error) {
    return { facts, faults: [`pull-request: ${message(error)}`] }
  }
}

/** The job of a step that is refused: nobody is asked who has started it. */
export function refusedJob(inputs: ActionInputs, facts: JobFacts): JobFacts {
  return openCause(inputs, facts) ? unheard(facts) : facts
}

/** Nothing is written where whoever may have no say asked for it. */
function unheard(facts: JobFacts): JobFacts {
  const { pullRequest: _, ...step } = facts.step
  return { ...facts, step, eventCommits: [] }
}

/** What anybody may have done to make the step start a load test. */
function openCause({ mode }: ActionInputs, { cause }: JobFacts): Cause | undefined {
  return startsRun(mode) && cause && byAnybody.has(cause.origin) ? cause : undefined
}

/** Why nobody who may write has asked for what the step would start, as sentences. */
async function whyNotAsked(
  inputs: ActionInputs,
  facts: JobFacts,
  octokitWith: (token: string) => Promise<Octokit>,
): Promise<string[]> {
  const cause = openCause(inputs, facts)
  if (!cause) return []
  try {
    await within(readingLimit, checkAsked(await octokitWith(inputs.githubToken), facts, cause))
    return []
  } catch (error) {
    return [`Nothing is started on ${cause.event}: ${message(error)}`]
  }
}

/** @throws UserError unless a person who may write asks, and of a fork for the head as it was then */
async function checkAsked(octokit: Octokit, facts: JobFacts, cause: Cause): Promise<void> {
  const { owner, repo } = facts
  await checkAsker(octokit, { owner, repo }, cause)
  if (cause.foreignPull === undefined) return
  const at = { owner, repo, number: cause.foreignPull }
  const { head } = await pullOf(octokit, at, demanded)
  const why = await whyNotSeen(octokit, at, head, facts)
  if (why !== undefined) throw new UserError(why)
}

async function jobFor(
  at: PullRequest,
  octokit: Octokit,
  { inputs, facts, tested }: { inputs: ActionInputs; facts: JobFacts; tested: string | undefined },
): Promise<{ facts: JobFacts; faults: string[] }> {
  const { number } = at
  const pull = await demandedPull(octokit, at, facts.cause)
  const job = facts.forPull({ number, base: pull.base, head: pull.head.commit })
  const starts = startsRun(inputs.mode) || inputs.mode === 'check'
  const folder = inputs.mode === 'check' ? inputs.source : tested
  const faults = [
    ...(starts && !pull.isOpen ? [`pull request ${number} is closed. Reopen it, then ask again.`] : []),
    ...(folder === undefined ? [] : whyOtherCode(pull, number, job.measured(folder).head)),
    ...(starts ? [await whyNotSeen(octokit, at, pull.head, facts)] : []),
  ]
  const told = faults.filter((why) => why !== undefined).map((why) => `pull-request: ${why}`)
  return { facts: job, faults: told }
}

/** @param found the commit that is checked out */
function whyOtherCode(
  { head }: ReturnType<typeof demanded>,
  number: number,
  found: string | undefined,
): string[] {
  if (found === head.commit) return []
  const but =
    found === undefined
      ? 'it is not known which commit of this repository is checked out'
      : `${commitName(found)} is checked out`
  return [
    `the head of pull request ${number} is ${commitName(head.commit)} now, but ${but}. If somebody has pushed in between, ask again; else check out the head: ref: refs/pull/${number}/head.`,
  ]
}

/**
 * The pull request that an input names.
 *
 * @param cause what started the workflow, where anybody may have done that
 * @throws UserError if that does not ask for a load test, if there is no such pull request, or if it cannot be read
 */
async function demandedPull(
  octokit: Octokit,
  at: PullRequest,
  cause: Cause | undefined,
): Promise<ReturnType<typeof demanded>> {
  if (cause) await checkAsker(octokit, at, cause)
  try {
    return await pullOf(octokit, at, demanded)
  } catch (error) {
    const isMissing = error instanceof UserError && statusOf(error.cause) === 404
    if (!isMissing) throw error
    const none = `there is no pull request ${at.number} in this repository. Name one: an issue has no code to test.`
    throw new UserError(none, { cause: error })
  }
}

/** What is known about a pull request whose test is asked for: `base` is the branch that it wants to change. */
function demanded(pull: Fields) {
  return {
    isOpen: told(pull, 'state') === 'open',
    base: told(fieldsOf(pull.base), 'ref'),
    head: pullHead(pull),
  }
}

/** What a stranger may do in a public repository, and what then starts a run with its secrets. */
const byAnybody = new Set([
  'issue_comment',
  'issues',
  'discussion',
  'discussion_comment',
  'fork',
  'gollum',
  'pull_request_review',
  'pull_request_review_comment',
  'watch',
])

/** What happens without anybody looking at a pull request. */
const byNobody = new Set(['push', 'schedule', 'merge_group', 'release', 'workflow_run'])

/** @throws UserError unless a person who may write asks for a load test */
async function checkAsker(
  octokit: Octokit,
  at: Pick<PullRequest, 'owner' | 'repo'>,
  { event, action, by, isClosed }: Cause,
): Promise<void> {
  const isReview = event === 'pull_request_review'
  if (isReview ? action !== 'submitted' : event.endsWith('comment') && action !== 'created') {
    throw new UserError('a comment that is edited or deleted asks for nothing. Write a new one.')
  }
  if (isClosed) throw new UserError('the pull request is closed. Reopen it, then ask again.')
  const permission = by && !by.isBot ? await permissionOf(octokit, at, by.login) : undefined
  const person = personWhoMayWrite(by, permission)
  if ('who' in person) {
    throw new UserError(`${person.who} asked for it${person.as}. Let a person with write access ask again.`)
  }
}

/**
 * Why the head of a pull request may not be the code that somebody had in mind. In the repository itself only those may
 * push who may also ask for a load test.
 *
 * @returns the reason as a sentence; undefined if there is none
 * @throws UserError if that cannot be read
 */
async function whyNotSeen(
  octokit: Octokit,
  at: PullRequest,
  head: ReturnType<typeof pullHead>,
  { cause, step: { event = '' }, workflowRun }: JobFacts,
): Promise<string | undefined> {
  if (!head.place)
    return 'its head is in a fork that was deleted, so nobody knows when it was pushed. Open another one from a branch.'
  const { owner, repo } = head.place
  if (`${owner}/${repo}`.toLowerCase() === `${at.owner}/${at.repo}`.toLowerCase()) return undefined
  if (byNobody.has(cause?.origin ?? event))
    return `its head is in a fork, and nobody asks for it on ${event}. Ask by a comment, or start the workflow by hand.`
  const pushes = await pushesTo(octokit, head)
  return whyPushedLater(head.commit, pushes, cause?.at ?? (await creationOf(octokit, at, workflowRun)))
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
