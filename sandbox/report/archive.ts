import { blockFile, textFile, writeArchive, type ArchiveFile, type ArchiveFormat } from './archive-file.js'
import { simulateFigures } from './figures.js'
import { reportPages } from './pages.js'
import { seededRandom } from './random.js'
import { resultFiles } from './results.js'
import { evaluateScorecard, scorecardText } from './scorecard.js'
import { checkRun, reportFolder, type SimulatedRun } from './simulated-run.js'
import { testReportText } from './test-report.js'

export { scorecardXml } from './scorecard.js'
export type { SimulatedRun } from './simulated-run.js'
export { testReportXml } from './test-report.js'

/**
 * Writes a report archive to the file `target`: one folder named after the run's start, with HTML pages, charts,
 * testreport.xml and, if the run has one, scorecard.xml. Same run, same bytes. Throws a RangeError for a run that
 * cannot be simulated; a failure leaves no file.
 */
export async function writeReportArchive(
  run: SimulatedRun,
  format: ArchiveFormat,
  target: string,
): Promise<void> {
  checkRun(run)
  const figures = simulateFigures(run)
  const scorecard = evaluateScorecard(run, figures)
  const folder = reportFolder(run)
  const files: ArchiveFile[] = [...bulkFiles(run, folder)]
  for (const [name, text] of reportPages(run, figures, scorecard))
    files.push(textFile(`${folder}/${name}`, text))
  if (scorecard) files.push(textFile(`${folder}/scorecard.xml`, scorecardText(scorecard)))
  files.push(textFile(`${folder}/testreport.xml`, testReportText(run, figures)))
  await writeArchive(target, format, files, { time: run.endTime, level: run.bulk ? 1 : 6 })
}

/** Writes a result archive (tar.gz) with the raw measurements of each load generator to the file `target`. */
export async function writeResultArchive(run: SimulatedRun, target: string): Promise<void> {
  checkRun(run)
  const files = resultFiles(run, simulateFigures(run).traffic)
  await writeArchive(target, 'tar.gz', files, { time: run.endTime, level: 6 })
}

/** Like the result browsers of a real report: many pages and pictures, only for readers. */
function* bulkFiles(run: SimulatedRun, folder: string): Generator<ArchiveFile> {
  if (!run.bulk || run.bulk.files <= 0) return
  const { files, bytes } = run.bulk
  const random = seededRandom(run.seed, 'bulk')
  // Longer than deflate's window, so that repeating it does not compress.
  const block = Uint8Array.from({ length: 128 * 1024 }, () => random.between(0, 255))
  for (let index = 0; index < files; index++) {
    const begin = Math.floor((bytes * index) / files)
    const size = Math.floor((bytes * (index + 1)) / files) - begin
    yield blockFile(`${folder}/results/page-${String(index + 1).padStart(5, '0')}.webp`, size, block, begin)
  }
}
