import { oneLine } from '../text/foreign-text.js'
import { formatBytes } from '../text/size.js'
import type { ArchiveFaults } from './faults.js'
import { entryName, type EntryName } from './entry-name.js'
import type { ArchiveLimits } from './limits.js'

export type EntryKind = 'file' | 'folder' | 'link' | 'device' | 'unknown'

/** An entry that passed the guard. */
export interface ArchiveEntry {
  name: EntryName
  kind: 'file' | 'folder'
  /** Bytes, unpacked. */
  size: number
}

/** Checks every entry of an archive before it is used, and refuses what the engine never writes. */
export class ArchiveGuard {
  #entries = 0

  constructor(
    readonly limits: ArchiveLimits,
    readonly faults: ArchiveFaults,
  ) {}

  /** @throws ReportError */
  entry(rawName: string, kind: EntryKind, size: number): ArchiveEntry {
    this.#entries++
    if (this.#entries > this.limits.entries) {
      throw this.faults.refused(`it has more than ${this.limits.entries} entries`)
    }
    const name = entryName(rawName, this.faults)
    if (kind !== 'file' && kind !== 'folder') {
      const what = { link: 'a link', device: 'a device or pipe', unknown: 'of an unknown kind' }
      throw this.faults.refused(
        `its entry "${oneLine(name.path, 120)}" is ${what[kind]}, and only files and folders are expected`,
      )
    }
    return { name, kind, size }
  }

  /** @param packed the bytes that were read so far to get at `unpacked` bytes */
  unpacked(unpacked: number, packed: number): void {
    const { unpackedBytes, ratio, ratioFloor } = this.limits
    if (unpacked > unpackedBytes) {
      throw this.faults.refused(`it unpacks to more than ${formatBytes(unpackedBytes)}`)
    }
    if (unpacked > ratioFloor && unpacked > packed * ratio) {
      throw this.faults.refused(`it unpacks to more than ${ratio} times its own size, which no real one does`)
    }
  }
}
