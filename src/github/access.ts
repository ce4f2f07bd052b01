import type { ActionInputs } from '../inputs/inputs.js'
import type { Log } from '../log.js'
import type { ArtifactStore } from './artifacts/store.js'
import type { JobFacts } from './job/job.js'
import type { Octokit } from './pull-request/pull-request.js'

/** What a call to GitHub may need: the wishes of the step, its job, and the clients, each loaded when first needed. */
export interface GitHubAccess {
  inputs: ActionInputs
  job: JobFacts
  octokit: () => Promise<Octokit>
  artifactStore: () => Promise<ArtifactStore>
  log: Log
}
