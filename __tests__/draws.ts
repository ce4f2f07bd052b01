/**
 * How many inputs a property is tried with: all of these in `npm run test:whole`, a tenth of them in `npm test`. Files
 * that ask are named in jest.whole.config.js.
 */
export function draws(whole: number): number {
  return process.env['DRAWS'] === 'whole' ? whole : Math.ceil(whole / 10)
}

/** How far apart those of a long row are that are tried: one after the other in `npm run test:whole`. */
export function stride(quick: number): number {
  return process.env['DRAWS'] === 'whole' ? 1 : quick
}
