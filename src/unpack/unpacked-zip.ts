import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Entry } from 'yauzl'
import { ArchiveFaults } from './faults.js'
import { ArchiveGuard, type ArchiveEntry } from './guard.js'
import { nothingOf } from './contents.js'
import type { ArchiveLimits } from './limits.js'
import { readReportZip, unpackEntry } from './zip.js'

/**
 * Unpacks the ZIP of an artifact with files of this action into a folder.
 *
 * @throws ReportError if it is damaged, hostile or above the limits
 */
export async function unpackZip(zipPath: string, folder: string, limits: ArchiveLimits): Promise<void> {
  const faults = new ArchiveFaults('artifact')
  const files: { entry: ArchiveEntry; listed: Entry }[] = []
  await readReportZip(zipPath, {
    ...nothingOf(new ArchiveGuard(limits, faults)),
    zipEntry(entry, listed) {
      if (entry.kind === 'file') files.push({ entry, listed })
    },
    async zipEnd(zip) {
      for (const { entry, listed } of files) {
        await mkdir(path.join(folder, entry.name.folder), { recursive: true })
        await writeFile(path.join(folder, entry.name.path), unpackEntry(zip, listed, entry, faults))
      }
      return {}
    },
  })
}
