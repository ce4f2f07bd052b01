import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { testReportXml, writeReportArchive } from '../../sandbox/report/archive.js'
import { writeLargeTestReport } from '../../sandbox/report/large.js'
import { expectFiguresOf, inFolder, parsed, quietRun } from './read-back.js'

test('50 MB are well-formed', async () => {
  await inFolder(async (folder) => {
    const file = path.join(folder, 'testreport.xml')
    await writeLargeTestReport(file, 50_000_000, 3)
    const script = `
import sys, xml.sax
class Counter(xml.sax.ContentHandler):
    depth = most = timers = 0
    def startElement(self, name, attributes):
        self.depth += 1; self.most = max(self.most, self.depth); self.timers += name == 'percentiles'
    def endElement(self, name): self.depth -= 1
counter = Counter()
xml.sax.parse(sys.argv[1], counter)
print(counter.depth, counter.most, counter.timers)`
    const [depth, , timers] = execFileSync('python3', ['-c', script, file], { encoding: 'utf8' })
      .split(' ')
      .map(Number)
    expect(depth).toBe(0)
    expect(timers).toBeGreaterThan(5_000)
  })
})

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
