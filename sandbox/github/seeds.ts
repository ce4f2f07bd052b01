import AdmZip from 'adm-zip'
import type { ArtifactShelf } from './artifact-shelf.js'
import { noCommit, roleOf, type PullEvent, type Push, type Role } from './history.js'
import type { RuntimeTokens } from './runtime-token.js'
import type { Settings } from './settings.js'
import type { Artifact, Comment, Pull, Store, WorkflowRun } from './store.js'

interface SeedArtifact {
  runId: number
  name: string
  attempt?: number
  createdAt?: Date
  /** May be in the past. */
  expiresAt?: Date
}

/** One file, unchanged. */
export type SeedFile = SeedArtifact & { bytes: Uint8Array | string; mimeType: string }
/** Files by name, in a ZIP. */
export type SeedZip = SeedArtifact & { files: Readonly<Record<string, Uint8Array | string>> }

/** When the branch of a pull request was pushed, by default. */
const longAgo = new Date(Date.UTC(2020, 0, 1))

/** Adds things that happened before the test. */
export class Seeds {
  constructor(
    private readonly store: Store,
    private readonly shelf: ArtifactShelf,
    private readonly tokens: RuntimeTokens,
    private readonly settings: Settings,
  ) {}

  /** By default, a run of `load-test.yml` that succeeded on the default branch. */
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

  /** By default, an open pull request from a branch of the repository itself. */
  pull(pull: Partial<Pull> & { number: number }): Pull {
    const seeded: Pull = {
      title: 'Make the shop faster',
      state: 'open',
      head: {
        branch: 'faster',
        commit: '7448d8798a4380162d4b56f9b452e2f6f9e24e7a',
        repository: this.settings.repository,
      },
      base: { branch: this.settings.defaultBranch, commit: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' },
      login: 'octocat',
      labels: [],
      ...pull,
    }
    this.store.pulls.set(seeded.number, seeded)
    const { head, login } = seeded
    const { repository } = head
    if (repository !== null && !this.#lastPush({ ...head, repository }))
      this.push({ ...head, repository, login, at: longAgo })
    return seeded
  }

  /** A change of a branch; it becomes the head of the pull requests from that branch. */
  push(push: Pick<Push, 'branch' | 'commit'> & Partial<Push>): Push {
    const { branch, repository = this.settings.repository } = push
    const before = this.#lastPush({ branch, repository })?.commit
    const seeded: Push = {
      id: this.store.nextId(),
      repository,
      before: before ?? noCommit,
      login: 'octocat',
      at: new Date(),
      kind: before === undefined ? 'branch_creation' : 'push',
      ...push,
    }
    this.store.pushes.push(seeded)
    for (const { head, state } of this.store.pulls.values()) {
      if (state === 'open' && head.branch === branch && head.repository === repository)
        head.commit = push.commit
    }
    return seeded
  }

  /** A pull request is merged, and its branch deleted. */
  merge(number: number, commit: string, at = new Date()): void {
    const pull = this.store.pulls.get(number) ?? this.pull({ number })
    Object.assign(pull, { state: 'closed', merged: { commit, at } })
    const { branch, repository } = pull.head
    if (repository !== null) this.push({ branch, repository, commit: noCommit, kind: 'branch_deletion', at })
  }

  #lastPush({ branch, repository }: Pick<Push, 'branch' | 'repository'>): Push | undefined {
    return this.store.pushes.findLast((one) => one.branch === branch && one.repository === repository)
  }

  /** A label that somebody sets on a pull request, or removes from it. */
  label(pull: number, label: string, login: string, { at = new Date(), isRemoved = false } = {}): void {
    const known = this.store.pulls.get(pull) ?? this.pull({ number: pull })
    known.labels = known.labels.filter((name) => name !== label)
    if (!isRemoved) known.labels.push(label)
    this.event({ pull, kind: isRemoved ? 'unlabeled' : 'labeled', label, login, at })
  }

  event(event: Omit<PullEvent, 'id' | 'at'> & { at?: Date }): void {
    this.store.events.push({ id: this.store.nextId(), at: new Date(), ...event })
  }

  /** A branch, such as one that GitHub has made for a merge queue. */
  ref(name: string, commit: string): void {
    this.store.refs.set(name, commit)
  }

  /** A file that a branch does not have: each has every file that is asked for, unless this says otherwise. */
  withoutFile(branch: string, path: string): void {
    this.store.missing.add(`${branch}:${path}`)
  }

  /** What a user may do. @param base of a custom role */
  role(login: string, role: string, base?: Role['base']): void {
    this.store.roles.set(login, roleOf(role, base))
  }

  /** A comment; its pull request is created if there is none. */
  comment(pull: number, body: string, login = 'octocat', at?: Date): Comment {
    if (!this.store.pulls.has(pull)) this.pull({ number: pull })
    return this.store.addComment(pull, body, login, at)
  }

  /** An artifact of a run; the run is created if there is none. */
  async artifact(seed: SeedFile | SeedZip): Promise<Artifact> {
    const { runId, name, attempt = 1, createdAt, expiresAt } = seed
    if (!this.store.run(runId)) this.run({ id: runId, attempt })
    const job = this.tokens.job(runId, attempt, 'load-test')
    const [mimeType, bytes] =
      'files' in seed ? ['application/zip', zip(seed.files)] : [seed.mimeType, Buffer.from(seed.bytes)]
    const artifact = await this.shelf.add({ job, name, mimeType, ...(expiresAt ? { expiresAt } : {}) }, bytes)
    if (createdAt) artifact.createdAt = createdAt
    return artifact
  }
}

function zip(files: SeedZip['files']): Buffer {
  const archive = new AdmZip()
  for (const [name, bytes] of Object.entries(files)) archive.addFile(name, Buffer.from(bytes))
  return archive.toBuffer()
}
