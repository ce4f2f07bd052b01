import path from 'node:path'
import { pathToFileURL } from 'node:url'
import * as core from '@actions/core'
import { message } from './errors.js'
import { jobLog, stepSecrets, setOutput, spareRoom, tellRunner } from './runner.js'
import { jobFacts, type JobFacts } from './github/job/job.js'
import { publish, publishAtOnce, tell } from './publish/publication.js'
import { keeping, keptPlan, type KeptPlan, type Plan } from './plan.js'
import { checkedOut } from './archive/git.js'
import { startsRun, type ActionName, nothingYet, withPart, type Outcome } from './outcome/outcome.js'
import { areRefused, scopesFor, type ActionInputs } from './inputs/inputs.js'
import type { Log } from './log.js'
import { knownCommit, statusCommit } from './outcome/code-origin.js'
import { run, type StepWorld } from './actions/actions.js'
import { underWay } from './publish/markdown/comment.js'
import { sleep } from './clock.js'
import { defined } from './text/fields.js'
import { clientFor, openJob, testedFolder, type OpenedJob } from './opened-job.js'
import { version } from './version.js'
import { reasonsAbout } from './text/reason.js'

/** A check reports the current state; it does not wait for a better one. */
const checkPatience = { longestPause: 5000, total: 10_000 }

/** Reads the job, runs the step, publishes the outcome, and only then passes or fails the step. */
export async function mainStep(action: ActionName): Promise<void> {
  const secrets = stepSecrets()
  const log = jobLog(secrets)
  const workspace = process.env.GITHUB_WORKSPACE ?? process.cwd()
  const facts = jobFacts(process.env, (folder) => checkedOut(folder, workspace))
  const cancellation = onCancel(log)
  let room: ReturnType<typeof spareRoom> | undefined
  let begun = false
  try {
    const opened = await openJob(action, facts, core.getInput, { log, secrets })
    room = spareRoom(opened.temp)
    begun = true
    await step(opened, room, cancellation.signal)
  } catch (error) {
    room?.release()
    // A step that cannot begin is as red as one that is refused.
    const isRed = !begun || core.getInput('fail-on') !== 'never'
    await breakDown(action, facts.step, error, { log, isRed })
  } finally {
    cancellation.end()
  }
}

async function step(
  opened: OpenedJob,
  room: ReturnType<typeof spareRoom>,
  signal: AbortSignal,
): Promise<void> {
  const { inputs, job, log, github, temp } = opened
  for (const warning of inputs.warnings) log.warning(warning)
  const refused = areRefused(inputs)
  const place = await github.commentPlace()
  const comment = place && (await github.comment(place))
  const startedAt = new Date().toISOString()
  const about = { ...job.step, actionVersion: version, startedAt, ...toldBy(inputs) }
  const statusOf = (commit: string | undefined) =>
    commit === undefined ? undefined : github.statusPlace(commit)
  // Which commit another step has measured is only known later.
  const isTested = testedFolder(inputs, job.occasion.workspace) !== undefined
  const status = isTested ? statusOf(knownCommit({ mode: 'run', step: job.step })) : undefined
  const begun = { mode: inputs.mode, step: about, notes: github.notePlace }
  // The post step has nothing to report of these, and mistakes in them are red whatever was asked for.
  const startsNothing = inputs.mode === 'check' || refused
  const more = defined({ comment: place, status, service: plannedService(inputs) })
  const plan = startsNothing ? noPlan : keptPlan({ ...begun, ...more }, job.occasion.env)
  plan.seal({ githubToken: inputs.githubToken })
  if (status && startsRun(inputs.mode) && !refused) await github.status(status)('pending', underWay)
  const world = worldOf(opened, plan, signal)
  const { keep, hasToldGitHub, hasToldAll } = keeping({
    ...{ log, step: about, plan, notes: github.notes, comment, statusOf, checkRoom: room.check, signal },
  })
  const outcome = await run(inputs, { ...world, step: about, keep })
  const publication = {
    outcome,
    inputs: startsNothing ? { ...inputs, failOn: 'failed' as const } : inputs,
    temp,
    ...defined({ attach: refused ? undefined : github.attach, comment }),
    status: (told: Outcome) => {
      const at = status ?? github.statusPlace(statusCommit(told))
      return at && github.status(at)
    },
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
  const published = await unlessBroken(publish(publication))
  tellRunner(log, () => plan.learn({ published: true }))
  await hasToldAll(published)
}

function toldBy(inputs: ActionInputs) {
  return defined({
    leg: 'place' in inputs ? inputs.place : undefined,
    // One that is refused is empty there.
    name: ('commentKey' in inputs && inputs.commentKey && inputs.name) || undefined,
    service: ('credentials' in inputs && inputs.baseUrl) || undefined,
  })
}

/** Reports a fault outside of the run: there is nothing else to report. */
async function breakDown(
  action: ActionName,
  about: JobFacts['step'],
  error: unknown,
  { log, isRed }: { log: Log; isRed: boolean },
): Promise<void> {
  const step = { ...about, actionVersion: version, startedAt: new Date().toISOString(), seconds: 0 }
  const nothing = nothingYet(action === 'load-test' ? 'run' : action, step)
  const outcome = withPart(nothing, { verdict: 'error', reasons: reasonsAbout('step', message(error)) })
  tellRunner(log, () => setOutput('verdict', outcome.verdict))
  await tell({ outcome, isRed, log })
  const said = outcome.reasons.map(({ text }) => text).join(' ')
  if (isRed) core.setFailed(said)
  else core.warning(said)
}

const noPlan: KeptPlan = { learn: () => undefined, seal: () => undefined }

function plannedService(inputs: ActionInputs): Plan['service'] {
  if (!('credentials' in inputs)) return undefined
  const { baseUrl, project, runPage } = inputs
  const deletesArchive = inputs.mode !== 'collect' && inputs.deleteArchive
  return { baseUrl, project, scopes: scopesFor(inputs), deletesArchive, ...defined({ runPage }) }
}

/** The real world, but for what the step says of itself and what it keeps. */
function worldOf(
  { job, github, temp, log, secrets, doubt }: OpenedJob,
  plan: KeptPlan,
  signal: AbortSignal,
): Omit<StepWorld, 'step' | 'keep'> {
  return {
    ...github.world,
    connect: (inputs, scopes) =>
      clientFor(
        { ...inputs, scopes },
        {
          ...{ log, secrets, signal },
          ...(inputs.mode === 'check' ? { patience: checkPatience, optional: [] } : {}),
          onToken: (accessToken) => tellRunner(log, () => plan.seal({ accessToken })),
        },
      ),
    clock: { now: () => performance.now(), sleep },
    log,
    signal,
    unlessBroken,
    temp,
    workspace: job.occasion.workspace,
    doubts: doubt === undefined ? [] : [doubt],
    ...defined({ topLevel: job.repo || undefined }),
    attempt: Number(job.attempt),
    // Beside the file of dist/ that the runner started.
    xpathWorker: pathToFileURL(path.join(path.dirname(process.argv[1] ?? ''), 'xpath-worker.js')),
  }
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
