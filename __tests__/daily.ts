/** Whether this is `npm run test:whole`, which runs the files that import this one. */
export const isWhole = process.env['WHOLE'] !== undefined
const noTest = new Proxy(test, { apply: () => undefined, get: () => () => () => undefined })

/** Tests that run only in `npm test`, in a file that also has `thorough` ones. */
export const daily = isWhole ? noTest : test

/** Tests that run only in `npm run test:whole`: variations of the daily ones. */
export const thorough = isWhole ? test : noTest

/** `npm test` tries the first rows of a long table, `npm run test:whole` the others. */
export function share<T>(rows: readonly T[], count: number): T[] {
  return isWhole ? rows.slice(count) : rows.slice(0, count)
}
