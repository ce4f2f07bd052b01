import { existsSync } from 'node:fs'
import path from 'node:path'
import { testReportXml, writeReportArchive } from '../../sandbox/report/archive.js'
import { expectFiguresOf, inFolder, parsed, quietRun } from './read-back.js'

test('a ZIP with more files than the format can count is refused and removed', async () => {
  await inFolder(async (folder) => {
    const archive = path.join(folder, 'report.zip')
    const many = { ...quietRun, bulk: { files: 65_536, bytes: 0 } }
    await expect(writeReportArchive(many, 'zip', archive)).rejects.toThrow('65,535 files')
    expect(existsSync(archive)).toBe(false)
  })
})

test.each([
  ['twenty minutes', 1_200_000, 1200, '1,200'],
  ['three hours', 3 * 3_600_000, 10_800, '10,800'],
])('a run of %s has enough figures to judge, at its own times', (_, length, duration, period) => {
  const tree = parsed(testReportXml({ ...quietRun, endTime: quietRun.startTime + length }))
  expectFiguresOf(tree, duration, period, 10_000)
})
