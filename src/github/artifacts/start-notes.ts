import { createHash } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { message, NoArtifactServiceError, NoRecordError, UserError } from '../../errors.js'
import { plainOutcome } from '../../outcome/outcome-file.js'
import { readStartNote, type StartNote } from '../../run/run.js'
import type { Log } from '../../log.js'
import { plainName } from '../../text/attempt-name.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { attach, isTaken } from './artifacts.js'
import { storedFiles, type ArtifactStore, type StoredArtifact, type WorkflowRun } from './store.js'
import { within } from '../../clock.js'
import { isForbidden, onceAccepted, type Octokit, withTodo } from '../api/octokit.js'

/** Milliseconds: a GitHub that does not answer must not keep a run from being followed. */
const readingLimit = 60_000
const todo = 'The job needs the permission actions: read for that.'
/** A note has some hundred bytes. */
const mostBytes = 1_000_000

/** The starts of the names: of what is found by its run, and of what is found by its step. */
const ofRun = 'load-test-run-'
const ofStart = 'load-test-start-'

type Noted = Pick<StartNote, 'service' | 'organization' | 'project'> & { run: number }

/**
 * The notes of starts and of started runs, kept as small artifacts of the workflow run: what a job's earlier attempt attached is
 * still there when only failed jobs are run again, and a later workflow run that collects a load test finds its note by name.
 */
export class StartNotes {
  /** The commits of notes that GitHub lists under the same one: those of its own events. */
  readonly commits = new Set<string>()
  readonly #step: string
  readonly #workflowRun: WorkflowRun

  constructor(
    readonly place: {
      /** This one, for GitHub's API; the artifact service may not list those of other attempts. */
      workflowRun: Omit<WorkflowRun, 'token'>
      page?: string
      /** Distinguishes this step from others of the workflow. */
      stepName: string
      token: string
      temp: string
      log: Log
      store: () => Promise<ArtifactStore>
      octokit: () => Promise<Octokit>
    },
  ) {
    this.#step = digest(place.stepName)
    this.#workflowRun = { ...place.workflowRun, token: place.token }
  }

  /**
   * Attaches a note: of a start that is about to be requested, of its run, or that all is told. Without an artifact
   * service, as on a runner of one's own machine, there is no record, nor a later attempt that could read it.
   *
   * @returns whether it is attached
   * @throws UserError if a start is not on record before its request: if this machine were lost, nobody would find the run
   */
  async keep(note: StartNote, limit = 60_000): Promise<boolean> {
    try {
      await within(limit, this.#upload(note))
      return true
    } catch (error) {
      if (note.run === undefined && !(error instanceof NoArtifactServiceError)) {
        const unrecorded =
          'Nothing was started, because the start could not be recorded as an artifact. If this machine were lost, ' +
          `a later attempt of the job could not find the load test. GitHub said: ${oneLine(message(error), 400)}`
        throw new UserError(unrecorded, { cause: error })
      }
      this.place.log.info(`The start is not on record for later attempts of this job: ${message(error)}`)
      return false
    }
  }

  /**
   * The notes of this step's earlier attempts; undefined if there are none and nothing of the first attempt is shown, as
   * "Re-run all jobs" hides what came before. Without the permission, the artifact service has those of a re-run of some jobs.
   *
   * @throws NoRecordError, UserError if they cannot be read now
   */
  async read(): Promise<StartNote[] | undefined> {
    try {
      return await onceAccepted(() => within(readingLimit, this.#readAll()))
    } catch (error) {
      const own = () => within(readingLimit, this.#readAll(false)).catch(() => undefined)
      const notes = isForbidden(error) ? await own() : undefined
      if (notes && notes.length > 0) return notes
      const isLasting =
        isForbidden(error) || error instanceof NoArtifactServiceError || this.place.token === ''
      const why = withTodo(error, isLasting ? todo : 'Run the job again later.')
      const Fault = isLasting ? NoRecordError : UserError
      throw new Fault(`The notes on what earlier attempts of this job started could not be read: ${why}`, {
        cause: error,
      })
    }
  }

  /** The note of a run, whichever other step of the repository has started it. Undefined if there is none to be read. */
  async of(run: Noted): Promise<StartNote | undefined> {
    const { log } = this.place
    try {
      const note = await onceAccepted(() => within(readingLimit, this.#readOne(run)))
      if (!note) log.info(`There is no note of the start of load test ${run.run}: they are kept for 30 days.`)
      return note
    } catch (error) {
      log.info(`The note of the start of load test ${run.run} could not be read: ${withTodo(error, todo)}`)
      return undefined
    }
  }

  async #upload(note: StartNote): Promise<void> {
    const { temp, store, log, page = '' } = this.place
    const file = path.join(await mkdtemp(path.join(temp, 'note-')), 'start-note')
    await writeFile(file, JSON.stringify({ ...note, step: this.#step }))
    // A re-run is possible for 30 days.
    const attachment = { path: file, name: this.#nameOf(note), ending: '.json', retentionDays: 30 }
    try {
      await attach(await store(), attachment, page, log)
    } catch (error) {
      if (!isTaken(error)) throw error
      // A main step that was killed has attached it, or has only begun to.
      if (hasRun(note) && (await this.#readOne(note).catch(() => undefined))) return
      await attach(await store(), { ...attachment, name: `${attachment.name}-again` }, page, log)
    }
  }

  async #readAll(byApi = true): Promise<StartNote[] | undefined> {
    const findBy = byApi ? this.#workflowRun : undefined
    const { artifacts } = await (await this.place.store()).listArtifacts(defined({ findBy }))
    if (artifacts.length === 0) return byApi ? this.#readAll(false) : undefined
    const notes: StartNote[] = []
    for (const artifact of artifacts) {
      const isOurs = artifact.name.startsWith(`${ofStart}${this.#step}-`)
      if (!isOurs && !artifact.name.startsWith(ofRun)) continue
      const found = await this.#notesIn(artifact, findBy)
      // A start that nobody can read of is not none.
      if (isOurs && found.length === 0)
        throw new Error(`${oneLine(artifact.name, 80)} holds no note that this version reads`)
      notes.push(...found.filter((note) => note.step === this.#step))
    }
    return notes.length > 0 || (await this.#showsFirst(artifacts)) ? notes : undefined
  }

  /** Whether one is of the first attempt: others may be there although that one is hidden. */
  async #showsFirst(artifacts: readonly StoredArtifact[]): Promise<boolean> {
    const { workflowRunId: run_id, repositoryOwner: owner, repositoryName: repo } = this.#workflowRun
    const { rest } = await this.place.octokit()
    const second = { owner, repo, run_id, attempt_number: 2 }
    const began = await rest.actions.getWorkflowRunAttempt(second).then(
      ({ data }) => Date.parse(data.run_started_at ?? ''),
      () => NaN,
    )
    return artifacts.some(({ createdAt }) => createdAt !== undefined && createdAt.getTime() < began)
  }

  async #readOne(wanted: Noted): Promise<StartNote | undefined> {
    const name = nameOfRun(wanted)
    const isNamed = (artifact: StoredArtifact) => plainName(artifact.name) === name
    const own = (await (await this.place.store()).listArtifacts()).artifacts.find(isNamed)
    const notes = own ? await this.#notesIn(own) : await this.#readElsewhere(name)
    return notes.find((note) => hasRun(note) && nameOfRun(note) === name)
  }

  /** The notes in an artifact of another workflow run; what a fork has attached does not count. */
  async #readElsewhere(name: string): Promise<StartNote[]> {
    const { octokit } = this.place
    const workflowRun = this.#workflowRun
    const { repositoryOwner: owner, repositoryName: repo } = workflowRun
    const { rest } = await octokit()
    // One that was attached as a ZIP has no ending.
    for (const attached of [`${name}.json`, name]) {
      const { data } = await rest.actions.listArtifactsForRepo({ owner, repo, name: attached })
      for (const artifact of data.artifacts) {
        const { id, head_sha: of, ...from } = artifact.workflow_run ?? {}
        const isOwn = from.repository_id !== undefined && from.repository_id === from.head_repository_id
        if (artifact.expired || id === undefined || !isOwn) continue
        const notes = await this.#notesIn(artifact, { ...workflowRun, workflowRunId: id })
        // An earlier attempt of this step is no other.
        if (id === workflowRun.workflowRunId && notes.some(({ step }) => step === this.#step)) return []
        for (const { commit } of notes) if (commit !== undefined && commit === of) this.commits.add(commit)
        return notes
      }
    }
    return []
  }

  #nameOf(note: StartNote): string {
    if (hasRun(note)) return nameOfRun(note)
    const told = note.judged ? '-judged' : '-told'
    return `${ofStart}${this.#step}-${note.id}${note.run === null ? told : ''}`
  }

  /** What else an artifact holds is left out. */
  async #notesIn(artifact: StoredArtifact, findBy?: WorkflowRun): Promise<StartNote[]> {
    const { temp, store } = this.place
    const folder = await mkdtemp(path.join(temp, 'notes-'))
    const files = await storedFiles(await store(), artifact, { path: folder, ...defined({ findBy }) })
    const notes: StartNote[] = []
    for (const file of files) {
      const note = readStartNote(await readFile(await plainOutcome(file, mostBytes), 'utf8'))
      if (note) notes.push(note)
    }
    return notes
  }
}

function hasRun(note: StartNote): note is StartNote & Noted {
  return typeof note.run === 'number'
}

function nameOfRun({ service, organization, project, run }: Noted): string {
  return `${ofRun}${digest([service, organization, project, run].join('\n'))}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
