import { isoTime } from '../clock.js'
import { BaselineError, LostError, message, StartError, UserError } from '../errors.js'
import type { CollectInputs, Inputs } from '../inputs/inputs.js'
import type { Log } from '../log.js'
import type { CodeArchive, Part, Run, Step } from '../outcome/outcome.js'
import { flawOf } from '../outcome/outcome-file.js'
import { ServiceError } from '../service/failure.js'
import { detailsOrStatus, type Client } from '../service/service.js'
import { phaseOf, type LoadTest } from '../service/project.js'
import type { Session } from '../session.js'
import { defined, parsedJson } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { reasonsAbout } from '../text/reason.js'
import type { World } from '../world.js'
import schema from '../plan.schema.json' with { type: 'json' }

/** Milliseconds between the start of a copy and its first state after NEW, at most. */
const newFor = 60_000

/**
 * Finds the run that another step has started.
 *
 * @param note of its start, where there is one
 * @throws UserError if it was never started
 */
export async function attachTo(
  session: Session<Pick<World, 'clock' | 'log' | 'signal'> & { keep: Pick<Keep, 'run'> }, CollectInputs>,
  note: StartNote | undefined,
): Promise<Run> {
  const { inputs, client } = session
  const { clock, keep, log, signal } = session.world
  const number = inputs.runNumber
  return log.group('Find the run', async () => {
    let test = await detailsOrStatus(client, number)
    if (!note && isNew(test)) {
      await clock.sleep(newFor, signal)
      test = await detailsOrStatus(client, number)
      if (isNew(test)) {
        throw new UserError(
          `Load test ${number} has never been started, so there is nothing to collect. Write the output run-number of the step that started the run, not the number of its template.`,
        )
      }
    }
    const run = runOf(test, inputs, note && templateOf(note))
    keep.run(run, {})
    log.info(`Load test ${number}${test.name ? `, "${oneLine(test.name)}"` : ''}${pageAt(run)}`)
    return run
  })
}

export function runOf(test: LoadTest, inputs: Inputs, template?: Pick<LoadTest, 'number' | 'name'>): Run {
  return {
    number: test.number,
    state: 'unknown',
    ...facts(test),
    ...defined({
      url: pageOf(test, inputs),
      name: test.name,
      template: template && { number: template.number, ...defined({ name: template.name }) },
    }),
  }
}

/** The end of a line of the log. */
export function pageAt({ url }: Run): string {
  return url === undefined ? '' : `: ${url}`
}

/** The run's page as the service or the input names it; an address of the interface would be of no use to a reader. */
export function pageOf(
  { page, number }: LoadTest,
  { project, runPage }: Pick<Inputs, 'project' | 'runPage'>,
): string | undefined {
  return (
    page ??
    runPage
      ?.replaceAll('{organization}', encodeURIComponent(project.organization))
      .replaceAll('{project}', encodeURIComponent(project.project))
      .replaceAll('{number}', String(number))
  )
}

export function facts({ state, startTime, endTime, revision }: LoadTest): Partial<Run> {
  const took = startTime && endTime && endTime >= startTime ? endTime - startTime : undefined
  return defined({
    state,
    startTime: isoTime(startTime || undefined),
    endTime: isoTime(endTime || undefined),
    durationSeconds: took === undefined ? undefined : Math.round(took / 1000),
    revision,
  })
}

/** For a run that nobody is waiting for any more. @param isSeen the service showed it at the last look */
export function goesOn(run: Pick<Run, 'number' | 'state' | 'url'>, isSeen = true): string[] {
  const { number, state, url } = run
  if (!isSeen || phaseOf(state) === 'unknown') return [mayStillRun(run), ...collectLater(run)]
  return [
    `Load test ${number} was still running. Stop it ${pageOrService(url)} if you no longer need it.`,
    ...collectLater(run),
  ]
}

const pageOrService = (url: string | undefined) => (url === undefined ? 'on the service' : `at ${url}`)

/** For a run about which nothing could be found out. */
export function mayStillRun({ number, url }: Pick<Run, 'number' | 'url'>): string {
  return `Load test ${number} may still be running. If it is, and you no longer need it, stop it ${pageOrService(url)}.`
}

export function collectLater({ number }: Pick<Run, 'number'>): string[] {
  return [
    `To judge it later without a new load test, run this step with the inputs mode: collect and run-number: ${number}.`,
  ]
}

/** The end of a step that was broken off, with or without a known run. */
export function brokenOff(
  error: unknown,
  run: Run | undefined,
  signal: AbortSignal,
): Required<Pick<Part, 'verdict' | 'reasons' | 'advice'>> {
  const isFinished = run && phaseOf(run.state) === 'finished'
  const isOwn = error instanceof UserError && !(run && error instanceof StartError)
  const ofError = isOwn ? error.advice : []
  const isRefused = error instanceof ServiceError && error.isAboutCredentials
  const about = error instanceof UserError ? 'inputs' : isRefused ? 'credentials' : 'step'
  const ofRun = run && (isFinished ? collectLater(run) : goesOn(run, !(error instanceof LostError)))
  return {
    ...(signal.aborted
      ? { verdict: 'cancelled', reasons: reasonsAbout('step', 'The job was cancelled.') }
      : {
          verdict: error instanceof BaselineError ? 'invalid' : 'error',
          reasons: reasonsAbout(about, message(error)),
        }),
    advice: ofError.length > 0 ? ofError : (ofRun ?? []),
  }
}

/** What is started: enough to be certain that service, project, template and source of two starts are the same. */
export interface StartSubject {
  service: string
  organization: string
  project: string
  template: number
  templateName?: string
  archiveId?: string
  archiveSha512?: string
  attempt: number
  /** What was checked out where it was started, or else the commit of the event. */
  commit?: string
  /** The branch, as `refs/heads/…`, whose own code that is. */
  ref?: string
  /** The run that this one is to confirm; absent for a first one. */
  confirms?: number
}

/** What a step records before it requests a start, and again when it knows the run: so a re-run of the job can find it. */
export interface StartNote extends StartSubject {
  /** Tells a start from others. */
  id: string
  /** The highest number that a load test had before: the service is taken to assign them in ascending order. */
  highest: number
  /** ISO 8601: just before the request. */
  at: string
  /** Absent: not known when the note was written. Null: the attempt has told what became of the start. */
  run?: number | null
  /** The attempt has judged the run to its end: nothing is left to continue with. */
  judged?: boolean
  /** Which step of the workflow started it, as a digest; the note itself has it. */
  step?: string
}

/** What the run that it was written for is a copy of. */
export function templateOf({ template: number, templateName: name }: StartSubject) {
  return { number, ...defined({ name }) }
}

export function readStartNote(text: string): StartNote | undefined {
  const note = parsedJson(text)
  return isStartNote(note) ? note : undefined
}

function isStartNote(value: unknown): value is StartNote {
  return flawOf(value, schema.$defs.start, schema) === undefined
}

/** Gets everything that must outlive the step, the moment it is known. */
export interface Keep {
  /**
   * A start is about to be requested. What was kept about an earlier run is dropped.
   *
   * @throws UserError if that cannot be recorded: then there must be no start
   */
  starting(note: StartNote): Promise<void>
  /** The service has refused that start. */
  notStarted(note: StartNote): void
  /** What became of a start, of this attempt or an earlier one, becomes known at the end of the step. */
  tellsOf(note: StartNote): void
  /**
   * The run exists. `note` is there for one that was just started; `expectedEnd` is ISO 8601, from the template's own
   * last run; `confirms` is the number of the run that this one is to confirm. GitHub learns about it while
   * the run is followed.
   */
  run(run: Run, more: { note?: StartNote; expectedEnd?: string; confirms?: number }): void
  archive(archive: Uploaded): void
  /** What was measured, where this step has not done that itself. */
  measured(code: Pick<Step, 'commit' | 'head'>): void
  /** The run has ended, and the list was read once more: no other one of this step will appear. */
  settled(): void
}

/** A load test that was never started. */
export function isNew({ state, startTime }: LoadTest): boolean {
  return state === 'NEW' && startTime === undefined
}

export type Uploaded = Pick<CodeArchive, 'id' | 'sha512'>

/**
 * Deletes a code archive, unless a run may still have to be built from it: without it that would fail.
 *
 * @returns sentences on one that is still there
 */
export async function deleteArchive(
  client: Pick<Client, 'deleteArchive'>,
  id: string,
  areBuilt: boolean,
  log: Log,
): Promise<string[]> {
  if (!areBuilt) {
    return [
      `The code archive ${oneLine(id, 60)} was not deleted, because a run may still have to be built from it. Delete it on the service.`,
    ]
  }
  try {
    await client.deleteArchive(id)
    log.info(`Deleted the code archive ${oneLine(id)}`)
    return []
  } catch (error) {
    return [`The code archive was not deleted. ${message(error)}`]
  }
}

export const namelessArchive =
  'The code archive was not deleted: the service did not name its id. Delete it on the service once no run has to be built from it.'

/** As the note of the run's start has it. */
export function uploadedBy(note: Pick<StartNote, 'archiveId' | 'archiveSha512'>): Uploaded | undefined {
  const { archiveId: id, archiveSha512: sha512 } = note
  return sha512 === undefined ? undefined : { sha512, ...defined({ id }) }
}

/**
 * Whether a run is certainly built from something else than what was uploaded for it: a template set to Use Latest takes
 * whatever is the latest archive at the start or, later, at the build.
 */
export function isOfOther(
  { archiveId, revision = '' }: Partial<LoadTest>,
  { id, sha512 }: Uploaded,
): boolean {
  if (archiveId !== undefined && id !== undefined) return archiveId !== id
  const built = revision.trim().toLowerCase()
  // Another SHA-512 is that of another archive; any other text may be about the same one.
  return built !== sha512 && /^[0-9a-f]{128}$/.test(built)
}

export function foreignArchive(number: number, record: Partial<LoadTest>, uploaded: Uploaded): UserError {
  const shortened = (sha512 = '') => `${sha512.slice(0, 12)}…`
  const [built, ours] =
    record.archiveId !== undefined && uploaded.id !== undefined
      ? [oneLine(record.archiveId, 60), oneLine(uploaded.id, 60)]
      : [`with the SHA-512 ${shortened(record.revision)}`, `the one with ${shortened(uploaded.sha512)}`]
  const why = record.useLatest
    ? 'another upload came in between.'
    : 'another upload came in between, or the template is set to that one instead of Use Latest.'
  const text = `Load test ${number} is built from the code archive ${built}, not from ${ours}, which was uploaded for it: ${why} ${serialize}`
  // To collect it would end in the same way.
  return new UserError(text, {
    advice: ['It tests other code: stop it if it still runs, then run the job again.'],
  })
}

/** What prevents two jobs from running each other's code. */
export const serialize =
  'Let only one job at a time upload to this project: set concurrency in the workflow, as the README shows.'

/** What build tools print around the reason. */
const around =
  /^\[(?:INFO|WARNING|DEBUG)\]|^BUILD FAIL|^\[ERROR\] *(?:$|-> |\[Help \d|COMPILATION ERROR|To see the full|Re-run Maven|For more information)/
const fault = /\[ERROR\]|\berror\b|exception|\bfail/i
/** `Shop.java:[7,3]`, `Shop.java:7` */
const place = /\.[a-z]{1,10}:\[?\d/i
const mostLines = 2

/**
 * Why a run ended, as the service says it, on one line. It may be the log of a build, whose first lines say nothing:
 * then the lines that name a fault, those with its place first.
 */
export function endReason(text: string): string {
  const lines = text
    .split(/[\r\n]+|(?=\[(?:ERROR|WARNING|INFO)\])/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const [first = '', ...rest] = lines
  const isLog = /^[[>]/.test(first)
  const faults = (isLog ? lines : rest).filter((line) => fault.test(line) && !around.test(line))
  if (faults.length === 0) return oneLine(text, 300)
  const told = [...new Set([...faults.filter((line) => place.test(line)), ...faults])].slice(0, mostLines)
  const shown = told.map((line) => oneLine(line.replace(/^\[ERROR\] */, ''), 180))
  return [...(isLog ? [] : [oneLine(first, 100)]), ...shown].join(' ')
}

/** What to do about a run that ended in ABORTED or ERROR. @param isBuildFault it never ran, and a reason says why */
export function afterBadEnd({ number, url, state }: Run, isBuildFault: boolean): string[] {
  const where = url ?? `load test ${number} on the service`
  if (isBuildFault) {
    return [
      `Correct what the reason names. A mistake in the test suite needs a push: a re-run of the job would pack the same files. Look at ${where} for the whole log.`,
    ]
  }
  return state === 'ABORTED'
    ? [`Look at ${where} for why it ended, or who ended it. If nobody did so on purpose, run the job again.`]
    : [`Look at ${where} for the cause, and run the job again when it is gone.`]
}
