import fc from 'fast-check'
import { inPortions } from '../../src/unpack/unpack.js'

test('the portions have the same bytes; all but the last are full', async () => {
  const chunks = fc.array(
    fc
      .record({ length: fc.nat(700_000), byte: fc.nat(255) })
      .map(({ length, byte }) => Buffer.alloc(length, byte)),
    { maxLength: 6 },
  )
  await fc.assert(
    fc.asyncProperty(chunks, async (given) => {
      async function* source() {
        yield* given
      }
      const seen: Buffer[] = []
      let before: { portion: Buffer; copy: Buffer } | undefined
      for await (const portion of inPortions(source())) {
        // The previous one is still valid.
        expect(before?.portion.equals(before.copy)).not.toBe(false)
        before = { portion, copy: Buffer.from(portion) }
        seen.push(before.copy)
      }
      expect(Buffer.concat(seen).equals(Buffer.concat(given))).toBe(true)
      expect(seen.slice(0, -1).every(({ length }) => length === 256 * 1024)).toBe(true)
      expect(seen.every(({ length }) => length > 0)).toBe(true)
    }),
    { numRuns: 15 },
  )
})
