import { flawOf } from '../../src/outcome/outcome-file.js'

/** A value, a schema, and the flaw that is found. */
test.each<[unknown, Record<string, unknown>, string | undefined]>([
  [1.5, { type: 'integer' }, '/ is not a whole number'],
  [2, { type: 'integer' }, undefined],
  ['2', { type: 'number' }, '/ is not a JSON number'],
  [null, { type: 'object' }, '/ is not a JSON object'],
  [[], { type: 'object' }, '/ is not a JSON object'],
  [{}, { type: 'array' }, '/ is not a JSON array'],
  ['b', { const: 'a' }, '/ is not "a"'],
  ['b', { enum: ['a', 'b'] }, undefined],
  ['c', { enum: ['a', 'b'] }, '/ is not one of the values that it may have'],
  [-1, { minimum: 0 }, '/ is below 0'],
  ['-1', { minimum: 0 }, undefined],
  [0, { minimum: 0 }, undefined],
  [[], { minItems: 1 }, '/ has too few items'],
  ['AB', { pattern: '^[a-z]+$' }, '/ does not match its pattern'],
  [['a', 1], { items: { type: 'string' } }, '/1 is not a JSON string'],
  [true, { anyOf: [{ type: 'string' }, { type: 'number' }] }, '/ has none of the allowed forms'],
  [1, { anyOf: [{ type: 'string' }, { type: 'number' }] }, undefined],
  [null, { anyOf: [{ type: 'number' }, { type: 'null' }] }, undefined],
  ['', { type: 'null' }, '/ is not a JSON null'],
  [{ A: 1 }, { propertyNames: { pattern: '^a$' } }, '/A does not match its pattern'],
  [{ a: 1 }, { required: ['a', 'b'] }, '/ lacks b'],
  [
    { a: { b: 'x' } },
    { properties: { a: { properties: { b: { type: 'number' } } } } },
    '/a/b is not a JSON number',
  ],
  // A newer version may write more fields.
  [{ a: 1, c: 1 }, { properties: { a: {} }, additionalProperties: false }, undefined],
  [{ c: 'x' }, { additionalProperties: { type: 'number' } }, '/c is not a JSON number'],
  // A name of every object is not one of the schema's.
  [
    { toString: 1 },
    { properties: {}, additionalProperties: { type: 'string' } },
    '/toString is not a JSON string',
  ],
])('%j by %j: %s', (value, schema, flaw) => {
  expect(flawOf(value, schema)).toBe(flaw)
})

test('a reference is looked up in the whole schema', () => {
  const schema = { $defs: { name: { type: 'string' } }, items: { $ref: '#/$defs/name' } }
  expect(flawOf(['a', 2], schema)).toBe('/1 is not a JSON string')
})

test('a keyword that is not supported is never ignored', () => {
  expect(() => flawOf(1, { maximum: 0 })).toThrow('has the keyword maximum, which is not supported')
})
