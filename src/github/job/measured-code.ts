import type { CheckedOut } from '../../archive/git.js'
import type { Step } from '../../outcome/outcome.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'

/** What the runner's variables and the event say about commits. */
export interface EventCommits {
  /** Such as `pull_request`. */
  event: string
  /** `owner/name` */
  repository: string
  /** GITHUB_SHA: of a pull request the merge of head and base, of most other events the latest of a branch. */
  sha?: string
  /** The head of the pull request, or of the workflow run that this one follows. */
  head?: string
}

/** The code that a step measures. */
export interface MeasuredCode extends Pick<Step, 'commit' | 'head'> {
  /** That the commit is not the one that readers expect, as a sentence. */
  doubt?: string
}

/**
 * The commit that is named is the one that is checked out. The merge of a pull request counts as its head, since no
 * reader has seen that merge. Where nothing is checked out, or another repository, the event's commit is named.
 */
export function measuredCode(
  { event, repository, sha, head }: EventCommits,
  found: CheckedOut | undefined,
): MeasuredCode {
  const named = event.startsWith('pull_request') ? (head ?? sha) : sha
  // It may come from the repository of a fork.
  if (found && found.commit === head) return { commit: head, head }
  if (!found || isOther(found, repository)) return defined({ commit: named })
  const { commit } = found
  if (commit === sha) return { commit: isOfMerge(event) ? (head ?? commit) : commit, head: commit }
  const doubt =
    named === undefined
      ? undefined
      : `What is tested is commit ${short(commit)}, which is checked out, and not ${short(named)}, for which GitHub started this workflow. No later run is compared with this one.`
  return { commit, head: commit, ...defined({ doubt }) }
}

/**
 * With this event a job runs for a pull request, but checks out the branch that the pull request wants to change.
 *
 * @returns why it must not be packed, as sentences
 */
export function whyNotHead(
  { event, repository, head }: EventCommits,
  found: CheckedOut | undefined,
): string | undefined {
  if (event !== 'pull_request_target' || (found && isOther(found, repository))) return undefined
  if (found && found.commit === head) return undefined
  const what = found ? `what is checked out is ${short(found.commit)}` : 'it is not known what is checked out'
  return (
    `Nothing is packed on pull_request_target unless the head of the pull request is checked out, and ${what}: the result would be shown for a change that was not tested. ` +
    'Use the event pull_request, or check out the head: ref: ${{ github.event.pull_request.head.sha }}.'
  )
}

/** Whether GITHUB_SHA is the merge of a pull request, and not its base. */
function isOfMerge(event: string): boolean {
  return event.startsWith('pull_request') && event !== 'pull_request_target'
}

/** A suite may have a separate repository. */
function isOther({ repository }: CheckedOut, own: string): boolean {
  return repository !== undefined && repository.toLowerCase() !== own.toLowerCase()
}

function short(commit: string): string {
  return oneLine(commit, 60).slice(0, 7)
}
