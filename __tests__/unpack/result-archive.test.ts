import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ReportError } from '../../src/errors.js'
import { receiveArchive, unread } from '../../src/unpack/unpack.js'
import { resultLimits, type ArchiveLimits } from '../../src/unpack/guard.js'
import { portions, rawZipOf, tarGzOf, tarOf, zipOf, type Entries } from './archives.js'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'result-'))
  path = join(folder, 'results')
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function refusal(bytes: Uint8Array, limits: Partial<ArchiveLimits> = {}): Promise<string> {
  const error: unknown = await receiveArchive(
    portions(bytes),
    path,
    unread({ ...resultLimits, ...limits }),
  ).then(
    () => undefined,
    (fault: unknown) => fault,
  )
  expect(error).toBeInstanceOf(ReportError)
  const message = error instanceof Error ? error.message : ''
  expect(message).toMatch(/^The result archive /)
  return message
}

const results = [
  ['results/agent-1/TBrowse/0/timers.csv', 'R,Homepage,1700000000000,120,false,5000,200\n'.repeat(2000)],
  ['results/agent-1/TBrowse/1/timers.csv', randomBytes(300_000)],
] as const

describe.each([
  ['tar.gz', tarGzOf],
  ['zip', async (entries: Entries) => zipOf(entries)],
] as const)('a result archive as %s', (kind, build) => {
  it.each([100, 65_536])('is written to disk unchanged, in portions of %d bytes', async (size) => {
    const bytes = await build(results)
    const received = await receiveArchive(portions(bytes, size), path, unread())
    expect(received).toEqual({ kind, path, bytes: bytes.length })
    expect((await readFile(path)).equals(bytes)).toBe(true)
    expect(await readdir(folder)).toEqual(['results'])
  })

  it('is not unpacked, even if it contains reports', async () => {
    const bytes = await build([
      ['a/testreport.xml', 'x'.repeat(5000)],
      ['b/testreport.xml', ''],
    ])
    expect(await receiveArchive(portions(bytes), path, unread())).toMatchObject({ kind })
    expect(await readdir(folder)).toEqual(['results'])
  })

  it('is refused when cut short at any byte', async () => {
    const bytes = await build([
      ['a', 'some measurements'],
      ['b', ''],
    ])
    for (let length = 0; length < bytes.length; length += 7) {
      await expect(refusal(bytes.subarray(0, length))).resolves.toMatch(/truncated|damaged|neither/)
    }
  })

  it('is limited in entries and in size', async () => {
    const bytes = await build(results)
    expect(await refusal(bytes, { entries: 1 })).toMatch(/more than 1 entries/)
    expect(await refusal(bytes, { unpackedBytes: 200_000 })).toMatch(/unpacks to more than 200.0 kB/)
  })

  it('may have a higher ratio than a report, but not that of an archive bomb', async () => {
    const bytes = await build([['zeros', Buffer.alloc(1_050_000)]])
    const ratioFloor = 1_000_000
    expect(await refusal(bytes, { ratioFloor })).toMatch(/500 times its own size/)
    expect(
      await receiveArchive(
        portions(bytes, 65_536),
        path,
        unread({ ...resultLimits, ratioFloor, ratio: 1100 }),
      ),
    ).toMatchObject({
      kind,
    })
  })

  it('passes on a fault of its source unchanged', async () => {
    const bytes = await build(results)
    const fault = new Error('connection reset')
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield* portions(bytes.subarray(0, 150_000))
      throw fault
    }
    await expect(receiveArchive(breaking(), path, unread())).rejects.toBe(fault)
  })
})

describe('a hostile result archive', () => {
  it.each([
    ['a path out of it', tarGzOf([['../x', 'x']]), /"\.\."/],
    ['a link', tarGzOf([[{ name: 'x', type: 'symlink', linkname: '/etc/passwd' }, '']]), /a link/],
    [
      'a path out of it, in a ZIP',
      Promise.resolve(rawZipOf([{ name: '../x', content: Buffer.from('x') }])),
      /"\.\."/,
    ],
  ])('with %s', async (_what, bytes, sentence) => {
    expect(await refusal(await bytes)).toMatch(sentence)
  })

  it('whose gzip is complete but whose tar is not', async () => {
    const tar = await tarOf(results)
    expect(await refusal(gzipSync(tar.subarray(0, 2000)))).toMatch(/ends without the end mark|inside a file/)
    expect(await refusal(gzipSync(tar.subarray(0, tar.length - 1024)))).toMatch(/ends without the end mark/)
  })

  it('that is a web page', async () => {
    expect(await refusal(Buffer.from('<html>Sign in</html>'))).toMatch(/web page/)
  })
})
