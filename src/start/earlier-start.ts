import { defined, fieldsOf, parsedJson } from '../text/fields.js'
import { message, UserError } from '../errors.js'
import { ServiceError } from '../service/failure.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Log } from '../log.js'
import type { CodeArchive } from '../outcome/outcome.js'
import type { Client } from '../service/service.js'
import type { LoadTest } from '../service/wire.js'
import { phaseOf } from '../service/state.js'

/**
 * What a step records when it starts a run, so that a re-run of the job can find it: enough to be certain that
 * service, project, template and source are the same.
 */
export interface StartNote {
  service: string
  organization: string
  project: string
  template: number
  run: number
  archiveId?: string
  archiveSha512?: string
  attempt: number
  /** What was checked out where it was started, or else the commit of the event. */
  commit?: string
  /** The run that this one was started to confirm; absent for a first one. */
  confirms?: number
  /** Which step of the workflow started it, as a digest; the note itself has it. */
  step?: string
}

/** What earlier attempts of the job have started. */
export interface EarlierStarts {
  /** GITHUB_RUN_ATTEMPT: 2 and more when the job is run again. */
  attempt: number
  /** What they recorded. @throws UserError if that cannot be read */
  earlierStarts: () => Promise<StartNote[]>
}

export function startNote(
  { baseUrl, project }: Pick<Inputs, 'baseUrl' | 'project'>,
  {
    archive,
    commit,
    confirms,
    ...start
  }: Pick<StartNote, 'template' | 'run' | 'attempt' | 'commit'> & {
    archive: Pick<CodeArchive, 'id' | 'sha512'> | undefined
    confirms: number | undefined
  },
): StartNote {
  return {
    service: baseUrl,
    ...project,
    ...start,
    ...defined({ archiveId: archive?.id, archiveSha512: archive?.sha512, commit, confirms }),
  }
}

/** Reads a note; undefined for anything else. */
export function readStartNote(text: string): StartNote | undefined {
  const note = parsedJson(text)
  return isStartNote(note) ? note : undefined
}

function isStartNote(value: unknown): value is StartNote {
  const fields = fieldsOf(value)
  const has = (type: string, ...names: string[]) => names.every((name) => typeof fields[name] === type)
  const may = (name: string) => fields[name] === undefined || typeof fields[name] === 'string'
  return (
    has('string', 'service', 'organization', 'project') &&
    has('number', 'template', 'run', 'attempt') &&
    may('archiveId') &&
    may('archiveSha512') &&
    may('commit') &&
    may('step') &&
    (fields.confirms === undefined || typeof fields.confirms === 'number')
  )
}

/** The step goes on as if earlier attempts had started nothing. */
export function withoutNotes(error: unknown, log: Log): StartNote[] {
  log.warning(message(error))
  return []
}

export interface Earlier {
  note: StartNote
  test: LoadTest
}

/**
 * The run that an earlier attempt of this job started with the very same source, if it is still running or has
 * finished. If there are two, neither counts: it would be a guess.
 *
 * @param resume a run that may be alive must not be started a second time
 * @throws UserError with `resume`, if that is not known, or if there are two
 */
export async function findEarlier(
  notes: readonly StartNote[],
  ours: StartNote,
  { client, log, resume }: { client: Pick<Client, 'details'>; log: Log; resume: boolean },
): Promise<Earlier | undefined> {
  const same = notes.filter(
    (note) =>
      note.service === ours.service &&
      note.organization === ours.organization &&
      note.project === ours.project &&
      note.template === ours.template &&
      note.archiveSha512 === ours.archiveSha512 &&
      note.confirms === ours.confirms &&
      note.attempt < ours.attempt,
  )
  // A post step may record again what its main step has recorded.
  const noted = [...new Map(same.map((note) => [note.run, note])).values()]
  const alive: Earlier[] = []
  for (const note of noted) {
    try {
      const test = await client.details(note.run)
      if (!['aborted', 'error'].includes(phaseOf(test.state))) alive.push({ note, test })
    } catch (error) {
      const unread = `Load test ${note.run} of attempt ${note.attempt} could not be read. ${message(error)}`
      const isGone = error instanceof ServiceError && error.status === 404
      if (resume && !isGone) {
        throw new UserError(
          `${unread} It may still be running, so nothing was started. Run the job again later, or set resume: false to start a new load test.`,
          { cause: error },
        )
      }
      log.info(unread)
    }
  }
  const [only] = alive
  if (alive.length > 1) {
    const runs = alive.map(({ note }) => note.run).join(', ')
    if (resume) {
      throw new UserError(
        `Earlier attempts of this job started several load tests from the same source, so nothing was started: ${runs}. Collect one with mode: collect and its run-number, or set resume: false to start a new load test.`,
      )
    }
    log.warning(
      `Earlier attempts of this job started several load tests from the same source: ${runs}. The step starts another one; collect one of them with mode: collect and its run-number.`,
    )
    return undefined
  }
  return only
}
