import path from 'node:path'
import type { EarlierOutcomes, EarlierOutcome, BaselineCandidate } from '../../baseline/baseline.js'
import {
  fewestForReds,
  mostForReds,
  useOfRuns,
  type EarlierRuns,
  type OwnPlace,
  type BranchRun,
} from '../../baseline/source.js'
import { message, UserError } from '../../errors.js'
import { plainName } from '../../text/attempt-name.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import type { GitHubAccess, JobFacts } from '../job/job.js'
import { saidBy, statusOf, withTodo } from '../api/octokit.js'
import {
  OutcomeFault,
  outcomeFileOf,
  ownRuns,
  parsedOutcome,
  type RunSearch,
  type RunOfBranch,
} from './runs.js'
import { whyNotOfBranch, type Measured } from '../../outcome/code-origin.js'
import { judgedVerdicts } from '../../outcome/outcome.js'
import type { ParsedOutcome } from '../../outcome/outcome-file.js'

/** The outcomes of earlier runs that this one is compared with. @throws UserError */
export async function earlierOutcomes(
  access: GitHubAccess,
  wanted: EarlierRuns,
  chosen: { base?: string } | undefined,
  measured?: Measured,
): Promise<EarlierOutcomes> {
  const { job } = access
  const purpose = {
    runs: 'The earlier runs for baseline: artifact',
    missing: wanted.workflow
      ? `baseline-workflow is ${oneLine(wanted.workflow, 100)}, but this repository has no such workflow. Correct the name of its file.`
      : job.workflowPath
        ? undefined
        : 'This workflow is of another repository, such as one that a ruleset requires, and GitHub lists no runs of it here. Name one of this repository in baseline-workflow.',
  }
  return withRuns(purpose, async () => {
    const own = { ...wanted, ...defined({ template: measured?.template }) }
    const search = await runSearch(access, own, chosen?.base)
    const none = { outcomes: [], reds: [], unread: [] }
    let fault: Error | undefined
    const found = await findBaselineOutcomes(search).catch((error: unknown) => {
      const isMissing = wanted.branch !== undefined && statusOf(error) === 404
      if (!isMissing || !(error instanceof Error)) throw error
      fault = error
      return none
    })
    if (wanted.branch !== undefined && found.outcomes.length + found.unread.length === 0) {
      const branches = await insteadOf(search)
      if (branches) return { ...none, own: { branch: wanted.branch }, branches }
      if (fault) throw fault
    }
    const hasEarlier = found.outcomes.length > 0
    return { ...found, own: await ownPlace(search, { ...job, ...measured }, hasEarlier) }
  })
}

/** The branches that there are, if the wanted one certainly is not one of them. */
async function insteadOf(search: RunSearch): Promise<string[] | undefined> {
  const [branch = ''] = search.branches
  const { owner, repo } = search
  const { repos } = (await search.octokit()).rest
  const status = await repos.getBranch({ owner, repo, branch }).then(() => 200, statusOf)
  if (status !== 404) return undefined
  // Where the token may not read the repository's contents, this fails.
  const list = await repos.listBranches({ owner, repo, per_page: 100 }).catch(() => undefined)
  return list?.data.map(({ name }) => name)
}

/** Reads the outcomes of the runs of a branch. @throws UserError */
export async function branchOutcomes(
  access: GitHubAccess,
  count: number,
  read: Parameters<typeof findBranchOutcomes>[1],
): ReturnType<typeof findBranchOutcomes> {
  const { branch, sha: commit, step } = access.job
  const own = branch === undefined ? undefined : { branch, url: step.workflowRunUrl ?? '', commit }
  return withRuns({ runs: 'The runs of the history' }, async () => {
    const search = await runSearch(access, { runs: count })
    return findBranchOutcomes({ ...search, ...defined({ own }) }, read)
  })
}

/** @throws UserError that names the permission */
async function withRuns<T>(
  { runs, missing }: { runs: string; missing?: string | undefined },
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (missing !== undefined && statusOf(error) === 404) throw new UserError(missing, { cause: error })
    const todo = 'The job needs the permission actions: read.'
    throw new UserError(`${runs} could not be read: ${withTodo(error, todo)}`, { cause: error })
  }
}

/** What finds the earlier runs. @param base the branch that the pull request of the comment wants to change */
async function runSearch(
  access: GitHubAccess,
  wanted: EarlierRuns & Pick<Measured, 'template'>,
  base = access.job.base,
): Promise<RunSearch> {
  const { inputs, job, log, octokit, artifactStore, temp } = access
  const { owner, repo } = job
  const { runs: count, branch, workflow, template } = wanted
  const usual = async () => [base ?? job.branch, job.defaultBranch ?? (await defaultBranch(access))]
  const branches = branch === undefined ? await usual() : [branch]
  return {
    ...{ octokit, owner, repo, log },
    folder: path.join(temp, 'earlier-runs'),
    store: await artifactStore(),
    workflow: workflow ?? job.workflow,
    branches: [...new Set(branches.filter((one) => one !== undefined))],
    artifact: `${inputs.name}-outcome`,
    count,
    ...('template' in inputs ? { template: inputs.template } : defined({ template })),
    currentRun: job.workflowRun,
    token: inputs.githubToken,
  }
}

async function defaultBranch({ job: { owner, repo }, octokit }: GitHubAccess): Promise<string> {
  return (await (await octokit()).rest.repos.get({ owner, repo })).data.default_branch
}

/** How many runs of other workflows are looked at. */
const mostLooks = 10

type PlaceSearch = Pick<
  RunSearch,
  'octokit' | 'artifact' | 'branches' | 'log' | 'owner' | 'repo' | 'workflow'
>

/** Where this run stands if no earlier one can be compared. @param hasEarlier GitHub is only asked if there is none */
export async function ownPlace(
  search: PlaceSearch,
  run: Measured & Pick<JobFacts, 'workflow' | 'workflowPath' | 'base'>,
  hasEarlier: boolean,
): Promise<OwnPlace> {
  const { workflow, workflowPath, base, ...measured } = run
  const [branch = ''] = search.branches
  const isOfWorkflow = search.workflow === workflow
  // Later runs look at the base of their pull request or at their own branch, then at the default branch.
  const own = search.branches.find((one) => whyNotOfBranch(measured, one) === undefined)
  if (isOfWorkflow && own !== undefined) return { branch: own, first: 'branch' }
  if (hasEarlier) return { branch }
  const other = await otherWorkflow(search, branch)
  const named = isOfWorkflow ? undefined : search.workflow
  const place = { branch, ...defined({ otherWorkflow: other, workflow: named }) }
  if (measured.step.event !== 'pull_request' || base === undefined || !isOfWorkflow) return place
  return { ...place, ...(await lackOf(search, base, workflowPath)) }
}

/**
 * What to say if a branch lacks the workflow's file, or may lack it. Where the token may not read files, GitHub answers
 * 403; it has listed runs of this repository before, so that 404 is about the file alone.
 */
async function lackOf(
  { octokit, owner, repo }: PlaceSearch,
  base: string,
  path: string | undefined,
): Promise<Pick<OwnPlace, 'first' | 'unknown'>> {
  if (path === undefined) return { unknown: 'the workflow is of another repository' }
  try {
    await (await octokit()).rest.repos.getContent({ owner, repo, path, ref: `refs/heads/${base}` })
    return {}
  } catch (error) {
    return statusOf(error) === 404 ? { first: 'pull-request' } : { unknown: message(error) }
  }
}

/** Another workflow with outcomes of a branch. Where that cannot be read, none is named. */
async function otherWorkflow(
  { octokit, owner, repo, artifact, workflow, log }: PlaceSearch,
  branch: string,
): Promise<string | undefined> {
  try {
    const name = `${plainName(artifact)}.json`
    const { actions } = (await octokit()).rest
    const { data } = await actions.listArtifactsForRepo({ owner, repo, name, per_page: 100 })
    const ofBranch = data.artifacts.flatMap(({ workflow_run: run }) =>
      run?.head_branch === branch && run.head_repository_id === run.repository_id ? (run.id ?? []) : [],
    )
    for (const id of [...new Set(ofBranch)].slice(0, mostLooks)) {
      const { data: run } = await actions.getWorkflowRun({ owner, repo, run_id: id })
      const file = run.path.slice(run.path.lastIndexOf('/') + 1).replace(/@.*$/, '')
      if (file !== workflow && !run.event.startsWith('pull_request')) return file
    }
  } catch (error) {
    log.debug(message(error))
  }
  return undefined
}

const baselineLook = { most: 100, perPage: 30, purpose: 'baselines' }

/**
 * The outcomes of the latest green runs of this workflow on the first branch that has any, and of those that say how
 * much runs differ. A run counts only if its own outcome says that the branch's code was measured, by the same template,
 * and is red by its verdict, whatever `fail-on` made of that. One whose outcome cannot be used is named, and the next
 * counts.
 *
 * @throws Error if the runs cannot be listed, or if none is found and one could not be fetched
 */
export async function findBaselineOutcomes(search: RunSearch): Promise<Omit<EarlierOutcomes, 'own'>> {
  const unread: string[] = []
  let failure: Error | undefined
  for (const branch of search.branches) {
    const { outcomes, reds } = await outcomesOn(
      ownRuns(search, branch, baselineLook),
      { count: search.count, branch },
      async (run, verdict) => {
        try {
          return await baselineOutcome(search, { run, branch, verdict })
        } catch (error) {
          // A permission that is missing for one run, or a limit, is so for all.
          if ([401, 403, 429].includes(statusOf(error) ?? 0)) throw error
          const isUnusable = error instanceof OutcomeFault
          if (!isUnusable && statusOf(error) !== 404)
            failure ??= error instanceof Error ? error : new Error(message(error))
          const what = isUnusable ? error.message : `could not be fetched (${saidBy(error)})`
          unread.push(`Workflow run ${run.id} on ${branch} ${what}, so it is left out.`)
          return undefined
        }
      },
    )
    if (outcomes.length > 0) return { outcomes, reds, unread }
    search.log.info(`No earlier successful run on ${branch} has the artifact ${search.artifact}.`)
  }
  // It may be a baseline: without it, nobody knows that there is none.
  if (failure) throw failure
  return { outcomes: [], reds: [], unread }
}

type Looked = BranchRun & { run: RunOfBranch; found?: BaselineCandidate }

/** @param fetch the outcome of a run, if it counts, and has the verdict that it must have */
async function outcomesOn(
  runs: AsyncIterable<RunOfBranch & { conclusion: string | null }>,
  { count, branch }: { count: number; branch: string },
  fetch: (run: RunOfBranch, verdict?: string) => Promise<ParsedOutcome | undefined>,
): Promise<Pick<EarlierOutcomes, 'outcomes' | 'reds'>> {
  const looked: Looked[] = []
  const candidate = async (run: RunOfBranch, verdict?: string): Promise<BaselineCandidate | undefined> => {
    const outcome = await fetch(run, verdict)
    return outcome && { outcome, url: run.html_url, branch, commit: run.head_sha }
  }
  for await (const run of runs) {
    const isSuccess = run.conclusion === 'success'
    if (!isSuccess && run.conclusion !== 'failure') continue
    const isWanted = isSuccess && levelOf(looked, count).length < count
    looked.push({ run, isRed: !isSuccess, ...known(isWanted ? await candidate(run) : undefined) })
    if (areEnough(looked, count)) break
  }
  const outcomes = levelOf(looked, count)
  const reds: BaselineCandidate[] = []
  for (const at of count < fewestForReds ? [] : useOfRuns(looked).spread) {
    const one = looked[at]
    const found = one && (one.found ?? (await candidate(one.run, 'failed')))
    if (found && !outcomes.includes(found)) reds.push(found)
  }
  return { outcomes, reds }
}

function known(found: BaselineCandidate | undefined): Partial<Looked> {
  if (!found) return {}
  const { verdict, isNewLevel, slowerBy } = found.outcome
  return { found, isRed: verdict === 'failed', ...defined({ slowerBy: isNewLevel ? undefined : slowerBy }) }
}

function areEnough(looked: readonly Looked[], count: number): boolean {
  if (looked.length > mostForReds) return looked.filter(({ found }) => found).length >= count
  return count < fewestForReds && levelOf(looked, count).length >= count
}

/** As many red runs in a row as are wanted, which `fail-on` left green, are a new level: what was before them is none. */
function levelOf(looked: readonly Looked[], count: number): BaselineCandidate[] {
  const found = looked.flatMap((one) => one.found ?? [])
  const isStreak = (_: unknown, at: number) => {
    const streak = found.slice(at, at + count)
    return streak.length === count && streak.every(({ outcome }) => outcome.verdict === 'failed')
  }
  const runs = count < fewestForReds ? looked.map(({ isRed }) => ({ isRed })) : looked
  const streak = found.findIndex(isStreak)
  const isSince = (one: BaselineCandidate) => streak === -1 || found.indexOf(one) < streak
  const level = useOfRuns(runs)
    .level.flatMap((at) => looked[at]?.found ?? [])
    .filter(isSince)
  return (level.length > 0 ? level : found.slice(Math.max(0, streak))).slice(0, count)
}

/** The outcome of a run if it has figures, and has measured the branch's code by the template that is wanted. */
async function baselineOutcome(
  search: RunSearch,
  { run, branch, verdict }: { run: RunOfBranch; branch: string; verdict?: string | undefined },
): Promise<ParsedOutcome | undefined> {
  const file = await outcomeFileOf(search, run)
  const parsed = file === undefined ? undefined : parsedOutcome(file)
  if (!parsed || (verdict !== undefined && parsed.verdict !== verdict)) return undefined
  const isJudged = judgedVerdicts.includes(parsed.verdict)
  const why =
    parsed.whyNotOfBranch(branch) ??
    whyOtherTemplate(search.template, parsed.template) ??
    // Whatever `fail-on` made of its verdict.
    (isJudged ? undefined : `has the verdict ${parsed.verdict}`)
  if (why !== undefined) search.log.info(`Workflow run ${run.id} ${why}, so it is not a baseline.`)
  return why === undefined ? parsed : undefined
}

/** As the end of a sentence; where one of them is unknown, nothing says that they differ. */
export function whyOtherTemplate(
  wanted: RunSearch['template'],
  template: ParsedOutcome['template'],
): string | undefined {
  if (!wanted || !template) return undefined
  const isSame = 'number' in wanted ? wanted.number === template.number : wanted.name === template.name
  return isSame ? undefined : `is a run of load test ${template.number}`
}

/** Runs that are requested at the same time. */
const atOnce = 6
/** Some runs of a workflow have no outcome, so this many more are checked. */
const mostWithoutOutcome = 100

/**
 * Reads the outcomes of the latest runs of this workflow, whatever their verdict, on the first branch that has any that
 * count, the latest first. One that cannot be fetched is named and left out.
 *
 * @param read why one does not count, as the end of a sentence
 */
export async function findBranchOutcomes(
  search: RunSearch,
  read: (outcome: EarlierOutcome) => string | undefined,
): Promise<{ branch: string; unread: string[] }> {
  const [first = ''] = search.branches
  const unread: string[] = []
  const fetch = async (run: RunOfBranch) => {
    try {
      return await outcomeFileOf(search, run)
    } catch (error) {
      unread.push(
        error instanceof OutcomeFault
          ? `Workflow run ${run.id} ${message(error)}, so it is left out.`
          : `The outcome of workflow run ${run.id} could not be read and is left out: ${withTodo(error, 'The job needs the permission actions: read.')}`,
      )
      return undefined
    }
  }
  for (const branch of search.branches) {
    let left = search.count
    for await (const some of inGroups(candidates(search, branch), atOnce)) {
      const files = await Promise.all(some.map(fetch))
      for (const [at, { id, html_url: url, head_sha: commit }] of some.entries()) {
        const file = files[at]
        if (file === undefined || left === 0) continue
        const why = read({ path: file, url, branch, commit })
        if (why === undefined) left--
        else search.log.info(`Workflow run ${id} ${why}, and is left out.`)
      }
      if (left === 0) break
    }
    if (left < search.count) return { branch, unread }
    search.log.info(`No run on ${branch} has the artifact ${search.artifact}.`)
  }
  return { branch: first, unread }
}

async function* candidates(search: RunSearch, branch: string): AsyncGenerator<RunOfBranch> {
  const { own, currentRun, count } = search
  if (own?.branch === branch) yield { id: currentRun, html_url: own.url, head_sha: own.commit }
  const look = { most: count + mostWithoutOutcome, perPage: 100, purpose: 'the history' }
  yield* ownRuns(search, branch, look)
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
