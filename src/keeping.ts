import { message } from './errors.js'
import { setOutput } from './github/job/outputs.js'
import {
  saveArchive,
  saveCommit,
  saveConfirms,
  saveNoted,
  saveRun,
  saveSettled,
  saveStarting,
} from './github/job/step-state.js'
import type { GitHub } from './github/github.js'
import type { Log } from './log.js'
import type { Outcome } from './outcome/outcome.js'
import { renderStartedComment } from './publish/comment/comment.js'
import { defined } from './text/fields.js'
import type { Keep } from './start/start-world.js'

interface Keeping {
  log: Log
  step: Omit<Outcome['step'], 'seconds'>
  notes: ReturnType<GitHub['notes']>
  comment: Awaited<ReturnType<GitHub['comment']>>
  /** @throws UserError if there is no room on the disk */
  checkRoom: () => void
}

/** Milliseconds: whoever waits longer for a verdict wants to know when it comes. */
const longWait = 15 * 60_000

/** Whether a run, as far as is known, ends so late that people should hear of its start. */
export function takesLong(expectedEnd: string | undefined, now: number): boolean {
  return expectedEnd !== undefined && Date.parse(expectedEnd) - now > longWait
}

/** Writes an output or the state of the step, which goes on even if the runner does not learn it. */
export function tellRunner(log: Log, write: () => void): void {
  try {
    write()
  } catch (error) {
    log.warning(`Outputs or state of the step could not be written: ${message(error)}`)
  }
}

/**
 * Keeps what must outlive the step: in its state and outputs at once, on GitHub while the run is followed.
 *
 * @returns with it, what waits until GitHub has learned all of that
 */
export function keeping({ log, step, notes, comment, checkRoom }: Keeping): {
  keep: Keep
  hasToldGitHub: () => Promise<void>
} {
  let telling = Promise.resolve()
  const keep: Keep = {
    starting(...about) {
      checkRoom()
      saveStarting(...about)
    },
    run(run, { note, expectedEnd, confirms }) {
      tellRunner(log, () => {
        saveRun(run)
        if (confirms !== undefined) {
          saveConfirms(confirms)
          return
        }
        setOutput('run-number', run.number)
        setOutput('run-url', run.url)
      })
      const started = { run: { ...run }, step, ...defined({ expectedEnd, confirms }) }
      const tellGitHub = async () => {
        if (note && (await notes.keep(note, step.workflowRunUrl ?? ''))) saveNoted()
        if (!comment) return
        const body = renderStartedComment(started, comment.key)
        await comment.put({ body, isPassing: !takesLong(expectedEnd, Date.now()) })
      }
      telling = telling.then(tellGitHub).catch((error: unknown) => log.warning(message(error)))
    },
    archive(archive) {
      tellRunner(log, () => {
        setOutput('archive-sha512', archive.sha512)
        setOutput('archive-id', archive.id)
        saveArchive(archive)
      })
    },
    measured: (code) => tellRunner(log, () => saveCommit(code)),
    settled: () => tellRunner(log, saveSettled),
  }
  return { keep, hasToldGitHub: () => telling }
}
