import { textFile, writeArchive, type ArchiveFormat } from './archive-file.js'
import { simulateFigures } from './figures.js'
import { resultFiles } from './results.js'
import { checkRun, reportFolder, reportName, simulatedNote, type SimulatedRun } from './simulated-run.js'
import { testReportText } from './test-report.js'
import { escaped } from './xml.js'

export type { SimulatedRun } from './simulated-run.js'
export { testReportXml } from './test-report.js'

/**
 * Writes a report archive to the file `target`: one folder named after the run's start, with a page for people and
 * testreport.xml. Same run, same bytes. Throws a RangeError for a run that cannot be simulated; a failure leaves no file.
 */
export async function writeReportArchive(
  run: SimulatedRun,
  format: ArchiveFormat,
  target: string,
): Promise<void> {
  checkRun(run)
  const figures = simulateFigures(run)
  const folder = reportFolder(run)
  const files = [textFile(`${folder}/index.html`, page(run))]
  files.push(textFile(`${folder}/testreport.xml`, testReportText(run, figures)))
  await writeArchive(target, format, files, { time: run.endTime, level: 6 })
}

/** Says only what the report is about: the engine's own pages show every figure. */
function page(run: SimulatedRun): string {
  const name = escaped(reportName(run))
  return `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>${name}</title>
<h1>${name}</h1>
<p>${escaped(run.description).replaceAll('\n', '<br>\n')}</p>
<p>${escaped(simulatedNote)} The figures are in <a href="testreport.xml">testreport.xml</a>.</p>
</html>
`
}

/** Writes a result archive (tar.gz) with the raw measurements of each load generator to the file `target`. */
export async function writeResultArchive(run: SimulatedRun, target: string): Promise<void> {
  checkRun(run)
  const files = resultFiles(run, simulateFigures(run).traffic)
  await writeArchive(target, 'tar.gz', files, { time: run.endTime, level: 6 })
}
