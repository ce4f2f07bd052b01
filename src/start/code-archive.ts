import { defined } from '../text/fields.js'
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { Transform } from 'node:stream'
import { propertyLines } from '../archive/java-properties.js'
import { packSource, type PackedArchive } from '../archive/archive.js'
import { preflight } from '../archive/preflight.js'
import { oneLine } from '../text/foreign-text.js'
import { plural } from '../text/plural.js'
import { withoutSecrets } from '../text/redaction.js'
import type { ArchiveInputs } from '../inputs/inputs.js'
import type { Log } from '../log.js'
import type { CodeArchive } from '../outcome/outcome.js'
import { everyFifth, type Progress } from '../text/progress.js'
import type { Client } from '../service/service.js'
import { UserError } from '../errors.js'
import { AnswerError, ServiceError } from '../service/failure.js'
import { repeat, type Patience } from '../service/patience.js'
import type { Body } from '../service/transport.js'
import { namedSecrets } from '../text/secret-name.js'
import { formatBytes } from '../text/size.js'

export interface Packing {
  log: Log
  signal: AbortSignal
  /** Folder for files of this step. */
  temp: string
  /** Name of the top-level directory: the repository's. */
  topLevel?: string
  /** The built worker that deflates large folders. */
  deflateWorker: URL
}

/** A code archive on disk that has passed its preflight. */
export interface CheckedCodeArchive extends CodeArchive {
  path: string
}

/**
 * Packs the source, or takes the archive that exists, and checks it by the rules of the interface (section 2,
 * "Code archive") before anything is sent.
 *
 * @throws ArchiveError with every fault of the archive
 */
export async function prepareArchive(
  inputs: Pick<ArchiveInputs, 'source' | 'archive' | 'exclude' | 'properties'>,
  packing: Packing,
): Promise<CheckedCodeArchive> {
  const { log, signal } = packing
  const { path: target, sha512 }: { path: string; sha512?: string } =
    inputs.archive === undefined ? await packed(inputs, packing) : { path: inputs.archive }
  const checked = await preflight(target, { ...defined({ sha512 }), signal })
  log.info(
    `The archive has ${plural(checked.files, 'file')} below ${oneLine(checked.topLevel)}/ and ${formatBytes(checked.bytes)}`,
  )
  log.info(`SHA-512 ${checked.sha512}`)
  if (checked.large !== undefined) log.warning(checked.large)
  if (checked.suspicious.length > 0) {
    log.warning(
      `The archive contains files that look like secrets: ${namedSecrets(checked.suspicious)}. ` +
        'They are uploaded with it. Name them in the input exclude if the test suite does not need them.',
    )
  }
  return {
    path: target,
    name: checked.topLevel,
    files: checked.files,
    bytes: checked.bytes,
    sha512: checked.sha512,
  }
}

async function packed(
  inputs: Pick<ArchiveInputs, 'source' | 'exclude' | 'properties'>,
  { log, signal, temp, topLevel, deflateWorker }: Packing,
): Promise<PackedArchive> {
  const { properties } = inputs
  if (properties) {
    // Never a value: the step cannot know which is a secret.
    const keys = properties.entries.map(([key]) => oneLine(key, 100)).join(', ')
    log.info(`Appended to ${oneLine(properties.file)} in the archive: ${keys}`)
  }
  const archive = await packSource({
    source: inputs.source,
    exclude: inputs.exclude,
    target: path.join(temp, 'code-archive.zip'),
    ...defined({
      topLevel,
      appended: properties && { file: properties.file, text: propertyLines(properties.entries) },
    }),
    worker: deflateWorker,
    signal,
    progress: everyFifth(({ bytes, ofBytes }) =>
      log.info(`Packed ${formatBytes(bytes)} of ${formatBytes(ofBytes)}`),
    ),
  })
  for (const notice of archive.notices) log.warning(notice)
  for (const unused of archive.unused) log.notice(unused)
  const first = (names: readonly string[]): string =>
    names
      .slice(0, 10)
      .map((name) => oneLine(name, 60))
      .join(', ')
  if (archive.leftOut.length > 0) log.info(`Left out: ${first(archive.leftOut)}`)
  if (archive.absent.length > 0) {
    log.info(`Tracked by Git, but not in the workspace: ${archive.absent.length}, ${first(archive.absent)}`)
  }
  log.info(
    `Packed ${plural(archive.files, 'file')}, ${formatBytes(archive.uncompressedBytes)}, from ${oneLine(inputs.source)}`,
  )
  return archive
}

/** What an outcome says about it. */
export function withoutPath({ name, files, bytes, sha512 }: CheckedCodeArchive): CodeArchive {
  return { name: withoutSecrets(name), files, bytes, sha512 }
}

/**
 * Uploads the archive (interface section 4). If the result of a try is unknown, and the service has a list of code
 * archives, the step looks there before it repeats the upload: the same bytes twice do no harm, but use up one of the
 * project's places.
 *
 * @returns the code archive's id, where the service names it
 */
export async function uploadArchive(
  client: Pick<Client, 'upload' | 'archives'>,
  archive: CheckedCodeArchive,
  patience: Patience,
  { log, signal }: Pick<Packing, 'log' | 'signal'>,
): Promise<string | undefined> {
  const archives = async () => (await listed(client, log))?.filter(({ sha512 }) => sha512 === archive.sha512)
  let before: Awaited<ReturnType<typeof archives>> | 'not asked' = 'not asked'
  return repeat(
    async () => {
      if (before === 'not asked') before = await archives()
      const known = before
      try {
        return await client.upload(body(archive, log), archive.sha512)
      } catch (error) {
        if (error instanceof ServiceError && error.status === 413) throw tooLarge(error, archive)
        if (!(error instanceof ServiceError) || error.facts.executed === 'no' || !known) throw error
        const added = (await archives())?.filter(({ id }) => !known.some((one) => one.id === id))
        const [only] = added ?? []
        if (!only || added?.length !== 1) throw error
        log.info(`${error.message} The archive did arrive, as ${only.id}.`)
        return only.id
      }
    },
    patience,
    log,
    signal,
  )
}

function tooLarge(error: ServiceError, { bytes }: CheckedCodeArchive): UserError {
  return new UserError(
    `${error.message} The archive has ${formatBytes(bytes)} (${bytes} bytes). Use the input exclude to leave out what the test does not need.`,
    { cause: error },
  )
}

/** The list only saves a place in the project: it may be missing. */
async function listed(
  client: Pick<Client, 'archives'>,
  log: Log,
): Promise<{ id: string; sha512?: string }[] | undefined> {
  try {
    return await client.archives()
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof AnswerError)) throw error
    log.debug(`The code archives cannot be listed. ${error.message}`)
    return undefined
  }
}

function body(archive: CheckedCodeArchive, log: Log): Body {
  return {
    bytes: archive.bytes,
    open() {
      let sent = 0
      const report = everyFifth<Progress>(({ bytes }) =>
        log.info(`Uploaded ${formatBytes(bytes)} of ${formatBytes(archive.bytes)}`),
      )
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          sent += chunk.length
          report({ bytes: sent, ofBytes: archive.bytes })
          done(null, chunk)
        },
        flush(done) {
          done(
            sent === archive.bytes
              ? null
              : new Error(`the archive changed while it was sent: ${archive.path}`),
          )
        },
      })
      // 1 MiB portions: twice as fast as the default of 64 KiB.
      const file = createReadStream(archive.path, { highWaterMark: 1024 * 1024 })
      file.on('error', (error) => counted.destroy(error))
      counted.on('close', () => file.destroy())
      return file.pipe(counted)
    },
  }
}
