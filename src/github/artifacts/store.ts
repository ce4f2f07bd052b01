import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { within } from '../../clock.js'
import { onceAccepted, type Octokit } from '../api/octokit.js'

/** A workflow run, and a token that may read what it has. */
export interface WorkflowRun {
  token: string
  workflowRunId: number
  repositoryOwner: string
  repositoryName: string
}

export interface StoredArtifact {
  name: string
  /** Absent for one of this workflow run on an Enterprise Server, which assigns it when the run has ended. */
  id?: number
  expired?: boolean
  /** Bytes as it is stored, if the list says so. */
  size?: number
  createdAt?: Date
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

/** Milliseconds to download one artifact, unless somebody waits for a large one. */
const downloadLimit = 120_000

/** Puts into a folder what is stored of an artifact of this workflow run or another. @returns the paths of its files */
export async function storedFiles(
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  artifact: StoredArtifact,
  { path: folder, ...of }: { path: string; findBy?: WorkflowRun },
  limit = downloadLimit,
): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  await onceAccepted(() => within(limit, store.downloadArtifact(artifact, { path: folder, ...of })))
  return (await readdir(folder)).map((name) => path.join(folder, name))
}
