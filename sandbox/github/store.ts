import type { PullEvent, Push, Role } from './history.js'

/** A workflow run, as `GET /repos/{owner}/{repo}/actions/runs/{id}` shows it. */
export interface WorkflowRun {
  id: number
  /** File name of the workflow, such as `load-test.yml`. */
  workflow: string
  /** Such as `push` or `pull_request`. */
  event: string
  /** Such as `success` or `failure`; null while it is running. */
  conclusion: string | null
  branch: string
  commit: string
  /** `owner/name` that the commit comes from; for a fork it differs from the base; null once the fork is gone. */
  headRepository: string | null
  /** Default: `completed` with a conclusion, else `in_progress`. */
  status?: 'queued' | 'in_progress' | 'completed'
  /** Default 1. */
  attempt?: number
  /** Default: the start of this GitHub. */
  createdAt?: Date
  /** When its later attempts began, from the second on. */
  againAt?: Date[]
}

/** A job of the last attempt of a workflow run; one that did not run again has its own times. */
export interface RunJob {
  name: string
  startedAt: Date
  /** Null while it is running. */
  completedAt: Date | null
}

export interface Pull {
  number: number
  title: string
  state: 'open' | 'closed'
  /** Its repository is null once the fork is gone. */
  head: { branch: string; commit: string; repository: string | null }
  /** Its commits before the head, as far as they matter. */
  earlier?: readonly string[]
  base: { branch: string; commit: string }
  login: string
  labels: string[]
  /** The commit that its merge made on the base, and when. */
  merged?: { commit: string; at: Date }
}

export interface Comment {
  id: number
  /** The pull request. */
  pull: number
  body: string
  /** Every body that the comment has had, oldest first; the last one is `body`. */
  bodies: string[]
  login: string
  createdAt: Date
  updatedAt: Date
}

/** An open issue, not a pull request. */
export interface Issue {
  number: number
  title: string
  body: string
  labels: string[]
  login: string
}

/** A status that somebody gave a commit. */
export interface CommitStatus {
  commit: string
  state: string
  /** Its name. */
  context: string
  description: string | null
  targetUrl: string | null
}

/** A finished artifact; its bytes are the file at `path`. */
export interface Artifact {
  id: number
  name: string
  runId: number
  /** Bytes. */
  size: number
  /** `sha256:` and 64 hex digits. */
  digest: string
  mimeType: string
  path: string
  createdAt: Date
  expiresAt: Date
}

export interface LoggedRequest {
  method: string
  /** Path and query. */
  url: string
  userAgent: string
  /** The JSON body, if there was one. */
  body?: unknown
  /** Status of the answer; absent if there is none yet or the connection was cut. */
  status?: number
}

/** Everything that this GitHub knows: one repository, its pull requests, comments, runs and artifacts. */
export class Store {
  readonly startedAt = new Date()
  readonly pulls = new Map<number, Pull>()
  /** Commits by branches such as `refs/heads/main`, as far as they matter. */
  readonly refs = new Map<string, string>()
  readonly issues = new Map<number, Issue>()
  /** What happened to the pull requests, oldest first. */
  readonly events: PullEvent[] = []
  /** Every change of a branch. */
  readonly pushes: Push[] = []
  /** By login; anybody else is a stranger. */
  readonly roles = new Map<string, Role>()
  /** By pull request or issue, oldest first. */
  readonly comments = new Map<number, Comment[]>()
  /** Of all commits, oldest first; of each name the last one counts. */
  readonly statuses: CommitStatus[] = []
  /** In order of their start. */
  readonly runs: WorkflowRun[] = []
  readonly artifacts: Artifact[] = []
  /** By run, as far as they matter. */
  readonly jobs = new Map<number, RunJob[]>()
  /** In order of arrival. */
  readonly requests: LoggedRequest[] = []
  /** Files that a branch does not have, as `main:path`; it has all others. */
  readonly missing = new Set<string>()
  #lastId = 7000

  /** Ids grow with time, as GitHub's do. */
  nextId(): number {
    return ++this.#lastId
  }

  isMissing(branch: string, path: string): boolean {
    return this.missing.has(`${branch}:${path}`)
  }

  commentsOf(pull: number): Comment[] {
    return this.comments.get(pull) ?? []
  }

  comment(id: number): Comment | undefined {
    return [...this.comments.values()].flat().find((comment) => comment.id === id)
  }

  addComment(pull: number, body: string, login: string, at = new Date()): Comment {
    const comment = { id: this.nextId(), pull, body, bodies: [body], login, createdAt: at, updatedAt: at }
    this.comments.set(pull, [...this.commentsOf(pull), comment])
    return comment
  }

  removeComment(comment: Comment): void {
    this.comments.set(
      comment.pull,
      this.commentsOf(comment.pull).filter((other) => other !== comment),
    )
  }

  run(id: number): WorkflowRun | undefined {
    return this.runs.findLast((run) => run.id === id)
  }

  /** Newest first. */
  artifactsOf(runId: number): Artifact[] {
    return this.artifacts.filter((artifact) => artifact.runId === runId).sort((a, b) => b.id - a.id)
  }

  /** The newest one of that name. */
  artifact(name: string, runId?: number): Artifact | undefined {
    return this.artifacts.findLast((a) => a.name === name && (runId === undefined || a.runId === runId))
  }

  removeArtifact(artifact: Artifact): void {
    const place = this.artifacts.indexOf(artifact)
    if (place >= 0) this.artifacts.splice(place, 1)
  }
}

export function isExpired(artifact: Artifact, now = new Date()): boolean {
  return artifact.expiresAt <= now
}
