import type { EarlierOutcome, EarlierOutcomes } from '../../baseline/baseline.js'
import { message } from '../../errors.js'
import type { ArtifactStore } from '../artifacts/store.js'
import { fewestForReds, mostForReds, passingReds } from '../../baseline/red-runs.js'
import type { LoadTestName } from '../../inputs/inputs.js'
import type { ParsedOutcome } from '../../outcome/outcome-file.js'
import { type Look, OutcomeFault, outcomeFileOf, ownRuns, parsedOutcome, type RunSearch } from './runs.js'
import { type Octokit, statusOf, withTodo } from '../api/octokit.js'

const look: Look = { most: 100, perPage: 30, purpose: 'baselines' }

/**
 * The outcomes of the latest successful runs of this workflow on the first branch that has any, and of red ones between
 * them. A run counts only if its own outcome says that the branch's code was measured, by the same template. One whose
 * outcome cannot be used is named, and the next counts.
 *
 * @throws Error if the runs cannot be listed, or if none is found and one could not be fetched
 */
export async function findBaselineOutcomes(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  search: RunSearch,
): Promise<Omit<EarlierOutcomes, 'own'>> {
  const unread: string[] = []
  let failure: Error | undefined
  for (const branch of search.branches) {
    const outcomes: EarlierOutcome[] = []
    const reds: EarlierOutcome[] = []
    const judged: { isGreen: boolean; run: RunOfBranch }[] = []
    const add = async (run: RunOfBranch, to: EarlierOutcome[], verdict?: string) => {
      try {
        const path = await baselineFile(octokit, store, search, { run, branch, verdict })
        if (path !== undefined) to.push({ path, url: run.html_url, branch, commit: run.head_sha })
      } catch (error) {
        // A permission that is missing for one run, or a limit, is so for all.
        if ([401, 403, 429].includes(statusOf(error) ?? 0)) throw error
        const isUnusable = error instanceof OutcomeFault
        if (!isUnusable && statusOf(error) !== 404) failure ??= asError(error)
        const what = isUnusable ? error.message : `could not be fetched (${message(error)})`
        unread.push(`Workflow run ${run.id} on ${branch} ${what}, so it is left out.`)
      }
    }
    for await (const run of ownRuns(octokit, search, branch, look)) {
      const isGreen = run.conclusion === 'success'
      if (isGreen || run.conclusion === 'failure') judged.push({ isGreen, run })
      if (isGreen && outcomes.length < search.count) await add(run, outcomes)
      if (outcomes.length >= search.count && (judged.length > mostForReds || search.count < fewestForReds))
        break
    }
    if (search.count >= fewestForReds) {
      for (const at of passingReds(judged.map(({ isGreen }) => isGreen))) {
        const red = judged[at]
        if (red) await add(red.run, reds, 'failed')
      }
    }
    if (outcomes.length > 0) return { outcomes, reds, unread }
    search.log.info(`No earlier successful run on ${branch} has the artifact ${search.artifact}.`)
  }
  // It may be a baseline: without it, nobody knows that there is none.
  if (failure) throw failure
  return { outcomes: [], reds: [], unread }
}

interface RunOfBranch {
  id: number
  run_attempt?: number
  html_url: string
  head_sha: string
}

/** The outcome file of a run if it has figures, and has measured the branch's code by the template that is wanted. */
async function baselineFile(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  search: RunSearch,
  { run, branch, verdict }: { run: RunOfBranch; branch: string; verdict?: string | undefined },
): Promise<string | undefined> {
  const file = await outcomeFileOf(octokit, store, search, run)
  const parsed = file === undefined ? undefined : parsedOutcome(file)
  if (verdict !== undefined && parsed?.verdict !== verdict) return undefined
  const why = parsed?.whyNotOfBranch(branch) ?? (parsed && whyOtherTemplate(search.template, parsed.template))
  if (why !== undefined) search.log.info(`Workflow run ${run.id} ${why}, so it is not a baseline.`)
  return parsed && why === undefined ? file : undefined
}

/** As the end of a sentence; where one of them is unknown, nothing says that they differ. */
export function whyOtherTemplate(
  wanted: LoadTestName | undefined,
  template: ParsedOutcome['template'],
): string | undefined {
  if (!wanted || !template) return undefined
  const isSame = 'number' in wanted ? wanted.number === template.number : wanted.name === template.name
  return isSame ? undefined : `is a run of load test ${template.number}`
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(message(error))
}

interface HistorySearch extends RunSearch {
  /** This workflow run, if it runs a branch's own code: an earlier job of it may have attached an outcome. */
  own?: { branch: string; url: string; commit: string }
}

interface BranchOutcomes extends Pick<EarlierOutcomes, 'outcomes' | 'unread'> {
  branch: string
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
): Promise<Omit<BranchOutcomes, 'branch'>> {
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
