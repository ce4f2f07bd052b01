import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { LoadTest } from '../service/project.js'
import { isoTime } from '../clock.js'
import { message, StartError, UserError } from '../errors.js'
import type { StartInputs } from '../inputs/inputs.js'
import { isOfItsBranch, knownCommit } from '../outcome/code-origin.js'
import type { CodeArchive, Run, Step } from '../outcome/outcome.js'
import type { Log } from '../log.js'
import { ServiceError } from '../service/failure.js'
import type { Client } from '../service/service.js'
import type { Session } from '../session.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { everyFifth } from '../text/progress.js'
import { formatBytes } from '../text/size.js'
import type { World } from '../world.js'
import {
  isOfOther,
  foreignArchive,
  type Keep,
  type Uploaded,
  type StartNote,
  namelessArchive,
  pageAt,
  runOf,
} from '../run/run.js'
import { prepareArchive, withoutPath, type CheckedCodeArchive } from '../archive/code-archive.js'
import { findEarlierRun, startNote } from './earlier-start.js'
import { checkEngine, checkTakesUpload, checkTookUpload, findTemplate, shownState } from '../run/template.js'
import { existing } from '../run/new-copies.js'
import { startOnce } from './once.js'

export interface StartWorld extends Pick<World, 'clock' | 'log' | 'signal' | 'temp'> {
  /** GITHUB_RUN_ATTEMPT: 2 and more when the job is run again. */
  attempt: number
  /** What earlier attempts of the job recorded. @throws NoRecordError, UserError if that cannot be read now */
  earlierStarts: () => Promise<StartNote[] | undefined>
  /** What was recorded when a run of the service was started, by whichever other step of the repository. */
  startOf: (run: number, at: Pick<StartInputs, 'baseUrl' | 'project'>) => Promise<StartNote | undefined>
  step: Omit<Step, 'seconds'>
  /** The repository's name, which the archive's top-level directory gets. */
  topLevel?: string
  keep: Keep
}

type StartSession = Session<StartWorld, StartInputs>

export interface Launched {
  run: Run
  /** Beside which another copy may be listed: of a request whose answer was lost, if it is open. */
  own?: StartNote & { isOpen: boolean }
  /** What was uploaded for the run, if that is known. */
  uploaded?: Uploaded
}

/** What copies are started from. */
export interface Source {
  template: LoadTest
  /** The one that was uploaded for them. */
  archive?: CodeArchive
  /** The same, where only an earlier attempt of the job has uploaded it. */
  packed?: CheckedCodeArchive
}

/**
 * Packs, uploads and starts, in this order: every mistake is found before the paid run.
 *
 * @param checkNew throws if no other than an earlier run is of use
 */
export async function start(
  session: StartSession,
  checkNew: () => void = () => undefined,
): Promise<Launched & { source: Source }> {
  const { inputs, world, client, tell } = session
  const { log } = world
  if (!inputs.upload) {
    const note =
      'Nothing is uploaded: a run tests the code that the template names, whatever commit is named here.'
    tell({ notes: [note] })
  }
  const packed = inputs.upload
    ? await log.group('Pack the code archive', () => prepareArchive(inputs, world))
    : undefined
  if (packed) tell({ archive: withoutPath(packed) })
  const template = await templateFor(session, packed !== undefined)
  const earlier = await findEarlierRun(session, { template, ...defined({ archive: packed }) })
  if (earlier) {
    const id = earlier.note.archiveId
    if (packed) tell({ notes: leftBy(session, id) })
    const source = {
      template,
      ...defined({ archive: packed && { ...withoutPath(packed), ...defined({ id }) }, packed }),
    }
    return { ...continueWith(session, earlier, source), source }
  }
  checkNew()
  await checkCanFollow(session, template)
  // What cannot be started uploads nothing.
  await client.startMethod(template.number)
  if (packed) {
    // Interface section 1.
    log.info(
      'Code archives are a preview feature of the service, and details may change. A code archive takes precedence over the Git settings of the load test; set source: none to build from Git.',
    )
  }
  const archive = packed && (await log.group('Upload the code archive', () => upload(session, packed)))
  const source = { template, ...defined({ archive }) }
  return { ...(await startCopy(session, source)), source }
}

/**
 * Starts one more copy to confirm what a run has shown, or continues with the copy that an earlier attempt of the job
 * started for that.
 *
 * @param confirms that run's number
 */
export async function startAgain(session: StartSession, source: Source, confirms: number): Promise<Launched> {
  const earlier = await findEarlierRun(session, source, confirms)
  if (earlier) return continueWith(session, earlier, source, confirms)
  if (!source.packed) return startCopy(session, source, confirms)
  // Since then, another one may have been uploaded, or this one deleted.
  const { packed, archive: before } = source
  const archive = await upload(session, packed)
  if (session.inputs.deleteArchive && before?.id !== undefined)
    await session.client
      .deleteArchive(before.id)
      .catch((error: unknown) => session.world.log.info(message(error)))
  return startCopy(session, { ...source, archive }, confirms)
}

/** The copy that an earlier attempt of the job has started is the step's own. */
function continueWith(
  { inputs, world: { keep }, tell }: StartSession,
  { test, note }: NonNullable<Awaited<ReturnType<typeof findEarlierRun>>>,
  { template, archive }: Source,
  confirms?: number,
): Launched {
  const run = runOf(test, inputs, template)
  tell({ run, ...defined({ archive }) })
  if (archive?.id !== undefined) keep.archive(archive)
  keep.run(run, defined({ confirms }))
  keep.tellsOf(note)
  return { run, ...defined({ uploaded: archive }) }
}

/** @throws UserError if no copy can be started from it */
async function templateFor({ inputs, world, client }: StartSession, takesUpload: boolean): Promise<LoadTest> {
  const { log } = world
  return log.group('Find the load test', async () => {
    const found = await findTemplate(client, inputs.template, world)
    log.info(`The template is load test ${found.number}${found.name ? `, "${oneLine(found.name)}"` : ''}`)
    if (found.environment === undefined) log.info('The service does not say which engine it runs on.')
    const preview = checkEngine(found)
    if (preview !== undefined) log.notice(preview)
    if (takesUpload) checkTakesUpload(found)
    return found
  })
}

/**
 * Whether the end of a run, and a start whose answer is lost, could be seen: asked before anything is uploaded.
 *
 * @throws UserError if the service does not say in which state a load test is
 */
async function checkCanFollow(
  { world: { log, signal }, client, tell }: StartSession,
  template: LoadTest,
): Promise<void> {
  const { noList, hasStates } = await existing(client, template.number)
  if (noList) {
    signal.throwIfAborted()
    const note = `${message(noList)} A load test is started all the same; if the answer to its start is lost, look on the service whether it runs.`
    log.warning(note)
    tell({ notes: [note] })
  }
  if (!hasStates) await shownState(client, template, false)
}

/** Starts one copy, and checks whether it is built from what was uploaded for it. */
async function startCopy(session: StartSession, source: Source, confirms?: number): Promise<Launched> {
  const { inputs, world, tell } = session
  const { template, archive } = source
  const { log, signal, keep } = world
  const expected = expectedDuration(template, session)
  const started = await log.group('Start the load test', () => requestCopy(session, source, confirms))
  const { copy, isOpen, notes, note, hasList } = started
  const run = runOf(copy, inputs, template)
  const expectedEnd = expected === undefined ? undefined : isoTime(Date.now() + expected)
  // Before anything else: what comes later may fail.
  keep.run(run, { note: { ...note, run: copy.number }, ...defined({ confirms, expectedEnd }) })
  keep.tellsOf(note)
  log.info(`Started load test ${copy.number}${pageAt(run)}`)
  tell({ run, notes })
  signal.throwIfAborted()
  if (archive && isOfOther(copy, archive)) throw foreignArchive(copy.number, copy, archive)
  const own = hasList ? { ...note, isOpen } : undefined
  return { run, ...defined({ own, uploaded: archive }) }
}

/** Puts on record what is about to be started before it is requested. @returns with the copy, that note */
async function requestCopy(
  { inputs, world: { attempt, clock, keep, log, signal, startOf }, client, told }: StartSession,
  { template, archive }: Source,
  confirms: number | undefined,
) {
  signal.throwIfAborted()
  if (archive && template.archiveId !== undefined) {
    checkTookUpload(template, await client.details(template.number), archive.id)
  }
  const method = await client.startMethod(template.number)
  log.info(
    method === undefined
      ? 'The OpenAPI document does not say how a copy is started: by GET, or by POST if that is refused and the list shows no new one.'
      : `By the OpenAPI document, a copy is started by ${method}.`,
  )
  const commit = knownCommit(told())
  const ref = isOfItsBranch(told()) ? told().step.ref : undefined
  const { number, name: templateName } = template
  const uploaded = { archiveId: archive?.id, archiveSha512: archive?.sha512 }
  const start = { service: inputs.baseUrl, ...inputs.project, template: number, attempt }
  const subject = { ...start, ...defined({ templateName, commit, ref, confirms, ...uploaded }) }
  const before = await existing(client, number)
  await client.authenticate()
  const note = startNote(subject, before.highest)
  try {
    await keep.starting(note)
    const asked = { client, note, before, clock, log, signal, ...defined({ method }) }
    const started = await startOnce({ ...asked, startOf: (run) => startOf(run, inputs) })
    return { ...started, note, hasList: !before.noList }
  } catch (error) {
    const isRefusal = error instanceof ServiceError || !signal.aborted
    if (!(error instanceof StartError) && isRefusal) keep.notStarted(note)
    throw error
  }
}

/** Milliseconds that the template's own last run took; of one that never ran, the first run of the baseline. */
function expectedDuration({ startTime, endTime }: LoadTest, { baseline }: StartSession): number | undefined {
  if (startTime && endTime && endTime > startTime) return endTime - startTime
  const seconds = baseline?.runs?.reports[0]?.general.duration
  return seconds === undefined ? undefined : seconds * 1000
}

/** @returns the archive with its id, where the service names it */
async function upload(session: StartSession, packed: CheckedCodeArchive): Promise<CodeArchive> {
  const { inputs, client, tell } = session
  const { keep, log } = session.world
  let isLost = false
  const noticed: typeof client.upload = (...sent) =>
    client.upload(...sent).catch((error: unknown) => {
      isLost ||= error instanceof ServiceError && error.facts.executed === 'unknown'
      throw error
    })
  const id = await uploadArchive({ ...client, upload: noticed }, packed, log).finally(() => {
    if (isLost && inputs.deleteArchive) tell({ notes: [lostUpload] })
  })
  const archive = { ...withoutPath(packed), ...defined({ id }) }
  keep.archive(archive)
  const as = id === undefined ? '; the service did not name its id' : ` as code archive ${oneLine(id)}`
  log.info(`Uploaded${as}`)
  tell({ archive, notes: leftBy(session, id) })
  return archive
}

const lostUpload =
  'The answer to an upload was lost: if the service has that code archive as well, it was not deleted. Delete it on the service.'

/** What to say of an archive that is to be deleted, and cannot be. */
function leftBy({ inputs }: StartSession, id: string | undefined): string[] {
  return id === undefined && inputs.deleteArchive ? [namelessArchive] : []
}

/**
 * Uploads the archive (interface section 4), again after a fault that may pass: the same bytes twice do no harm.
 *
 * @returns the code archive's id, where the service names it
 */
export async function uploadArchive(
  client: Pick<Client, 'patiently' | 'upload'>,
  archive: CheckedCodeArchive,
  log: Log,
): Promise<string | undefined> {
  const open = () => Readable.from(sent(archive, log), { objectMode: false })
  const upload = () => client.upload({ bytes: archive.bytes, open }, archive.sha512)
  return client.patiently(upload).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.status !== 413) throw error
    const tooLarge = `${error.message} The archive has ${formatBytes(archive.bytes)} (${archive.bytes} bytes). Leave out what the test does not need, by the input exclude or when you make the ZIP.`
    throw new UserError(tooLarge, { cause: error })
  })
}

async function* sent({ path, bytes }: CheckedCodeArchive, log: Log): AsyncGenerator<Buffer> {
  const report = everyFifth('Uploaded', log)
  let count = 0
  // 1 MiB portions: twice as fast as the default of 64 KiB.
  const portions: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1024 * 1024 })
  for await (const portion of portions) {
    count += portion.length
    report({ bytes: count, ofBytes: bytes })
    yield portion
  }
  if (count !== bytes) throw new Error(`the archive changed while it was sent: ${path}`)
}
