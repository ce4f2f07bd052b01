import { OwnError } from '../../errors.js'

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
