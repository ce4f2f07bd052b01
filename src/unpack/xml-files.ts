import { open, rm, writeFile } from 'node:fs/promises'
import { isDiskFull, ReportError } from '../errors.js'
import { formatBytes } from '../text/size.js'
import type { ArchiveFaults } from './faults.js'
import type { ArchiveEntry } from './guard.js'
import { isBefore, type EntryName } from './entry-name.js'
import type { ReportLimits } from './limits.js'

export type XmlName = 'testreport' | 'scorecard'

/** The two XML files of a report, on disk. */
export interface ReportFiles {
  /** Path of testreport.xml. */
  testReport: string
  /** Path of the scorecard.xml in the same folder, if there is one. */
  scorecard?: string
  /** The folder of the XML files inside the archive; empty at its top. */
  folder: string
}

/** Where the XML files of the archive at `prefix` are put. */
function xmlPaths(prefix: string): { testReport: string; scorecard: string } {
  return { testReport: `${prefix}.testreport.xml`, scorecard: `${prefix}.scorecard.xml` }
}

/** @throws ReportError for a size above the limit */
export function checkSize(wanted: XmlName, size: number, limits: ReportLimits): void {
  const limit = wanted === 'testreport' ? limits.testReportBytes : limits.scorecardBytes
  if (size > limit) {
    throw new ReportError(
      `The ${wanted}.xml of the report is refused: it has more than ${formatBytes(limit)}.`,
    )
  }
}

/**
 * Collects the shallowest testreport.xml and the scorecard.xml beside it from entries in any order. The
 * testreport.xml is written to disk at once; scorecards wait in memory until it is known which one counts.
 */
export class XmlFiles {
  readonly #paths: { testReport: string; scorecard: string }
  #best: EntryName | undefined
  readonly #scorecards = new Map<string, { name: EntryName; size: number; parts: Uint8Array[] }>()
  /** Why the best testreport.xml is not on disk. */
  #noRoom: Error | undefined

  constructor(
    prefix: string,
    readonly limits: ReportLimits,
    readonly faults: ArchiveFaults,
  ) {
    this.#paths = xmlPaths(prefix)
  }

  /**
   * @returns undefined if a better one is known
   * @throws ReportError at once if it is too large
   */
  take(
    wanted: XmlName,
    { name, size }: ArchiveEntry,
    bytes: () => AsyncIterable<Uint8Array>,
  ): Promise<void> | undefined {
    checkSize(wanted, size, this.limits)
    return wanted === 'testreport'
      ? this.#takeTestReport(name, bytes)
      : this.#takeScorecard(name, size, bytes)
  }

  /**
   * @returns undefined if there was no testreport.xml
   * @throws the fault of a disk that had no room for it
   */
  async finish(): Promise<ReportFiles | undefined> {
    if (this.#best === undefined) return undefined
    if (this.#noRoom !== undefined) throw this.#noRoom
    const { folder } = this.#best
    const scorecard = this.#scorecards.get(folder)
    if (scorecard === undefined) {
      await rm(this.#paths.scorecard, { force: true })
      return { testReport: this.#paths.testReport, folder }
    }
    await writeFile(this.#paths.scorecard, scorecard.parts)
    return { ...this.#paths, folder }
  }

  /** After a fault: removes what was written. */
  async discard(): Promise<void> {
    await rm(this.#paths.testReport, { force: true })
    await rm(this.#paths.scorecard, { force: true })
  }

  #takeTestReport(name: EntryName, bytes: () => AsyncIterable<Uint8Array>): Promise<void> | undefined {
    if (this.#best !== undefined && !isBefore(name, this.#best)) return undefined
    this.#best = name
    for (const [folder, { name: other }] of this.#scorecards) {
      if (folder !== name.folder && !isBefore(other, name)) this.#scorecards.delete(folder)
    }
    return this.#writeTestReport(bytes())
  }

  /** If the disk is full, the rest is read all the same: the archive around it is still to be received. */
  async #writeTestReport(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const file = await open(this.#paths.testReport, 'w')
    this.#noRoom = undefined
    try {
      for await (const piece of bytes) {
        if (this.#noRoom !== undefined) continue
        try {
          await file.writeFile(piece)
        } catch (error) {
          if (!isDiskFull(error)) throw error
          this.#noRoom = error
          await file.close()
          await rm(this.#paths.testReport)
        }
      }
    } finally {
      await file.close()
    }
  }

  #takeScorecard(
    name: EntryName,
    size: number,
    bytes: () => AsyncIterable<Uint8Array>,
  ): Promise<void> | undefined {
    const best = this.#best
    if (best !== undefined && name.folder !== best.folder && !isBefore(name, best)) return undefined
    let total = size
    for (const other of this.#scorecards.values()) total += other.size
    const limit = 2 * this.limits.scorecardBytes
    if (total > limit) {
      throw this.faults.refused(`its scorecard.xml files have more than ${formatBytes(limit)} together`)
    }
    const parts: Uint8Array[] = []
    this.#scorecards.set(name.folder, { name, size, parts })
    return copyTo(parts, bytes())
  }
}

/** Copies, as the pieces are views of larger buffers that would be kept alive with them. */
async function copyTo(parts: Uint8Array[], bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of bytes) parts.push(Uint8Array.from(piece))
}
