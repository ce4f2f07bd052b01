import { join } from 'node:path'
import type { Log } from '../log.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { plural } from '../text/plural.js'
import { everyFifth } from '../text/progress.js'
import { withoutSecrets } from '../text/redaction.js'
import { namedSecrets } from '../text/secret-name.js'
import { formatBytes } from '../text/size.js'
import { packSource, type PackedArchive, type PackOptions } from './archive.js'
import { preflight, preflightPacked, type CheckedArchive } from './preflight.js'

/** A code archive on disk that has passed its preflight. */
export type CheckedCodeArchive = Omit<CheckedArchive, 'suspicious' | 'large'>

/**
 * Packs the source, or takes the archive that exists, and checks it by the rules of the interface (section 2,
 * "Code archive") before anything is sent.
 *
 * @throws ArchiveError with every fault of the archive
 */
export async function prepareArchive(
  inputs: Pick<PackOptions, 'source' | 'exclude' | 'properties'> & { archive?: string },
  world: Pick<PackOptions, 'topLevel'> & { log: Log; signal: AbortSignal; temp: string },
): Promise<CheckedCodeArchive> {
  const { log, signal } = world
  const checked =
    inputs.archive === undefined
      ? preflightPacked(await packed(inputs, world))
      : await preflight(inputs.archive, signal)
  const { large, suspicious, ...archive } = checked
  const { name, files, bytes, sha512 } = archive
  log.info(`The archive has ${plural(files, 'file')} below ${oneLine(name)}/ and ${formatBytes(bytes)}`)
  log.info(`SHA-512 ${sha512}`)
  if (large !== undefined) log.warning(large)
  if (suspicious.length > 0) {
    log.warning(
      `The archive contains files that look like secrets: ${namedSecrets(suspicious)}. ` +
        'They are uploaded with it. If the test suite does not need them, name them in the input exclude, or make the ZIP without them.',
    )
  }
  return archive
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
    progress: everyFifth('Packed', log),
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
export function withoutPath({ name, files, bytes, sha512 }: CheckedCodeArchive) {
  return { name: withoutSecrets(name), files, bytes, sha512 }
}
