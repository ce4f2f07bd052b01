import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import {
  earlierRun,
  plainOutcome,
  readOutcome,
  tooLarge,
  type ParsedOutcome,
} from '../../outcome/outcome-file.js'
import { OwnError, ReportError } from '../../errors.js'
import { anyTestedName, laterAttempt, lostName } from '../../text/attempt-name.js'
import { artifactsOfRun, type ApiArtifact } from '../artifacts/api-artifacts.js'
import type { ArtifactStore } from '../artifacts/store.js'
import { within } from '../deadline.js'
import { onceAccepted } from '../octokit.js'
import type { Octokit } from '../pull-request/pull-request.js'
import { lastJobs } from './last-jobs.js'
import { latestFirst, type RunSearch } from './runs.js'

/** Milliseconds to download one outcome. */
const downloadLimit = 120_000

/** The outcome of a workflow run that cannot be used, though it could be fetched. */
export class OutcomeFault extends OwnError {
  override name = 'OutcomeFault'
}

/**
 * The outcome file of a workflow run's last attempt, on disk and unpacked; undefined if that has none, or no longer has
 * it.
 *
 * @throws OutcomeFault whose message can follow the name of the run
 */
export async function outcomeFileOf(
  octokit: Octokit,
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  { owner, repo, artifact, token, folder }: Omit<RunSearch, 'branches' | 'count' | 'log' | 'workflow'>,
  { id: run, run_attempt: attempt = 1 }: { id: number; run_attempt?: number },
): Promise<string | undefined> {
  const named = outcomeOf(await artifactsOfRun(octokit, { owner, repo, run }), artifact)
  if (!named) return undefined
  if (attempt > 1 && !(await lastJobs(octokit, { owner, repo, run }))(named.created_at)) return undefined
  const large = tooLarge(named.size_in_bytes)
  if (large !== undefined) throw new OutcomeFault(`has an outcome that ${large}`)
  const target = path.join(folder, String(run))
  await mkdir(target, { recursive: true })
  const findBy = { token, workflowRunId: run, repositoryOwner: owner, repositoryName: repo }
  await onceAccepted(() => within(downloadLimit, store.downloadArtifact(named, { path: target, findBy })))
  const [file] = await readdir(target)
  if (file === undefined) throw new OutcomeFault('has an outcome artifact without a file')
  return plainOutcome(path.join(target, file)).catch(unusable)
}

/**
 * What counts of the outcome of a run; undefined if it read no report.
 *
 * @throws OutcomeFault whose message can follow the name of the run
 */
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
  const stem = stemOf(wanted)
  const names = new Set(artifacts.map(({ name }) => stemOf(name)))
  const attemptOf = ({ name, expired }: ApiArtifact): number => {
    const own = stemOf(name)
    if (expired) return 0
    if (own === stem || lostName(own, names) === stem) return 1
    return laterAttempt(own, stem, anyTestedName) ?? 0
  }
  const own = artifacts.filter((one) => attemptOf(one) > 0)
  return latestFirst(own.sort((a, b) => attemptOf(b) - attemptOf(a)))[0]
}

/** The artifact of one file is named after it. */
function stemOf(name: string): string {
  return name.replace(/\.json$/, '')
}
