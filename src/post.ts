import * as core from '@actions/core'
import { message } from './errors.js'
import { aftermath, ownStart } from './actions/aftermath/aftermath.js'
import { within } from './clock.js'
import { reporting, type Reporting } from './github/github.js'
import { jobLog, stepSecrets } from './github/job/log.js'
import { readPlan, readSecrets, type Plan } from './github/plan.js'
import { keepOutcome, tell } from './github/publication.js'
import type { Log } from './log.js'
import { nothingYet, type Outcome } from './outcome/outcome.js'
import type { Client } from './service/service.js'
import { sleep } from './clock.js'
import { clientFor, ownFolder } from './opened-job.js'
import { mayAppear, stray, strayCopies } from './start/new-copies.js'
import { collectLater, mayStillRun } from './start/run.js'
import { defined } from './text/fields.js'
import { markdownLine } from './text/foreign-text.js'
import type { Redaction } from './text/redaction.js'

// Post steps share five minutes after a cancel: this one takes no more than two.
const timeLimit = 110_000
/** The part of them for calls to the service; the rest is for GitHub. */
const serviceLimit = 75_000
const patience = { firstPause: 1000, longestPause: 5000, total: 30_000 }
const clock = { now: () => performance.now(), sleep }

/** Carries out the plan of a main step that could not: says that a run is still running, or appeared late. */
export async function postStep(): Promise<void> {
  const plan = readPlan()
  if (!plan || (plan.published && (plan.settled || !plan.start))) return
  const { published, settled, start, run } = plan
  const secrets = stepSecrets()
  const log = jobLog(secrets)
  const began = clock.now()
  const inTime = <T>(work: Promise<T>) => within(timeLimit - (clock.now() - began), work)
  try {
    const means = await inTime(meansFor(plan, secrets, log))
    if (published) {
      await inTime(lookOnceMore(plan, means, log))
      return
    }
    const outcome = await inTime(outcomeOfCut(plan, means, log))
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

/** What a plan is carried out with. */
interface Means {
  github: Reporting
  client?: Client
  temp: string
}

async function meansFor({ service }: Plan, secrets: Redaction, log: Log): Promise<Means> {
  // A step in between may have set it for the rest of the job.
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  const credentials = { clientId: core.getInput('client-id'), clientSecret: core.getInput('client-secret') }
  const { accessToken, githubToken = '' } = readSecrets(process.env)
  for (const secret of [credentials.clientSecret, accessToken ?? '', githubToken]) secrets.add(secret)
  const limits = { patience, signal: AbortSignal.timeout(serviceLimit), ...defined({ accessToken }) }
  return {
    github: reporting(githubToken, process.env, log),
    ...(service && { client: clientFor({ ...service, credentials }, { log, secrets, ...limits }) }),
    temp: await ownFolder(),
  }
}

/** What service and plan still show about a main step that was cancelled or killed. */
async function outcomeOfCut(plan: Plan, { client }: Means, log: Log): Promise<Outcome> {
  const { mode, step } = plan
  const seconds = Math.round((Date.now() - Date.parse(step.startedAt)) / 1000)
  const begun = nothingYet(mode, { ...step, seconds })
  return aftermath({ remains: plan, log, clock, ...defined({ client }) }, begun)
}

/** Publishes what the main step no longer could. */
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
  const { start, notes, run } = plan
  if (start && run) await github.notes(notes, temp).keep({ ...start, run: null }, 20_000)
}

/** The main step has reported all it knew; what the list shows since then is added to that. */
async function lookOnceMore(plan: Plan, means: Means, log: Log): Promise<void> {
  const start = ownStart(plan)
  if (!start || !means.client) return
  const strays = await strayCopies(means.client, start, plan.run?.number, log)
  const [only, ...more] = strays
  const isFound = only && more.length === 0 && !plan.run
  if (isFound) await noteDown(plan, only.number, means)
  const told = strays.map((copy) => stray(copy, start))
  for (const sentence of [...told, ...(isFound ? collectLater(only) : [])]) {
    log.warning(sentence)
    core.summary.addRaw(markdownLine(sentence), true)
  }
  if (strays.length > 0) await core.summary.write()
}

/** A later attempt of the job can then find the run, as if the main step had noted it. */
async function noteDown({ start, noted, notes }: Plan, run: number, { github, temp }: Means): Promise<void> {
  if (start && !noted) await github.notes(notes, temp).keep({ ...start, run }, 20_000)
}
