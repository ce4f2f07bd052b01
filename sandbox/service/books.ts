import type { CodeArchive } from './code-archive.js'
import type { Scope } from './credentials.js'
import type { LoadTest } from './load-test.js'

/** What the service knows of all that happened, for tests and for GET /sandbox/books. Holds no secrets and no tokens. */
export interface Books {
  /** Every request in order of its arrival. */
  requests: RequestEntry[]
  /** Load tests by project. */
  loadTests: Record<string, LoadTest[]>
  /** Every run that was started, also by others. */
  starts: StartEntry[]
  /** Every stop that was accepted. */
  stops: { project: string; number: number; time: number }[]
  /** Every code archive that was ever accepted, also seeded and foreign ones. */
  archives: CodeArchive[]
  /** Those of them that are gone. */
  deletedArchives: CodeArchive[]
  tokens: TokenEntry[]
}

export interface RequestEntry {
  /** Milliseconds since 1970. */
  time: number
  /** Name of the operation, see faults.ts; `unknown` for an address that is not served. */
  operation: string
  method: string
  /** With the query. */
  path: string
  /** The status that was answered; null when the connection was dropped instead, or while it is open. */
  status: number | null
  /** The request's headers but for those with secrets. */
  headers: Record<string, string>
  /** Scheme of the Authorization header. */
  authorization?: string
  /** Kinds of faults that were applied. */
  faults: string[]
  /** An error of the service itself. */
  error?: string
}

export interface StartEntry {
  project: string
  template: number
  /** Number of the copy. */
  number: number
  /** The code archive it was built from. */
  archiveId?: number
  time: number
  /** Started by another job, as a fault asked for. */
  foreign: boolean
}

export interface TokenEntry {
  clientId: string
  scopes: Scope[]
  issuedAt: number
  expiresAt: number
}

export function emptyBooks(): Books {
  return { requests: [], loadTests: {}, starts: [], stops: [], archives: [], deletedArchives: [], tokens: [] }
}
