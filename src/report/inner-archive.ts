import { writeFile } from 'node:fs/promises'
import type { Entry } from 'yauzl'
import { ArchiveFaults } from './archive-faults.js'
import { ArchiveGuard, type ArchiveEntry } from './archive-guard.js'
import { nothingOf } from './contents.js'
import { reportLimits } from './report-limits.js'
import { readReportZip, unpackEntry } from './zip.js'

/**
 * Of a ZIP that holds a single file, and that an archive, as an artifact may: that archive, unpacked.
 *
 * @param target where it is put
 * @returns its path; undefined for any other ZIP
 * @throws ReportError where the ZIP is damaged or hostile
 */
export async function innerArchive(path: string, target: string): Promise<string | undefined> {
  const faults = new ArchiveFaults('report')
  const files: { entry: ArchiveEntry; listed: Entry }[] = []
  let found: string | undefined
  await readReportZip(path, {
    ...nothingOf(new ArchiveGuard(reportLimits, faults)),
    zipEntry(entry, listed) {
      if (entry.kind === 'file' && files.length < 2) files.push({ entry, listed })
    },
    async zipEnd(zip) {
      const [only, other] = files
      if (!only || other || !/\.(?:tar\.gz|tgz|zip)$/i.test(only.entry.name.base)) return {}
      await writeFile(target, unpackEntry(zip, only.listed, only.entry, faults))
      found = target
      return {}
    },
  })
  return found
}
