import type { CodeArchive } from './code-archive.js'
import type { Scope } from './credentials.js'
import type { LoadTest } from './load-test.js'

/** Everything that happened on the service, for tests. Contains no secrets. */
export interface Books {
  /** Every request in order of arrival. */
  requests: RequestEntry[]
  /** Load tests by the short name of their project. */
  loadTests: Record<string, LoadTest[]>
  /** Every run that was started, by this job or others. */
  starts: StartEntry[]
  /** Every code archive that was accepted, including seeded and foreign ones. */
  archives: CodeArchive[]
  /** Those that were deleted. */
  deletedArchives: CodeArchive[]
  tokens: TokenEntry[]
}

export interface RequestEntry {
  /** Milliseconds since 1970. */
  time: number
  /** Name of the operation; `unknown` for an address that is not served. */
  operation: string
  method: string
  /** With the query. */
  path: string
  /** The status that was sent; null if none was sent yet or the connection was broken instead. */
  status: number | null
  /** The request's headers; of Authorization only the scheme. */
  headers: Record<string, string>
  /** Kinds of the faults that happened. */
  faults: string[]
  /** A fault of the service itself that nobody asked for. */
  error?: string
}

export interface StartEntry {
  project: string
  template: number
  /** Number of the copy. */
  number: number
  /** The code archive it was built from. */
  archiveId?: string
  time: number
  /** Started by another job, because of a fault. */
  foreign: boolean
}

export interface TokenEntry {
  clientId: string
  scopes: readonly Scope[]
  issuedAt: number
  expiresAt: number
}

export function emptyBooks(): Books {
  return { requests: [], loadTests: {}, starts: [], archives: [], deletedArchives: [], tokens: [] }
}
