import { mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { EarlierOutcome } from '../baseline/baseline.js'
import { holdsFigures } from '../baseline/outcome-file.js'
import { isFields } from '../text/fields.js'
import type { Log } from '../log.js'
import type { ArtifactStore, StoredArtifact } from './artifact-store.js'
import { within } from './deadline.js'
import type { Octokit } from './pull-request.js'

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
  store: Pick<ArtifactStore, 'downloadArtifact'>,
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
  store: Pick<ArtifactStore, 'downloadArtifact'>,
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
    const named = outcomeOf(listed.artifacts, artifact)
    if (!named) continue
    const target = path.join(folder, String(run.id))
    await mkdir(target, { recursive: true })
    const findBy = { token, workflowRunId: run.id, repositoryOwner: owner, repositoryName: repo }
    await within(downloadLimit, store.downloadArtifact(named, { path: target, findBy }))
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

/**
 * The artifact of the last attempt. Where attempts share their names, as on an Enterprise Server, those after the first
 * end with their number.
 */
function outcomeOf<T extends StoredArtifact>(artifacts: readonly T[], wanted: string): T | undefined {
  const stem = stemOf(wanted)
  const attemptOf = ({ name, expired }: T): number => {
    if (expired || !name.startsWith(stem)) return 0
    const distinction = stemOf(name).slice(stem.length)
    if (distinction === '') return 1
    const attempt = Number(/^-run-\d+-attempt-(\d+)$/.exec(distinction)?.[1] ?? 0)
    return attempt > 1 ? attempt : 0
  }
  return artifacts
    .filter((one) => attemptOf(one) > 0)
    .reduce<T | undefined>((last, one) => (last && attemptOf(last) >= attemptOf(one) ? last : one), undefined)
}

/** The artifact of one file is named after it. */
function stemOf(name: string): string {
  return name.replace(/\.json$/, '')
}
