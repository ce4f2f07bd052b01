import type { Row } from './row.js'
import type { Sizes } from './sizes.js'

/** What measuring a path needs. */
export interface Bench {
  sizes: Sizes
  /** Folder of the corpora and the measured programs; kept from one bench to the next. */
  folder: string
  /** Folder that the runs write to; emptied by the bench. */
  scratch: string
  log: (line: string) => void
}

/** One path through the product, measured against what people would use instead. */
export interface Path {
  name: string
  measure(bench: Bench): Promise<Row[]>
}
