import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { message, UserError } from '../errors.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import type { GivenArtifact } from '../world.js'
import { attached } from './artifact.js'
import { artifactsOfRun, type ApiArtifact } from './api-artifacts.js'
import type { ArtifactStore } from './artifact-store.js'
import type { Octokit } from './pull-request.js'

export interface ArtifactSearch {
  owner: string
  repo: string
  /** As the user wrote it, with or without the file extension. */
  name: string
  /** The workflow run that has it. */
  run: number
  /** Whether that is this one: its artifacts need no permission. */
  isOwn: boolean
  /** Of the workflow run. */
  url: string
  token: string
  folder: string
}

const endings = ['', '.tar.gz', '.zip', '.xml']

/**
 * Fetches an artifact as it is stored.
 *
 * @throws UserError if it is missing, has expired or cannot be read
 */
export async function fetchReportArtifact(
  octokit: () => Promise<Octokit>,
  store: Pick<ArtifactStore, 'listArtifacts' | 'downloadArtifact'>,
  search: ArtifactSearch,
): Promise<GivenArtifact> {
  const { name, run, isOwn, url, folder, owner, repo, token } = search
  const where = isOwn ? 'this workflow run' : `workflow run ${run}`
  const listed: ApiArtifact[] = isOwn
    ? (await readable(store.listArtifacts({ latest: true }), search)).artifacts
    : await readable(listOf(octokit, search), search)
  const found = newestNamed(name, listed)
  if (!found) {
    const names = [...new Set(listed.map((one) => oneLine(one.name, 80)))].slice(0, 10)
    const has = names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`
    throw new UserError(
      `report names an artifact that ${where} does not have: ${oneLine(name, 120)}. ${has} Correct the name, or the number in report-run.`,
    )
  }
  if (found.expired) {
    throw new UserError(
      `The artifact ${oneLine(found.name, 120)} of ${where} has expired, and GitHub has deleted it. Judge a newer one; artifact-retention-days says how long they are kept.`,
    )
  }
  await mkdir(folder, { recursive: true })
  const findBy = { token, workflowRunId: run, repositoryOwner: owner, repositoryName: repo }
  await readable(store.downloadArtifact(found, { path: folder, ...(isOwn ? {} : { findBy }) }), search)
  const [file, other] = await readdir(folder)
  if (file === undefined) {
    throw new UserError(`The artifact ${oneLine(found.name, 120)} of ${where} contains no file.`)
  }
  // Several files are a report folder.
  const from = { path: other === undefined ? path.join(folder, file) : folder }
  if (!isOwn) {
    const commit = found.workflow_run?.head_sha
    return { ...from, given: { name: `${found.name} of workflow run ${run}`, url, ...defined({ commit }) } }
  }
  return { ...from, given: { name: found.name }, artifact: attached(found.id, found.name, url) }
}

/** If several attempts of the run have one with this name, the newest. */
function newestNamed(name: string, listed: readonly ApiArtifact[]): ApiArtifact | undefined {
  return endings
    .flatMap((ending) => listed.filter((one) => one.name === `${name}${ending}`))
    .reduce<ApiArtifact | undefined>(
      (newest, one) => ((newest?.id ?? 0) > (one.id ?? 0) ? newest : one),
      undefined,
    )
}

/**
 * The newest run of a workflow for a commit that has an artifact which has not expired.
 *
 * @throws UserError if there is none, or the runs cannot be read
 */
export async function runOfCommit(
  octokit: () => Promise<Octokit>,
  search: Pick<ArtifactSearch, 'owner' | 'repo' | 'name' | 'token'> & {
    /** File name of the workflow. */
    workflow: string
    commit: string
    /** This workflow run. */
    currentRun: number
  },
): Promise<number> {
  const { owner, repo, name, workflow, commit, currentRun } = search
  try {
    const { rest } = await octokit()
    const at = { owner, repo, workflow_id: workflow, head_sha: commit, per_page: 100 }
    const { data } = await rest.actions.listWorkflowRuns(at)
    for (const { id } of data.workflow_runs.filter((run) => run.id !== currentRun)) {
      const found = newestNamed(name, await listOf(octokit, { ...search, run: id }))
      if (found && !found.expired) return id
    }
  } catch (error) {
    throw new UserError(
      `The workflow runs of commit ${oneLine(commit, 60)} could not be read: ${message(error)}. The job needs the permission actions: read.`,
      { cause: error },
    )
  }
  throw new UserError(
    `No other workflow run of commit ${oneLine(commit, 60)} has the artifact ${oneLine(name, 120)} that report names. Wait until its load test has ended, then run this job again.`,
  )
}

async function listOf(
  octokit: () => Promise<Octokit>,
  search: Pick<ArtifactSearch, 'owner' | 'repo' | 'run' | 'token'>,
): Promise<ApiArtifact[]> {
  if (!search.token) throw new UserError('github-token is empty.')
  return artifactsOfRun(await octokit(), search)
}

/** @throws UserError that says which permission is missing */
async function readable<T>(asked: Promise<T>, { run, isOwn }: ArtifactSearch): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw new UserError(
      isOwn
        ? `The artifacts of this workflow run could not be read: ${message(error)}.`
        : `The artifacts of workflow run ${run} could not be read: ${message(error)}. It must be a run of this repository, and the job needs the permission actions: read.`,
      { cause: error },
    )
  }
}
