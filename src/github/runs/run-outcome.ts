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
import { anyTestedName, laterAttempt } from '../../text/attempt-name.js'
import { artifactsOfRun } from '../artifacts/api-artifacts.js'
import type { ArtifactStore, StoredArtifact } from '../artifacts/store.js'
import { within } from '../deadline.js'
import { onceAccepted } from '../octokit.js'
import type { Octokit } from '../pull-request/pull-request.js'
import type { RunSearch } from './runs.js'

/** Milliseconds to download one outcome. */
const downloadLimit = 120_000

/** The outcome of a workflow run that cannot be used, though it could be fetched. */
export class OutcomeFault extends OwnError {
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
