import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { ArchiveFaults, ArchiveGuard, resultLimits } from '../../src/unpack/guard.js'
import { inPortions, readTar } from '../../src/unpack/unpack.js'
import { portions, tarGzOf, tarOf, type Entries } from './archives.js'

/* A tar that arrives in portions, read to its end mark. */

/** What was read of each entry, or the sentence of the fault. */
async function read(tar: Buffer, portion = tar.length): Promise<[string, string][] | string> {
  const found: [string, string][] = []
  const guard = new ArchiveGuard(resultLimits, new ArchiveFaults('result archive'))
  try {
    await readTar(portions(tar, portion), false, {
      guard,
      wants: ({ name }) => !name.path.endsWith('.skip'),
      async take({ name }, bytes) {
        let content = ''
        for await (const chunk of bytes()) content += Buffer.from(chunk).toString()
        found.push([name.path, content])
      },
    })
    return found
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault)
  }
}

const entries: Entries = [
  ['a', 'one'],
  ['b.skip', 'x'.repeat(2000)],
  ['c', 'y'.repeat(600)],
]
const contents = [
  ['a', 'one'],
  ['c', 'y'.repeat(600)],
]

test.each([1 << 20, 1000, 512, 511, 7])('portions of %d bytes make no difference', async (portion) => {
  expect(await read(await tarOf(entries), portion)).toEqual(contents)
  expect(await read(Buffer.concat([await tarOf(entries), Buffer.alloc(102_400)]), portion)).toEqual(contents)
})

test.each([
  ['one block of zeros is an end mark', (tar: Buffer) => tar.subarray(0, -512), true],
  ['none is not', (tar: Buffer) => tar.subarray(0, -1024), false],
  ['half of one is not', (tar: Buffer) => tar.subarray(0, -1024 + 256), false],
  [
    'after it come only zeros',
    (tar: Buffer) => Buffer.concat([tar, Buffer.alloc(511), Buffer.from('x')]),
    false,
  ],
  [
    'far after it, too',
    (tar: Buffer) => Buffer.concat([tar, Buffer.alloc(100_000), Buffer.from('x')]),
    false,
  ],
])('%s', async (_, change, isWhole) => {
  for (const portion of [1 << 20, 512, 100]) {
    const found = await read(change(await tarOf(entries)), portion)
    if (isWhole) expect(found).toEqual(contents)
    else expect(found).toEqual(expect.any(String))
  }
})

const pax = (records: Record<string, string>) => tarOf([[{ name: 'a', pax: records }, 'one']])

test.each<[string, Record<string, string>, RegExp | undefined]>([
  ['few records', { comment: 'x' }, undefined],
  ['a size', { size: '3' }, undefined],
  ['a size of several digits', { size: '0000003' }, undefined],
  ['a size after a letter', { size: 'k3' }, /its tar has an invalid header/],
  ['a size with a unit', { size: '3k' }, /a pax record of its tar has a size that is not a number/],
  ['a size with a sign', { size: '-3' }, /its tar has an invalid header/],
  ['a sparse file', { 'GNU.sparse.major': '1' }, /its tar contains a sparse file/],
  ['240 records', Object.fromEntries(Array.from({ length: 240 }, (_, at) => [`k${at}`, 'v'])), undefined],
  [
    '260 records',
    Object.fromEntries(Array.from({ length: 260 }, (_, at) => [`k${at}`, 'v'])),
    /more than 250 records/,
  ],
  ['a record of 60,000 bytes', { comment: 'x'.repeat(60_000) }, undefined],
  ['a record of 70,000 bytes', { comment: 'x'.repeat(70_000) }, /more than 65536 bytes/],
])('a header with %s', async (_, records, fault) => {
  const found = await read(await pax(records))
  if (fault) expect(found).toMatch(fault)
  else expect(found).toEqual([['a', 'one']])
})

test('a tar that is cut after a header that only says more about the next one has no end mark', async () => {
  // A block for that header and one for its record, whose rest is zeros; then nothing.
  const cut = (await pax({ comment: 'x' })).subarray(0, 1024)
  for (const portion of [1024, 512, 511, 100]) {
    expect(await read(cut, portion)).toMatch(/its tar ends without the end mark/)
  }
})

test('all long headers together are bounded, ordinary ones are not', async () => {
  const many = async (count: number, bytes: number) => {
    const tar = await tarOf([[{ name: 'f.skip', pax: { comment: 'x'.repeat(bytes) } }, '']])
    return Buffer.concat([...Array<Buffer>(count).fill(tar.subarray(0, -1024)), tar.subarray(-1024)])
  }
  expect(await read(await many(300, 60_000))).toMatch(
    /the long headers of its tar have more than 16777216 bytes/,
  )
  expect(await read(await many(250, 60_000))).toEqual([])
  expect(await read(await many(5000, 2_000))).toEqual([])
})

test.each([
  ['contiguous-file', { name: 'a', type: 'contiguous-file' }, 'one', [['a', 'one']]],
  [
    'file with the name of a folder, as in old archives',
    { name: 'a/', type: 'file' },
    'one',
    /a folder of its tar has content/,
  ],
  ['block-device', { name: 'a', type: 'block-device' }, '', /a device/],
] as const)('an entry of the type %s', async (_, head, content, expected) => {
  const found = await read(await tarOf([[head, content]]))
  if (expected instanceof RegExp) expect(found).toEqual(expect.stringMatching(expected))
  else expect(found).toEqual(expected)
})

// The tar's own entry ends without a fault then, and nothing would ever say that it goes on.
test('whoever stops in the middle of an entry ends the reader with its fault', async () => {
  const guard = new ArchiveGuard(resultLimits, new ArchiveFaults('result archive'))
  const fault = new Error('the disk broke')
  const archive = await tarGzOf([['testreport.xml', randomBytes(600_000)]])
  const reading = readTar(portions(archive, 100_000), true, {
    guard,
    wants: () => true,
    async take(_entry, bytes) {
      for await (const piece of bytes()) if (piece.length > 0) throw fault
    },
  })
  await expect(reading).rejects.toBe(fault)
})

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
    { numRuns: 6 },
  )
})
