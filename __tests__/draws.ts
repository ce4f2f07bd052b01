const isWhole = process.env['DRAWS'] === 'whole'
const noTest = new Proxy(test, { apply: () => undefined, get: () => () => () => undefined })

/** Tests that run only in `npm test`, in a file that also has `thorough` ones. */
export const daily = isWhole ? noTest : test

/** Tests that run only in `npm run test:whole`: variations of the daily ones. */
export const thorough = isWhole ? test : noTest

/** `npm test` tries the first rows of a long table, `npm run test:whole` the others. */
export function share<T>(rows: readonly T[], count: number): T[] {
  return isWhole ? rows.slice(count) : rows.slice(0, count)
}

/**
 * How many inputs a property is tried with: all of these in `npm run test:whole`, a tenth of them in `npm test`.
 * jest.whole.config.js names the files that use it.
 */
export function draws(whole: number): number {
  return isWhole ? whole : Math.ceil(whole / 10)
}

/** The distance between the tried rows of a long table: every row in `npm run test:whole`. */
export function stride(quick: number): number {
  return isWhole ? 1 : quick
}
