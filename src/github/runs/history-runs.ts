import type { EarlierOutcome } from '../../baseline/baseline.js'
import { message } from '../../errors.js'
import type { BranchOutcomes } from '../../actions/history/branch-outcomes.js'
import type { ArtifactStore } from '../artifacts/store.js'
import { outcomeFileOf, OutcomeFault, parsedOutcome } from './run-outcome.js'
import { ownRuns, type RunSearch } from './runs.js'
import type { Octokit } from '../pull-request/pull-request.js'
import { withTodo } from '../status-of.js'

interface HistorySearch extends RunSearch {
  /** This workflow run, if it runs a branch's own code: an earlier job of it may have attached an outcome. */
  own?: { branch: string; url: string; commit: string }
}

/** Runs that are requested at the same time. */
const atOnce = 6
/** Some runs of a workflow have no outcome, so this many more are checked. */
const more = 100

/**
 * The outcomes of the latest runs of this workflow, whatever their verdict, on the first branch that has any. One that
 * cannot be fetched is named and left out.
 */
export async function findBranchOutcomes(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  search: HistorySearch,
): Promise<BranchOutcomes> {
  const [first = ''] = search.branches
  const found: BranchOutcomes = { branch: first, outcomes: [], unread: [] }
  for (const branch of search.branches) {
    const { outcomes, unread } = await onBranch(octokit, store, search, branch)
    found.unread.push(...unread)
    if (outcomes.length > 0) return { branch, outcomes, unread: found.unread }
    search.log.info(`No run on ${branch} has the artifact ${search.artifact}.`)
  }
  return found
}

async function onBranch(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  search: HistorySearch,
  branch: string,
): Promise<Pick<BranchOutcomes, 'outcomes' | 'unread'>> {
  const outcomes: EarlierOutcome[] = []
  const unread: string[] = []
  const fetch = async ({ url, commit, ...run }: Candidate) => {
    const { id } = run
    try {
      const file = await outcomeFileOf(octokit, store, search, run)
      if (file === undefined) return undefined
      const why = whyOfOtherCode(file, branch)
      if (why === undefined) return { path: file, url, branch, commit }
      search.log.info(`Workflow run ${id} ${why}, and is left out.`)
    } catch (error) {
      unread.push(
        error instanceof OutcomeFault
          ? `Workflow run ${id} ${message(error)}, so it is left out.`
          : `The outcome of workflow run ${id} could not be read and is left out: ${withTodo(error, 'The job needs the permission actions: read.')}`,
      )
    }
    return undefined
  }
  for await (const some of inGroups(candidates(octokit, search, branch), atOnce)) {
    const fetched = await Promise.all(some.map(fetch))
    outcomes.push(...fetched.filter((one) => one !== undefined))
    if (outcomes.length >= search.count) break
  }
  return { outcomes: outcomes.slice(0, search.count), unread }
}

/** Outcomes that cannot be read are named later, when they are read. */
function whyOfOtherCode(file: string, branch: string): string | undefined {
  try {
    return parsedOutcome(file)?.whyNotOfBranch(branch)
  } catch (error) {
    if (error instanceof OutcomeFault) return undefined
    throw error
  }
}

interface Candidate {
  id: number
  run_attempt?: number
  url: string
  commit: string
}

async function* candidates(
  octokit: Octokit,
  search: HistorySearch,
  branch: string,
): AsyncGenerator<Candidate> {
  const { own, currentRun, count } = search
  if (own?.branch === branch) yield { id: currentRun, ...own }
  const look = { most: count + more, perPage: 100, purpose: 'the history' }
  for await (const run of ownRuns(octokit, search, branch, look)) {
    yield { ...run, url: run.html_url, commit: run.head_sha }
  }
}

async function* inGroups<T>(all: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = []
  for await (const one of all) {
    group.push(one)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
