/** What a test may change while the stand-in runs. */
export interface Settings {
  /** `owner/name` of the one repository. */
  repository: string
  defaultBranch: string
  /** In a private repository a token can read only what its permissions name. */
  private: boolean
  /** Whether every number is a pull request that can be commented on; else only the seeded ones. */
  everyPullExists: boolean
  /** Days for which an artifact is kept: the default and the maximum. */
  retentionDays: number
  /** The storage quota of the account is used up: no new artifacts. */
  storageQuotaHit: boolean
  /** Names of artifacts that the artifact service refuses. */
  refusedArtifacts: readonly string[]
  /**
   * A GitHub Enterprise Server: its artifacts are files in a container per run, at `runtimeUrl`. It lacks the
   * artifact service of github.com, and the REST API shows a run's artifacts only once the run is over.
   */
  enterprise: boolean
  /** Whether the attempts of a workflow run share artifact names; on GitHub each attempt has its own. */
  attemptsShareNames: boolean
}

export const defaultSettings: Readonly<Settings> = {
  repository: 'sandbox/project',
  defaultBranch: 'main',
  private: false,
  everyPullExists: true,
  retentionDays: 90,
  storageQuotaHit: false,
  refusedArtifacts: [],
  enterprise: false,
  attemptsShareNames: false,
}
