import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { parseOutcome, type ParsedOutcome } from '../../outcome/outcome-file.js'
import { mostOutcomeBytes, plainOutcome, tooLarge } from '../../outcome/stored-outcome.js'
import { message, ReportError } from '../../errors.js'
import { anyTestedName, laterAttempt } from '../../text/attempt-name.js'
import { isFields } from '../../text/fields.js'
import { readRegularFile } from '../../text/regular-file.js'
import type { Log } from '../../log.js'
import { artifactsOfRun } from '../artifacts/api-artifacts.js'
import type { ArtifactStore, StoredArtifact } from '../artifacts/store.js'
import { within } from '../deadline.js'
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
  /** This workflow run. */
  currentRun: number
  token: string
  folder: string
  log: Log
}

/** How far back to look, and what for. */
export interface Look {
  /** Only successful runs, or all that have ended. */
  status: 'success' | 'completed'
  /** The number of runs whose artifacts are checked. */
  most: number
  perPage: number
  purpose: string
}

/** Older runs have little to do with today's code. */
const mostPages = 10
/** Milliseconds to download one outcome. */
const downloadLimit = 120_000

/**
 * The runs of the repository's own code on a branch, the latest first, up to the limit. A run of a pull request never
 * counts, nor does one of a fork whose branch has the same name: anybody could start those.
 */
export async function* ownRuns(
  octokit: Octokit,
  { owner, repo, workflow, currentRun, log }: RunSearch,
  branch: string,
  { status, most, perPage, purpose }: Look,
) {
  const pages = octokit.paginate.iterator(octokit.rest.actions.listWorkflowRuns, {
    owner,
    repo,
    workflow_id: workflow,
    branch,
    status,
    per_page: perPage,
  })
  let [page, listed, looked] = [0, 0, 0]
  for await (const { data } of pages) {
    for (const run of data) {
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
      const kind = status === 'success' ? 'successful runs' : 'runs'
      log.info(
        `Looked at the latest ${listed} ${kind} of ${workflow} on ${branch} for ${purpose}, but not at older ones.`,
      )
      return
    }
  }
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

/** The outcome of a workflow run that cannot be used, though it could be fetched. */
export class OutcomeFault extends Error {
  override name = 'OutcomeFault'
}

/**
 * The outcome file of a workflow run, on disk and unpacked; undefined if the run has none, or no longer has it.
 *
 * @throws OutcomeFault whose message can follow the name of the run
 */
export async function outcomeFileOf(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  { owner, repo, artifact, token, folder }: Omit<RunSearch, 'branches' | 'count' | 'log' | 'workflow'>,
  run: number,
): Promise<string | undefined> {
  const named = outcomeOf(await artifactsOfRun(octokit, { owner, repo, run }), artifact)
  if (!named) return undefined
  const large = tooLarge(named.size_in_bytes)
  if (large !== undefined) throw new OutcomeFault(`has an outcome that ${large}`)
  const target = path.join(folder, String(run))
  await mkdir(target, { recursive: true })
  const findBy = { token, workflowRunId: run, repositoryOwner: owner, repositoryName: repo }
  await within(downloadLimit, store.downloadArtifact(named, { path: target, findBy }))
  const [file] = await readdir(target)
  if (file === undefined) throw new OutcomeFault('has an outcome artifact without a file')
  try {
    return await plainOutcome(path.join(target, file), mostOutcomeBytes)
  } catch (error) {
    if (!(error instanceof ReportError)) throw error
    throw new OutcomeFault(`has an outcome that ${error.message}`, { cause: error })
  }
}

/** @throws OutcomeFault whose message can follow the name of the run */
export function parsedOutcome(file: string): ParsedOutcome | undefined {
  const parsed = parseOutcome(textOf(file))
  if (!('fault' in parsed)) return parsed
  // A run that read no report leaves an outcome without figures.
  if (parsed.withoutFigures) return undefined
  throw new OutcomeFault(`has an outcome that ${parsed.fault}`)
}

function textOf(file: string): string {
  try {
    return readRegularFile(file, mostOutcomeBytes).toString('utf8')
  } catch (error) {
    throw new OutcomeFault(`has an outcome that is not read: ${message(error)}`, { cause: error })
  }
}

/**
 * The artifact of the last attempt. Where attempts share their names, as on an Enterprise Server, those after the first
 * end with their number.
 */
function outcomeOf<T extends StoredArtifact>(artifacts: readonly T[], wanted: string): T | undefined {
  const stem = stemOf(wanted)
  const attemptOf = ({ name, expired }: T): number => {
    if (expired) return 0
    return stemOf(name) === stem ? 1 : (laterAttempt(stemOf(name), stem, anyTestedName) ?? 0)
  }
  return artifacts
    .filter((one) => attemptOf(one) > 0)
    .reduce<T | undefined>((last, one) => (last && attemptOf(last) >= attemptOf(one) ? last : one), undefined)
}

/** The artifact of one file is named after it. */
function stemOf(name: string): string {
  return name.replace(/\.json$/, '')
}
