/** The last moment that a date can name, in milliseconds; the bytes of the longest test are far below. */
const largest = 8.64e15
const smallest = 1e-9

/**
 * Whether a load test can have measured this figure. Beyond these bounds, somebody has made it up, and ratios and squares
 * of figures would no longer be finite.
 */
export function isMeasurable(value: number): boolean {
  const size = Math.abs(value)
  return size === 0 || (size >= smallest && size <= largest)
}
