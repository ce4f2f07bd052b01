import type { Entry, ZipFile } from 'yauzl'
import type { ArchiveEntry, ArchiveGuard } from './archive-guard.js'
import type { TakeEntry } from './tar.js'

/** What is taken out of an archive while it is checked; of a tar entry by entry, of a ZIP from its list. */
export interface Contents<T> {
  guard: ArchiveGuard
  tarEntry: TakeEntry
  tarEnd(): Promise<T>
  zipEntry(entry: ArchiveEntry, listed: Entry): void
  zipEnd(zip: ZipFile): Promise<T>
  /** After a fault: removes what was written. */
  discard(): Promise<void>
}

/** Of an archive that is checked only. */
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
