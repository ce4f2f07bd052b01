import { createHash } from 'node:crypto'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import AdmZip from 'adm-zip'
import { EngineWork } from '../engine/work.js'
import type { Books } from './books.js'
import type { CodeArchive } from './code-archive.js'
import { badRequest, conflict, notFound } from './failure.js'
import {
  stagesOf,
  timedStates,
  type LoadTest,
  type Run,
  wantedArchive,
  type Source,
  type Work,
} from './load-test.js'
import { runSettings, type RunSettings, type ServiceSettings } from './settings.js'
import { seededUpTo, template, type Project, type World } from './world.js'

/** The states in which a run is prepared; it is built at their end. */
const beforeLoad = timedStates.slice(0, timedStates.indexOf('RUNNING'))

/** Milliseconds from the creation of a run until its test suite is built. */
function buildTime(settings: RunSettings): number {
  return stagesOf(settings, beforeLoad.at(-1)).at(-1)?.until ?? 0
}

const days30 = 30 * 24 * 60 * 60 * 1000
/** This many of the newest archives are kept, however old they are (user manual). */
const keptArchives = 30

/** What the service can do in its world, by its rules. Knows nothing about HTTP. */
export class Platform {
  #jumped = 0
  #archives = 0
  #files = 0
  /** The engine's current and past work, in order. */
  readonly #works: Work[] = []

  constructor(
    readonly settings: ServiceSettings,
    readonly world: World,
    readonly books: Books,
    readonly folder: string,
    private readonly closing: AbortSignal,
  ) {
    for (const { projects } of world.organizations.values()) {
      for (const { shortName, loadTests } of projects.values()) books.loadTests[shortName] = loadTests
    }
  }

  /** The service's time, milliseconds since 1970. */
  now(): number {
    return this.settings.clock() + this.#jumped
  }

  /** The service's clock jumps and stays there. */
  jump(seconds: number): void {
    this.#jumped += seconds * 1000
  }

  /** A new path for a file of the service. */
  newFile(name: string): string {
    return path.join(this.folder, `${++this.#files}-${name}`)
  }

  /** @throws Failure 404 */
  loadTest(project: Project, number: number): LoadTest {
    this.build()
    const found = project.loadTests.find((loadTest) => loadTest.number === number)
    if (!found || (found.run?.createdAt ?? 0) > this.now())
      throw notFound(`Project ${project.shortName} has no load test ${number}.`)
    return found
  }

  /** The project that has a load test. */
  projectOf(loadTest: LoadTest): Project | undefined {
    return this.#projects().find(({ loadTests }) => loadTests.includes(loadTest))
  }

  #projects(): Project[] {
    return [...this.world.organizations.values()].flatMap(({ projects }) => [...projects.values()])
  }

  /**
   * Builds the runs whose time has come. Called before anything is read or changed, so each is built from the archive
   * that was the latest at that time.
   */
  build(): void {
    for (const { archives, loadTests } of this.#projects()) {
      for (const { run, number } of loadTests) {
        if (run?.buildsAt === undefined || run.buildsAt > this.now()) continue
        delete run.buildsAt
        const archive = archives.at(-1)
        if (archive) {
          run.archive = archive
          const entry = this.books.starts.find(
            (start) => start.project === archive.project && start.number === number,
          )
          if (entry) entry.archiveId = archive.id
        } else {
          run.stages = run.stages.filter(({ state }) => beforeLoad.includes(state))
          run.end = 'ERROR'
          run.message = noArchive
        }
      }
    }
  }

  /** The load tests that the list shows. */
  listed(project: Project): LoadTest[] {
    const lag = this.settings.listLag * 1000
    const more = Array.from({ length: this.settings.listSize }, (_, at) =>
      template(seededUpTo + at + 1, `Further load test ${at}`, {}, 'x'.repeat(5000)),
    )
    return [...project.loadTests, ...more].filter(({ run }) => !run || run.createdAt + lag <= this.now())
  }

  /**
   * Copies a load test and runs the copy, which keeps the setting for the code archive.
   *
   * @param late seconds until that is done
   * @throws Failure 404
   */
  copyAndRun(project: Project, number: number, foreign = false, late = 0): LoadTest {
    const copied = this.loadTest(project, number)
    const run = this.#newRun(project, copied, late)
    const copy: LoadTest = {
      ...copied,
      number: this.#highest(project) + 1,
      name: this.settings.copyName.replaceAll('{name}', () => copied.name),
      source: structuredClone(copied.source),
      run,
    }
    project.loadTests.push(copy)
    this.books.starts.push({
      project: project.shortName,
      template: number,
      number: copy.number,
      ...(run.archive ? { archiveId: run.archive.id } : {}),
      time: run.createdAt,
      foreign,
    })
    return copy
  }

  /** Of the load tests that there are, with those that only make the list longer. */
  #highest({ loadTests }: Project): number {
    const { listSize } = this.settings
    return Math.max(...loadTests.map(({ number }) => number), listSize === 0 ? 0 : seededUpTo + listSize)
  }

  /** Adds a checked archive to the project, as its latest one. */
  accept(
    project: Project,
    file: Pick<CodeArchive, 'file' | 'fileName' | 'size' | 'sha512'>,
    foreign = false,
  ): CodeArchive {
    this.build()
    this.#removeOld(project)
    const id = this.settings.archiveIds.replace('{n}', String(++this.#archives))
    const archive = { id, project: project.shortName, ...file, uploadedAt: this.now(), foreign }
    project.archives.push(archive)
    this.books.archives.push(archive)
    return archive
  }

  /** The upload of another job: its own small suite. */
  acceptForeign(project: Project, name = 'other-suite', foreign = true): CodeArchive {
    const zip = new AdmZip()
    const suite = `<project><artifactId>${name}-${this.#archives + 1}</artifactId></project>\n`
    zip.addFile(`${name}/pom.xml`, Buffer.from(suite))
    const bytes = zip.toBuffer()
    const file = this.newFile('archive.zip')
    writeFileSync(file, bytes)
    const sha512 = createHash('sha512').update(bytes).digest('hex')
    return this.accept(project, { file, fileName: `${name}.zip`, size: statSync(file).size, sha512 }, foreign)
  }

  /** @throws Failure 404 */
  deleteArchive(project: Project, id: string): void {
    const archive = project.archives.find((one) => one.id === id)
    if (!archive) throw notFound(`Project ${project.shortName} has no code archive ${id}.`)
    this.build()
    const isUsed = project.loadTests.some(({ run }) => run?.archive === archive)
    if (isUsed && !this.settings.usedDeletable)
      throw conflict(`The code archive ${id} is used by load tests.`)
    project.archives.splice(project.archives.indexOf(archive), 1)
    this.books.deletedArchives.push(archive)
    rmSync(archive.file, { force: true })
  }

  #newRun(project: Project, template: LoadTest, late: number): Run {
    const settings = runSettings(this.settings, project.shortName, template.number)
    const wanted = wantedArchive(template.source, this.settings.archives)
    this.build()
    this.#removeOld(project)
    const isLate = wanted === 'latest' && this.settings.latestResolved === 'build' && !this.settings.engine
    const archive =
      wanted === 'latest'
        ? isLate
          ? undefined
          : project.archives.at(-1)
        : project.archives.find(({ id }) => id === wanted?.id)
    const message =
      obstacle(template, isLate ? undefined : wanted, archive, this.settings.retiredFails) ??
      (settings.buildFault || undefined)
    const createdAt = this.now() + late * 1000
    const buildsAt = isLate && message === undefined ? createdAt + buildTime(settings) : undefined
    const work = message === undefined && archive ? this.#work(template, archive, settings) : undefined
    return {
      ...(work ? { work } : {}),
      template: template.number,
      createdAt,
      ...(buildsAt === undefined ? {} : { buildsAt }),
      ...(archive ? { archive } : {}),
      ...(message === undefined
        ? { stages: stagesOf(settings), end: settings.ends }
        : { stages: stagesOf(settings, 'PROVISIONING'), end: 'ERROR', message }),
      ...(message === undefined && settings.ends === 'ERROR'
        ? { message: 'The load generators were lost.' }
        : {}),
      settings,
    }
  }

  /** The engine's part of a run; undefined if the run is simulated. */
  #work(template: LoadTest, archive: CodeArchive, settings: RunSettings): Work | undefined {
    const { engine } = this.settings
    const { executionEnvironment: line, description } = template
    if (!engine || line === '6.x') return undefined
    const release = engine.releases[line]
    if (!release) throw badRequest(`Engine ${line} is not installed. Start the sandbox with it.`)
    const order = {
      ...{ settings: engine, release, codeArchive: archive.file, folder: this.newFile('run') },
      properties: { 'com.xceptance.xlt.loadtests.comment': description, ...settings.properties },
      now: () => this.now(),
    }
    const work = new EngineWork(order, this.#works.at(-1)?.done ?? Promise.resolve(), this.closing)
    this.#works.push(work)
    return work
  }

  /** Resolves when everything that was started has ended. */
  async quiet(): Promise<void> {
    await Promise.all(this.#works.map(({ done }) => done))
  }

  #removeOld(project: Project): void {
    const young = this.now() - days30
    for (const { id, uploadedAt } of project.archives.slice(0, -keptArchives)) {
      if (uploadedAt < young) this.deleteArchive(project, id)
    }
  }
}

const noArchive = 'The load test uses the latest code archive, but the project has none. Upload one.'

/** Why a run of this load test cannot be built. */
function obstacle(
  { executionEnvironment }: LoadTest,
  wanted: Source['codeArchive'],
  archive: CodeArchive | undefined,
  retiredFails: boolean,
): string | undefined {
  if (executionEnvironment === '6.x' && retiredFails) {
    return 'The execution environment 6.x is retired. Choose a 9.x environment for this load test.'
  }
  if (wanted === undefined || archive) return undefined
  return wanted === 'latest'
    ? noArchive
    : `The code archive ${wanted.id} of this load test no longer exists. Choose another one.`
}
