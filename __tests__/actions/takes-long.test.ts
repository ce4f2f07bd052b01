import { takesLong } from '../../src/keeping.js'

const now = Date.UTC(2026, 10, 23, 10, 0)
const after = (minutes: number) => new Date(now + minutes * 60_000).toISOString()

test.each([
  ['in an hour', after(60), true],
  ['in a bit more than a quarter of an hour', after(15.01), true],
  ['in a quarter of an hour', after(15), false],
  ['in a minute', after(1), false],
  ['long ago', after(-60), false],
  ['nobody knows when', undefined, false],
])('people hear of the start of a run that ends %s', (_, end, due) => {
  expect(takesLong(end, now)).toBe(due)
})
