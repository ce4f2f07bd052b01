import { mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { EarlierOutcome } from '../baseline/baseline.js'
import { holdsFigures } from '../baseline/outcome-file.js'
import { isFields } from '../text/fields.js'
import type { Log } from '../log.js'
import { within } from './deadline.js'
import type { Octokit } from './pull-request.js'

/** The part of @actions/artifact that is used. */
export interface ArtifactSource {
  downloadArtifact(
    id: number,
    options: {
      path: string
      skipDecompress?: boolean
      findBy?: { token: string; workflowRunId: number; repositoryOwner: string; repositoryName: string }
    },
  ): Promise<{ downloadPath?: string }>
}

export interface BaselineSearch {
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
  /** This workflow run, which is not its own baseline. */
  currentRun: number
  token: string
  folder: string
  log: Log
}

/** Pages of 30 runs; what is older has little to do with the code of today. */
const mostPages = 10
/** Runs whose artifacts are looked for. */
const mostLookedAt = 100
/** Milliseconds to download one outcome. */
const downloadLimit = 120_000

/**
 * The outcomes of the latest successful runs of this workflow on the first branch that has any. A run of a pull
 * request never counts, nor one of a fork whose branch has the same name: anybody could start those.
 */
export async function findBaselineOutcomes(
  octokit: Octokit,
  store: ArtifactSource,
  search: BaselineSearch,
): Promise<EarlierOutcome[]> {
  for (const branch of search.branches) {
    const found = await onBranch(octokit, store, search, branch)
    if (found.length > 0) return found
    search.log.info(`No earlier successful run on ${branch} has the artifact ${search.artifact}.`)
  }
  return []
}

async function onBranch(
  octokit: Octokit,
  store: ArtifactSource,
  search: BaselineSearch,
  branch: string,
): Promise<EarlierOutcome[]> {
  const { owner, repo, artifact, count, token, folder } = search
  const outcomes: EarlierOutcome[] = []
  for await (const run of ownRuns(octokit, search, branch)) {
    const { data: listed } = await octokit.rest.actions.listWorkflowRunArtifacts({
      owner,
      repo,
      run_id: run.id,
      per_page: 100,
    })
    const named = listed.artifacts.find(({ name, expired }) => isNamed(name, artifact) && !expired)
    if (!named) continue
    const target = path.join(folder, String(run.id))
    await mkdir(target, { recursive: true })
    const findBy = { token, workflowRunId: run.id, repositoryOwner: owner, repositoryName: repo }
    await within(downloadLimit, store.downloadArtifact(named.id, { path: target, findBy }))
    const [file] = (await readdir(target)).filter((name) => name.endsWith('.json'))
    // A run that read no report leaves an outcome without figures.
    if (!file || !holdsFigures(await readFile(path.join(target, file), 'utf8'))) continue
    outcomes.push({ path: path.join(target, file), url: run.html_url, branch, commit: run.head_sha })
    if (outcomes.length >= count) break
  }
  return outcomes
}

/** The successful runs of the repository's own code on a branch, the latest first, as far back as is looked. */
async function* ownRuns(
  octokit: Octokit,
  { owner, repo, workflow, currentRun, log }: BaselineSearch,
  branch: string,
) {
  const pages = octokit.paginate.iterator(octokit.rest.actions.listWorkflowRuns, {
    owner,
    repo,
    workflow_id: workflow,
    branch,
    status: 'success',
    per_page: 30,
  })
  let [page, listed, looked] = [0, 0, 0]
  for await (const { data } of pages) {
    for (const run of data) {
      listed++
      // Null where the fork is gone.
      const head: unknown = run.head_repository
      const own = isFields(head) && head.full_name === `${owner}/${repo}`
      if (!own || run.event.startsWith('pull_request') || run.id === currentRun) continue
      looked++
      yield run
      if (looked >= mostLookedAt) break
    }
    page++
    if (page >= mostPages || looked >= mostLookedAt) {
      log.info(
        `Looked at the latest ${listed} successful runs of ${workflow} on ${branch} for baselines, but not at older ones.`,
      )
      return
    }
  }
}

/** The artifact of one file is named after it. */
function isNamed(name: string, wanted: string): boolean {
  return name === wanted || name === `${wanted}.json`
}
