import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { message } from '../errors.js'
import { readStartNote, type StartNote } from '../start/earlier-start.js'
import type { Log } from '../log.js'
import { attach } from './artifact.js'
import { downloadFiles } from './artifact-files.js'
import type { ArtifactStore, WorkflowRun } from './artifact-store.js'
import { within } from './deadline.js'

/** Milliseconds: a GitHub that does not answer must not keep a run from being followed. */
const readingLimit = 60_000
const keepingLimit = 60_000

/**
 * The notes of started runs, kept as small artifacts of the workflow run: what a job's earlier attempt attached is
 * still there when the job is run again.
 *
 * @param findBy this workflow run, for GitHub's API, which lists the artifacts of all attempts; the artifact service may
 * not
 * @param stepName distinguishes this step from others of the workflow; it is part of the artifact's name as a digest
 */
export function startNotes(
  store: () => Promise<ArtifactStore>,
  findBy: WorkflowRun,
  stepName: string,
  temp: string,
  log: Log,
) {
  const readAll = async () => {
    const artifacts = await store()
    const { artifacts: all } = await artifacts.listArtifacts({ findBy })
    const notes: StartNote[] = []
    for (const artifact of all.filter((one) => one.name.startsWith(name))) {
      const folder = await mkdtemp(path.join(temp, 'notes-'))
      await downloadFiles(artifacts, artifact, folder, findBy)
      for (const file of await readdir(folder)) {
        const note = readStartNote(await readFile(path.join(folder, file), 'utf8'))
        if (note) notes.push(note)
      }
    }
    return notes
  }
  const name = `load-test-run-${createHash('sha256').update(stepName).digest('hex').slice(0, 12)}`
  return {
    /**
     * Without the note a re-run is less convenient; the run itself is not affected. @returns whether it was attached
     */
    async keep(note: StartNote, workflowRunUrl: string, limit = keepingLimit): Promise<boolean> {
      try {
        const folder = await mkdtemp(path.join(temp, 'note-'))
        const file = path.join(folder, 'start-note')
        await writeFile(file, JSON.stringify(note))
        const distinction = `run-${note.run}`
        // A re-run is possible for 30 days.
        const named = note.confirms === undefined ? name : `${name}-second`
        const attachment = { path: file, name: named, ending: '.json', distinction, retentionDays: 30 }
        // If an earlier attempt has taken the name, the user cannot change that.
        const quietly: Log = { ...log, warning: (line) => log.debug(line) }
        await within(limit, attach(await store(), attachment, workflowRunUrl, quietly))
        return true
      } catch (error) {
        log.info(`The start could not be recorded for later attempts of this job: ${message(error)}`)
        return false
      }
    },
    /** Empty if there is none or they cannot be read. */
    async read(): Promise<StartNote[]> {
      try {
        return await within(readingLimit, readAll())
      } catch (error) {
        log.warning(
          `The notes on what earlier attempts of this job started could not be read: ${message(error)}. ` +
            'The job needs the permission actions: read for that.',
        )
        return []
      }
    },
  }
}
