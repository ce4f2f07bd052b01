/** Where the baseline comes from, as the input `baseline` says. */
export type BaselineSource =
  { kind: 'load-test'; number: number } | { kind: 'artifact'; runs: number } | { kind: 'path'; path: string }

/** Reads `load-test:17`, `artifact`, or else a path of the workspace; undefined for an empty text. */
export function readBaselineSource(
  text: string,
  runs: number,
  resolve: (path: string) => string,
): BaselineSource | { fault: string } | undefined {
  if (text === '') return undefined
  if (text === 'artifact') return { kind: 'artifact', runs }
  if (runs > 1)
    return { fault: 'baseline-runs above 1 needs baseline: artifact, which finds that many earlier runs.' }
  const [prefix, rest = ''] = text.split(':', 2)
  if (prefix !== 'load-test') return { kind: 'path', path: resolve(text) }
  if (!/^\d{1,9}$/.test(rest.trim()) || text.split(':').length > 2) {
    return { fault: 'baseline names a load test without its number: write load-test:17.' }
  }
  return { kind: 'load-test', number: Number(rest) }
}
