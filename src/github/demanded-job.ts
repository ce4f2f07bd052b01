import { message, UserError } from '../errors.js'
import type { ActionInputs } from '../inputs/inputs.js'
import { startsRun } from '../outcome/kinds.js'
import { commitName } from '../judgement/label-record.js'
import { within } from './deadline.js'
import type { JobFacts } from './job/job.js'
import { connect } from './octokit.js'
import {
  checkAsker,
  demandedPull,
  isByAnybody,
  whyNotSeen,
  type DemandedPull,
} from './pull-request/demand.js'
import { readingLimit } from './pull-request/pull-reading.js'
import type { Octokit, PullRequest } from './pull-request/pull-request.js'

/** A job, and why it must not do its work, as sentences. */
export interface DemandedJob {
  facts: JobFacts
  faults: string[]
}

/**
 * The job as one for the pull request that the input names. If that cannot be read, or nobody who may ask for a load
 * test has done so, it stays what it is: then nothing is written on the pull request.
 *
 * @param tested the folder where the code is checked out; absent if this step does not test it
 */
export async function demandedJob(
  inputs: ActionInputs,
  facts: JobFacts,
  tested: string | undefined,
  octokitWith: (token: string) => Promise<Octokit> = connect,
): Promise<DemandedJob> {
  const number = namedPull(inputs)
  const known = facts.step.pullRequest
  if (number === undefined) return { facts, faults: await whyNotAsked(inputs, facts, octokitWith) }
  if (number === known) return { facts, faults: [] }
  if (known !== undefined) {
    const fault = `pull-request is ${number}, but pull request ${known} started this workflow: remove the input.`
    return { facts, faults: [fault] }
  }
  try {
    if (!inputs.githubToken) throw new UserError('github-token is empty. Remove it, or name a token.')
    const { owner, repo } = facts
    return await within(
      readingLimit,
      jobFor({ owner, repo, number }, await octokitWith(inputs.githubToken), { inputs, facts, tested }),
    )
  } catch (error) {
    return { facts, faults: [`pull-request: ${message(error)}`] }
  }
}

/** Why nobody who may write has asked for what the step would start, as sentences. */
async function whyNotAsked(
  inputs: ActionInputs,
  { cause, owner, repo }: JobFacts,
  octokitWith: (token: string) => Promise<Octokit>,
): Promise<string[]> {
  if (!startsRun(inputs.mode) || !cause || !isByAnybody(cause)) return []
  try {
    if (!inputs.githubToken) throw new UserError('github-token is empty. Remove it, or name a token.')
    await within(readingLimit, checkAsker(await octokitWith(inputs.githubToken), { owner, repo }, cause))
    return []
  } catch (error) {
    return [`Nothing is started on ${cause.event}: ${message(error)}`]
  }
}

/** The number that the input has. */
export function namedPull(inputs: ActionInputs): number | undefined {
  return 'pullRequest' in inputs ? inputs.pullRequest : undefined
}

async function jobFor(
  at: PullRequest,
  octokit: Octokit,
  { inputs, facts, tested }: { inputs: ActionInputs; facts: JobFacts; tested: string | undefined },
): Promise<DemandedJob> {
  const { number } = at
  const pull = await demandedPull(octokit, at, facts.cause)
  const job = facts.forPull({ number, base: pull.base, head: pull.head.commit })
  const starts = startsRun(inputs.mode) || inputs.mode === 'check'
  const folder = inputs.mode === 'check' ? inputs.source : tested
  const faults = [
    ...(starts && !pull.isOpen ? [`pull request ${number} is closed. Reopen it, then ask again.`] : []),
    ...(folder === undefined ? [] : whyOtherCode(pull, number, job.measured(folder).head)),
    ...(starts ? [await whyNotSeen(octokit, at, pull.head, facts.workflowRun)] : []),
  ]
  return {
    facts: job,
    faults: faults.flatMap((why) => (why === undefined ? [] : [`pull-request: ${why}`])),
  }
}

/** @param found the commit that is checked out */
function whyOtherCode({ head }: DemandedPull, number: number, found: string | undefined): string[] {
  if (found === head.commit) return []
  const but =
    found === undefined
      ? 'it is not known which commit of this repository is checked out'
      : `${commitName(found)} is checked out`
  return [
    `the head of pull request ${number} is ${commitName(head.commit)} now, but ${but}. If somebody has pushed in between, ask again; else check out the head: ref: refs/pull/${number}/head.`,
  ]
}
