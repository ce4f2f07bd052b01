import type { Entry, ZipFile } from 'yauzl'
import type { ReportError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { looksSecret } from '../text/secret-name.js'
import { ArchiveFaults } from './faults.js'
import { ArchiveGuard, type ArchiveEntry } from './guard.js'
import type { Contents } from './contents.js'
import { isBefore } from './entry-name.js'
import type { ReportLimits } from './limits.js'
import { XmlFiles, type ReportFiles, type XmlName } from './xml-files.js'
import { unpackEntry } from './zip.js'

interface Candidate {
  entry: ArchiveEntry
  listed: Entry
}

const maxCandidates = 1000
const mostSuspicious = 1000

/** What is taken from a report archive. */
export interface TakenReport extends ReportFiles {
  /** Entries whose names look like secrets. */
  suspicious: string[]
}

/** The XML files of a report archive, extracted from it. */
export class ReportContents implements Contents<TakenReport> {
  readonly guard: ArchiveGuard
  readonly #faults = new ArchiveFaults('report')
  readonly #files: XmlFiles
  readonly #named = new Set<string>()
  readonly #candidates: Record<XmlName, Candidate[]> = { testreport: [], scorecard: [] }
  readonly #suspicious: string[] = []
  #entries = 0
  #otherReport: string | undefined

  constructor(prefix: string, limits: ReportLimits) {
    this.guard = new ArchiveGuard(limits, this.#faults)
    this.#files = new XmlFiles(prefix, limits, this.#faults)
  }

  readonly tarEntry = (
    entry: ArchiveEntry,
    bytes: () => AsyncIterable<Uint8Array>,
  ): Promise<void> | undefined => {
    const xml = this.#xmlName(entry)
    return xml === undefined ? undefined : this.#files.take(xml, entry, bytes)
  }

  async tarEnd(): Promise<TakenReport> {
    const files = await this.#files.finish()
    if (files === undefined) throw this.#noTestReport()
    return { ...files, suspicious: this.#suspicious }
  }

  zipEntry(entry: ArchiveEntry, listed: Entry): void {
    const xml = this.#xmlName(entry)
    if (xml !== undefined) this.#candidates[xml].push({ entry, listed })
  }

  async zipEnd(zip: ZipFile): Promise<TakenReport> {
    const { testreport, scorecard } = this.#candidates
    const best = testreport.reduce<Candidate | undefined>(
      (found, one) => (found === undefined || isBefore(one.entry.name, found.entry.name) ? one : found),
      undefined,
    )
    if (best === undefined) throw this.#noTestReport()
    const beside = scorecard.find(({ entry }) => entry.name.folder === best.entry.name.folder)
    for (const [xml, one] of [['testreport', best] as const, ['scorecard', beside] as const]) {
      if (one === undefined) continue
      await this.#files.take(xml, one.entry, () => unpackEntry(zip, one.listed, one.entry, this.#faults))
    }
    return await this.tarEnd()
  }

  async discard(): Promise<void> {
    await this.#files.discard()
  }

  #xmlName({ kind, name }: ArchiveEntry): XmlName | undefined {
    this.#entries++
    if (kind !== 'file') return undefined
    if (this.#suspicious.length < mostSuspicious && looksSecret(name.path)) this.#suspicious.push(name.path)
    this.#otherReport ??= otherReports.get(name.base)
    const xml = xmlNames.get(name.base)
    if (xml === undefined) return undefined
    if (this.#named.has(name.path)) {
      const shown = oneLine(name.path, 120)
      throw this.#faults.refused(`it contains "${shown}" twice, so it is unclear which one is meant`)
    }
    this.#named.add(name.path)
    if (this.#named.size > maxCandidates) {
      throw this.#faults.refused(
        `it contains more than ${maxCandidates} files named testreport.xml or scorecard.xml`,
      )
    }
    return xml
  }

  #noTestReport(): ReportError {
    const entries = this.#entries === 1 ? 'and has a single entry' : `among its ${this.#entries} entries`
    const held = this.#entries === 0 ? 'is empty' : `contains no testreport.xml ${entries}`
    const guess =
      this.#otherReport === undefined
        ? 'It is not the report of a load test: check that it is the report archive and not the results.'
        : `It looks like a ${this.#otherReport}: take the report of a single load test.`
    return this.#faults.fault(`${held}. ${guess}`)
  }
}

const xmlNames = new Map<string, XmlName>([
  ['testreport.xml', 'testreport'],
  ['scorecard.xml', 'scorecard'],
])

const otherReports = new Map([
  ['diffreport.xml', 'comparison report (diffreport.xml)'],
  ['trendreport.xml', 'trend report (trendreport.xml)'],
])
