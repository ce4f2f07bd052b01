import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { prepareArchive, uploadArchive, type CheckedCodeArchive } from './code-archive.js'
import { formatDuration } from './duration.js'
import { UserError, ReportError } from './errors.js'
import { oneLine } from './foreign-text.js'
import type { Inputs } from './inputs.js'
import type { Log } from './log.js'
import type { Outcome, ReportFile, Run, Step, Verdict } from './outcome.js'
import { receiveReport, type ReceivedReport } from './report/archive.js'
import type { Client } from './service/client.js'
import { wholeDownload } from './service/download.js'
import type { Scope } from './service/operations.js'
import { patience } from './service/patience.js'
import type { LoadTest } from './service/wire.js'
import { collectLater, goesOn } from './run-advice.js'
import { formatBytes } from './size.js'
import { findTemplate } from './template.js'
import type { Clock } from './watch/clock.js'
import { waitForEnd } from './watch/end.js'
import { waitForReport } from './watch/report.js'
import { startOnce } from './watch/start.js'
import { phaseOf } from './watch/state.js'

/** What the story needs of the world around it. */
export interface World {
  connect(scopes: readonly Scope[]): Client
  clock: Clock
  log: Log
  /** Aborted when the job is cancelled. */
  signal: AbortSignal
  /** An empty folder of this step's own. */
  temp: string
  /** Where the step runs; `seconds` is filled in at the end. */
  step: Omit<Step, 'seconds' | 'mode'>
  /** The repository's name, which the archive's top-level directory gets. */
  topLevel?: string
  keep: Keep
}

/** Told each thing that must outlive the step the moment it is known. */
export interface Keep {
  /** A start is about to be asked for, while these load tests exist. */
  starting(template: number, before: readonly number[]): void
  /** The run exists. */
  run(run: Run): Promise<void>
  archive(archive: { id?: string; sha512: string }): void
}

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
    await tell(inputs, world, outcome)
  } catch (error) {
    fail(outcome, error, signal)
  }
  outcome.step.seconds = Math.round((clock.now() - began) / 1000)
  log.debug(`Verdict ${outcome.verdict}`)
  return outcome
}

async function tell(inputs: Inputs, world: World, outcome: Outcome): Promise<void> {
  const client = world.connect(scopesFor(inputs))
  if (inputs.mode === 'collect') await attachTo(inputs, world, client, outcome)
  else await start(inputs, world, client, outcome)
  if (inputs.mode === 'start') {
    conclude(outcome, 'started', 'The load test was started; this step does not wait for it.')
    return
  }
  const ended = await follow(inputs, world, client, outcome)
  if (!ended) return
  await collect(inputs, world, client, outcome)
  await removeArchive(inputs, world, client, outcome)
}

/** Only the scopes that this step's calls need (interface section 4), so that narrow credentials will do. */
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

async function start(inputs: Inputs, world: World, client: Client, outcome: Outcome): Promise<void> {
  const { log, signal, keep } = world
  const wanted = inputs.template
  if (!wanted) throw new UserError('load-test is required.')
  const archive = inputs.upload
    ? await log.group('Pack the code archive', () => prepareArchive(inputs, world))
    : undefined
  if (archive) outcome.archive = withoutPath(archive)
  const template = await log.group('Find the load test', async () => {
    const found = await findTemplate(client, wanted)
    log.info(`The template is load test ${found.number}${found.name ? `, "${oneLine(found.name)}"` : ''}`)
    return found
  })
  if (archive) {
    await log.group('Upload the code archive', async () => {
      const id = await uploadArchive(client, archive, patience, { log, signal })
      outcome.archive = { ...withoutPath(archive), ...(id === undefined ? {} : { id }) }
      keep.archive(outcome.archive)
      log.info(
        id === undefined
          ? 'Uploaded; the service did not name its id'
          : `Uploaded as code archive ${oneLine(id)}`,
      )
    })
  }
  await log.group('Start the load test', async () => {
    signal.throwIfAborted()
    const archiveId = outcome.archive?.id
    const copy = await startOnce({
      client,
      template,
      ...(archiveId === undefined ? {} : { archiveId }),
      clock: world.clock,
      log,
      onStarting: (before) => keep.starting(template.number, before),
    })
    outcome.run = runOf(copy, inputs, template)
    await keep.run(outcome.run)
    log.info(`Started load test ${copy.number}: ${outcome.run.url}`)
  })
  signal.throwIfAborted()
}

async function attachTo(inputs: Inputs, world: World, client: Client, outcome: Outcome): Promise<void> {
  const number = inputs.runNumber
  if (number === undefined) throw new UserError('run-number is required in mode collect.')
  await world.log.group('Find the run', async () => {
    const test = await client.details(number)
    outcome.run = runOf(test, inputs)
    await world.keep.run(outcome.run)
    world.log.info(`Load test ${number}${test.name ? `, "${oneLine(test.name)}"` : ''}: ${outcome.run.url}`)
  })
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

async function collect(inputs: Inputs, world: World, client: Client, outcome: Outcome): Promise<void> {
  const { log } = world
  const { run } = outcome
  if (!run) return
  // Times and the reason of an end are in the details, not surely in the status.
  const details = await client.details(run.number)
  Object.assign(run, facts(details))
  const finished = phaseOf(run.state) === 'finished'
  // What has failed may have no report at all: it is not waited for as long.
  const timeout = finished ? inputs.reportTimeout : Math.min(inputs.reportTimeout, 5 * 60_000)
  const received = await log.group('Download the report', () =>
    download('report', timeout, world, client, run.number),
  )
  if (received) {
    outcome.report = received.file
    log.info(`Report ${received.file.number}: ${formatBytes(received.file.bytes)}`)
  }
  if (inputs.resultsArtifact !== undefined) {
    const results = await log.group('Download the results', () =>
      download('result', timeout, world, client, run.number),
    )
    if (results) outcome.results = results.file
    else
      outcome.notes.push(
        `The results of load test ${run.number} were not there after ${formatDuration(timeout)}.`,
      )
  }
  if (!finished) {
    const why = details.reason ? `: ${oneLine(details.reason, 300)}` : '.'
    conclude(outcome, 'load-test-failed', `Load test ${run.number} ended in ${oneLine(run.state, 40)}${why}`)
    return
  }
  if (!received) {
    conclude(
      outcome,
      'error',
      `Load test ${run.number} has finished, but its report was not there after ${formatDuration(timeout)}.`,
    )
    return
  }
  conclude(outcome, 'passed', `Load test ${run.number} has finished and its report is here.`)
}

const maxReceptions = 3

/** Receives an archive and makes sure that it is whole; a damaged one is asked for again, a few times. */
async function download(
  kind: 'report' | 'result',
  timeout: number,
  { clock, log, signal, temp }: World,
  client: Client,
  loadTest: number,
): Promise<{ file: ReportFile; received?: ReceivedReport } | undefined> {
  const folder = path.join(temp, kind)
  await mkdir(folder, { recursive: true })
  for (let tries = 1; ; tries++) {
    const found = await waitForReport({ client, loadTest, kind, timeout, clock, signal, log })
    if (!found) return undefined
    const source = wholeDownload(client, found.download, found.opened, patience, log, signal)
    const target = path.join(folder, `${kind}-${loadTest}-${found.download.number}`)
    try {
      const received = await receiveReport(source, target)
      const { path: where, bytes, kind: format } = received
      return { file: { number: found.download.number, path: where, ending: `.${format}`, bytes }, received }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ReportError) || tries >= maxReceptions) throw error
      log.warning(`${error.message} Downloading it again.`)
    }
  }
}

async function removeArchive(inputs: Inputs, world: World, client: Client, outcome: Outcome): Promise<void> {
  const { archive } = outcome
  if (!inputs.deleteArchive || !archive) return
  if (archive.id === undefined) {
    outcome.notes.push('The code archive was not deleted: the service did not name its id.')
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

function runOf(test: LoadTest, inputs: Inputs, template?: LoadTest): Run {
  return {
    number: test.number,
    url: pageOf(test, inputs),
    state: 'NEW',
    ...facts(test),
    ...(test.name ? { name: test.name } : {}),
    ...(template
      ? { template: { number: template.number, ...(template.name ? { name: template.name } : {}) } }
      : {}),
  }
}

/** The run's page as the service or the input names it; else its address in the interface. */
function pageOf(test: LoadTest, { baseUrl, project, runPage }: Inputs): string {
  if (test.page) return test.page
  const { organization, project: name } = project
  if (runPage) {
    return runPage
      .replaceAll('{organization}', encodeURIComponent(organization))
      .replaceAll('{project}', encodeURIComponent(name))
      .replaceAll('{number}', String(test.number))
  }
  return `${baseUrl}/public/api/v1/orgs/${encodeURIComponent(organization)}/projects/${encodeURIComponent(name)}/loadTests/${test.number}`
}

function facts({ state, startTime, endTime }: LoadTest): Partial<Run> {
  return {
    ...(state ? { state } : {}),
    ...(startTime ? { startTime: new Date(startTime).toISOString() } : {}),
    ...(endTime ? { endTime: new Date(endTime).toISOString() } : {}),
    ...(startTime && endTime && endTime >= startTime
      ? { durationSeconds: Math.round((endTime - startTime) / 1000) }
      : {}),
  }
}

function withoutPath({ name, files, bytes, sha512 }: CheckedCodeArchive) {
  return { name, files, bytes, sha512 }
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

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
