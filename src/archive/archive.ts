import { open, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { ArchiveError } from '../errors.js'
import { type Deflater, deflatedInOrder } from './zip/batches.js'
import { deflate } from './zip/deflate.js'
import { DeflateThreads } from './zip/deflate-threads.js'
import { quoted } from './faults.js'
import { defaultName, listFiles, type SourceFile } from './listing/listing.js'
import type { Progress } from '../text/progress.js'
import { formatBytes } from '../text/size.js'
import { topLevelName } from './listing/names.js'
import { unwritable } from './zip/output.js'
import { mostBytes, ZipWriter } from './zip/writer.js'

export interface PackOptions {
  /** Folder to pack. */
  source: string
  /** Patterns in gitignore syntax, for tracked files too. */
  exclude: readonly string[]
  /** A text that follows the content of one file in the archive. */
  appended?: { file: string; text: string }
  /** Path of the ZIP to write; an existing file is replaced. */
  target: string
  /** Name of the top-level directory, such as GITHUB_REPOSITORY; default: the remote's name, else the folder's. */
  topLevel?: string
  /** Where deflate-worker was built to; without it, all is deflated on this thread. */
  worker?: string | URL
  /** How many threads deflate. Default: one for each of the machine's cores, where the folder is large. */
  threads?: number
  signal?: AbortSignal
  /** Called now and then. */
  progress?: (done: PackProgress) => void
}

/** The bytes are those of the content. */
interface PackProgress extends Progress {
  files: number
  ofFiles: number
}

export interface PackedArchive {
  path: string
  bytes: number
  files: number
  /** The SHA-512 of the whole ZIP, in hex. */
  sha512: string
  /** The top-level directory. */
  name: string
  /** The ten largest files of the archive, and their size in it. */
  largest: { name: string; bytes: number }[]
  uncompressedBytes: number
  /** What the reader should know, as sentences. */
  notices: string[]
  /** Build and IDE folders that were left out without being asked for. */
  leftOut: string[]
  /** What Git tracks and is not on the disk. */
  absent: string[]
  /** Sentences on patterns of `exclude` that match nothing. */
  unused: string[]
}

/** A ZIP without its 64-bit extension has two-byte counts, the highest of which is reserved. */
const mostEntries = 65_534

/** Below it, starting threads takes longer than they save. */
const worthThreads = 5e6
/** One thread writes what all others deflate; any more would only wait for it. */
const mostThreads = 8

/**
 * Packs a folder: sorted names, one constant time and normalized modes, so that the same content gives the
 * same bytes on any machine. After a failure or abort no incomplete archive is left.
 */
export async function packSource(options: PackOptions): Promise<PackedArchive> {
  const { source, exclude, target, signal } = options
  const listing = await listFiles(source, { exclude, skip: target, ...(signal && { signal }) })
  const { notices, leftOut, absent, unused } = listing
  const files = options.appended ? withAppended(listing.files, options.appended) : listing.files
  checkLimits(files)
  const deflater = deflaterFor(files, options)
  try {
    const name =
      options.topLevel === undefined ? await defaultName(listing, signal) : topLevelName(options.topLevel)
    const written = await writeZip(name, files, deflater, options)
    return { path: target, name, files: files.length, ...written, notices, leftOut, absent, unused }
  } finally {
    await deflater.end()
  }
}

/** Throws, before any content is read, if something could not be packed. */
export function checkLimits(files: readonly { name: string; bytes: number }[]): void {
  if (files.length === 0) {
    throw new ArchiveError(
      'There are no files to pack: the folder is empty, or everything in it is ignored or excluded. Add a step with actions/checkout before this one; if there is one, check the inputs source and exclude.',
    )
  }
  if (files.length > mostEntries) {
    throw new ArchiveError(
      `The folder has ${files.length} files, but an archive can hold at most ${mostEntries}. Set the input source to the test suite's folder, or leave files out with the input exclude.`,
    )
  }
  const bytes = bytesOf(files)
  if (bytes > mostBytes) {
    const largest = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, 10)
    throw new ArchiveError(
      `The files take ${formatBytes(bytes)}, but an archive can hold at most 4 GiB. The largest are ${named(largest)}. Use the input exclude to leave out what the test does not need.`,
    )
  }
}

/** Names with sizes, for a sentence. */
export function named(files: readonly { name: string; bytes: number }[]): string {
  return files.map((file) => `${quoted(file.name)} (${formatBytes(file.bytes)})`).join(', ')
}

/** A settings file that people write is far smaller. */
const mostAppendedTo = 1_000_000

function withAppended(
  files: readonly SourceFile[],
  { file: name, text }: Required<PackOptions>['appended'],
): SourceFile[] {
  const file = files.find((one) => one.name === name)
  if (!file) {
    throw new ArchiveError(
      `properties are appended to ${quoted(name)}, which is not among the packed files. Add it to the folder of the input source, and to Git.`,
    )
  }
  if (file.target !== undefined) {
    throw new ArchiveError(
      `properties are appended to ${quoted(name)}, which is a link. Put the file itself there.`,
    )
  }
  if (file.bytes > mostAppendedTo) {
    throw new ArchiveError(
      `properties are appended to ${quoted(name)}, which has ${formatBytes(file.bytes)}. It may have at most ${formatBytes(mostAppendedTo)}.`,
    )
  }
  return files.map((one) => (one === file ? { ...file, appended: text } : one))
}

type Written = Pick<PackedArchive, 'bytes' | 'sha512' | 'largest' | 'uncompressedBytes'>

async function writeZip(
  topLevel: string,
  files: readonly SourceFile[],
  deflater: Deflater,
  { target, signal, progress }: PackOptions,
): Promise<Written> {
  const handle = await open(target, 'w').catch((error: unknown) => {
    throw unwritable(target, error)
  })
  try {
    const writer = new ZipWriter(handle, target)
    const [ofFiles, ofBytes] = [files.length, bytesOf(files)]
    for await (const batch of deflatedInOrder(files, deflater)) {
      signal?.throwIfAborted()
      for (const [file, entry] of batch) {
        await writer.add({ name: `${topLevel}/${file.name}`, mode: modeOf(file) }, entry)
        const { entries, uncompressedBytes: bytes } = writer
        if (entries % 500 === 0 || entries === ofFiles)
          progress?.({ files: entries, ofFiles, bytes, ofBytes })
      }
    }
    const written = await writer.end()
    signal?.throwIfAborted()
    await handle.close()
    return { ...written, uncompressedBytes: writer.uncompressedBytes }
  } catch (error) {
    await handle.close().catch(() => undefined)
    await rm(target, { force: true })
    throw error
  }
}

/** The mode bits of a link, of an executable file or of another one. */
function modeOf({ target, executable }: SourceFile): number {
  if (target !== undefined) return 0o120777
  return executable ? 0o100755 : 0o100644
}

function deflaterFor(files: readonly SourceFile[], { worker, threads, signal }: PackOptions): Deflater {
  const cores = Math.min(availableParallelism(), mostThreads)
  const count = threads ?? (bytesOf(files) < worthThreads ? 0 : cores)
  if (worker !== undefined && count > 0) return new DeflateThreads(worker, count, signal)
  return {
    ahead: 1,
    async deflate(batch) {
      // Lets a signal through.
      await setImmediate()
      return deflate(batch, signal)
    },
    end: () => Promise.resolve(),
  }
}

function bytesOf(files: readonly { bytes: number }[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}
