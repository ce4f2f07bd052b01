export type Percentile = `p${number}`

/** `p95` and `p99.9` are percentiles, `p0` and `p101` are not. */
export function isPercentile(word: string): word is Percentile {
  const digits = /^p(\d{1,3}(?:\.\d{1,10})?)$/.exec(word)?.[1]
  return digits !== undefined && Number(digits) > 0 && Number(digits) <= 100
}
