import * as core from '@actions/core'
import { message } from './errors.js'
import { within, sleep, type Clock } from './clock.js'
import { reporting } from './github/github.js'
import { jobLog, stepSecrets, summarize } from './runner.js'
import { readPlan, readSecrets, type Plan } from './plan.js'
import { keepOutcome, tell } from './publish/publication.js'
import type { Log } from './log.js'
import { nothingYet, withPart, type Outcome, type Run, type Tell } from './outcome/outcome.js'
import type { Client } from './service/service.js'
import { hasEnded, isBuilt } from './service/project.js'
import { clientFor, ownFolder } from './opened-job.js'
import {
  candidates,
  guess,
  lookAgain,
  mayAppear,
  newCopies,
  sortOut,
  stray,
  strayCopies,
  unnoted,
  whose,
  type NewCopies,
} from './run/new-copies.js'
import {
  collectLater,
  deleteArchive,
  facts,
  goesOn,
  mayStillRun,
  namelessArchive,
  pageOf,
  type StartNote,
} from './run/run.js'
import { defined } from './text/fields.js'
import { markdownLine, oneLine } from './text/foreign-text.js'
import { reasonsAbout } from './text/reason.js'
import type { Redaction } from './text/redaction.js'

// Post steps share five minutes after a cancel: this one takes no more than two.
const timeLimit = 110_000
/** The part of them for calls to the service; the rest is for GitHub. */
const serviceLimit = 75_000
const patience = { longestPause: 5000, total: 30_000 }
const clock = { now: () => performance.now(), sleep }

/** Carries out the plan of a main step that could not: says that a run is still running, or appeared late. */
export async function postStep(): Promise<void> {
  const secrets = stepSecrets()
  const log = jobLog(secrets)
  let plan: Plan | undefined
  try {
    plan = readPlan()
  } catch (error) {
    log.warning(message(error))
    return
  }
  if (!plan || (plan.published && (plan.settled || !plan.start))) return
  const { published, settled, start, run } = plan
  const began = clock.now()
  const inTime = <T>(work: Promise<T>) => within(timeLimit - (clock.now() - began), work)
  try {
    const means = await inTime(meansFor(plan, secrets, log))
    if (published) {
      await inTime(lookOnceMore(plan, means, log))
      return
    }
    const seconds = Math.round((Date.now() - Date.parse(plan.step.startedAt)) / 1000)
    const begun = nothingYet(plan.mode, { ...plan.step, seconds })
    const { client, startOf } = means
    const cut = { remains: plan, log, clock, startOf, ...defined({ client }) }
    const outcome = await inTime(aftermath(cut, begun))
    // At once: GitHub may not answer in time, and the main step can say nothing any more.
    const reasons = outcome.reasons.map(({ text }) => text)
    log.warning([...reasons, ...outcome.advice, ...outcome.notes].join('\n'))
    await inTime(tellOfCut(outcome, plan, means, log)).catch((error: unknown) => log.warning(message(error)))
  } catch (error) {
    if (run && published) {
      log.info(`${message(error)} It is not known whether a second copy appeared late.`)
      return
    }
    if (run) {
      const known = settled ? `Load test ${run.number} has ended.` : mayStillRun(run)
      log.warning([known, ...collectLater(run)].join(' '))
    } else if (start) log.warning(mayAppear(start.template))
    log.warning(message(error))
  }
}

type Means = Awaited<ReturnType<typeof meansFor>>

/** Milliseconds: what other steps have noted is good to know, but not worth the whole report. */
const notesLimit = 20_000

async function meansFor({ service, notes }: Plan, secrets: Redaction, log: Log) {
  // A step in between may have set it for the rest of the job.
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  const credentials = { clientId: core.getInput('client-id'), clientSecret: core.getInput('client-secret') }
  const { accessToken, githubToken = '' } = readSecrets(process.env)
  for (const secret of [credentials.clientSecret, accessToken ?? '', githubToken]) secrets.add(secret)
  const limits = { patience, signal: AbortSignal.timeout(serviceLimit), ...defined({ accessToken }) }
  const github = reporting(githubToken, process.env, log)
  const temp = await ownFolder()
  return {
    github,
    ...(service && { client: clientFor({ ...service, credentials }, { log, secrets, ...limits }) }),
    temp,
    startOf: async (run: number) => {
      const noted = service && { service: service.baseUrl, ...service.project, run }
      return noted && within(notesLimit, github.notes(notes, temp).of(noted)).catch(() => undefined)
    },
  }
}

async function tellOfCut(outcome: Outcome, plan: Plan, means: Means, log: Log): Promise<void> {
  const { github, temp } = means
  if (outcome.kind === 'load-test' && outcome.run) await noteDown(plan, outcome.run.number, means)
  await keepOutcome({ outcome, temp })
  const { comment, status } = plan
  await tell({
    ...{ outcome, isRed: true, log },
    ...(comment && { comment: await github.comment(comment) }),
    ...(status && { status: () => github.status(status) }),
  })
  const { start, notes, run, tells = [] } = plan
  const told = new Map([...tells, ...(start && run ? [start] : [])].map((note) => [note.id, note]))
  for (const note of told.values()) await github.notes(notes, temp).keep({ ...note, run: null }, 20_000)
}

/** The main step has reported all it knew; what the list shows since then is added to that. */
async function lookOnceMore(plan: Plan, means: Means, log: Log): Promise<void> {
  const { start, run } = plan
  if (!start || !means.client) return
  const looking = { client: means.client, log, startOf: means.startOf }
  const strays = await strayCopies(looking, start, run?.number)
  const [only, ...more] = strays
  const isFound = only && more.length === 0 && !run
  if (isFound) await noteDown(plan, only.number, means)
  const told = [...strays.map((copy) => stray(copy, start)), ...(isFound ? collectLater(only) : [])]
  for (const sentence of told) log.warning(sentence)
  if (told.length > 0) await summarize(told.map((sentence) => markdownLine(sentence)).join('\n'))
}

/** A later attempt of the job can then find the run, as if the main step had noted it. */
async function noteDown({ start, noted, notes }: Plan, run: number, { github, temp }: Means): Promise<void> {
  if (start && !noted) await github.notes(notes, temp).keep({ ...start, run }, 20_000)
}

// The start that the step requested may still be under way on the service: 55 s of the post step's two minutes.
const looks = [0, 5000, 10_000, 20_000, 20_000]

const interrupted = 'The step was interrupted: the job was cancelled, or its process was killed.'

interface CutStep {
  remains: Pick<Plan, 'start' | 'refused' | 'run' | 'confirms' | 'archive' | 'service'>
  client?: Client
  log: Log
  clock: Clock
  startOf: Parameters<typeof unnoted>[1]
}

type Asking = Required<CutStep> & { service: NonNullable<Plan['service']>; tell: Tell }

/**
 * What to report about a step that was cut off: whether a run is still running, where, and how to collect it. Nothing is
 * started here. If the service does not answer, the rest is still reported.
 *
 * @param begun the outcome of a step that has done nothing
 */
export async function aftermath({ client, ...cut }: CutStep, begun: Outcome): Promise<Outcome> {
  let outcome = withPart(begun, { verdict: 'cancelled', reasons: reasonsAbout('step', interrupted) })
  const { service, confirms } = cut.remains
  if (!client || !service) return outcome
  const tell: Tell = (part) => void (outcome = withPart(outcome, part))
  await look({ ...cut, client, service, tell })
  if (confirms !== undefined) {
    const sentence = `Gates that compare failed in load test ${confirms}; a second run was meant to show whether that is noise.`
    tell({ reasons: reasonsAbout('second-run', sentence), advice: collectLater({ number: confirms }) })
  }
  return outcome
}

async function look(cut: Asking): Promise<void> {
  const { remains, client, log, tell } = cut
  const { start } = remains
  const known = remains.run ?? (start ? await findStarted(start, cut) : 'none')
  if (known === undefined) return
  if (known === 'none') {
    tell({ reasons: reasonsAbout('run', 'No load test was started.') })
    await removeArchive(cut, true)
    return
  }
  const read = await client.details(known.number).catch((error: unknown) => {
    tell({ notes: [`The run's state could not be read. ${message(error)}`] })
  })
  const run: Run = { ...known, state: 'unknown', ...(read && facts(read)) }
  tell({ run })
  if (hasEnded(run)) {
    const page = run.url === undefined ? '.' : `: ${run.url}`
    const ended = `Load test ${run.number} ended in ${oneLine(run.state, 40)}${page}`
    tell({ reasons: reasonsAbout('run', ended), advice: collectLater(run) })
  } else tell({ advice: goesOn(run) })
  if (start) {
    const strays = await strayCopies(cut, start, run.number).catch((error: unknown) => {
      log.info(`${message(error)} It is not known whether there is a second copy.`)
      return []
    })
    tell({ notes: strays.map((copy) => stray(copy, start)) })
  }
  await removeArchive(cut, isBuilt(run))
}

const nothingNew: NewCopies = { certain: [], possible: [], unlikely: [] }

/** The step ended while a start was under way: the list shows the result. Undefined if it leaves that open, as a reason says. */
async function findStarted(
  start: StartNote,
  cut: Asking,
): Promise<Pick<Run, 'number' | 'url'> | 'none' | undefined> {
  const { service, log, clock, remains, startOf, tell } = cut
  const { template } = start
  const { refused } = remains
  const pauses = refused ? looks.slice(0, 2) : looks
  const seen = () => newCopies(cut, start)
  const { copies = nothingNew, fault } = await lookAgain(seen, pauses, (pause) => clock.sleep(pause))
  const { certain } = copies
  const possible = await unnoted(copies.possible, startOf)
  const [only, ...more] = certain.length === 1 ? certain : [...certain, ...possible]
  if (only && more.length === 0) {
    log.info(`The step had started load test ${only.number}.`)
    if (certain.length === 0) tell({ notes: [guess(only, template)] })
    return { number: only.number, ...defined({ url: pageOf(only, service) }) }
  }
  const left = { ...copies, possible, unlikely: await unnoted(copies.unlikely, startOf) }
  const all = candidates(left)
  if (all.length > 0) {
    tell({ reasons: reasonsAbout('run', whose(all)), advice: sortOut(left, template) })
    return undefined
  }
  if (refused && !fault) return 'none'
  const unknown = fault
    ? `It is not known whether a copy of load test ${template} was started. ${message(fault)}`
    : `No new copy of load test ${template} is in the list yet, although one was requested.`
  tell({ reasons: reasonsAbout('run', unknown), advice: [mayAppear(template)] })
  return undefined
}

async function removeArchive(cut: Asking, areBuilt: boolean): Promise<void> {
  const { archive } = cut.remains
  if (!cut.service.deletesArchive || !archive) return
  const { id } = archive
  cut.tell({ notes: id === undefined ? [namelessArchive] : await deleteArchive(cut, id, areBuilt) })
}
