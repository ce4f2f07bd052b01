import fc from 'fast-check'

const ranges = [
  [0, 0x7f],
  [0x80, 0xd7ff],
  [0xe000, 0x10ffff],
] as const

/** Any text without lone surrogates. `fc.string({ unit: 'binary' })` would first learn all the million characters. */
export function anyText({ minLength = 0, maxLength = 10 } = {}): fc.Arbitrary<string> {
  const character = fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max })))
  return fc
    .array(character, { minLength, maxLength })
    .map((codes) => codes.map((code) => String.fromCodePoint(code)).join(''))
}
