/** What a test may switch while the stand-in runs. */
export interface Settings {
  /** `owner/name` of the one repository. */
  repository: string
  defaultBranch: string
  /** A private repository lets a token read only what its permissions name. */
  private: boolean
  /** Whether each number is a pull request that may be commented on; else only those that were seeded. */
  everyPullExists: boolean
  /** Days that an artifact is kept when the client asks for none, and the most that it gets. */
  retentionDays: number
  /** Whether the artifact service takes files that are not in a ZIP; older ones do not. */
  singleFiles: boolean
  /** The storage quota of the account is used up: no new artifacts. */
  storageQuotaHit: boolean
  /** Names of artifacts that the artifact service refuses. */
  refusedArtifacts: readonly string[]
  /**
   * A GitHub Enterprise Server: its artifacts are files in a container per run, at `runtimeUrl`. The artifact service of
   * github.com is not there, and the REST API tells of a run's artifacts once the run is over.
   */
  enterprise: boolean
  /** Whether attempts of one workflow run share their artifact names; on GitHub each has its own. */
  attemptsShareNames: boolean
}

export const defaultSettings: Readonly<Settings> = {
  repository: 'sandbox/project',
  defaultBranch: 'main',
  private: false,
  everyPullExists: true,
  retentionDays: 90,
  singleFiles: true,
  storageQuotaHit: false,
  refusedArtifacts: [],
  enterprise: false,
  attemptsShareNames: false,
}
