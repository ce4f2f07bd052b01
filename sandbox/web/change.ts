import type { ComparedFigure } from '../../src/gates/comparison.js'
import type { Unit } from '../../src/figures/metrics.js'
import { differenceCell } from '../../src/publish/summary/figure-tables.js'
import { markup, type Part } from './markup.js'

/** Sorted by the size of the change, in either direction; rows without a difference come last. */
export function largestChangeFirst<T>(
  rows: readonly T[],
  figureOf: (row: T) => ComparedFigure | undefined,
): T[] {
  return rows
    .map((row) => ({ row, size: sizeOf(figureOf(row)) }))
    .sort((one, other) => (one.size === other.size ? 0 : other.size - one.size))
    .map(({ row }) => row)
}

function sizeOf({ difference, relativeDifference }: Partial<ComparedFigure> = {}): number {
  if (difference === undefined) return -1
  // From 0 to something is more than any percentage.
  return relativeDifference === undefined ? Infinity : Math.abs(relativeDifference)
}

/** A difference, with colour and words if it is more than noise. */
export function changeText(figure: ComparedFigure, unit: Unit): Part {
  const { text, tone } = differenceCell(figure, unit)
  return tone === undefined ? text : markup`<span class="${tone}">${text}</span>`
}
