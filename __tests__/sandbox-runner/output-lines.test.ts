import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { OutputLines } from '../../sandbox/runner/output-lines.js'

function linesOf(chunks: Buffer[]): string[] {
  const found: string[] = []
  const lines = new OutputLines((line) => found.push(line))
  chunks.forEach((chunk) => lines.push(chunk))
  lines.end()
  return found
}

test.each([
  ['a\nb', ['a', 'b']],
  ['a\r\nb\r\n', ['a', 'b']],
  ['a\rb', ['a', 'b']],
  ['\n\n', ['', '']],
  ['', []],
  ['a\r', ['a']],
])('%j', (text, lines) => {
  expect(linesOf([Buffer.from(text)])).toEqual(lines)
})

test('it makes no difference where chunks are cut', () => {
  const piece = fc.constantFrom('a', 'ü', '😀', '\n', '\r', '\r\n', ' ')
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 4 }), (pieces, size) => {
      const whole = Buffer.from(pieces.join(''))
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
        whole.subarray(i * size, (i + 1) * size),
      )
      expect(linesOf(chunks)).toEqual(linesOf([whole]))
    }),
  )
})
