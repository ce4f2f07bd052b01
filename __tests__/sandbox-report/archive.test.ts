import { execFileSync } from 'node:child_process'
import { mkdir, readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { testReportXml, writeReportArchive, type SimulatedRun } from '../../sandbox/report/archive.js'
import { quietRun } from '../../sandbox/report/simulated-run.js'
import { inFolder } from './read-back.js'

const run: SimulatedRun = {
  ...quietRun,
  startTime: quietRun.endTime - 60_000,
  ...{ errorRate: 0.02, projectName: 'Shop', description: '<b>Commit abc\r\nthird' },
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
    const page = files.get(`${folderName}/index.html`)
    expect(page).toContain('All figures are simulated by the sandbox. No system was measured.')
    expect(page).toContain('<p>&lt;b&gt;Commit abc<br>\nthird</p>')
    const again = path.join(folder, `again.${format}`)
    await writeReportArchive(run, format, again)
    expect((await readFile(again)).equals(await readFile(archive))).toBe(true)
  })
})
