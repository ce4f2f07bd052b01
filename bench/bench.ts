import type { Row } from './row.js'

/** What measuring a path needs. */
export interface Bench {
  sizes: Sizes
  /** Folder of the corpora and the measured programs; kept from one bench to the next. */
  folder: string
  /** Folder that the runs write to; emptied by the bench. */
  scratch: string
}

/** One path through the product, measured against what people would use instead. */
export interface Path {
  name: string
  measure(bench: Bench): Promise<Row[]>
}

/** How much is measured: everything, or just enough to see that it works. */
interface Sizes {
  /** Runs of each that count; another one before them fills the caches. */
  runs: number
  repository: { files: number; bytes: number }
  smallFiles: { files: number; bytes: number }
  /** A report that is downloaded, by the bytes of its archive. */
  report: { files: number; bytes: number }
  testReportBytes: number
  history: { runs: number; timers: number }
  starts: number
}

const MB = 1_000_000

export const full: Sizes = {
  runs: 5,
  repository: { files: 16_000, bytes: 250 * MB },
  smallFiles: { files: 20_000, bytes: 100 * MB },
  report: { files: 16_000, bytes: 1000 * MB },
  testReportBytes: 50 * MB,
  history: { runs: 100, timers: 300 },
  starts: 15,
}

export const quick: Sizes = {
  runs: 1,
  repository: { files: 200, bytes: 3 * MB },
  smallFiles: { files: 400, bytes: 2 * MB },
  report: { files: 60, bytes: 3 * MB },
  testReportBytes: MB,
  history: { runs: 8, timers: 20 },
  starts: 1,
}
