import { prepareArchive, uploadArchive, withoutPath } from './code-archive.js'
import { findEarlier, startNote } from './earlier-start.js'
import { UserError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Outcome, Run } from '../outcome.js'
import { collectLater } from './run-advice.js'
import type { Client } from '../service/client.js'
import { patience } from '../service/patience.js'
import type { LoadTest } from '../service/wire.js'
import { checkTakesUpload, findTemplate } from './template.js'
import { builtFrom } from './race.js'
import { startOnce } from './once.js'
import type { World } from '../world.js'

/** Packs, uploads and starts, in this order: whatever can be wrong is found before the paid run. */
export async function start(
  inputs: Inputs,
  world: World,
  client: Client,
  outcome: Outcome,
  expectedSeconds?: number,
): Promise<void> {
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
    if (archive) checkTakesUpload(found)
    return found
  })
  if (await takeUpEarlier(inputs, world, client, outcome, template)) return
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
    let existing: readonly number[] = []
    const copy = await startOnce({
      client,
      template,
      ...(archiveId === undefined ? {} : { archiveId }),
      clock: world.clock,
      signal,
      log,
      onAdopted: (adopted) => void outcome.notes.push(adopted),
      onStarting: (before) => {
        existing = before
        keep.starting(template.number, before)
      },
    })
    outcome.run = runOf(copy, inputs, template)
    const note = startNote(inputs, template.number, copy.number, outcome.archive, world.attempt)
    await keep.run(outcome.run, { note, ...expectedEnd(template, expectedSeconds) })
    log.info(`Started load test ${copy.number}: ${outcome.run.url}`)
    signal.throwIfAborted()
    if (archive && template.useLatest !== false) await checkBuilt(copy, archiveId, existing, world, client)
  })
  signal.throwIfAborted()
}

/** In a re-run of the job: the run of an earlier attempt is taken up where that is wanted, else told of. */
async function takeUpEarlier(
  inputs: Inputs,
  world: World,
  client: Client,
  outcome: Outcome,
  template: LoadTest,
): Promise<boolean> {
  if (world.attempt < 2) return false
  const { log, keep } = world
  return log.group('Look for the run of an earlier attempt', async () => {
    const ours = startNote(inputs, template.number, 0, outcome.archive, world.attempt)
    const earlier = await findEarlier(await world.earlierStarts(), ours, client, log)
    if (!earlier) return false
    const { note, test } = earlier
    const state = oneLine(test.state ?? 'in no known state', 40)
    if (!inputs.resume) {
      log.warning(
        `Attempt ${note.attempt} of this job started load test ${note.run} from the same source, and it is ${state}. ` +
          `A new one is started now. To take up the earlier one instead, set resume: true. ${collectLater({ number: note.run }).join(' ')}`,
      )
      return false
    }
    log.notice(
      `Taking up load test ${note.run}, which attempt ${note.attempt} of this job started; it is ${state}.`,
    )
    outcome.run = runOf(test, inputs, template)
    if (outcome.archive && note.archiveId !== undefined) {
      outcome.archive.id = note.archiveId
      keep.archive(outcome.archive)
    }
    await keep.run(outcome.run, {})
    return true
  })
}

/** @throws UserError where the run is certainly built from another job's archive */
async function checkBuilt(
  copy: LoadTest,
  archiveId: string | undefined,
  before: readonly number[],
  { log }: World,
  client: Client,
): Promise<void> {
  const built = builtFrom(copy, archiveId, before, await client.list())
  if (built.is === 'foreign') throw new UserError(built.sentence)
  if (built.is === 'doubtful') log.warning(built.sentence)
  if (built.is === 'unknown') log.info('The service does not tell which code archive the run is built from.')
}

/** Finds the run that another step has started. */
export async function attachTo(
  inputs: Inputs,
  world: World,
  client: Client,
  outcome: Outcome,
): Promise<void> {
  const number = inputs.runNumber
  if (number === undefined) throw new UserError('run-number is required in mode collect.')
  await world.log.group('Find the run', async () => {
    const test = await client.details(number)
    outcome.run = runOf(test, inputs)
    await world.keep.run(outcome.run, {})
    world.log.info(`Load test ${number}${test.name ? `, "${oneLine(test.name)}"` : ''}: ${outcome.run.url}`)
  })
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
export function pageOf(
  test: LoadTest,
  { baseUrl, project, runPage }: Pick<Inputs, 'baseUrl' | 'project' | 'runPage'>,
): string {
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

/** What a load test record says of a run. */
export function facts({ state, startTime, endTime }: LoadTest): Partial<Run> {
  return {
    ...(state ? { state } : {}),
    ...(startTime ? { startTime: new Date(startTime).toISOString() } : {}),
    ...(endTime ? { endTime: new Date(endTime).toISOString() } : {}),
    ...(startTime && endTime && endTime >= startTime
      ? { durationSeconds: Math.round((endTime - startTime) / 1000) }
      : {}),
  }
}

/** As long as the template's own last run took, where it ever ran; else as long as the baseline's. */
function expectedEnd({ startTime, endTime }: LoadTest, expectedSeconds?: number): { expectedEnd?: string } {
  const ran = startTime && endTime && endTime > startTime ? endTime - startTime : undefined
  const expected = ran ?? (expectedSeconds === undefined ? undefined : expectedSeconds * 1000)
  return expected === undefined ? {} : { expectedEnd: new Date(Date.now() + expected).toISOString() }
}
