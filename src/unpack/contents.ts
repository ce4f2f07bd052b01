import type { Entry, ZipFile } from 'yauzl'
import type { ArchiveEntry, ArchiveGuard } from './guard.js'
import type { TakeEntry } from './tar.js'

/** What is extracted from an archive while it is checked: from a tar entry by entry, from a ZIP by its list. */
export interface Contents<T> {
  guard: ArchiveGuard
  tarEntry: TakeEntry
  tarEnd(): Promise<T>
  zipEntry(entry: ArchiveEntry, listed: Entry): void
  zipEnd(zip: ZipFile): Promise<T>
  /** After a fault: removes what was written. */
  discard(): Promise<void>
}

/** For an archive that is only checked. */
export function nothingOf(guard: ArchiveGuard): Contents<object> {
  return {
    guard,
    tarEntry: () => undefined,
    tarEnd: async () => ({}),
    zipEntry: () => undefined,
    zipEnd: async () => ({}),
    discard: async () => undefined,
  }
}
