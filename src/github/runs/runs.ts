import path from 'node:path'
import { isOwn } from '../pull-request/pull-reading.js'
import type { StartInputs } from '../../inputs/inputs.js'
import type { Log } from '../../log.js'
import { type Octokit, statusOf } from '../api/octokit.js'
import {
  earlierRun,
  type ParsedOutcome,
  plainOutcome,
  readOutcome,
  tooLarge,
} from '../../outcome/outcome-file.js'
import { OwnError, ReportError } from '../../errors.js'
import { anyTestedName, laterAttempt, lostName, plainName } from '../../text/attempt-name.js'
import { type ApiArtifact, artifactsOfRun, type ArtifactStore, storedFiles } from '../artifacts/store.js'

/** What identifies the earlier runs of this workflow, and where their outcomes are put. */
export interface RunSearch {
  octokit: () => Promise<Octokit>
  store: Pick<ArtifactStore, 'downloadArtifact'>
  owner: string
  repo: string
  /** File name of the workflow, such as `load-test.yml`. */
  workflow: string
  /** The pull request's base branch; where it has no runs, the other one. */
  branches: readonly string[]
  artifact: string
  count: number
  /** The load test that this run is a copy of, if an input names one. */
  template?: StartInputs['template']
  currentRun: number
  token: string
  folder: string
  log: Log
  /** For a history: this workflow run, if it runs a branch's own code. An earlier job of it may have attached an outcome. */
  own?: { branch: string; url: string; commit: string }
}

export interface RunOfBranch {
  id: number
  run_attempt?: number
  html_url: string
  head_sha: string
}

/** Older runs have little to do with today's code. */
const mostPages = 10

/**
 * The runs of the repository's own code on a branch, the latest first, up to the limit of those whose artifacts are
 * checked. A run of a pull request never counts, nor does one of a fork whose branch has the same name: anybody could
 * start those.
 */
export async function* ownRuns(
  { octokit, owner, repo, workflow, currentRun, log }: RunSearch,
  branch: string,
  { most, perPage, purpose }: { most: number; perPage: number; purpose: string },
) {
  const { paginate, rest } = await octokit()
  const at = { owner, repo, workflow_id: workflow, branch, status: 'completed', per_page: perPage } as const
  const pages = paginate.iterator(rest.actions.listWorkflowRuns, at)
  let [page, listed, looked] = [0, 0, 0]
  for await (const { data } of pages) {
    for (const run of latestFirst(data)) {
      listed++
      if (!isOwn(run, { owner, repo }) || typeof run.head_sha !== 'string') continue
      if (run.event.startsWith('pull_request') || run.id === currentRun) continue
      looked++
      yield run
      if (looked >= most) break
    }
    page++
    if (page >= mostPages || looked >= most) {
      log.info(
        `Looked at the latest ${listed} runs of ${workflow} on ${branch} for ${purpose}, but not at older ones.`,
      )
      return
    }
  }
}

/** By their dates, whatever the order of GitHub's list; those of one date stay as they are. */
export function latestFirst<T extends { created_at?: string | null }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => (Date.parse(b.created_at ?? '') || 0) - (Date.parse(a.created_at ?? '') || 0))
}

/** The outcome of a workflow run that cannot be used, though it could be fetched. */
export class OutcomeFault extends OwnError {}

/** The outcome file of a run's last attempt, unpacked, if it has one. @throws OutcomeFault that can follow the run's name */
export async function outcomeFileOf(
  search: Omit<RunSearch, 'branches' | 'count' | 'log' | 'workflow'>,
  { id: run, run_attempt: attempt = 1 }: Pick<RunOfBranch, 'id' | 'run_attempt'>,
): Promise<string | undefined> {
  const { store, owner, repo, artifact, token, folder } = search
  const octokit = await search.octokit()
  const named = outcomeOf(await artifactsOfRun(octokit, { owner, repo, run }), artifact)
  if (!named) return undefined
  if (attempt > 1 && !(await lastJobs(octokit, { owner, repo, run }))(named.created_at)) return undefined
  const large = tooLarge(named.size_in_bytes)
  if (large !== undefined) throw new OutcomeFault(`has an outcome that ${large}`)
  const findBy = { token, workflowRunId: run, repositoryOwner: owner, repositoryName: repo }
  const into = { path: path.join(folder, String(run)), findBy }
  const [file] = await storedFiles(store, named, into)
  if (file === undefined) throw new OutcomeFault('has an outcome artifact without a file')
  return plainOutcome(file).catch(unusable)
}

/** What counts of an outcome; undefined if it read no report. @throws OutcomeFault that can follow the run's name */
export function parsedOutcome(file: string): ParsedOutcome | undefined {
  try {
    return earlierRun(readOutcome(file))
  } catch (error) {
    return unusable(error)
  }
}

function unusable(error: unknown): never {
  if (!(error instanceof ReportError)) throw error
  throw new OutcomeFault(`has an outcome that ${error.message}`, { cause: error })
}

/**
 * The artifact of the last attempt by its date. Where attempts share their names, as on an Enterprise Server, those after
 * the first end with their number.
 */
function outcomeOf(artifacts: readonly ApiArtifact[], wanted: string): ApiArtifact | undefined {
  const stem = plainName(wanted)
  const names = new Set(artifacts.map(({ name }) => plainName(name)))
  const attemptOf = ({ name, expired }: ApiArtifact): number => {
    const own = plainName(name)
    if (expired) return 0
    if (own === stem || lostName(own, names) === stem) return 1
    return laterAttempt(own, stem, anyTestedName) ?? 0
  }
  const own = artifacts.filter((one) => attemptOf(one) > 0)
  return latestFirst(own.sort((a, b) => attemptOf(b) - attemptOf(a)))[0]
}

/**
 * The jobs of a run's last attempt include those that did not run again, with their own times: what an earlier attempt
 * attached counts if it is from the time of one of them, of one that is named after its leg where there is one; else only
 * if none has failed since then.
 *
 * @returns whether what was attached at a time is of the last attempt; `leg` is that of a matrix, where it has one
 */
export async function lastJobs(
  octokit: Octokit,
  { owner, repo, run }: { owner: string; repo: string; run: number },
): Promise<(at: string | Date | null | undefined, leg?: string) => boolean> {
  const { listJobsForWorkflowRun } = octokit.rest.actions
  const at = { owner, repo, run_id: run, filter: 'latest', per_page: 100 } as const
  const jobs = await octokit.paginate(listJobsForWorkflowRun, at).catch((error: unknown) => {
    // Where GitHub does not list them, nobody knows better.
    if (statusOf(error) === 404) return []
    throw error
  })
  return (time, leg) => {
    const attached = new Date(time ?? NaN).getTime()
    if (Number.isNaN(attached) || jobs.length === 0) return true
    const named = jobs.filter(({ name }) => leg !== undefined && partsOf(name).includes(leg))
    const isFromTimeOf = ({ started_at: from, completed_at: to }: (typeof jobs)[number]) =>
      attached >= Date.parse(from) - rounding && (to === null || attached <= Date.parse(to) + rounding)
    if (named.length > 0) return named.some(isFromTimeOf)
    // One that failed later may be the job that had attached it before.
    const mayBeOwn = ({ conclusion, started_at: from }: (typeof jobs)[number]) =>
      failed.includes(conclusion) && Date.parse(from) > attached
    return jobs.some(isFromTimeOf) && !jobs.some(mayBeOwn)
  }
}

const failed: readonly (string | null)[] = ['failure', 'cancelled', 'timed_out']

/** Milliseconds: GitHub's times are whole seconds. */
const rounding = 1000

/** `load-test (search, 17)` may be the job of the leg `search`. */
function partsOf(name: string): string[] {
  return [...name.split(/[(),/]/), ...name.split(' ')].map((part) => part.trim())
}
