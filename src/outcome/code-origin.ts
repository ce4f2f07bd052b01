import { branchName } from '../text/attempt-name.js'
import { oneLine } from '../text/foreign-text.js'
import { withoutSecrets } from '../text/redaction.js'
import type { LoadTestOutcome, Outcome, Step } from './outcome.js'

export interface Measured {
  mode?: string
  step: Partial<Step>
  /** A report that was given may be of other code than what is checked out. */
  report?: Pick<NonNullable<LoadTestOutcome['report']>, 'given'>
}

/** The commit that the figures are of; undefined if that is not known. */
export function measuredCommit({ step, report }: Omit<Measured, 'mode'>): string | undefined {
  const given = report?.given
  // The report of another workflow run has that run's commit, not what this one has checked out.
  return given?.url === undefined ? step.commit : given.commit
}

/** With these events a run is about the commit that it is listed under, unless its outcome says otherwise. */
const ofTheirCommit = new Set(['push', 'pull_request', 'merge_group', 'schedule', 'workflow_dispatch'])

export function isOfItsCommit(event: string | undefined): boolean {
  return event !== undefined && ofTheirCommit.has(event)
}

/**
 * The measured commit, where the step does not only guess it: a status is about no other. What started the run is not
 * enough, since a comment starts a run of the default branch, whatever it then checks out.
 */
export function knownCommit(outcome: Measured & { mode: string }): string | undefined {
  const { mode, step, report } = outcome
  if (mode === 'judge' && !report) return undefined
  const isKnown = report?.given?.url !== undefined || step.head !== undefined || mode === 'collect'
  return isKnown || isOfItsCommit(step.event) ? measuredCommit(outcome) : undefined
}

/** The measured commit of any outcome, if one can be known. All legs of a matrix must have measured it. */
export function statusCommit(outcome: Outcome): string | undefined {
  if (outcome.kind === 'load-test') return knownCommit(outcome)
  if (outcome.kind !== 'merge') return undefined
  const outcomes = (outcome.legs ?? []).flatMap((leg) => leg.outcome ?? [])
  if (outcomes.length === 0) return knownCommit({ mode: 'merge', step: outcome.step })
  const [commit, ...others] = new Set(outcomes.map(knownCommit))
  return others.length === 0 ? commit : undefined
}

/** With these events a run is about the code of the branch that it is listed under, unless it says otherwise. */
const ofTheirBranch = new Set(['push', 'schedule', 'workflow_dispatch'])

/**
 * Why an outcome does not say that the code of a branch was measured, as the end of a sentence after the name of the
 * run; undefined if it does say so. What started the run is not enough: a comment, a dispatch or another workflow
 * starts a run of the default branch, whatever code it then checks out.
 */
export function whyNotOfBranch({ mode, step, report }: Measured, branch: string): string | undefined {
  const { commit, event, ref, sha, head, pullRequest } = step
  if (event === undefined || ref === undefined) return 'does not say whose code it measured'
  if (event.startsWith('pull_request')) return 'measured a pull request'
  if (ref !== withoutSecrets(`refs/heads/${branch}`)) return `was started for ${oneLine(ref, 100)}`
  const given = report?.given
  // The report of another run: that run's commit counts, not what this one has checked out.
  const measured = given?.url === undefined ? head : (given.commit ?? 'unknown')
  if (measured !== undefined)
    return measured === sha ? undefined : `measured another commit than that of ${branch}`
  // The note of a start has no head where that was of the branch.
  const isKnown = mode === 'collect' ? commit !== undefined : ofTheirBranch.has(event)
  return isKnown && pullRequest === undefined
    ? undefined
    : `does not say which commit it measured (${oneLine(event, 60)})`
}

/** Whether the code of the branch was measured that the workflow run is listed under. */
export function isOfItsBranch(measured: Measured): boolean {
  const { ref = '' } = measured.step
  return ref.startsWith('refs/heads/') && whyNotOfBranch(measured, branchName(ref)) === undefined
}
