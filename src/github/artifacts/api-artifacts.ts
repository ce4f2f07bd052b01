import type { StoredArtifact } from './store.js'
import type { Octokit } from '../pull-request/pull-request.js'

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
