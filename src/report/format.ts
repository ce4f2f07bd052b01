import type { Figures, Percentile } from './report.js'

/** One kind of report: how its files are recognised and read. The list of all is in `formats/formats.ts`. */
export interface Format {
  /** Absent where it is no one tool's. */
  tool?: string
  /** As people call it, with the usual name of its file in brackets. */
  name: string
  /** Of the files that a folder or archive holds, those that may begin a report, by their paths: /(?:^|\/)js\/stats\.js$/. */
  files: RegExp
  /** Files that are read with them, in the same way: of the folder `below` theirs, such as `js/`, or '' for the same. */
  beside?: { below: string; names: RegExp }
  /** Pictures over time of the same folder and below, by their paths: people see them, no figure is read from them. */
  charts?: RegExp
  /** The name that its file gets in an archive if its own does not match `files`. */
  usualName: string
  /** Of one file, unpacked. */
  mostBytes: number
  /** It has the samples themselves, so several files are one run. Summaries of several cannot be put together. */
  isRaw: boolean
  /** The figures that its files have, such as `requests p95` or `web-vitals lcp`. */
  has: RegExp
  /** Of those, what its files have only if the run is told to: how, as the end of a sentence after "unless". */
  unless?: readonly (readonly [figures: RegExp, how: string])[]
  recognises(head: FileHead): boolean
  /** @throws ReportError */
  read(parts: Parts, beside: readonly ReportPart[], asked: ReadOptions): Promise<Figures>
}

/** What is asked of a report beside the usual. */
export interface ReadOptions {
  /** What the service calls the report. */
  label?: string
  /** The path that was judged: faults begin with it. */
  given?: string
  /** What samples should have in addition to the usual ones. */
  percentiles?: readonly Percentile[]
}

/** How a file begins. */
export interface FileHead {
  /** Its name without folders, and without `.gz`. */
  name: string
  /** The first 16 KB, unpacked, without a byte-order mark; the last line may be cut. */
  text: string
}

/** The files of one run. */
export type Parts = readonly [ReportPart, ...ReportPart[]]

export interface ReportPart {
  /** Its path in the folder or archive; foreign. */
  name: string
  /** Where it is on disk, if it is there, and not packed. */
  file?: string
  /**
   * Unpacked, at most as many as the format allows.
   *
   * @throws ReportError
   */
  bytes(): AsyncIterable<Uint8Array>
}
