import { open, rm } from 'node:fs/promises'
import { ArchiveError } from '../errors.js'
import type { Progress } from '../text/progress.js'
import { formatBytes } from '../text/size.js'
import { type DeflateOptions, deflatedInOrder } from './deflate-threads.js'
import { named, quoted } from './faults.js'
import { listFiles, type SourceFile } from './listing.js'
import { topLevelName } from './names.js'
import { mostBytes, unwritable, ZipWriter } from './zip-writer.js'

export interface PackOptions extends DeflateOptions {
  /** Folder to pack. */
  source: string
  /** Patterns in gitignore syntax, for tracked files too. */
  exclude: readonly string[]
  /** Properties that follow the content of one file in the archive. */
  properties?: { file: string; entries: readonly Property[] }
  /** Path of the ZIP to write; an existing file is replaced. */
  target: string
  /** Name of the top-level directory, such as GITHUB_REPOSITORY; default: the folder's name. */
  topLevel?: string
  /** Called now and then. */
  progress?: (done: PackProgress) => void
}

/** A name and its value. */
export type Property = readonly [key: string, value: string]

/** The bytes are those of the content. */
interface PackProgress extends Progress {
  files: number
  ofFiles: number
}

export interface PackedArchive {
  path: string
  files: number
  bytes: number
  /** The SHA-512 of the whole ZIP, in hex. */
  sha512: string
  /** The top-level directory. */
  name: string
  /** Of all its files and links, with that directory. */
  names: string[]
  /** The ten largest files of the archive, and their size in it. */
  largest: { name: string; bytes: number }[]
  /** Files that are only pointers of Git LFS. */
  pointers: string[]
  uncompressedBytes: number
  /** What the reader should know, as sentences. */
  notices: string[]
  /** Build and IDE folders that were left out without being asked for. */
  leftOut: string[]
  /** Sentences on patterns of `exclude` that match nothing. */
  unused: string[]
  /** Tracked files that are not in the folder. */
  absent: string[]
}

/** A ZIP without its 64-bit extension has two-byte counts, the highest of which is reserved. */
const mostEntries = 65_534

/**
 * Packs a folder: sorted names, one constant time and normalized modes, so that the same content gives the
 * same bytes on any machine. After a failure or abort no incomplete archive is left.
 */
export async function packSource(options: PackOptions): Promise<PackedArchive> {
  const { source, exclude, target, signal, properties } = options
  const listing = await listFiles(source, { exclude, skip: target, ...(signal && { signal }) })
  const { root, notices, leftOut, unused, absent } = listing
  const files = properties ? withProperties(listing.files, properties) : listing.files
  checkLimits(files)
  const name = topLevelName(options.topLevel ?? root)
  const written = await writeZip(name, files, options)
  return { path: target, name, files: files.length, ...written, notices, leftOut, unused, absent }
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

/** A settings file that people write is far smaller. */
const mostAppendedTo = 1_000_000

function withProperties(
  files: readonly SourceFile[],
  { file: name, entries }: Required<PackOptions>['properties'],
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
  return files.map((one) => (one === file ? { ...file, appended: propertyLines(entries) } : one))
}

/**
 * Lines to append to a Java properties file, in ASCII, so that they mean the same in whichever encoding the file is
 * read. Each pair stays one pair, whatever it contains; by the format's rules the last value of a key counts.
 */
export function propertyLines(properties: readonly Property[]): string {
  const lines = properties.map(
    ([key, value]) => `${escaped(key).replaceAll(' ', '\\ ')}=${escaped(value).replace(/^ /, '\\ ')}\n`,
  )
  // The blank line ends a last line without a line break, or one that a backslash continues.
  return `\n\n${lines.join('')}`
}

function escaped(text: string): string {
  return text
    .replace(/[\\=:#!]/g, '\\$&')
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

type Written = Pick<
  PackedArchive,
  'bytes' | 'sha512' | 'names' | 'largest' | 'pointers' | 'uncompressedBytes'
>

async function writeZip(
  topLevel: string,
  files: readonly SourceFile[],
  { target, progress, ...options }: PackOptions,
): Promise<Written> {
  const { signal } = options
  const handle = await open(target, 'w').catch((error: unknown) => {
    throw unwritable(target, error)
  })
  try {
    const writer = new ZipWriter(handle, target)
    const [ofFiles, ofBytes] = [files.length, bytesOf(files)]
    const pointers: string[] = []
    for await (const batch of deflatedInOrder(files, options)) {
      signal?.throwIfAborted()
      for (const [file, entry] of batch) {
        const name = `${topLevel}/${file.name}`
        await writer.add(name, modeOf(file), entry)
        if (entry.isPointer) pointers.push(name)
        const { entries, uncompressedBytes: bytes } = writer
        if (entries % 500 === 0 || entries === ofFiles)
          progress?.({ files: entries, ofFiles, bytes, ofBytes })
      }
    }
    const written = await writer.end()
    signal?.throwIfAborted()
    await handle.close()
    return { ...written, pointers, uncompressedBytes: writer.uncompressedBytes }
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

function bytesOf(files: readonly { bytes: number }[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}
