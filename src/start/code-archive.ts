import { defined } from '../text/fields.js'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { packSource, type PackedArchive } from '../archive/archive.js'
import { preflight, preflightPacked } from '../archive/preflight.js'
import { oneLine } from '../text/foreign-text.js'
import { plural } from '../text/plural.js'
import { withoutSecrets } from '../text/redaction.js'
import type { StartInputs } from '../inputs/inputs.js'
import type { Log } from '../log.js'
import type { CodeArchive } from '../outcome/outcome.js'
import { everyFifth, type Progress } from '../text/progress.js'
import type { Client } from '../service/service.js'
import { UserError } from '../errors.js'
import type { StartWorld } from './start.js'
import { ServiceError } from '../service/failure.js'
import { namedSecrets } from '../text/secret-name.js'
import { formatBytes } from '../text/size.js'

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
  inputs: Pick<StartInputs, 'source' | 'archive' | 'exclude' | 'properties'>,
  world: Pick<StartWorld, 'log' | 'signal' | 'temp' | 'topLevel'>,
): Promise<CheckedCodeArchive> {
  const { log, signal } = world
  const checked =
    inputs.archive === undefined
      ? preflightPacked(await packed(inputs, world))
      : await preflight(inputs.archive, signal)
  const { path, name, files, bytes, sha512, large, suspicious } = checked
  log.info(`The archive has ${plural(files, 'file')} below ${oneLine(name)}/ and ${formatBytes(bytes)}`)
  log.info(`SHA-512 ${sha512}`)
  if (large !== undefined) log.warning(large)
  if (suspicious.length > 0) {
    log.warning(
      `The archive contains files that look like secrets: ${namedSecrets(suspicious)}. ` +
        'They are uploaded with it. Name them in the input exclude if the test suite does not need them.',
    )
  }
  return { path, name, files, bytes, sha512 }
}

async function packed(
  { source, exclude, properties }: Parameters<typeof prepareArchive>[0],
  { log, signal, temp, topLevel }: Parameters<typeof prepareArchive>[1],
): Promise<PackedArchive> {
  if (properties) {
    // Never a value: the step cannot know which is a secret.
    const keys = properties.entries.map(([key]) => oneLine(key, 100)).join(', ')
    log.info(`Appended to ${oneLine(properties.file)} in the archive: ${keys}`)
  }
  const archive = await packSource({
    ...{ source, exclude, signal, ...defined({ topLevel, properties }) },
    target: join(temp, 'code-archive.zip'),
    progress: everyFifth(({ bytes, ofBytes }) =>
      log.info(`Packed ${formatBytes(bytes)} of ${formatBytes(ofBytes)}`),
    ),
  })
  for (const notice of archive.notices) log.warning(notice)
  for (const unused of archive.unused) log.notice(unused)
  const first = (names: readonly string[]) => {
    const shown = names.slice(0, 10).map((name) => oneLine(name, 60))
    return shown.join(', ')
  }
  if (archive.leftOut.length > 0) log.info(`Left out: ${first(archive.leftOut)}`)
  if (archive.absent.length > 0) {
    log.info(`Tracked by Git, but not in the workspace: ${archive.absent.length}, ${first(archive.absent)}`)
  }
  log.info(
    `Packed ${plural(archive.files, 'file')}, ${formatBytes(archive.uncompressedBytes)}, from ${oneLine(source)}`,
  )
  return archive
}

/** What an outcome says about it. */
export function withoutPath({ name, files, bytes, sha512 }: CheckedCodeArchive): CodeArchive {
  return { name: withoutSecrets(name), files, bytes, sha512 }
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
  const body = {
    bytes: archive.bytes,
    open: () => Readable.from(sent(archive, log), { objectMode: false }),
  }
  const upload = () => client.upload(body, archive.sha512)
  return client.patiently(upload).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.status !== 413) throw error
    throw new UserError(
      `${error.message} The archive has ${formatBytes(archive.bytes)} (${archive.bytes} bytes). Use the input exclude to leave out what the test does not need.`,
      { cause: error },
    )
  })
}

async function* sent({ path, bytes }: CheckedCodeArchive, log: Log): AsyncGenerator<Buffer> {
  const report = everyFifth<Progress>((done) =>
    log.info(`Uploaded ${formatBytes(done.bytes)} of ${formatBytes(bytes)}`),
  )
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
