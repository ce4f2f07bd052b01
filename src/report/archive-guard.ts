import { ReportError } from '../errors.js'
import { oneLine } from '../foreign-text.js'
import { entryName, type EntryName } from './entry-name.js'
import { mebibytes, type ReportLimits } from './report-limits.js'

export type EntryKind = 'file' | 'folder' | 'link' | 'device' | 'unknown'

const ratioFloor = 100 * 1024 * 1024
const maxCandidates = 1000

/** Sees every entry of an archive before anything is made of it, and refuses what no report holds. */
export class ArchiveGuard {
  #entries = 0
  readonly #candidates = new Set<string>()
  #otherReport: string | undefined

  constructor(readonly limits: ReportLimits) {}

  /**
   * @returns the name, and whether the entry is one of the two XML files that are read
   * @throws ReportError
   */
  entry(
    rawName: string,
    kind: EntryKind,
  ): { name: EntryName; wanted: 'testreport' | 'scorecard' | undefined } {
    this.#entries++
    if (this.#entries > this.limits.entries) {
      throw new ReportError(`The report archive is refused: it has more than ${this.limits.entries} entries.`)
    }
    const name = entryName(rawName)
    if (kind !== 'file' && kind !== 'folder') {
      const what = { link: 'a link', device: 'a device or pipe', unknown: 'of a kind that no report needs' }[
        kind
      ]
      throw new ReportError(
        `The report archive is refused: its entry "${oneLine(name.path, 120)}" is ${what}. A report holds files and folders only.`,
      )
    }
    const wanted = kind === 'file' ? wantedFiles.get(name.base) : undefined
    if (wanted !== undefined) this.#once(name)
    if (kind === 'file') this.#otherReport ??= otherReports.get(name.base)
    return { name, wanted }
  }

  /** @param packed the bytes that were read so far to get at `unpacked` bytes */
  unpacked(unpacked: number, packed: number): void {
    if (unpacked > this.limits.unpackedBytes) {
      throw new ReportError(
        `The report archive is refused: it unpacks to more than ${mebibytes(this.limits.unpackedBytes)}.`,
      )
    }
    if (unpacked > ratioFloor && unpacked > packed * this.limits.ratio) {
      throw new ReportError(
        `The report archive is refused: it unpacks to more than ${this.limits.ratio} times its own size, as no report does.`,
      )
    }
  }

  /** For an archive that was read to its end without a testreport.xml. */
  noTestReport(): ReportError {
    const entries = this.#entries === 1 ? 'and has a single entry' : `among its ${this.#entries} entries`
    const held = this.#entries === 0 ? 'is empty' : `holds no testreport.xml ${entries}`
    const guess =
      this.#otherReport === undefined
        ? 'It is not the report of a load test: check that it is the report archive and not the results.'
        : `It looks like a ${this.#otherReport}: take the report of a single load test.`
    return new ReportError(`The report archive ${held}. ${guess}`)
  }

  #once(name: EntryName): void {
    if (this.#candidates.has(name.path)) {
      throw new ReportError(
        `The report archive is refused: it holds "${oneLine(name.path, 120)}" twice, so it is unclear which one is meant.`,
      )
    }
    this.#candidates.add(name.path)
    if (this.#candidates.size > maxCandidates) {
      throw new ReportError(
        `The report archive is refused: it holds more than ${maxCandidates} files named testreport.xml or scorecard.xml.`,
      )
    }
  }
}

const wantedFiles = new Map<string, 'testreport' | 'scorecard'>([
  ['testreport.xml', 'testreport'],
  ['scorecard.xml', 'scorecard'],
])

const otherReports = new Map([
  ['diffreport.xml', 'comparison report (diffreport.xml)'],
  ['trendreport.xml', 'trend report (trendreport.xml)'],
])
