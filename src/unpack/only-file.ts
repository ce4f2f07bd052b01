import { writeFile } from 'node:fs/promises'
import type { Entry } from 'yauzl'
import { ArchiveFaults } from './faults.js'
import { ArchiveGuard, type ArchiveEntry } from './guard.js'
import { nothingOf } from './contents.js'
import type { ArchiveLimits } from './limits.js'
import { readReportZip, unpackEntry } from './zip.js'

/**
 * If a ZIP contains a single file, as an artifact may: that file, unpacked.
 *
 * @param target where it is put
 * @param named a pattern for its name
 * @returns its path; undefined for any other ZIP
 * @throws ReportError if the ZIP is damaged, hostile or above the limits
 */
export async function onlyFile(
  path: string,
  target: string,
  named: RegExp,
  limits: ArchiveLimits,
): Promise<string | undefined> {
  const faults = new ArchiveFaults('report')
  const files: { entry: ArchiveEntry; listed: Entry }[] = []
  let found: string | undefined
  await readReportZip(path, {
    ...nothingOf(new ArchiveGuard(limits, faults)),
    zipEntry(entry, listed) {
      if (entry.kind === 'file' && files.length < 2) files.push({ entry, listed })
    },
    async zipEnd(zip) {
      const [only, other] = files
      if (!only || other || !named.test(only.entry.name.base)) return {}
      await writeFile(target, unpackEntry(zip, only.listed, only.entry, faults))
      found = target
      return {}
    },
  })
  return found
}
