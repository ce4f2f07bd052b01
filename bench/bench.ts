import type { Row } from './row.js'
import type { Sizes } from './sizes.js'

/** What each path needs to be measured. */
export interface Bench {
  sizes: Sizes
  /** Holds corpora and the programs that are measured; kept from one bench to the next. */
  folder: string
  /** For what the runs write; emptied by the bench. */
  scratch: string
  log: (line: string) => void
}

/** One path through the product, measured against what people would use instead. */
export interface Path {
  name: string
  measure(bench: Bench): Promise<Row[]>
}
