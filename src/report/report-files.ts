import { createReadStream, type Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ReportError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import type { Report, Scorecard } from './report.js'
import { reportLimits, type ReportLimits } from '../unpack/limits.js'
import { parseScorecard } from './scorecard.js'
import { parseTestReport } from './test-report.js'
import { checkSize, type ReportFiles } from '../unpack/xml-files.js'

const maxFolders = 10_000
const portionSize = 256 * 1024

/** The figures and the engine's own verdict, from the XML files on disk. */
export async function readReport(
  files: Pick<ReportFiles, 'testReport' | 'scorecard'>,
  name?: string,
): Promise<{ report: Report; scorecard?: Scorecard }> {
  const report = await readTestReport(files.testReport, name)
  if (files.scorecard === undefined) return { report }
  return { report, scorecard: await readScorecard(files.scorecard) }
}

/**
 * @param path a testreport.xml
 * @param name what the service calls the report
 * @throws ReportError
 */
export async function readTestReport(path: string, name?: string): Promise<Report> {
  checkSize('testreport', (await stat(path)).size, reportLimits)
  return await parseTestReport(createReadStream(path, { highWaterMark: portionSize }), name)
}

/**
 * @param path a scorecard.xml
 * @throws ReportError
 */
export async function readScorecard(path: string): Promise<Scorecard> {
  checkSize('scorecard', (await stat(path)).size, reportLimits)
  return await parseScorecard(createReadStream(path, { highWaterMark: portionSize }))
}

/**
 * The XML files of an unpacked report: the shallowest testreport.xml, and the scorecard.xml beside it. Links are not
 * followed, and Git's own folders not searched.
 *
 * @throws ReportError, also if several reports are at the same depth
 */
export async function readReportFolder(
  path: string,
  limits: Partial<ReportLimits> = {},
): Promise<ReportFiles> {
  const bounds = { ...reportLimits, ...limits }
  let level = ['']
  let seen = 0
  while (level.length > 0) {
    const below: string[] = []
    const reports: ReportFiles[] = []
    for (const folder of level) {
      seen++
      if (seen > maxFolders) {
        throw new ReportError(
          `There is no testreport.xml in its first ${maxFolders} folders. Name the folder that contains it.`,
        )
      }
      const entries = await readdir(join(path, folder), { withFileTypes: true })
      const found = reportIn(path, folder, entries)
      if (found !== undefined) reports.push(found)
      const folders = entries.filter((entry) => entry.isDirectory() && !isOfGit(entry.name))
      below.push(...folders.map((entry) => join(folder, entry.name)))
    }
    const [only, ...others] = reports
    if (only && others.length > 0) {
      const names = reports.slice(0, 5).map((one) => oneLine(one.folder, 80))
      throw new ReportError(
        `${reports.length} of its folders contain a testreport.xml, such as ${names.join(', ')}. Name one of them.`,
      )
    }
    if (only) {
      checkSize('testreport', (await stat(only.testReport)).size, bounds)
      return only
    }
    level = below.sort((a, b) => (a < b ? -1 : 1))
  }
  throw new ReportError(`The folder contains no testreport.xml. Name the folder of a load test's report.`)
}

/** Git's own folder holds the checkout's credentials; in a submodule it is a file. */
export function isOfGit(name: string): boolean {
  return name.toLowerCase() === '.git'
}

function reportIn(path: string, folder: string, entries: readonly Dirent[]): ReportFiles | undefined {
  const isThere = (name: string): boolean => entries.some((entry) => entry.name === name && entry.isFile())
  if (!isThere('testreport.xml')) return undefined
  const files: ReportFiles = { testReport: join(path, folder, 'testreport.xml'), folder }
  if (isThere('scorecard.xml')) files.scorecard = join(path, folder, 'scorecard.xml')
  return files
}
