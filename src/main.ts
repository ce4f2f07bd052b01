import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import * as core from '@actions/core'
import { message } from './errors.js'
import type { CheckXPath } from './gates/xpath/check.js'
import { demandedJob } from './github/demanded-job.js'
import { jobLog } from './github/job/log.js'
import { keepInputs } from './github/job/kept-inputs.js'
import { stepSecrets } from './github/job/mask.js'
import { jobFacts, type JobFacts } from './github/job/job.js'
import { setOutput } from './github/job/outputs.js'
import { publish, publishAtOnce, tell } from './github/publication.js'
import { spareRoom, type SpareRoom } from './github/job/spare-room.js'
import { savePublished, saveStarted, saveCommit } from './github/job/step-state.js'
import { checkedOut, type CheckedOut } from './archive/listing/checked-out.js'
import { startsRun, type ActionName } from './outcome/kinds.js'
import { areRefused, type ActionInputs } from './inputs/inputs.js'
import { keeping, tellRunner } from './keeping.js'
import type { Log } from './log.js'
import { knownCommit, statusCommit } from './outcome/code-origin.js'
import { nothingYet, withPart, type Outcome } from './outcome/outcome.js'
import { run, type StepWorld } from './actions/actions.js'
import { underWay } from './publish/words/words.js'
import { patience, sleep } from './service/patience.js'
import { defined } from './text/fields.js'
import { clientFor, openJob, type OpenedJob } from './opened-job.js'
import { version } from './version.js'

/** A check reports the current state; it does not wait for a better one. */
const checkPatience = { ...patience, longestPause: 5000, total: 10_000 }

/** Reads the job, runs the step, publishes the outcome, and only then passes or fails the step. */
export async function mainStep(action: ActionName): Promise<void> {
  const secrets = stepSecrets()
  const log = jobLog(secrets)
  const facts = jobFacts(process.env, whatIsCheckedOut)
  const { workspace } = facts.occasion
  const cancellation = onCancel(log)
  let room: SpareRoom | undefined
  try {
    const opened = await openJob(action, {
      ...{ facts, get: core.getInput, log, secrets, ...defined({ checkXPath: await xpathCheck() }) },
      demanded: (inputs) => demandedJob(inputs, facts, testedFolder(inputs, workspace)),
      measured: (inputs, job) => job.measured(testedFolder(inputs, workspace)),
    })
    room = spareRoom(opened.temp)
    await step(action, opened, room, cancellation.signal)
  } catch (error) {
    room?.release()
    await breakDown(action, facts.step, error, log)
  } finally {
    cancellation.end()
  }
}

/** Runs and publishes. */
async function step(
  action: ActionName,
  opened: OpenedJob,
  room: SpareRoom,
  signal: AbortSignal,
): Promise<void> {
  const { inputs, job, log, github, temp } = opened
  const isTester = startsRun(inputs.mode)
  // Which commit another step has measured is only known later.
  if (isTester) saveCommit(job.step)
  for (const warning of inputs.warnings) log.warning(warning)
  const refused = areRefused(inputs)
  const comment = await github.comment()
  const about = {
    ...job.step,
    actionVersion: version,
    startedAt: new Date().toISOString(),
    ...defined({ leg: inputs.place }),
  }
  // Of a check, the post step has nothing to report.
  if (inputs.mode !== 'check' && !refused) {
    keepInputs(job.occasion.env)
    saveStarted(about.startedAt, action, job.stepName)
  }
  const early = isTester ? knownCommit({ mode: inputs.mode, step: job.step }) : undefined
  if (early !== undefined) await github.status(early)?.put('pending', underWay)
  const notes = github.notes(temp)
  const { keep, hasToldGitHub } = keeping({ log, step: about, notes, comment, checkRoom: room.check })
  const outcome = await run(inputs, { ...worldOf(opened, signal), step: about, keep })
  const publication = {
    outcome,
    // Mistakes in the inputs are red whatever was asked for.
    inputs: refused ? { ...inputs, failOn: 'failed' as const } : inputs,
    temp,
    ...defined({ store: refused ? undefined : () => github.artifactStore(), comment }),
    status: (told: Outcome) => github.status(statusCommit(told)),
    attempt: job.attempt,
    log,
  }
  if (outcome.verdict === 'cancelled') {
    room.release()
    // The runner gives a few seconds: the post step, which has minutes, reports the rest.
    return publishAtOnce(publication)
  }
  await hasToldGitHub()
  room.release()
  await unlessBroken(publish(publication))
  tellRunner(log, savePublished)
}

/** Reports a fault outside of the run: there is nothing else to report. */
async function breakDown(
  action: ActionName,
  about: JobFacts['step'],
  error: unknown,
  log: Log,
): Promise<void> {
  const step = { ...about, actionVersion: version, startedAt: new Date().toISOString(), seconds: 0 }
  const nothing = nothingYet(action === 'load-test' ? 'run' : action, step)
  const outcome = withPart(nothing, { verdict: 'error', reasons: [message(error)] })
  tellRunner(log, () => setOutput('verdict', outcome.verdict))
  await tell({ outcome, isRed: true, log })
  core.setFailed(outcome.reasons.join(' '))
}

/** The real world, but for what the step says of itself and what it keeps. */
function worldOf(opened: OpenedJob, signal: AbortSignal): Omit<StepWorld, 'step' | 'keep'> {
  const { job, github, temp, log, doubt } = opened
  const notes = github.notes(temp)
  const folder = async (name: string) => {
    const own = path.join(temp, name)
    await mkdir(own, { recursive: true })
    return own
  }
  return {
    connect: (inputs, scopes) =>
      clientFor(inputs, scopes, opened, {
        patience: inputs.mode === 'check' ? checkPatience : patience,
        signal,
      }),
    clock: { now: () => performance.now(), sleep },
    log,
    signal,
    unlessBroken,
    temp,
    workspace: job.occasion.workspace,
    doubts: doubt === undefined ? [] : [doubt],
    ...defined({ topLevel: job.repo || undefined }),
    attempt: Number(job.attempt),
    earlierStarts: () => notes.read(),
    startOf: (run, { baseUrl, project }) => notes.of({ service: baseUrl, ...project, run }),
    earlierOutcomes: async (wanted) =>
      github.earlierOutcomes({ ...wanted, folder: await folder('baseline') }),
    branchOutcomes: async (runs) => github.branchOutcomes(runs, await folder('history')),
    reportArtifact: (name, run) => github.reportArtifact(name, run, path.join(temp, 'artifact')),
    labelRecords: (label) => github.labelRecords(label),
    runArtifacts: () => github.runArtifacts.list(),
    runArtifact: (artifact) => github.runArtifacts.fetch(artifact, temp),
    checkGitHub: (about) => github.checks(about),
    deflateWorker: besideEntry('deflate-worker.js'),
    xpathWorker: besideEntry('xpath-worker.js'),
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
