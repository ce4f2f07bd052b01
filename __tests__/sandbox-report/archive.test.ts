import { execFileSync } from 'node:child_process'
import { mkdir, readFile, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import {
  scorecardXml,
  testReportXml,
  writeReportArchive,
  writeResultArchive,
  type SimulatedRun,
} from '../../sandbox/report/archive.js'
import { figure, inFolder, parsed, quietRun } from './read-back.js'

const run: SimulatedRun = {
  ...quietRun,
  startTime: quietRun.endTime - 60_000,
  ...{ errorRate: 0.02, scorecard: 'failed', projectName: 'Shop', description: '<b>Commit abc\r\nthird' },
}
const folderName = '20260117-102400'

/** The files of an archive by name, unpacked by another tool. */
async function unpacked(archive: string, folder: string): Promise<Map<string, string>> {
  await mkdir(folder)
  if (archive.endsWith('.zip')) execFileSync('unzip', ['-q', archive, '-d', folder])
  else execFileSync('tar', ['-xzf', archive, '-C', folder])
  const files = new Map<string, string>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const place = path.join(entry.parentPath, entry.name)
    files.set(path.relative(folder, place), await readFile(place, 'utf8'))
  }
  return files
}

test.each(['tar.gz', 'zip'] as const)('a %s is read by other tools', async (format) => {
  await inFolder(async (folder) => {
    const archive = path.join(folder, `report.${format}`)
    await writeReportArchive(run, format, archive)
    const files = await unpacked(archive, path.join(folder, 'out'))
    expect([...files.keys()].every((name) => name.startsWith(`${folderName}/`))).toBe(true)
    expect(files.get(`${folderName}/testreport.xml`)).toBe(testReportXml(run))
    expect(files.get(`${folderName}/scorecard.xml`)).toBe(scorecardXml(run))
    const page = files.get(`${folderName}/index.html`)
    expect(page).toContain('All figures are simulated by the sandbox. No system was measured.')
    expect(page).toContain('<p>&lt;b&gt;Commit abc<br>\nthird</p>')
    const again = path.join(folder, `again.${format}`)
    await writeReportArchive(run, format, again)
    expect((await readFile(again)).equals(await readFile(archive))).toBe(true)
  })
})

test.each(['tar.gz', 'zip'] as const)(
  'a large %s has as many files and bytes as requested',
  async (format) => {
    await inFolder(async (folder) => {
      const archive = path.join(folder, `report.${format}`)
      await writeReportArchive({ ...run, bulk: { files: 300, bytes: 2_000_001 } }, format, archive)
      const size = (await stat(archive)).size
      expect(size).toBeGreaterThan(2_000_000)
      expect(size).toBeLessThan(3_000_000)
      const files = path.join(folder, 'out')
      await mkdir(files)
      execFileSync(
        format === 'zip' ? 'unzip' : 'tar',
        format === 'zip' ? ['-q', archive, '-d', files] : ['-xzf', archive, '-C', files],
      )
      const pages = await readdir(path.join(files, folderName, 'results'))
      expect(pages).toHaveLength(300)
      const sizes = await Promise.all(
        pages.map((page) => stat(path.join(files, folderName, 'results', page))),
      )
      expect(sizes.reduce((sum, file) => sum + file.size, 0)).toBe(2_000_001)
      expect(await readFile(path.join(files, folderName, 'testreport.xml'), 'utf8')).toBe(testReportXml(run))
    })
  },
)

test('a result archive has each measurement that the report counts, by load generator', async () => {
  await inFolder(async (folder) => {
    const archive = path.join(folder, 'results.tar.gz')
    await writeResultArchive(run, archive)
    const files = await unpacked(archive, path.join(folder, 'out'))
    const tables = [...files].filter(([name]) => name.endsWith('/timers.csv'))
    const agents = new Set(tables.map(([name]) => name.split('/')[1]))
    expect([...agents].sort()).toEqual(['ac0001', 'ac0002', 'ac0003'])
    expect(files.get(`${folderName}-results/README.txt`)).toContain('simulated')
    const rows = tables.flatMap(([, table]) =>
      table
        .trim()
        .split('\n')
        .map((line) => line.split(',')),
    )
    const report = parsed(testReportXml(run))
    for (const [kind, list] of [
      ['T', 'transactions'],
      ['A', 'actions'],
      ['R', 'requests'],
      ['C', 'customTimers'],
      ['P', 'pageLoadTimings'],
    ]) {
      const own = rows.filter(([first]) => first === kind)
      expect(own).toHaveLength(figure(report, `summary/${list}/count`))
      expect(own.filter(([, , , , failed]) => failed === 'true')).toHaveLength(
        figure(report, `summary/${list}/errors`),
      )
      const largest = own.reduce((most, [, , , runtime]) => Math.max(most, Number(runtime)), 0)
      expect(largest).toBe(figure(report, `summary/${list}/max`))
    }
  })
})
