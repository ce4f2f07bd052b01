import { isFields, type Fields } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'

/** With these events a run is about the code of the branch that it is listed under, unless it says otherwise. */
const ofTheirBranch = new Set(['push', 'schedule', 'workflow_dispatch'])

/**
 * Why an outcome does not say that the code of a branch was measured, as the end of a sentence after the name of the
 * run; undefined if it does say so. What started the run is not enough: a comment, a dispatch or another workflow
 * starts a run of the default branch, whatever code it then checks out.
 *
 * @param outcome unchecked
 */
export function whyNotOfBranch(outcome: Fields, branch: string): string | undefined {
  const { event, ref, sha, head, pullRequest } = isFields(outcome.step) ? outcome.step : {}
  if (typeof event !== 'string' || typeof ref !== 'string') return 'does not say whose code it measured'
  if (event.startsWith('pull_request')) return 'measured a pull request'
  if (ref !== `refs/heads/${branch}`) return `was started for ${oneLine(ref, 100)}`
  const judged = isFields(outcome.report) ? outcome.report.given : undefined
  // The report of another run: that run's commit counts, not what this one has checked out.
  const measured = isFields(judged) && judged.url !== undefined ? (judged.commit ?? 'unknown') : head
  if (measured !== undefined)
    return measured === sha ? undefined : `measured another commit than that of ${branch}`
  return ofTheirBranch.has(event) && pullRequest === undefined
    ? undefined
    : `does not say which commit it measured (${oneLine(event, 60)})`
}
