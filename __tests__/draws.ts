const isWhole = process.env['DRAWS'] === 'whole'
const noTest = new Proxy(test, { apply: () => undefined, get: () => () => () => undefined })

/** Tests of `npm test` alone, in a file that has `thorough` ones besides. */
export const daily = isWhole ? noTest : test

/** Tests of `npm run test:whole` alone: variations of what the daily ones show. */
export const thorough = isWhole ? test : noTest

/** Of a long table `npm test` tries the first rows, `npm run test:whole` the others. */
export function share<T>(rows: readonly T[], count: number): T[] {
  return isWhole ? rows.slice(count) : rows.slice(0, count)
}

/**
 * How many inputs a property is tried with: all of these in `npm run test:whole`, a tenth of them in `npm test`. Files
 * that ask are named in jest.whole.config.js.
 */
export function draws(whole: number): number {
  return isWhole ? whole : Math.ceil(whole / 10)
}

/** How far apart those of a long row are that are tried: one after the other in `npm run test:whole`. */
export function stride(quick: number): number {
  return isWhole ? 1 : quick
}
