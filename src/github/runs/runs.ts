import { isFields } from '../../text/fields.js'
import type { LoadTestName } from '../../inputs/inputs.js'
import type { Log } from '../../log.js'
import type { Octokit } from '../pull-request/pull-request.js'

/** What identifies the earlier runs of this workflow, and where their outcomes are put. */
export interface RunSearch {
  owner: string
  repo: string
  /** File name of the workflow, such as `load-test.yml`. */
  workflow: string
  /** The pull request's base branch; where it has no runs, the other one. */
  branches: readonly string[]
  /** Name of the outcome artifact. */
  artifact: string
  /** How many runs are wanted. */
  count: number
  /** The load test that this run is a copy of, if an input names one. */
  template?: LoadTestName
  /** This workflow run. */
  currentRun: number
  token: string
  folder: string
  log: Log
}

/** How far back to look, and what for. */
export interface Look {
  /** The number of runs whose artifacts are checked. */
  most: number
  perPage: number
  purpose: string
}

/** Older runs have little to do with today's code. */
const mostPages = 10

/**
 * The runs of the repository's own code on a branch, the latest first, up to the limit. A run of a pull request never
 * counts, nor does one of a fork whose branch has the same name: anybody could start those.
 */
export async function* ownRuns(
  octokit: Octokit,
  { owner, repo, workflow, currentRun, log }: RunSearch,
  branch: string,
  { most, perPage, purpose }: Look,
) {
  const pages = octokit.paginate.iterator(octokit.rest.actions.listWorkflowRuns, {
    owner,
    repo,
    workflow_id: workflow,
    branch,
    status: 'completed',
    per_page: perPage,
  })
  let [page, listed, looked] = [0, 0, 0]
  for await (const { data } of pages) {
    for (const run of latestFirst(data)) {
      listed++
      if (
        !isOwn(run, { owner, repo }) ||
        typeof run.head_sha !== 'string' ||
        run.event.startsWith('pull_request') ||
        run.id === currentRun
      )
        continue
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

/** Whether a run is of the repository's own code, and not of a fork. */
export function isOwn(
  run: { head_repository?: unknown },
  { owner, repo }: Pick<RunSearch, 'owner' | 'repo'>,
): boolean {
  // Null if the fork no longer exists.
  const head = run.head_repository
  return isFields(head) && head.full_name === `${owner}/${repo}`
}
