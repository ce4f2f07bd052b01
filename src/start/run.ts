import { isoTime } from '../clock.js'
import { LostError, message, StartError, UserError } from '../errors.js'
import type { CollectInputs, Inputs } from '../inputs/inputs.js'
import type { Part, Run } from '../outcome/outcome.js'
import { detailsOrStatus } from '../service/service.js'
import { phaseOf, type LoadTest } from '../service/project.js'
import type { Session } from '../session.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { reasonsAbout } from '../text/reason.js'
import type { StartWorld, Keep } from './start.js'
import { isNew } from './template.js'

/** Milliseconds between the start of a copy and its first state after NEW, at most. */
const newFor = 60_000

/**
 * Finds the run that another step has started.
 *
 * @param isStarted there is a note of its start
 * @throws UserError if it was never started
 */
export async function attachTo(
  {
    inputs,
    world: { clock, keep, log, signal },
    client,
  }: Session<Pick<StartWorld, 'clock' | 'log' | 'signal'> & { keep: Pick<Keep, 'run'> }, CollectInputs>,
  isStarted: boolean,
): Promise<Run> {
  const number = inputs.runNumber
  return log.group('Find the run', async () => {
    let test = await detailsOrStatus(client, number)
    if (!isStarted && isNew(test)) {
      await clock.sleep(newFor, signal)
      test = await detailsOrStatus(client, number)
      if (isNew(test)) throw new UserError(neverRan(number))
    }
    const run = runOf(test, inputs)
    keep.run(run, {})
    log.info(`Load test ${number}${test.name ? `, "${oneLine(test.name)}"` : ''}${pageAt(run)}`)
    return run
  })
}

export function runOf(test: LoadTest, inputs: Inputs, template?: LoadTest): Run {
  return {
    number: test.number,
    state: 'unknown',
    ...facts(test),
    ...defined({
      url: pageOf(test, inputs),
      name: test.name,
      template: template && { number: template.number, ...defined({ name: template.name }) },
    }),
  }
}

function neverRan(number: number): string {
  return `Load test ${number} has never been started, so there is nothing to collect. Write the output run-number of the step that started the run, not the number of its template.`
}

/** The end of a line of the log. */
export function pageAt({ url }: Run): string {
  return url === undefined ? '' : `: ${url}`
}

/**
 * The run's page as the service or the input names it; an address of the interface would be of no use to a reader.
 */
export function pageOf(
  { page, number }: LoadTest,
  { project, runPage }: Pick<Inputs, 'project' | 'runPage'>,
): string | undefined {
  return (
    page ??
    runPage
      ?.replaceAll('{organization}', encodeURIComponent(project.organization))
      .replaceAll('{project}', encodeURIComponent(project.project))
      .replaceAll('{number}', String(number))
  )
}

/** What a load test record says about a run. */
export function facts({ state, startTime, endTime, revision }: LoadTest): Partial<Run> {
  const took = startTime && endTime && endTime >= startTime ? endTime - startTime : undefined
  return defined({
    state,
    startTime: isoTime(startTime || undefined),
    endTime: isoTime(endTime || undefined),
    durationSeconds: took === undefined ? undefined : Math.round(took / 1000),
    revision,
  })
}

type Numbered = Pick<Run, 'number'>

/** For a run that nobody is waiting for any more. @param isSeen the service showed it at the last look */
export function goesOn(run: Pick<Run, 'number' | 'state' | 'url'>, isSeen = true): string[] {
  const isKnown = isSeen && phaseOf(run.state) !== 'unknown'
  return [isKnown ? stillRunning(run) : mayStillRun(run), ...collectLater(run)]
}

function stillRunning({ number, url }: Pick<Run, 'number' | 'url'>): string {
  return url === undefined
    ? `Load test ${number} is still running. Stop it on the service if you no longer need it.`
    : `Load test ${number} is still running at ${url} and can be stopped there if you no longer need it.`
}

/** For a run about which nothing could be found out. */
export function mayStillRun({ number, url }: Pick<Run, 'number' | 'url'>): string {
  const where = url === undefined ? 'on the service' : `at ${url}`
  return `Load test ${number} may still be running. If it is, and you no longer need it, stop it ${where}.`
}

export function collectLater({ number }: Numbered): string[] {
  return [
    `To follow and judge it later, run this step with mode: collect and run-number: ${number}; that starts nothing new.`,
  ]
}

/** The end of a step that was broken off, with or without a known run. */
export function brokenOff(
  error: unknown,
  run: Run | undefined,
  signal: AbortSignal,
): Required<Pick<Part, 'verdict' | 'reasons' | 'advice'>> {
  return {
    ...(signal.aborted
      ? { verdict: 'cancelled', reasons: reasonsAbout('step', 'The job was cancelled.') }
      : { verdict: 'error', reasons: reasonsAbout('step', message(error)) }),
    advice: run ? adviceAbout(run, error) : adviceOf(error),
  }
}

function adviceAbout(run: Run, error: unknown): readonly string[] {
  return phaseOf(run.state) === 'finished' ? collectLater(run) : goesOn(run, !(error instanceof LostError))
}

function adviceOf(error: unknown): readonly string[] {
  return error instanceof StartError ? error.advice : []
}
