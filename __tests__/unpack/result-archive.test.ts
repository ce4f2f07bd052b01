import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ReportError } from '../../src/errors.js'
import { receiveArchive, unread } from '../../src/unpack/unpack.js'
import { resultLimits } from '../../src/unpack/guard.js'
import { portions, tarGzOf, zipOf, type Entries } from './archives.js'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'result-'))
  path = join(folder, 'results')
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

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

  it('may have a higher ratio than a report, but not that of an archive bomb', async () => {
    const bytes = await build([['zeros', Buffer.alloc(1_050_000)]])
    const limits = { ...resultLimits, ratioFloor: 1_000_000 }
    const refused = receiveArchive(portions(bytes), path, unread(limits))
    await expect(refused).rejects.toThrow(ReportError)
    await expect(refused).rejects.toThrow(/^The result archive .* 500 times its own size/)
    expect(await readdir(folder)).toEqual([])
    const received = receiveArchive(portions(bytes, 65_536), path, unread({ ...limits, ratio: 1100 }))
    expect(await received).toMatchObject({ kind })
  })
})
