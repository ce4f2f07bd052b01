import { message } from '../errors.js'
import { fits, flaw, hindrance, unknown } from '../actions/check/finding.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Check } from '../outcome/outcome.js'
import { NoArtifactServiceError, type ArtifactStore } from './artifacts/store.js'
import type { Octokit, PullRequest } from './pull-request/pull-request.js'
import { withTodo } from './status-of.js'

/**
 * Whether the pull request comment could be written. GitHub shows what a token may write only when it writes, so
 * this only reads, and says what stays open.
 *
 * @param pull the pull request that would be commented on
 * @param readOnly the event is one for which GitHub's own token only reads
 */
export async function checkComment(
  { comment, githubToken }: Pick<Inputs, 'comment' | 'githubToken'>,
  octokit: () => Promise<Octokit>,
  pull: () => Promise<PullRequest | undefined>,
  readOnly: boolean,
): Promise<Check> {
  const subject = 'comment'
  if (comment === 'never') return fits(subject, 'comment: never, so none would be written.')
  if (!githubToken) return flaw(subject, 'github-token is empty: no comment would be written.')
  try {
    const place = await pull()
    if (!place) return fits(subject, 'There is no pull request for a run to comment on.')
    if (readOnly) {
      return flaw(
        subject,
        'The token of this job is read-only, as it is for all pull requests from forks and from Dependabot: no comment would be written.',
      )
    }
    const { owner, repo, number } = place
    await (await octokit()).rest.issues.listComments({ owner, repo, issue_number: number, per_page: 1 })
    return unknown(
      subject,
      `The comments of pull request ${number} can be read. Only a run shows whether one can be written: the job needs the permission pull-requests: write.`,
    )
  } catch (error) {
    return flaw(
      subject,
      `The comments of the pull request cannot be read: ${withTodo(error, 'Give the job the permission pull-requests: write, or set comment: never.')}`,
    )
  }
}

/** Whether the step could read who set the label of `accept`: no row if the input is empty. */
export async function checkAccept(
  label: string | undefined,
  pull: number | undefined,
  read: () => Promise<void>,
): Promise<Check[]> {
  if (label === undefined) return []
  const subject = 'accept'
  if (pull === undefined) {
    return [
      fits(
        subject,
        'This is not a run of a pull request: here the label counts if it is on the one whose merge is tested.',
      ),
    ]
  }
  try {
    await read()
    return [fits(subject, `The labels of pull request ${pull} and the pushes to it can be read.`)]
  } catch (error) {
    return [flaw(subject, `No label could accept failed gates: ${message(error)}`)]
  }
}

/** What a status would need, which only writing one shows. */
export function checkStatus(name: string, readOnly: boolean): Check {
  const subject = 'status'
  return readOnly
    ? flaw(subject, 'The token of this job is read-only: no status would be written.')
    : unknown(
        subject,
        `Only a run shows whether the status "${name}" can be written: the job needs the permission statuses: write.`,
      )
}

/** Whether the artifact service of this workflow run answers. */
export async function checkArtifacts(
  store: () => Promise<Pick<ArtifactStore, 'listArtifacts'>>,
): Promise<Check> {
  const subject = 'artifacts'
  try {
    await (await store()).listArtifacts()
    return fits(subject, 'The artifact service of this workflow run answers.')
  } catch (error) {
    if (error instanceof NoArtifactServiceError) {
      return flaw(
        subject,
        'This GitHub has no artifact service that the step knows: reports stay on the runner.',
      )
    }
    return hindrance(subject, `The artifact service does not answer: ${message(error)}`)
  }
}
