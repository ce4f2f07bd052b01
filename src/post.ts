import { defined } from './text/fields.js'
import * as core from '@actions/core'
import { message } from './errors.js'
import { aftermath, ownStart } from './actions/aftermath/aftermath.js'
import { within } from './github/deadline.js'
import { namedPull } from './github/demanded-job.js'
import { jobLog } from './github/job/log.js'
import { keptInputs } from './github/job/kept-inputs.js'
import { stepSecrets } from './github/job/mask.js'
import { jobFacts } from './github/job/job.js'
import { keepOutcome, tell } from './github/publication.js'
import { readState, type StepState } from './github/job/step-state.js'
import type { Inputs } from './inputs/inputs.js'
import type { Log } from './log.js'
import { knownCommit, statusCommit } from './outcome/code-origin.js'
import { startsRun } from './outcome/kinds.js'
import { nothingYet, type Outcome } from './outcome/outcome.js'
import { scopesFor } from './inputs/scopes.js'
import type { Client } from './service/service.js'
import { sleep } from './service/patience.js'
import { clientFor, openJob, type OpenedJob } from './opened-job.js'
import { startNote } from './start/earlier-start.js'
import { mayAppear, stray, strayCopies } from './start/new-copies.js'
import { collectLater, mayStillRun } from './start/run-advice.js'
import { markdownLine } from './text/foreign-text.js'
import type { Redaction } from './text/redaction.js'
import { version } from './version.js'

// Post steps share five minutes after a cancel: this one takes no more than two.
const timeLimit = 110_000
/** The part of them for calls to the service; the rest is for GitHub. */
const serviceLimit = 75_000
const patience = { firstPause: 1000, longestPause: 5000, total: 30_000 }
const clock = { now: () => performance.now(), sleep }

/** Reports what the main step no longer could: that a run is still running, or appeared late, and how to collect it. */
export async function postStep(): Promise<void> {
  const state = readState()
  const { published, startedAt, settled, starting, run } = state
  if (startedAt === undefined || (published && (settled || !starting))) return
  const secrets = stepSecrets()
  const log = jobLog(secrets)
  const began = clock.now()
  const inTime = <T>(work: Promise<T>) => within(timeLimit - (clock.now() - began), work)
  try {
    if (published) {
      await inTime(lookOnceMore(state, secrets, log))
      return
    }
    const parts = await inTime(connect(state, secrets, log))
    const outcome = await inTime(outcomeOfCut(state, startedAt, parts, log))
    // At once: GitHub may not answer in time, and the main step can say nothing any more.
    log.warning([...outcome.reasons, ...outcome.advice, ...outcome.notes].join('\n'))
    await inTime(tellOfCut(outcome, state, parts, log)).catch((error: unknown) => log.warning(message(error)))
  } catch (error) {
    if (run && published) {
      log.info(`${message(error)} It is not known whether a second copy appeared late.`)
      return
    }
    if (run) {
      const known = settled ? `Load test ${run.number} has ended.` : mayStillRun(run)
      log.warning([known, ...collectLater(run)].join(' '))
    } else if (starting) log.warning(mayAppear(starting.template))
    log.warning(message(error))
  }
}

type Parts = Awaited<ReturnType<typeof connect>>

/** What service and state still show about a main step that was cancelled or killed. */
async function outcomeOfCut(
  state: StepState,
  startedAt: string,
  { inputs, job, service }: Parts,
  log: Log,
): Promise<Outcome> {
  const seconds = Math.round((Date.now() - Date.parse(startedAt)) / 1000)
  const { mode, place: leg } = inputs
  const facts = { ...job.step, actionVersion: version, startedAt, seconds, ...defined({ leg }) }
  return aftermath({ remains: state, log, clock, ...service }, nothingYet(mode, facts))
}

/** Publishes what the main step no longer could. */
async function tellOfCut(outcome: Outcome, state: StepState, parts: Parts, log: Log): Promise<void> {
  const { inputs, job, github, temp } = parts
  if (outcome.kind === 'load-test' && outcome.run) await noteDown(state, outcome.run.number, parts)
  const comment = await github.comment()
  const publication = {
    outcome,
    inputs,
    temp,
    store: () => github.artifactStore(),
    attempt: job.attempt,
    ...defined({ comment }),
    status: (told: Outcome) =>
      github.status(startsRun(inputs.mode) ? statusCommit(told) : state.tested.commit),
    log,
  }
  await keepOutcome(publication)
  await tell({ ...publication, isRed: true })
}

/** The main step has reported all it knew; what the list shows since then is added to that. */
async function lookOnceMore(state: StepState, secrets: Redaction, log: Log): Promise<void> {
  const parts = await connect(state, secrets, log)
  const start = ownStart(state)
  if (!start || !parts.service) return
  const strays = await strayCopies(parts.service.client, start, state.run?.number, log)
  const [only, ...more] = strays
  const isFound = only && more.length === 0 && !state.run
  if (isFound) await noteDown(state, only.number, parts)
  const told = strays.map((copy) => stray(copy, start))
  for (const sentence of [...told, ...(isFound ? collectLater(only) : [])]) {
    log.warning(sentence)
    core.summary.addRaw(markdownLine(sentence), true)
  }
  if (strays.length > 0) await core.summary.write()
}

/** Everything that reporting needs. */
async function connect(
  { action, stepName, tested }: StepState,
  secrets: Redaction,
  log: Log,
): Promise<OpenedJob & { service?: { inputs: Inputs; client: Client } }> {
  const facts = jobFacts(process.env, () => undefined)
  const opened = await openJob(action, {
    // What is checked out may have changed since the main step, which has also checked the XPath of the gates.
    facts,
    // It has also read the pull request.
    demanded: async (inputs) => {
      const number = facts.step.pullRequest === undefined ? namedPull(inputs) : undefined
      const own = number === undefined ? facts : facts.forPull({ number, ...defined({ head: tested.head }) })
      return { facts: { ...own, ...defined({ stepName }) }, faults: [] }
    },
    get: keptInputs(process.env),
    measured: () => tested,
    log,
    secrets,
  })
  const { inputs } = opened
  if (!('credentials' in inputs)) return opened
  const limits = { patience, signal: AbortSignal.timeout(serviceLimit) }
  return { ...opened, service: { inputs, client: clientFor(inputs, scopesFor(inputs), opened, limits) } }
}

/** A later attempt of the job can then find the run, as if the main step had noted it. */
async function noteDown(
  { starting, archive, noted, confirms }: StepState,
  run: number,
  { job, service, github, temp }: Parts,
): Promise<void> {
  if (noted || !starting || !service) return
  const note = startNote(service.inputs, {
    template: starting.template,
    run,
    archive,
    attempt: Number(job.attempt),
    confirms,
    ...defined({ commit: knownCommit({ mode: service.inputs.mode, step: job.step }) }),
  })
  await github.notes(temp).keep(note, job.step.workflowRunUrl ?? '', 20_000)
}
