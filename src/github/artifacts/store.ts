import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { OwnError } from '../../errors.js'
import type { Octokit } from '../api/octokit.js'
import { archiveKind, headOf } from '../../unpack/guard.js'
import { reportLimits } from '../../unpack/guard.js'
import { unpackZip } from '../../unpack/zip.js'

/** A workflow run, and a token that may read what it has. */
export interface WorkflowRun {
  token: string
  workflowRunId: number
  repositoryOwner: string
  repositoryName: string
}

/** An artifact, as a list shows it. */
export interface StoredArtifact {
  name: string
  /** Absent for one of this workflow run on an Enterprise Server, which assigns it when the run has ended. */
  id?: number
  expired?: boolean
  /** Bytes as it is stored, if the list says so. */
  size?: number
  createdAt?: Date
  /** Of what is stored, if the list says so: `sha256:` and hex digits. */
  digest?: string | null
}

/** The artifacts of workflow runs: the part of @actions/artifact that the step uses, also on an Enterprise Server. */
export interface ArtifactStore {
  uploadArtifact(
    name: string,
    files: string[],
    root: string,
    options: { retentionDays?: number; compressionLevel?: number; skipArchive?: boolean },
  ): Promise<{ id?: number }>
  /** The artifacts of this workflow run as its runner sees them, or of any as GitHub's API does. */
  listArtifacts(options?: {
    latest?: boolean
    findBy?: WorkflowRun
  }): Promise<{ artifacts: StoredArtifact[] }>
  /** Puts into a folder what is stored: a file, or a ZIP; for one of this run on an Enterprise Server, its files. */
  downloadArtifact(
    artifact: StoredArtifact,
    options: { path: string; findBy?: WorkflowRun },
  ): Promise<unknown>
}

/** This GitHub has no artifact service that the step could use; the workflow cannot change that. */
export class NoArtifactServiceError extends OwnError {
  override name = 'NoArtifactServiceError'
}

/** An artifact of GitHub's API. */
export interface ApiArtifact extends StoredArtifact {
  /** As it is stored. */
  size_in_bytes?: number
  created_at?: string | null
}

/** All artifacts of a workflow run, including expired ones, as GitHub's API lists them. */
export async function artifactsOfRun(
  octokit: Octokit,
  { owner, repo, run }: { owner: string; repo: string; run: number },
): Promise<ApiArtifact[]> {
  const { listWorkflowRunArtifacts } = octokit.rest.actions
  return octokit.paginate(listWorkflowRunArtifacts, { owner, repo, run_id: run, per_page: 100 })
}

/** A file in a ZIP, with whatever another client packed beside it. */
const mostEntries = 1000

/**
 * Puts the files of an artifact into a folder. One that is stored as a ZIP is unpacked, whatever GitHub's client would
 * do, up to a limit.
 *
 * @param most bytes of all files in a ZIP
 * @throws ReportError if a ZIP is damaged, hostile or above the limit
 */
export async function downloadFiles(
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  artifact: StoredArtifact,
  { path: folder, ...of }: { path: string; findBy?: WorkflowRun },
  most: number,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const stored = await mkdtemp(`${folder}-stored-`)
  try {
    await store.downloadArtifact(artifact, { path: stored, ...of })
    const found = await readdir(stored, { withFileTypes: true })
    const [only, ...others] = found
    if (
      only?.isFile() &&
      others.length === 0 &&
      archiveKind(await headOf(path.join(stored, only.name))) === 'zip'
    ) {
      const limits = { ...reportLimits, unpackedBytes: most, ratioFloor: most / 10, entries: mostEntries }
      await unpackZip(path.join(stored, only.name), folder, limits)
      return
    }
    for (const { name } of found) await rename(path.join(stored, name), path.join(folder, name))
  } finally {
    await rm(stored, { recursive: true })
  }
}
