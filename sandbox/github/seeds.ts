import AdmZip from 'adm-zip'
import type { ArtifactShelf } from './artifact-shelf.js'
import type { RuntimeTokens } from './runtime-token.js'
import type { Settings } from './settings.js'
import type { Artifact, Comment, Pull, Store, WorkflowRun } from './store.js'

interface SeedArtifact {
  runId: number
  name: string
  attempt?: number
  createdAt?: Date
  /** May be past. */
  expiresAt?: Date
}

/** One file as it is. */
export type SeedFile = SeedArtifact & { bytes: Uint8Array | string; mimeType: string }
/** Files by name, in a ZIP. */
export type SeedZip = SeedArtifact & { files: Readonly<Record<string, Uint8Array | string>> }

/** Puts things there that happened before the test. */
export class Seeds {
  constructor(
    private readonly store: Store,
    private readonly shelf: ArtifactShelf,
    private readonly tokens: RuntimeTokens,
    private readonly settings: Settings,
  ) {}

  /** A run of `load-test.yml` that succeeded on the default branch, unless said otherwise. */
  run(run: Partial<WorkflowRun> = {}): WorkflowRun {
    const seeded: WorkflowRun = {
      id: this.store.nextId(),
      workflow: 'load-test.yml',
      event: 'push',
      conclusion: 'success',
      branch: this.settings.defaultBranch,
      commit: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
      headRepository: this.settings.repository,
      ...run,
    }
    this.store.runs.push(seeded)
    return seeded
  }

  /** An open pull request of the repository's own branch, unless said otherwise. */
  pull(pull: Partial<Pull> & { number: number }): Pull {
    const seeded = {
      title: 'Make the shop faster',
      state: 'open' as const,
      head: {
        branch: 'faster',
        commit: '7448d8798a4380162d4b56f9b452e2f6f9e24e7a',
        repository: this.settings.repository,
      },
      base: { branch: this.settings.defaultBranch, commit: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' },
      login: 'octocat',
      ...pull,
    }
    this.store.pulls.set(seeded.number, seeded)
    return seeded
  }

  /** A comment; the pull request is made where there is none. */
  comment(pull: number, body: string, login = 'octocat', at?: Date): Comment {
    if (!this.store.pulls.has(pull)) this.pull({ number: pull })
    return this.store.addComment(pull, body, login, at)
  }

  /** An artifact of a run; the run is made where there is none. */
  async artifact(seed: SeedFile | SeedZip): Promise<Artifact> {
    const { runId, name, attempt = 1, createdAt, expiresAt } = seed
    if (!this.store.run(runId)) this.run({ id: runId, attempt })
    const job = this.tokens.job(runId, attempt, 'load-test')
    const [mimeType, bytes] =
      'files' in seed ? ['application/zip', zip(seed.files)] : [seed.mimeType, Buffer.from(seed.bytes)]
    const artifact = await this.shelf.add(
      { job, name, mimeType, version: 0, ...(expiresAt ? { expiresAt } : {}) },
      bytes,
    )
    if (createdAt) artifact.createdAt = createdAt
    return artifact
  }
}

function zip(files: SeedZip['files']): Buffer {
  const archive = new AdmZip()
  for (const [name, bytes] of Object.entries(files)) archive.addFile(name, Buffer.from(bytes))
  return archive.toBuffer()
}
