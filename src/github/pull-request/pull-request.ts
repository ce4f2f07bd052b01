import type { GitHub } from '@actions/github/lib/utils'
import { message } from '../../errors.js'
import type { Log } from '../../log.js'
import { defined, fieldsOf, textOf } from '../../text/fields.js'
import { within } from '../deadline.js'
import { statusOf } from '../status-of.js'

export type Octokit = InstanceType<typeof GitHub>

export interface PullRequest {
  owner: string
  repo: string
  number: number
}

/** A pull request with more pages of comments is not searched to its end. */
const mostPages = 50
/** Milliseconds for all that finding and writing the comment takes. */
const putLimit = 120_000

/** The open pull requests whose head is this commit, and their bases; GitHub also lists others that contain it. */
export async function openPulls(
  octokit: Octokit,
  { owner, repo, commit }: Pick<PullRequest, 'owner' | 'repo'> & { commit: string },
): Promise<{ number: number; base?: string }[]> {
  const { listPullRequestsAssociatedWithCommit: pullsWith } = octokit.rest.repos
  const pulls = await octokit.paginate(pullsWith, { owner, repo, commit_sha: commit, per_page: 100 })
  return pulls
    .filter(({ state, head }) => state === 'open' && head.sha === commit)
    .map(({ number, base }) => ({ number, ...defined({ base: textOf(fieldsOf(base).ref) }) }))
}

/** What marks a comment as this step's own, whoever else comments. */
export interface CommentIdentity {
  /** True for a body that holds this step's hidden key. */
  isOurs(body: string): boolean
}

/**
 * The one comment of this step on a pull request: found again over all pages, created once, then updated in
 * place. A comment that cannot be written is a warning that names the permission; the verdict stands.
 */
export function pullRequestComment(octokit: Octokit, pull: PullRequest, identity: CommentIdentity, log: Log) {
  let known: number | undefined
  let looked = false
  let refused = false
  let asked = 0

  const put = async (body: string): Promise<void> => {
    const own = ++asked
    if (!looked) {
      known = await findComment(octokit, pull, identity)
      looked = true
    }
    // Its caller has given up, and a later one follows.
    if (own !== asked) return
    const { owner, repo, number } = pull
    if (known !== undefined) {
      try {
        await octokit.rest.issues.updateComment({ owner, repo, comment_id: known, body })
        return
      } catch (error) {
        // Somebody deleted it in the meantime.
        if (statusOf(error) !== 404) throw error
      }
    }
    const { data } = await octokit.rest.issues.createComment({ owner, repo, issue_number: number, body })
    known = data.id
  }

  return {
    async put(body: string): Promise<void> {
      if (refused) return
      try {
        await within(putLimit, put(body))
      } catch (error) {
        refused = [401, 403, 404].includes(statusOf(error) ?? 0)
        log.warning(
          refused
            ? 'The pull request comment could not be written: the token lacks the permission pull-requests: write. ' +
                'Add it under permissions of the job, or set comment: never. Pull requests from forks never have it. ' +
                'The verdict is not affected.'
            : `The pull request comment could not be written: ${message(error)}. The verdict is not affected.`,
        )
      }
    },
  }
}

/** The id of the step's comment, if there is one. */
async function findComment(
  octokit: Octokit,
  { owner, repo, number }: PullRequest,
  identity: CommentIdentity,
): Promise<number | undefined> {
  const pages = octokit.paginate.iterator(octokit.rest.issues.listComments, {
    owner,
    repo,
    issue_number: number,
    per_page: 100,
  })
  const quoted: { id: number; user: number | undefined }[] = []
  let left = mostPages
  for await (const { data } of pages) {
    if (left-- === 0) break
    for (const { id, body, user } of data) {
      if (!body || !identity.isOurs(body)) continue
      if (user?.type === 'Bot') return id
      quoted.push({ id, user: user?.id })
    }
  }
  if (quoted.length === 0) return undefined
  // A person may have quoted the key, or the token is a person's own.
  const author = await octokit.rest.users.getAuthenticated().catch(() => undefined)
  return quoted.find(({ user }) => user !== undefined && user === author?.data.id)?.id
}
