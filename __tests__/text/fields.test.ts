import { jsonPieces } from '../../src/text/fields.js'

test.each<[string, unknown]>([
  ['a record without what is undefined', { a: 1, b: undefined, c: { d: [undefined, null, 'é"'] } }],
  ['nothing', {}],
  ['empty lists and records', { a: [], b: {}, c: [[]] }],
  ['a list longer than a piece', { a: Array.from({ length: 2001 }, (_, at) => ({ at })) }],
])('JSON in pieces is that of one text: %s', (_, value) => {
  expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value))
})
