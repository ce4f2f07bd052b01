import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { NoArchiveError, ReportError } from '../../src/errors.js'
import { receiveReport, reportFiles } from '../../src/report/reading/report-reader.js'
import { reportLimits, resultLimits, type ArchiveLimits } from '../../src/unpack/guard.js'
import { receiveArchive, unread } from '../../src/unpack/unpack.js'
import { portions, rawZipOf, tarGzOf, tarOf, zipOf, type Entries, type RawZipEntry } from './archives.js'

const report = '<testreport><general><hits>1</hits></general></testreport>'
const scorecard = '<scorecard><outcome testFailed="false"/></scorecard>'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'report-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const builders = { 'tar.gz': tarGzOf, zip: async (entries: Entries) => zipOf(entries) }

interface Options {
  limits?: Partial<ArchiveLimits>
}

async function received(bytes: Uint8Array, { limits }: Options = {}, size?: number) {
  const path = join(folder, 'report')
  return receiveReport(portions(bytes, size), path, { ...reportLimits, ...limits })
}

/** What was received, with the names and contents of the files that are read. */
async function receive(bytes: Uint8Array, options: Options = {}, size?: number) {
  const { files, ...archive } = await received(bytes, options, size)
  expect((await readFile(archive.path)).equals(bytes)).toBe(true)
  const contents = [...(files?.parts ?? []), ...(files?.beside ?? [])].map(async (part) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of part.bytes()) chunks.push(chunk)
    return [part.name, Buffer.concat(chunks).toString()]
  })
  return { ...archive, files: await Promise.all(contents) }
}

async function refusal(bytes: Uint8Array, options: Options = {}): Promise<string> {
  const error: unknown = await received(bytes, options).then(
    () => undefined,
    (fault: unknown) => fault,
  )
  expect(error).toBeInstanceOf(ReportError)
  // Nothing is left that could pass for a report.
  expect(await readdir(folder)).toEqual([])
  return error instanceof Error ? error.message : ''
}

describe.each(['tar.gz', 'zip'] as const)('a report archive as %s', (kind) => {
  const build = builders[kind]

  it('is written to disk, with its XML files next to it, and what looks like a secret is named', async () => {
    const bytes = await build([
      ['report/index.html', randomBytes(300_000)],
      ['report/testreport.xml', report],
      ['report/scorecard.xml', scorecard],
      ['report/charts/a.webp', randomBytes(70_000)],
      ['report/.env', 'TOKEN=1'],
    ])
    expect(await receive(bytes, {}, 65_536)).toEqual({
      kind,
      path: join(folder, 'report'),
      bytes: bytes.length,
      files: [
        ['report/testreport.xml', report],
        ['report/scorecard.xml', scorecard],
      ],
      suspicious: ['report/.env'],
    })
  })

  it.each([
    [
      'the deeper one first',
      ['a/b/testreport.xml', 'a/b/scorecard.xml', 'c/scorecard.xml', 'c/testreport.xml'],
    ],
    [
      'the deeper one last',
      ['c/testreport.xml', 'c/scorecard.xml', 'a/b/testreport.xml', 'a/b/scorecard.xml'],
    ],
    ['scorecards first', ['c/scorecard.xml', 'a/b/scorecard.xml', 'a/b/testreport.xml', 'c/testreport.xml']],
  ])('is read at its shallowest testreport.xml: %s', async (_order, names) => {
    const bytes = await build(names.map((name) => [name, `<${name}>`] as const))
    expect(await receive(bytes)).toMatchObject({
      files: [
        ['c/testreport.xml', '<c/testreport.xml>'],
        ['c/scorecard.xml', '<c/scorecard.xml>'],
      ],
    })
    expect((await readdir(folder)).length).toBeLessThanOrEqual(4)
  })

  it('takes no scorecard from another folder', async () => {
    const bytes = await build([
      ['scorecard.xml', scorecard],
      ['a/b/scorecard.xml', scorecard],
      ['a/testreport.xml', report],
    ])
    expect((await receive(bytes)).files).toEqual([['a/testreport.xml', report]])
  })

  const manyBytes: Entries = [
    ['testreport.xml', report],
    ['scorecard.xml', scorecard],
    ['b', 'b'.repeat(5000)],
  ]
  const zeros: Entries = [
    ['testreport.xml', report],
    ['zeros', Buffer.alloc(1_100_000)],
  ]
  it.each<[string, Entries, Partial<ArchiveLimits>, RegExp]>([
    [
      'without a report',
      [['x/t.csv', '']],
      {},
      /contains no report that .* has a single entry.*not its results/,
    ],
    ['without entries', [], {}, /is empty/],
    ['with more entries than the limit', manyBytes, { entries: 2 }, /more than 2 entries/],
    ['with more bytes', manyBytes, { unpackedBytes: 4000 }, /unpacks to more than 4\.0 kB/],
    ['as an archive bomb for its ratio', zeros, { ratioFloor: 1_000_000 }, /200 times its own size/],
  ])('is refused %s', async (_, entries, limits, sentence) => {
    expect(await refusal(await build(entries), { limits })).toMatch(sentence)
  })

  it('is refused when cut short at any byte', async () => {
    const bytes = await build([
      ['testreport.xml', report],
      ['scorecard.xml', scorecard],
    ])
    for (let length = 0; length < bytes.length; length += 7) {
      // At the ends of a gzip stream's blocks, a cut could pass for the end.
      await expect(refusal(bytes.subarray(0, length))).resolves.toMatch(
        /^(?!.*\.\.).*(?:truncated|damaged|neither)/,
      )
    }
  })

  it('ends in a result or a ReportError when mutated at random', async () => {
    const bytes = await build([
      ['report/a.txt', 'some other file'.repeat(20)],
      ['report/testreport.xml', report],
      ['report/scorecard.xml', scorecard],
    ])
    const edits = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(edits, async (changes) => {
        const mutated = Buffer.from(bytes)
        for (const [at, value] of changes) mutated[at] = value
        await resultOrReportError(receiveReport(portions(mutated), join(folder, 'mutated')))
      }),
      { numRuns: 40 },
    )
  })

  it('passes a fault of the source on unchanged, and leaves nothing', async () => {
    const bytes = await build([
      ['testreport.xml', report],
      ['filler', randomBytes(200_000)],
    ])
    const fault = new Error('connection reset')
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield* portions(bytes.subarray(0, 150_000))
      throw fault
    }
    await expect(receiveReport(breaking(), join(folder, 'report'))).rejects.toBe(fault)
    expect(await readdir(folder)).toEqual([])
  })

  describe('that was sent compressed once more', () => {
    const entries: Entries = [
      ['report/noise', randomBytes(300_000)],
      ['report/testreport.xml', report],
    ]

    it('is received as it was before', async () => {
      const bytes = await build(entries)
      const path = join(folder, 'report')
      for (const size of [1000, 200_000]) {
        expect(await received(gzipSync(bytes), {}, size)).toMatchObject({
          kind,
          bytes: bytes.length,
        })
        expect((await readFile(path)).equals(bytes)).toBe(true)
        expect(await readFile(`${path}.1`, 'utf8')).toBe(report)
      }
    })

    it('is refused when cut short at any byte, or with a wrong one', async () => {
      const bytes = gzipSync(await build([['testreport.xml', report]]), { level: 0 })
      for (let length = 0; length < bytes.length; length += 7) {
        expect(await refusal(bytes.subarray(0, length))).toMatch(/truncated|damaged|neither/)
      }
      const wrong = Buffer.from(bytes).fill('wrong', 60, 65)
      expect(await refusal(wrong)).toMatch(/is damaged/)
    })

    it('is refused as an archive bomb', async () => {
      const padded = Buffer.concat([await build([['testreport.xml', report]]), Buffer.alloc(1_200_000)])
      const limits = { ratioFloor: 1_000_000 }
      expect(await refusal(gzipSync(padded), { limits })).toMatch(/200 times its own size/)
    })

    it('which is not an archive: the text in it says what it is', async () => {
      const page = gzipSync('<html>Service unavailable</html>')
      expect(await refusal(page)).toMatch(/is a web page/)
    })
  })

  it.each(['testreport', 'scorecard'])('is whole where there is no room for its %s.xml', async (name) => {
    const other = name === 'scorecard' ? 'testreport.xml' : 'scorecard.xml'
    const bytes = await build([
      ['filler', randomBytes(300_000)],
      [`${name}.xml`, randomBytes(200_000)],
      [other, report],
      ['more filler', randomBytes(300_000)],
    ])
    const path = join(folder, 'report')
    await symlink('/dev/full', `${path}.1`)
    const { files, fault, ...archive } = await received(bytes, {}, 65_536)
    expect(files).toBeUndefined()
    expect(fault?.message).toMatch(/^The report could not be unpacked\. The disk of the runner is full/)
    expect(archive).toMatchObject({ kind, path, bytes: bytes.length })
    expect((await readFile(path)).equals(bytes)).toBe(true)
    expect(await readdir(folder)).toEqual(['report'])
    // Such as a baseline, which is on disk already.
    await symlink('/dev/full', `${path}.1`)
    await expect(reportFiles([path], path)).rejects.toThrow(/The disk of the runner is full/)
  })

  it('is gone where there is no room for itself', async () => {
    const bytes = await build([
      ['testreport.xml', report],
      ['filler', randomBytes(600_000)],
    ])
    const path = join(folder, 'report')
    await symlink('/dev/full', path)
    await expect(receiveReport(portions(bytes), path)).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(await readdir(folder)).toEqual([])
  })

  it('stops its source when it is refused', async () => {
    let closed = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from('<html>Service unavailable</html>'.repeat(10))
      } finally {
        closed = true
      }
    }
    await expect(receiveReport(endless(), join(folder, 'report'))).rejects.toThrow(/web page/)
    expect(closed).toBe(true)
  })

  it('is read from disk, and its files are put elsewhere', async () => {
    const path = join(folder, 'baseline.bin')
    await writeFile(path, await build([['testreport.xml', report]]))
    const files = await reportFiles([path], join(folder, 'work'))
    expect(files.parts).toMatchObject([{ name: 'testreport.xml', file: join(folder, 'work.1') }])
  })
})

async function resultOrReportError(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof ReportError)) throw error
  }
}

describe('a plain tar, which the service is not known to send', () => {
  const entries = [
    ['report/testreport.xml', report],
    ['report/scorecard.xml', scorecard],
    ['report/charts/a.webp', Buffer.alloc(7000, 'x')],
  ] as const

  it.each([65_536, 1])('is read as it is, in portions of %i bytes', async (size) => {
    const bytes = await tarOf(entries)
    expect(await receive(bytes, {}, size)).toMatchObject({ kind: 'tar', files: [{}, {}] })
  })
})

describe('what is not an archive', () => {
  it.each([
    ['nothing', '', /is empty/],
    ['an error page', '\n<!DOCTYPE html><html><title>502</title></html>', /web page/],
    ['XML', '<?xml version="1.0"?><testreport/>', /XML or HTML text/],
    ['JSON', '{"success":false}', /JSON/],
    ['a page with a byte-order mark', '\ufeff<html>', /web page/],
    ['a few bytes', 'PK\x01', /bytes 504b/],
    ['text about a page', 'see <html>', / is text:/],
    ['text with a brace', 'a{', / is text:/],
    ['a tar of the oldest kind', 'testreport.xml\0\0\0\0', /bytes 74657374/],
  ])('is distinguished: %s', async (_name, text, sentence) => {
    expect(await refusal(Buffer.from(text))).toMatch(sentence)
  })

  // A page that says so may be replaced by the archive; bytes that are no text are an archive that is damaged.
  it.each([
    ['an error page', '<!DOCTYPE html><html>\n\t<title>502</title></html>', true],
    ['JSON', '{"success":false}', true],
    ['a tar of the oldest kind', 'testreport.xml\0\0\0\0', false],
    ['any bytes', '\x1e\x1f', false],
  ])('may still become one: %s', async (_name, text, may) => {
    const path = join(folder, 'report')
    const fault: unknown = await receiveReport(portions(Buffer.from(text)), path).catch(
      (error: unknown) => error,
    )
    expect(fault).toBeInstanceOf(ReportError)
    expect(fault instanceof NoArchiveError).toBe(may)
  })
})

describe('hostile entries', () => {
  const good = [['testreport.xml', report]] as const
  it.each([
    ['climbs', '../testreport.xml', /"\.\."/],
    ['climbs on its way', 'a/../../testreport.xml', /"\.\."/],
    ['climbs with backslashes', 'a\\..\\..\\x', /"\.\."/],
    ['is absolute', '/etc/passwd', /absolute/],
    ['names a drive', 'C:\\x', /absolute/],
    ['is deep', `${'d/'.repeat(70)}x`, /64 folders/],
    ['is long', 'n'.repeat(5000), /4096 characters/],
  ])('in a tar: a name that %s', async (_what, name, sentence) => {
    const head = { name, ...(name.length > 99 ? { pax: { path: name } } : {}) }
    expect(await refusal(await tarGzOf([...good, [head, 'x']]))).toMatch(sentence)
  })

  it.each([
    ['a link', { type: 'symlink', linkname: '/etc/passwd' }, /a link/],
    ['a hard link', { type: 'link', linkname: 'testreport.xml' }, /a link/],
    ['a device', { type: 'character-device' }, /a device/],
    ['a pipe', { type: 'fifo' }, /a device/],
  ] as const)('in a tar: %s', async (_name, head, sentence) => {
    expect(await refusal(await tarGzOf([...good, [{ name: 'x', ...head }, '']]))).toMatch(sentence)
  })

  it('a tar header of an unknown type', async () => {
    const tar = await tarOf([['x', ''], ...good])
    tar[156] = 'S'.charCodeAt(0)
    withChecksum(tar)
    expect(await refusal(gzipSync(tar))).toMatch(/unknown kind/)
  })

  it('a tar header with a wrong checksum or an invalid size', async () => {
    const tar = await tarOf(good)
    const wrong = Buffer.from(tar)
    wrong[0] = 0x21
    expect(await refusal(gzipSync(wrong))).toMatch(/checksum/)
    tar.write('zzzzzzzzzzz ', 124)
    withChecksum(tar)
    expect(await refusal(gzipSync(tar))).toMatch(/invalid header/)
  })

  it('a tar that is cut inside a file, at zeros of the file', async () => {
    const tar = await tarOf([...good, ['zeros', Buffer.alloc(5000)]])
    expect(await refusal(gzipSync(tar.subarray(0, tar.length - 1024 - 1024)))).toMatch(/ends inside a file/)
  })

  it.each([
    ['100 kB', 100_000, /more than 65536 bytes/],
    ['5 MB', 5_000_000, /exceeds max size/],
  ])('a header of %s', async (_name, size, sentence) => {
    const head = { name: 'x', pax: { comment: 'c'.repeat(size) } }
    expect(await refusal(await tarGzOf([[head, ''], ...good]))).toMatch(sentence)
  })

  it('headers without end and no file after them', async () => {
    const header = (await tarOf([['header', '12 comment=\n']])).subarray(0, 1024)
    header[156] = 'x'.charCodeAt(0)
    withChecksum(header)
    const headers = Buffer.concat(new Array<Buffer>(2000).fill(header))
    expect(await refusal(gzipSync(Buffer.concat([headers, await tarOf(good)])))).toMatch(
      /more than 65536 bytes/,
    )
  })

  it('a header for all entries with more records than one entry can have', async () => {
    const records = Array.from({ length: 1000 }, (_, i) => `11 k${i + 1000}=v\n`).join('')
    const tar = await tarOf([['header', records], [{ name: 'x', pax: { comment: 'c' } }, ''], ...good])
    tar[156] = 'g'.charCodeAt(0)
    withChecksum(tar)
    expect(await refusal(gzipSync(tar))).toMatch(/more than 250 records/)
  })

  it.each([
    ['negative', 0xff],
    ['beyond any file', 0x80],
    ['of an unknown form', 0xc0],
  ])('a base-256 size that is %s', async (_name, first) => {
    const tar = await tarOf(good)
    tar.fill(0xff, 124, 136)
    tar[124] = first
    withChecksum(tar)
    expect(await refusal(gzipSync(tar))).toMatch(/checksum|size that is not a number/)
  })

  it('a tar mutated at random inside a whole gzip ends in a result or a ReportError', async () => {
    const tar = await tarOf([
      [{ name: 'report/a.txt', pax: { comment: 'c' } }, 'some other file'.repeat(20)],
      ['report/testreport.xml', report],
      ['report/scorecard.xml', scorecard],
    ])
    const edits = fc.array(fc.tuple(fc.nat(tar.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    const headers = Array.from({ length: tar.length / 512 }, (_, i) => i * 512).filter(
      (at) => tar.toString('latin1', at + 257, at + 262) === 'ustar',
    )
    // A correct sum lets the change through to the next check.
    await fc.assert(
      fc.asyncProperty(edits, fc.boolean(), async (changes, sums) => {
        const mutated = Buffer.from(tar)
        for (const [at, value] of changes) mutated[at] = value
        if (sums) for (const at of headers) withChecksum(mutated.subarray(at, at + 512))
        await resultOrReportError(receiveReport(portions(gzipSync(mutated)), join(folder, 'mutated')))
      }),
      { numRuns: 40 },
    )
  })

  it('a testreport.xml twice', async () => {
    expect(await refusal(await tarGzOf([...good, ['./testreport.xml', '<other/>']]))).toMatch(/twice/)
    const entry = { name: 'testreport.xml', content: Buffer.from(report) }
    expect(await refusal(rawZipOf([entry, entry]))).toMatch(/twice/)
  })

  const one: RawZipEntry = { name: 'testreport.xml', content: Buffer.from(report) }
  const x = { name: 'x', content: Buffer.from('x') }
  it.each<[string, RawZipEntry[], RegExp]>([
    ['a path out of it', [one, { ...x, name: '../x' }], /"\.\."/],
    ['a path out of it with backslashes', [one, { ...x, name: '..\\x' }], /"\.\."/],
    ['an absolute path', [one, { ...x, name: '/x' }], /absolute/],
    ['a link', [one, { ...x, mode: 0o120777 }], /a link/],
    ['a device', [one, { ...x, mode: 0o020666 }], /a device/],
    ['an encrypted testreport.xml', [{ ...one, flags: 0x801 }], /encrypted/],
    ['a wrong size', [{ ...one, declaredSize: 10 }], /damaged/],
    ['an entry outside the file', [{ ...x, offsetShift: 1_000_000 }, one], /outside the file/],
    ['an entry in the wrong place', [x, { ...one, offsetShift: 1 }], /damaged/],
  ])('in a ZIP: %s', async (_name, entries, sentence) => {
    expect(await refusal(rawZipOf(entries))).toMatch(sentence)
  })

  it('a ZIP64 offset beyond what a file can have', async () => {
    const locator = Buffer.alloc(20)
    locator.writeUInt32LE(0x07064b50, 0)
    locator.fill(0xff, 8, 16)
    const bytes = rawZipOf([one])
    const end = bytes.subarray(-22)
    expect(await refusal(Buffer.concat([bytes.subarray(0, -22), locator, end]))).toMatch(/outside the file/)
  })

  it('a ZIP whose entry was changed', async () => {
    const bytes = rawZipOf([one])
    // The checksum in the list of entries.
    const at = bytes.indexOf(Buffer.from('504b0102', 'hex')) + 16
    bytes.writeUInt32LE((bytes.readUInt32LE(at) ^ 1) >>> 0, at)
    expect(await refusal(bytes)).toMatch(/checksum of "testreport.xml" is wrong/)
  })
})

describe('archives from other programs', () => {
  const long = `report/${'a-rather-long-folder-name/'.repeat(6)}`
  it.each(['gnu', 'pax', 'ustar', 'v7'])('GNU tar, format %s', async (format) => {
    const inner = format === 'v7' ? 'report/' : long
    await mkdir(join(folder, 'in', inner), { recursive: true })
    await writeFile(join(folder, 'in', inner, 'testreport.xml'), report)
    await writeFile(join(folder, 'in', inner, 'scorecard.xml'), scorecard)
    const bytes = execFileSync('tar', [`--format=${format}`, '-czf', '-', '-C', join(folder, 'in'), 'report'])
    await rm(join(folder, 'in'), { recursive: true })
    expect(await receive(bytes)).toMatchObject({
      files: [
        [`${inner}testreport.xml`, report],
        [`${inner}scorecard.xml`, scorecard],
      ],
    })
  })
})

const results = [
  ['a/testreport.xml', report],
  ['results/agent-1/TBrowse/0/timers.csv', 'R,Homepage,1700000000000,120,false,5000,200\n'.repeat(2000)],
  ['results/agent-1/TBrowse/1/timers.csv', randomBytes(300_000)],
] as const

describe.each(['tar.gz', 'zip'] as const)('a result archive as %s', (kind) => {
  const build = builders[kind]
  const target = () => join(folder, 'results')
  it.each([100, 65_536])('is written to disk unchanged, in portions of %d bytes', async (size) => {
    const bytes = await build(results)
    const received = await receiveArchive(portions(bytes, size), target(), unread())
    expect(received).toEqual({ kind, path: target(), bytes: bytes.length })
    expect((await readFile(target())).equals(bytes)).toBe(true)
    expect(await readdir(folder)).toEqual(['results'])
  })

  it('may have a higher ratio than a report, but not that of an archive bomb', async () => {
    const bytes = await build([['zeros', Buffer.alloc(1_050_000)]])
    const limits = { ...resultLimits, ratioFloor: 1_000_000 }
    const refused = receiveArchive(portions(bytes), target(), unread(limits))
    await expect(refused).rejects.toThrow(ReportError)
    await expect(refused).rejects.toThrow(/^The result archive .* 500 times its own size/)
    expect(await readdir(folder)).toEqual([])
    const received = receiveArchive(portions(bytes, 65_536), target(), unread({ ...limits, ratio: 1100 }))
    expect(await received).toMatchObject({ kind })
  })
})

/** Corrects the checksum of the first header of a changed tar. */
function withChecksum(tar: Buffer): void {
  tar.fill(0x20, 148, 156)
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
}
