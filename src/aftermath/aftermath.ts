import { message } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import type { Inputs } from '../inputs/inputs.js'
import { facts, pageOf } from '../start/launch.js'
import type { Log } from '../log.js'
import { nothingYet, withPart, type Outcome, type Run, type Step } from '../outcome.js'
import { collectLater, goesOn } from '../start/run-advice.js'
import type { Client } from '../service/client.js'
import { sleep } from '../service/patience.js'
import { adopt } from '../start/once.js'
import { hasEnded, phaseOf } from '../watch/state.js'

/** What the main step left when it was cancelled or killed. */
export interface Remains {
  starting?: { template: number; before: readonly number[] }
  run?: Pick<Run, 'number' | 'url'>
  archiveId?: string
}

// The start that the step had asked for may still be under way on the service.
const looks = [0, 5000, 10_000, 20_000]

/** What is found out of it. */
interface Found {
  reasons: string[]
  advice: string[]
  notes: string[]
  run?: Run
}

/**
 * What there is to tell of a step that was cut off: whether a run goes on, where, and how to collect it. Nothing is
 * started here. A service that does not answer is no reason to tell nothing.
 */
export async function aftermath(
  remains: Remains,
  inputs: Inputs,
  client: Client,
  step: Step,
  log: Log,
): Promise<Outcome> {
  const found: Found = {
    reasons: ['The step was cut off before it was done: the job was cancelled, or its process was killed.'],
    advice: [],
    notes: [],
  }
  await look(remains, inputs, client, found, log)
  return withPart(nothingYet(step), { verdict: 'cancelled', ...found })
}

async function look(
  remains: Remains,
  inputs: Inputs,
  client: Client,
  outcome: Found,
  log: Log,
): Promise<void> {
  const run = remains.run ?? (await findStarted(remains, inputs, client, outcome, log))
  if (!run) {
    if (!remains.starting) {
      outcome.reasons.push('No load test was started.')
      if (isArchiveUnwanted(remains, inputs)) await deleteArchive(remains.archiveId, client, outcome, log)
    }
    return
  }
  outcome.run = { ...run, state: 'unknown' }
  try {
    Object.assign(outcome.run, facts(await client.details(run.number)))
  } catch (error) {
    outcome.notes.push(`The run's state could not be read. ${message(error)}`)
  }
  if (hasEnded(outcome.run)) {
    const { number, state, url } = outcome.run
    outcome.reasons.push(`Load test ${number} has ended in ${oneLine(state, 40)}: ${url}`)
    outcome.advice.push(...collectLater(outcome.run))
  } else if (!(await stopped(outcome.run, inputs, client, outcome))) {
    outcome.advice.push(...goesOn(outcome.run))
  }
  await removeArchive(remains, inputs, client, outcome, log)
}

/** The step ended while a start was under way: the list tells what came of it. */
async function findStarted(
  { starting, archiveId }: Remains,
  inputs: Inputs,
  client: Client,
  outcome: Found,
  log: Log,
): Promise<Pick<Run, 'number' | 'url'> | undefined> {
  if (!starting) return undefined
  try {
    for (const pause of looks) {
      if (pause > 0) await sleep(pause)
      const all = await client.list()
      const template = all.find(({ number }) => number === starting.template) ?? { number: starting.template }
      const added = all.filter(({ number }) => !starting.before.includes(number))
      const copy = adopt({ template, ...(archiveId === undefined ? {} : { archiveId }) }, added)
      if (copy) {
        log.info(`Load test ${copy.number} is what the step had started.`)
        return { number: copy.number, url: pageOf(copy, inputs) }
      }
    }
    outcome.reasons.push(`No new copy of load test ${starting.template} is in the list: nothing was started.`)
  } catch (error) {
    outcome.reasons.push(message(error))
    outcome.advice.push(
      `A copy of load test ${starting.template} may have been started: look on the service whether there is a new one.`,
    )
  }
  return undefined
}

/** `on-cancel: stop`, where the service offers that; the interface itself documents no way. */
async function stopped(run: Run, inputs: Inputs, client: Client, outcome: Found): Promise<boolean> {
  if (!inputs.stopOnCancel) return false
  try {
    if (await client.stop(run.number)) {
      outcome.reasons.push(`Load test ${run.number} was stopped, as on-cancel: stop asks.`)
      Object.assign(run, facts(await client.details(run.number)))
      return true
    }
    outcome.notes.push(
      'The service offers no operation that stops a load test: on-cancel: stop has no effect here.',
    )
  } catch (error) {
    outcome.notes.push(`The load test was not stopped. ${message(error)}`)
  }
  return false
}

/** An archive that a run is still to be built from stays, whatever was asked: without it the run would fail. */
async function removeArchive(
  remains: Remains,
  inputs: Inputs,
  client: Client,
  outcome: Found,
  log: Log,
): Promise<void> {
  const { run } = outcome
  if (!isArchiveUnwanted(remains, inputs) || !run) return
  const phase = phaseOf(run.state)
  const isBuilt = phase !== 'preparing' && phase !== 'unknown'
  if (!isBuilt) {
    outcome.notes.push(
      `The code archive ${oneLine(remains.archiveId)} was not deleted, since the run may not be built from it yet. Delete it on the service.`,
    )
    return
  }
  await deleteArchive(remains.archiveId, client, outcome, log)
}

function isArchiveUnwanted(remains: Remains, inputs: Inputs): remains is Remains & { archiveId: string } {
  return inputs.deleteArchive && remains.archiveId !== undefined
}

async function deleteArchive(id: string, client: Client, outcome: Found, log: Log): Promise<void> {
  try {
    await client.deleteArchive(id)
    log.info(`Deleted the code archive ${oneLine(id)}`)
  } catch (error) {
    outcome.notes.push(`The code archive was not deleted. ${message(error)}`)
  }
}
