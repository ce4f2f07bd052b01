import { open, rm, writeFile, type FileHandle } from 'node:fs/promises'
import { ReportError } from '../errors.js'
import { isBefore, type EntryName } from './entry-name.js'
import { mebibytes, type ReportLimits } from './report-limits.js'
import type { TakeBytes } from './tar.js'

/** The two XML files of a report, on disk. */
export interface ReportFiles {
  /** Path of testreport.xml. */
  testReport: string
  /** Path of the scorecard.xml that lies in the same folder, where there is one. */
  scorecard?: string
  /** Their folder inside the archive, empty at its top. */
  folder: string
}

/** Where the XML files of the archive at `prefix` are put. */
export function xmlPaths(prefix: string): { testReport: string; scorecard: string } {
  return { testReport: `${prefix}.testreport.xml`, scorecard: `${prefix}.scorecard.xml` }
}

/** @throws ReportError for a size above the limit */
export function checkSize(wanted: 'testreport' | 'scorecard', size: number, limits: ReportLimits): void {
  const limit = wanted === 'testreport' ? limits.testReportBytes : limits.scorecardBytes
  if (size > limit) {
    throw new ReportError(`The ${wanted}.xml of the report is refused: it has more than ${mebibytes(limit)}.`)
  }
}

/**
 * Gathers the shallowest testreport.xml and the scorecard.xml beside it while entries stream by in any order.
 * The testreport.xml goes to disk at once; scorecards wait in memory until it is known which one counts.
 */
export class XmlFiles {
  readonly #paths: { testReport: string; scorecard: string }
  readonly #limits: ReportLimits
  #best: EntryName | undefined
  #file: FileHandle | undefined
  /** The best one changed: what was written belongs to a deeper testreport.xml. */
  #restart = false
  #unwritten: Uint8Array[] = []
  #scorecards = new Map<string, { name: EntryName; size: number; parts: Uint8Array[] }>()

  constructor(prefix: string, limits: ReportLimits) {
    this.#paths = xmlPaths(prefix)
    this.#limits = limits
  }

  take(wanted: 'testreport' | 'scorecard', name: EntryName, size: number): TakeBytes {
    checkSize(wanted, size, this.#limits)
    return wanted === 'testreport' ? this.#takeTestReport(name) : this.#takeScorecard(name, size)
  }

  /** Writes what was taken since the last call. */
  async flush(): Promise<void> {
    if (this.#restart) {
      this.#restart = false
      await this.#file?.close()
      this.#file = undefined
      this.#file = await open(this.#paths.testReport, 'w')
    }
    const pieces = this.#unwritten
    this.#unwritten = []
    for (const piece of pieces) await this.#file?.writeFile(piece)
  }

  get pending(): boolean {
    return this.#restart || this.#unwritten.length > 0
  }

  /** @returns undefined where no testreport.xml came by */
  async finish(): Promise<ReportFiles | undefined> {
    await this.flush()
    await this.#file?.close()
    this.#file = undefined
    if (this.#best === undefined) return undefined
    const { folder } = this.#best
    const scorecard = this.#scorecards.get(folder)
    if (scorecard === undefined) {
      await rm(this.#paths.scorecard, { force: true })
      return { testReport: this.#paths.testReport, folder }
    }
    await writeFile(this.#paths.scorecard, scorecard.parts)
    return { ...this.#paths, folder }
  }

  /** After a fault: closes and removes what was written. */
  async discard(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
    await rm(this.#paths.testReport, { force: true })
    await rm(this.#paths.scorecard, { force: true })
  }

  #takeTestReport(name: EntryName): TakeBytes {
    if (this.#best !== undefined && !isBefore(name, this.#best)) return undefined
    this.#best = name
    this.#restart = true
    this.#unwritten = []
    for (const [folder, { name: other }] of this.#scorecards) {
      if (folder !== name.folder && !isBefore(other, name)) this.#scorecards.delete(folder)
    }
    return (bytes) => this.#unwritten.push(bytes)
  }

  #takeScorecard(name: EntryName, size: number): TakeBytes {
    const best = this.#best
    if (best !== undefined && name.folder !== best.folder && !isBefore(name, best)) return undefined
    let total = size
    for (const other of this.#scorecards.values()) total += other.size
    if (total > 2 * this.#limits.scorecardBytes) {
      throw new ReportError(
        `The report archive is refused: its scorecard.xml files have more than ${mebibytes(2 * this.#limits.scorecardBytes)} together.`,
      )
    }
    const parts: Uint8Array[] = []
    this.#scorecards.set(name.folder, { name, size, parts })
    // A copy, as the piece is a view of a larger buffer that would be kept alive with it.
    return (bytes) => parts.push(Uint8Array.from(bytes))
  }
}
