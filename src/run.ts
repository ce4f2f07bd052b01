import { loadBaseline, type BaselineRuns } from './baseline/baseline.js'
import { check } from './check/check.js'
import { formatDuration } from './text/duration.js'
import { message, ReportError } from './errors.js'
import { download, type Evidence } from './collect/evidence.js'
import { oneLine } from './text/foreign-text.js'
import type { Inputs } from './inputs/inputs.js'
import { judgeReport } from './collect/judgement.js'
import { attachTo, facts, start } from './start/launch.js'
import type { Outcome, Verdict } from './outcome.js'
import { collectLater, goesOn } from './start/run-advice.js'
import type { Client } from './service/client.js'
import type { Scope } from './service/operations.js'
import { formatBytes } from './text/size.js'
import { waitForEnd } from './watch/end.js'
import { hasEnded, phaseOf } from './watch/state.js'
import type { World } from './world.js'

/**
 * The whole story of one step. Whatever happens after the inputs were read ends in an outcome; nothing is
 * published here.
 */
export async function run(inputs: Inputs, world: World): Promise<Outcome> {
  const { clock, log, signal } = world
  const began = clock.now()
  const outcome: Outcome = {
    format: 1,
    verdict: 'error',
    reasons: [],
    advice: [],
    notes: [],
    step: { ...world.step, mode: inputs.mode, seconds: 0 },
    gates: [],
  }
  try {
    if (inputs.mode === 'check') await check(inputs, scopesFor(inputs), world, outcome)
    else await tell(inputs, world, outcome)
  } catch (error) {
    fail(outcome, error, signal)
  }
  outcome.step.seconds = Math.round((clock.now() - began) / 1000)
  log.debug(`Verdict ${outcome.verdict}`)
  return outcome
}

async function tell(inputs: Inputs, world: World, outcome: Outcome): Promise<void> {
  const client = world.connect(scopesFor(inputs))
  const baseline = await findBaseline(inputs, world, client, outcome)
  let ended = false
  try {
    if (inputs.mode === 'collect') await attachTo(inputs, world, client, outcome)
    else await start(inputs, world, client, outcome, secondsOf(baseline))
    if (inputs.mode === 'start') {
      conclude(outcome, 'started', 'The load test was started; this step does not wait for it.')
      return
    }
    ended = await follow(inputs, world, client, outcome)
    if (ended) await collect(inputs, world, client, outcome, baseline)
  } finally {
    if (ended) await removeArchive(inputs, world, client, outcome)
    else keepArchive(inputs, outcome, world.signal)
  }
}

/** How long the baseline's runs took, for telling when this one should be over. */
function secondsOf(baseline: BaselineRuns | undefined): number | undefined {
  return baseline?.reports[0]?.general.duration
}

/**
 * Only the scopes that this step's calls need (interface section 4), so that narrow credentials will do. Mode check
 * looks at those of mode run.
 */
export function scopesFor(
  inputs: Pick<Inputs, 'mode' | 'upload' | 'deleteArchive' | 'resultsArtifact'>,
): Scope[] {
  const scopes: Scope[] = ['LOADTEST_DETAILS']
  if (inputs.mode !== 'collect') {
    // The list tells what a start whose answer was lost has done.
    scopes.push('LOADTEST_LIST', 'LOADTEST_COPY_RUN')
    if (inputs.upload) scopes.push('CODEARCHIVE_UPLOAD')
    if (inputs.deleteArchive) scopes.push('CODEARCHIVE_DELETE')
  }
  if (inputs.mode !== 'start') {
    scopes.push('LOADTEST_STATUS', 'LOADTEST_REPORT_DOWNLOAD')
    if (inputs.resultsArtifact !== undefined) scopes.push('LOADTEST_RESULT_DOWNLOAD')
  }
  return scopes
}

/** @returns whether the run has ended */
async function follow(inputs: Inputs, world: World, client: Client, outcome: Outcome): Promise<boolean> {
  const { clock, log, signal } = world
  const { run } = outcome
  if (!run) return false
  const { ended, test } = await log.group('Follow the load test', () =>
    waitForEnd({
      client,
      number: run.number,
      ...(inputs.pollInterval === undefined ? {} : { interval: inputs.pollInterval }),
      timeout: inputs.timeout,
      clock,
      signal,
      log,
      onState: (seen) => Object.assign(run, facts(seen)),
    }),
  )
  Object.assign(run, facts(test))
  if (ended) return true
  conclude(
    outcome,
    'timed-out',
    `Load test ${run.number} had not ended after ${formatDuration(inputs.timeout)}; its last state was ${oneLine(run.state, 40)}.`,
  )
  return false
}

/** Fetched before anything is started: a baseline that cannot be read must not show after a paid run. */
async function findBaseline(
  { baseline: source, mode }: Inputs,
  world: World,
  client: Client,
  outcome: Outcome,
): Promise<BaselineRuns | undefined> {
  if (!source || mode === 'start') return undefined
  return world.log.group('Find the baseline', async () => {
    const found = await loadBaseline(source, { ...world, client })
    if (found) world.log.info(`The baseline is ${found.info.name}`)
    else
      outcome.notes.push(
        'There is no baseline yet: no earlier successful run on the base branch has an outcome artifact.',
      )
    return found
  })
}

async function collect(
  inputs: Inputs,
  world: World,
  client: Client,
  outcome: Outcome,
  baseline: BaselineRuns | undefined,
): Promise<void> {
  const { log, signal } = world
  const { run } = outcome
  if (!run) return
  // Times and the reason of an end are in the details, not surely in the status.
  const details = await client.details(run.number)
  const { state, ...times } = facts(details)
  // They may lag behind the status: an end that was seen stays.
  Object.assign(run, times, hasEnded(details) ? { state } : {})
  const finished = phaseOf(run.state) === 'finished'
  // What has failed may have no report at all: it is not waited for as long.
  const timeout = finished ? inputs.reportTimeout : Math.min(inputs.reportTimeout, 5 * 60_000)
  const report = await log.group('Download the report', async () => {
    const received = await reportOf(
      finished,
      () => download('report', timeout, world, client, run.number),
      outcome,
    )
    if (received) log.info(`Report ${received.file.number}: ${formatBytes(received.file.bytes)}`)
    return received
  })
  if (report) outcome.report = report.file
  if (inputs.resultsArtifact !== undefined) {
    const results = await log.group('Download the results', () =>
      download('result', timeout, world, client, run.number),
    )
    if (results) outcome.results = results.file
    else
      outcome.notes.push(
        `The results of load test ${run.number} were not there after ${formatDuration(timeout)}. Download them from the service.`,
      )
  }
  if (!finished) {
    const why = details.reason ? `: ${oneLine(details.reason, 300)}` : '.'
    conclude(outcome, 'load-test-failed', `Load test ${run.number} ended in ${oneLine(run.state, 40)}${why}`)
    return
  }
  if (!report?.xml) {
    conclude(
      outcome,
      'error',
      `Load test ${run.number} has finished, but its report was not there after ${formatDuration(timeout)}.`,
    )
    outcome.advice.push(...collectLater(run))
    return
  }
  const { xml } = report
  const { verdict, reasons, notes, ...judged } = await log.group('Judge the report', () =>
    judgeReport(xml, inputs.gates, baseline, world.xpathWorker, signal, report.file.label),
  )
  Object.assign(outcome, judged)
  outcome.verdict = verdict
  outcome.reasons.push(...reasons)
  outcome.notes.push(...notes)
}

/** A run that failed may leave a report that is none: then there is a note instead of it. */
async function reportOf(
  finished: boolean,
  receive: () => Promise<Evidence | undefined>,
  outcome: Outcome,
): Promise<Evidence | undefined> {
  try {
    return await receive()
  } catch (error) {
    if (finished || !(error instanceof ReportError)) throw error
    outcome.notes.push(error.message)
    return undefined
  }
}

async function removeArchive(inputs: Inputs, world: World, client: Client, outcome: Outcome): Promise<void> {
  const { archive } = outcome
  if (!inputs.deleteArchive || !archive) return
  if (archive.id === undefined) {
    outcome.notes.push(
      'The code archive was not deleted: the service did not name its id. Delete it on the service.',
    )
    return
  }
  try {
    await client.deleteArchive(archive.id)
    world.log.info(`Deleted the code archive ${oneLine(archive.id)}`)
  } catch (error) {
    world.signal.throwIfAborted()
    outcome.notes.push(`The code archive was not deleted. ${message(error)}`)
  }
}

/** A run that goes on, or may, could still be built from it. Of a cancelled job the post step tells. */
function keepArchive({ deleteArchive }: Inputs, { archive, notes }: Outcome, signal: AbortSignal): void {
  if (!deleteArchive || archive?.id === undefined || signal.aborted) return
  notes.push(
    `The code archive ${oneLine(archive.id, 60)} was not deleted: this step has not seen the end of a run that may be built from it. Delete it on the service.`,
  )
}

function conclude(outcome: Outcome, verdict: Verdict, reason: string): void {
  outcome.verdict = verdict
  outcome.reasons.push(reason)
  if ((verdict === 'timed-out' || verdict === 'started') && outcome.run) {
    outcome.advice.push(...goesOn(outcome.run))
  }
}

function fail(outcome: Outcome, error: unknown, signal: AbortSignal): void {
  const cancelled = signal.aborted
  outcome.verdict = cancelled ? 'cancelled' : 'error'
  outcome.reasons.push(cancelled ? 'The job was cancelled.' : message(error))
  if (outcome.run && phaseOf(outcome.run.state) !== 'finished') outcome.advice.push(...goesOn(outcome.run))
  else if (outcome.run) outcome.advice.push(...collectLater(outcome.run))
}
