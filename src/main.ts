import { mkdir, mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import * as core from '@actions/core'
import { message, UserError } from './errors.js'
import type { CheckXPath } from './gates/xpath/check.js'
import { gitHub } from './github/github.js'
import { jobLog } from './github/job/log.js'
import { keepInputs } from './github/job/kept-inputs.js'
import { stepSecrets } from './github/job/mask.js'
import { jobFacts } from './github/job/job.js'
import { setOutput } from './github/job/outputs.js'
import { publish, publishAtOnce, tell } from './github/publication.js'
import { spareRoom } from './github/job/spare-room.js'
import {
  saveArchive,
  saveCommit,
  saveConfirms,
  saveNoted,
  savePublished,
  saveRun,
  saveSettled,
  saveStarted,
  saveStarting,
} from './github/job/step-state.js'
import { checkedOut, type CheckedOut } from './archive/listing/checked-out.js'
import type { ActionName } from './outcome/kinds.js'
import { areRefused, readInputs, type ActionInputs } from './inputs/inputs.js'
import type { Log } from './log.js'
import { renderStartedComment } from './publish/comment/comment.js'
import { nothingYet, withPart } from './outcome/outcome.js'
import { run } from './actions/actions.js'
import { serviceClient } from './service/client.js'
import { patience, sleep } from './service/patience.js'
import { transport } from './service/transport.js'
import { defined } from './text/fields.js'
import { oneLine } from './text/foreign-text.js'
import { version } from './version.js'

/** A check reports the current state; it does not wait for a better one. */
const checkPatience = { ...patience, longestPause: 5000, total: 10_000 }

/** Reads the job, runs the step, publishes the outcome, and only then passes or fails the step. */
export async function mainStep(action: ActionName): Promise<void> {
  const secrets = stepSecrets()
  secrets.add(core.getInput('client-secret'))
  const log = jobLog(secrets)
  const event = jobFacts(process.env, whatIsCheckedOut)
  const cancellation = onCancel(log)
  const { signal } = cancellation
  // What GitHub learns about the start while the run is followed.
  let telling = Promise.resolve()
  let room: ReturnType<typeof spareRoom> | undefined
  /** The step goes on even if the runner does not learn this. */
  const tellRunner = (write: () => void) => {
    try {
      write()
    } catch (error) {
      log.warning(`Outputs or state of the step could not be written: ${message(error)}`)
    }
  }
  try {
    const inputs = readInputs(action, core.getInput, event.occasion, await xpathCheck())
    const { doubt, ...measured } = event.measured(testedFolder(inputs, event.occasion.workspace))
    const job = { ...event, step: { ...event.step, ...measured } }
    saveCommit(measured)
    for (const warning of inputs.warnings) log.warning(warning)
    const refused = areRefused(inputs)
    // It is refused; from here on certificates are verified again for whatever is still sent, such as GitHub's token.
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    const temp = await ownFolder(job.temp)
    room = spareRoom(temp)
    const { check: checkRoom } = room
    const github = gitHub(inputs, job, log)
    const comment = await github.comment()
    const notes = github.notes(temp)
    const facts = {
      ...job.step,
      actionVersion: version,
      startedAt: new Date().toISOString(),
      ...defined({ leg: inputs.place }),
    }
    // Of a check, the post step has nothing to report.
    if (inputs.mode !== 'check' && !refused) {
      keepInputs(job.occasion.env)
      saveStarted(facts.startedAt, action, job.stepName)
    }
    const outcome = await run(inputs, {
      connect: ({ baseUrl, project, credentials, mode }, scopes) =>
        serviceClient({
          baseUrl,
          project,
          credentials,
          scopes,
          transport: transport(baseUrl, `load-test-action/${version}`),
          patience: mode === 'check' ? checkPatience : patience,
          log,
          secrets,
          signal,
        }),
      clock: { now: () => performance.now(), sleep },
      log,
      redact: (value) => secrets.all(value),
      signal,
      unlessBroken,
      temp,
      workspace: job.occasion.workspace,
      step: facts,
      doubts: doubt === undefined ? [] : [doubt],
      ...defined({ topLevel: job.repo || undefined }),
      attempt: Number(job.attempt),
      earlierStarts: () => notes.read(),
      startOf: (run, { baseUrl, project }) => notes.of({ service: baseUrl, ...project, run }),
      earlierOutcomes: async (runs) => {
        const folder = path.join(temp, 'baseline')
        await mkdir(folder, { recursive: true })
        return github.earlierOutcomes(runs, folder)
      },
      branchOutcomes: async (runs) => {
        const folder = path.join(temp, 'history')
        await mkdir(folder, { recursive: true })
        return github.branchOutcomes(runs, folder)
      },
      reportArtifact: (name, run) => github.reportArtifact(name, run, path.join(temp, 'artifact')),
      labelRecord: (label) => github.labelRecord(label),
      runArtifacts: () => github.runArtifacts.list(),
      runArtifact: (artifact) => github.runArtifacts.fetch(artifact, temp),
      checkGitHub: (about) => github.checks(about),
      deflateWorker: besideEntry('deflate-worker.js'),
      xpathWorker: besideEntry('xpath-worker.js'),
      keep: {
        starting(...about) {
          checkRoom()
          saveStarting(...about)
        },
        run(started, { note, expectedEnd, confirms }) {
          tellRunner(() => {
            saveRun(started)
            if (confirms !== undefined) {
              saveConfirms(confirms)
              return
            }
            setOutput('run-number', started.number)
            setOutput('run-url', started.url)
          })
          const known = { run: { ...started }, step: facts, ...defined({ expectedEnd, confirms }) }
          const tellOfStart = async () => {
            if (note && (await notes.keep(note, job.step.workflowRunUrl ?? ''))) saveNoted()
            await comment?.put(renderStartedComment(known, comment.key))
          }
          telling = telling.then(tellOfStart).catch((error: unknown) => log.warning(message(error)))
        },
        archive(archive) {
          tellRunner(() => {
            setOutput('archive-sha512', archive.sha512)
            setOutput('archive-id', archive.id)
            saveArchive(archive)
          })
        },
        settled: () => tellRunner(saveSettled),
      },
    })
    const publication = {
      outcome,
      // Mistakes in the inputs are red whatever was asked for.
      inputs: refused ? { ...inputs, failOn: 'failed' as const } : inputs,
      temp,
      ...defined({ store: refused ? undefined : () => github.artifactStore(), comment }),
      attempt: job.attempt,
      log,
    }
    if (outcome.verdict === 'cancelled') {
      room.release()
      // The runner gives a few seconds: the post step, which has minutes, reports the rest.
      await publishAtOnce(publication)
    } else {
      await telling
      room.release()
      await unlessBroken(publish(publication))
      tellRunner(savePublished)
    }
  } catch (error) {
    // The fault was outside of the run: there is nothing more to report.
    const step = { ...event.step, actionVersion: version, startedAt: new Date().toISOString(), seconds: 0 }
    const broken = { verdict: 'error' as const, reasons: [message(error)] }
    const outcome = secrets.all(
      withPart(nothingYet({ ...step, mode: action === 'load-test' ? 'run' : action }), broken),
    )
    room?.release()
    tellRunner(() => setOutput('verdict', outcome.verdict))
    await tell({ outcome, log })
    core.setFailed(outcome.reasons.join(' '))
  } finally {
    cancellation.end()
  }
}

/** The commit that the repository's files on the runner are of. */
function whatIsCheckedOut(folder: string): CheckedOut | undefined {
  return checkedOut(folder, process.env.GITHUB_WORKSPACE ?? process.cwd())
}

/** Where the tests of this step are checked out; undefined if another step or another run has done the tests. */
function testedFolder(inputs: ActionInputs, workspace: string): string | undefined {
  if (inputs.mode === 'run' || inputs.mode === 'start') return inputs.source
  return inputs.mode === 'judge' && inputs.report.kind === 'path' ? workspace : undefined
}

/** An empty folder for the files of this step. @throws UserError */
async function ownFolder(temp: string): Promise<string> {
  try {
    return await mkdtemp(path.join(temp, 'load-test-action-'))
  } catch (error) {
    throw new UserError(
      `No folder for the files of this step could be created in ${oneLine(temp)}: ${message(error)}. ` +
        'RUNNER_TEMP must name a writable folder.',
      { cause: error },
    )
  }
}

/** The XPath engine is large: it is loaded only if a gate may need it. */
async function xpathCheck(): Promise<CheckXPath | undefined> {
  const mayAsk = /xpath/i.test(core.getInput('gates')) || core.getInput('gates-file') !== ''
  return mayAsk ? (await import('./gates/xpath/check.js')).checkXPath : undefined
}

/** A file of dist/, beside the one that the runner started. */
function besideEntry(file: string): URL {
  return pathToFileURL(path.join(path.dirname(process.argv[1] ?? ''), file))
}

/**
 * Waits for a part of the step. If a fault that nothing handles comes first, or nothing is left that could go on, Node
 * would end the process, and nobody would learn why, or of a run that has started.
 *
 * @throws that fault
 */
async function unlessBroken<T>(work: Promise<T>): Promise<T> {
  let fail: (fault: Error) => void = () => undefined
  const broken = new Promise<never>((_, reject) => (fail = reject))
  const standStill = () =>
    fail(new Error('The step has come to a standstill. This is a mistake in the action: please report it.'))
  process.on('uncaughtException', fail).on('beforeExit', standStill)
  try {
    return await Promise.race([work, broken])
  } finally {
    process.off('uncaughtException', fail).off('beforeExit', standStill)
  }
}

/** Aborts when the runner cancels: SIGINT first, SIGTERM 7.5 s later. */
function onCancel(log: Log): { signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) return
    log.info('The job is being cancelled.')
    controller.abort(new Error('The job was cancelled.'))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return {
    signal: controller.signal,
    end: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  }
}
