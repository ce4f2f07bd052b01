import { folderFiles, writeArchive, type ArchiveFormat } from '../report/archive-file.js'
import { writeReportArchive, writeResultArchive } from '../report/archive.js'
import { reportFolder, type SimulatedRun } from '../report/simulated-run.js'
import { executionState, type LoadTest } from './load-test.js'
import type { Platform } from './platform.js'
import type { Project } from './world.js'

const engineVersions = { '6.x': '6.2.4', '9.x': '9.2.0', '10.x': '10.0.0-beta1' } as const

/** The reports and results of finished runs; an archive is written when it is first asked for. */
export class ReportStore {
  readonly #written = new Map<string, Promise<string>>()

  constructor(private readonly platform: Platform) {}

  /** Path of the report archive. */
  report(project: Project, loadTest: LoadTest): Promise<string> {
    const { reportFormat } = this.platform.settings
    const work = loadTest.run?.work
    return this.#once(`${project.shortName}-${loadTest.number}-report.${reportFormat}`, (target) =>
      work
        ? archiveFolder(work.report, loadTest, reportFormat, target)
        : writeReportArchive(this.#simulated(project, loadTest), reportFormat, target),
    )
  }

  /** Path of the result archive. */
  result(project: Project, loadTest: LoadTest): Promise<string> {
    const work = loadTest.run?.work
    return this.#once(`${project.shortName}-${loadTest.number}-result.tar.gz`, (target) =>
      work
        ? archiveFolder(work.results, loadTest, 'tar.gz', target)
        : writeResultArchive(this.#simulated(project, loadTest), target),
    )
  }

  #once(name: string, write: (target: string) => Promise<void>): Promise<string> {
    const known = this.#written.get(name)
    if (known) return known
    const target = this.platform.newFile(name)
    const written = write(target).then(() => target)
    this.#written.set(name, written)
    // A failed one is tried again.
    written.catch(() => this.#written.delete(name))
    return written
  }

  #simulated(project: Project, loadTest: LoadTest): SimulatedRun {
    const { run, number, name, description, executionEnvironment } = loadTest
    if (!run) throw new Error(`Load test ${number} was never started.`)
    const { seed, slowdown, errorRate, partial, simulatedMinutes } = run.settings
    const { endTime } = executionState(loadTest, this.platform.now())
    return {
      seed: seed * 1000 + number,
      number,
      name,
      description,
      startTime: endTime - simulatedMinutes * 60_000,
      endTime,
      engineVersion: engineVersions[executionEnvironment],
      slowdown,
      errorRate,
      projectName: project.name,
      partial: partial || run.end !== 'FINISHED',
    }
  }
}

/** The archive's one folder, named after the start of the run, as on the service. */
async function archiveFolder(
  folder: string | undefined,
  { run }: LoadTest,
  format: ArchiveFormat,
  target: string,
): Promise<void> {
  if (folder === undefined || !run?.work) throw new Error('There is nothing to archive yet.')
  const { startTime, endTime } = run.work.state()
  const files = folderFiles(folder, reportFolder({ startTime }))
  await writeArchive(target, format, files, { time: endTime, level: 6 })
}
