import { randomBytes } from 'node:crypto'
import { ArchiveFaults, ArchiveGuard, reportLimits } from '../../src/unpack/guard.js'
import { TarGzReader } from '../../src/unpack/tar.js'
import { tarGzOf } from './archives.js'

// The tar's own entry ends without a fault then, and nothing would ever say that it goes on.
test('whoever stops in the middle of an entry ends the reader with its fault', async () => {
  const guard = new ArchiveGuard(reportLimits, new ArchiveFaults('report archive'))
  const fault = new Error('the disk broke')
  const reader = new TarGzReader(
    guard,
    {
      wants: () => true,
      take: async (_entry, bytes) => {
        for await (const piece of bytes()) if (piece.length > 0) throw fault
      },
    },
    true,
  )
  const archive = await tarGzOf([['testreport.xml', randomBytes(600_000)]])
  const read = async () => {
    for (let at = 0; at < archive.length; at += 100_000) await reader.take(archive.subarray(at, at + 100_000))
    await reader.end()
  }
  await expect(read()).rejects.toBe(fault)
  await reader.discard()
})
