import { type Octokit, type PullRequest, isForbidden, saidBy, statusOf, withTodo } from '../api/octokit.js'
import type { Log } from '../../log.js'
import { asRed, findKey, isRedComment } from '../../publish/markdown/comment.js'
import type { Comment } from '../../publish/publication.js'
import { webAddress } from '../../text/foreign-text.js'
import { fieldsOf, textOf } from '../../text/fields.js'
import { sleep, within } from '../../clock.js'

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
          `The pull request comment could not be written: ${withTodo(error, `The job needs the permission pull-requests: write.${refused ? ' Add it, or set comment: never. Pull requests from forks never have it.' : ''}`)} The verdict is not affected.`,
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
